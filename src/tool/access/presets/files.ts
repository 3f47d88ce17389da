import { phrase } from '../../../context.ts'
import type { CommandPreset, FlagValue, Operand } from './match-command.ts'

const paths: readonly Operand[] = [{ kind: 'path' }]
const files: readonly Operand[] = [{ kind: 'file' }]
/** Two folders would be compared file by file, with links followed. */
const twoFiles: readonly Operand[] = [{ kind: 'file', least: 2, most: 2 }]
const gnu = { bundles: true, endOfFlags: true } as const

const color: Readonly<Record<string, FlagValue>> = { '--color': '[=one of always|never|auto]' }

/**
 * Reads files. Left out are flags that follow links further than the words of the command say (`ls -L`, `du -L`, `diff -r`),
 * read names from a file (`--files0-from`, `-X`, `-c` of sha256sum), write (`sort -o`, `tree -o`), run a program (`file -z`,
 * `diff -l`, `sort --compress-program`) or do not end (`tail -f`). Where GNU and BSD differ about a value, the flag is left
 * out, or its value has to be in the same word.
 */
export const filesRead: CommandPreset = {
  name: 'files-read',
  allows: phrase`Lists, shows, counts and compares files and folders of the workspace, and writes nothing.`,
  leaves: phrase`It reads every file of the workspace, so what is secret does not belong there. A file that changes while a command runs is read as it is then.`,
  readsOnly: true,
  commands: [
    { begins: ['pwd'], flags: { '-L -P': 'none' } },
    {
      begins: ['ls'],
      flags: {
        '-l -a -A -1 -h -R -r -t -S -d -F -i -s -n -g -o -p -G -c -u -U -X -v -Q -b -q -N -k -m -C -x -f': 'none',
        '--all --almost-all --human-readable --recursive --reverse --directory --size --inode --si': 'none',
        '--group-directories-first --file-type --full-time --numeric-uid-gid --no-group --author --zero': 'none',
        '--sort': '=one of none|size|time|version|extension|name|width',
        '--time': '=text',
        '--time-style': '=text',
        '--hide': '=pattern',
        '--ignore': '=pattern',
        '--classify': '[=one of always|never|auto]',
        ...color,
      },
      operands: paths,
      readsFolder: true,
      ...gnu,
    },
    {
      begins: ['cat'],
      flags: {
        '-n -A -b -e -E -s -t -T -v --number --number-nonblank --show-all --show-ends --show-tabs': 'none',
        '--show-nonprinting --squeeze-blank': 'none',
      },
      operands: files,
      ...gnu,
    },
    {
      begins: ['head', 'tail'],
      flags: { '-n -c': 'count', '-NUMBER -q -v --quiet --silent --verbose': 'none', '--lines --bytes': '=count' },
      operands: files,
      endOfFlags: true,
    },
    {
      begins: ['wc'],
      flags: { '-l -w -c -m -L --lines --words --bytes --chars --max-line-length': 'none' },
      operands: files,
      ...gnu,
    },
    {
      begins: ['file'],
      flags: {
        '-b -i -k -h -N -r --brief --mime --mime-type --mime-encoding --extension --keep-going --no-dereference':
          'none',
      },
      operands: [{ kind: 'path', least: 1 }],
      ...gnu,
    },
    {
      begins: ['stat'],
      flags: { '--format --printf': '=text', '--terse': 'none' },
      operands: [{ kind: 'path', least: 1 }],
      endOfFlags: true,
    },
    {
      begins: ['du'],
      flags: {
        '-s -h -a -c -k -m -b -x -S -l': 'none',
        '-d': 'number',
        '--max-depth': '=number',
        '--exclude': '=pattern',
        '--summarize --human-readable --all --total --apparent-size --bytes --inodes --si --separate-dirs': 'none',
      },
      operands: paths,
      readsFolder: true,
      ...gnu,
    },
    {
      begins: ['tree'],
      flags: {
        '-a -d -f -i -s -h -p -D -F -r -t -n -C -N -Q -J -X': 'none',
        '-L': '_number',
        '-P -I': '_pattern',
        '--dirsfirst --noreport --prune --du --si --matchdirs --ignore-case': 'none',
      },
      operands: paths,
      readsFolder: true,
      bundles: true,
    },
    {
      begins: ['diff'],
      flags: {
        '-u -c -q -s -y -w -b -B -i -a -p -t -E -Z -d --brief --side-by-side --text --minimal --normal': 'none',
        '-U -C -W': 'number',
        '--unified --context': '[=number]',
        '--width --tabsize': '=number',
        '--ignore-case --ignore-all-space --ignore-space-change --ignore-blank-lines': 'none',
        '--strip-trailing-cr --suppress-common-lines --report-identical-files --left-column': 'none',
        ...color,
      },
      operands: twoFiles,
      ...gnu,
    },
    {
      begins: ['cmp'],
      flags: { '-s -l -b --silent --quiet --verbose --print-bytes': 'none', '-n': 'count', '--bytes': '=count' },
      operands: twoFiles,
      ...gnu,
    },
    { begins: ['comm'], flags: { '-1 -2 -3': 'none' }, operands: twoFiles, ...gnu },
    {
      begins: ['sha256sum', 'sha1sum', 'sha512sum', 'md5sum', 'b2sum'],
      flags: { '-b -t -z --tag --binary --text --zero': 'none' },
      operands: files,
      ...gnu,
    },
    {
      begins: ['sort'],
      flags: {
        '-b -d -f -g -h -i -M -n -r -R -s -u -V -z -c -C -m': 'none',
        '-k -t': 'text',
        '--key --field-separator': '=text',
        '--sort': '=one of general-numeric|human-numeric|month|numeric|random|version',
        '--numeric-sort --reverse --unique --ignore-case --human-numeric-sort --version-sort --stable': 'none',
        '--ignore-leading-blanks --dictionary-order --general-numeric-sort --merge --zero-terminated': 'none',
        '--check': '[=one of quiet|silent|diagnose-first]',
      },
      operands: files,
      ...gnu,
    },
    {
      begins: ['uniq'],
      flags: {
        '-c -d -D -u -i -z --count --repeated --unique --ignore-case --zero-terminated': 'none',
        '-f -s -w': 'number',
        '--skip-fields --skip-chars --check-chars': '=number',
      },
      operands: [{ kind: 'file', most: 1 }],
      ...gnu,
    },
    {
      begins: ['cut'],
      flags: {
        '-d -f -b -c': 'text',
        '--delimiter --fields --bytes --characters --output-delimiter': '=text',
        '-s -z --only-delimited --complement --zero-terminated': 'none',
      },
      operands: files,
      ...gnu,
    },
    {
      begins: ['tr'],
      flags: { '-c -C -d -s --complement --delete --squeeze-repeats': 'none' },
      operands: [{ kind: 'text', least: 1, most: 2 }],
      ...gnu,
    },
  ],
}

/** The first name is the pattern, unless a flag has given one. */
function patternAndPaths(...flags: readonly string[]): readonly Operand[] {
  return [{ kind: 'pattern', least: 1, most: 1, unless: flags }, { kind: 'path' }]
}

const common: Readonly<Record<string, FlagValue>> = {
  '-n -i -l -L -c -w -v -o -h -H -E -F -G -P -q -a -I': 'none',
  '-e': 'pattern',
  '-A -B -m': 'number',
  // The number of some other greps is optional, and then only in the same word.
  '-C': '=number',
  '-NUMBER': 'none',
  '--after-context --before-context --context --max-count': '=number',
  '--ignore-case --word-regexp --invert-match --count --files-with-matches --files-without-match': 'none',
  '--line-number --only-matching --extended-regexp --fixed-strings --basic-regexp --perl-regexp --text': 'none',
  ...color,
}

/**
 * Searches files. Left out are flags that run a program (`rg --pre`, `--hostname-bin`, `-z`; `fd -x`, `-l`; `find -exec`;
 * `git grep -O`), write or remove (`find -delete`, `-fprint`), follow links (`grep -R`, `rg -L`, `find -L`) or read patterns
 * and names from a file (`-f`, `--ignore-file`, `-files0-from`).
 */
export const searchFiles: CommandPreset = {
  name: 'search',
  allows: phrase`Searches the names and the contents of files in the workspace with grep, git grep, rg, find and fd.`,
  leaves: phrase`It reads every file of the workspace, also hidden ones. A pattern can be made that takes as long as the time limit allows.`,
  readsOnly: true,
  commands: [
    {
      begins: ['grep', 'egrep', 'fgrep'],
      readsFolder: true,
      flags: {
        ...common,
        '-r -x -s -b -T -Z --recursive --line-regexp --no-messages --quiet --silent --byte-offset': 'none',
        '--with-filename --no-filename --null --initial-tab --line-buffered --no-group-separator': 'none',
        '--regexp --include --exclude --exclude-dir': '=pattern',
        '--binary-files': '=one of binary|text|without-match',
      },
      operands: patternAndPaths('-e', '--regexp'),
      bundles: true,
      endOfFlags: true,
    },
    {
      begins: ['git grep'],
      before: ['--no-pager', '--no-optional-locks'],
      flags: {
        ...common,
        '-p -W -z --cached --untracked --exclude-standard --show-function --function-context --column': 'none',
        '--full-name --name-only --break --heading --quiet --null --and --or --not --all-match': 'none',
        '--max-depth': '=number',
      },
      operands: [{ kind: 'pattern', least: 1, most: 1, unless: ['-e'] }, { kind: 'revision' }],
      bundles: true,
      endOfFlags: true,
    },
    {
      begins: ['rg'],
      readsFolder: true,
      flags: {
        '-n -N -i -s -S -w -x -v -l -c -o -F -P -U -H -I -u -a -q -p -0 -.': 'none',
        '-e': 'pattern',
        '-g': 'pattern',
        '-t -T': 'name',
        '-A -B -C -m': 'number',
        '--regexp --glob --iglob': '=pattern',
        '--type --type-not': '=name',
        '--after-context --before-context --context --max-count --max-depth --max-columns': '=number',
        '--sort --sortr': '=one of none|path|modified|accessed|created',
        '--color': '=one of never|auto|always|ansi',
        '--files --type-list --hidden --no-ignore --no-ignore-vcs --no-config --ignore-case --smart-case': 'none',
        '--case-sensitive --word-regexp --line-regexp --invert-match --files-with-matches': 'none',
        '--files-without-match --count --count-matches --only-matching --fixed-strings --pcre2 --multiline': 'none',
        '--multiline-dotall --line-number --no-line-number --with-filename --no-filename --heading': 'none',
        '--no-heading --json --stats --vimgrep --column --trim --unrestricted --text --quiet --null --pretty': 'none',
        '--no-messages --passthru --one-file-system': 'none',
      },
      operands: patternAndPaths('-e', '--regexp', '--files', '--type-list'),
      bundles: true,
      endOfFlags: true,
    },
    {
      begins: ['find'],
      readsFolder: true,
      flags: {
        '-name -iname -path -ipath -regex -iregex': '_pattern',
        '-type': '_one of f|d|l',
        '-maxdepth -mindepth': '_number',
        '-size -mtime -mmin -atime -amin -ctime -cmin -links': '_count',
        '-newer': '_path',
        '-perm': '_count',
        '-printf': '_text',
        '-empty -print -print0 -ls -prune -quit -true -false -xdev -mount -readable -writable': 'none',
        '-executable -nouser -nogroup': 'none',
        '-not ! -o -or -a -and ( ) ,': 'none',
      },
      operands: [{ kind: 'path' }],
      expression: true,
    },
    {
      begins: ['fd', 'fdfind'],
      readsFolder: true,
      flags: {
        '-H -I -u -g -F -i -s -a -p -0 -1 -q': 'none',
        '-t': 'one of f|d|l|x|e|file|directory|symlink|executable|empty',
        '-e': 'name',
        '-d': 'number',
        '-E': 'pattern',
        '--type': '=one of f|d|l|x|e|file|directory|symlink|executable|empty',
        '--extension': '=name',
        '--max-depth --min-depth --exact-depth --max-results': '=number',
        '--exclude': '=pattern',
        '--size --changed-within --changed-before': '=text',
        '--color': '=one of auto|always|never',
        '--hidden --no-ignore --no-ignore-vcs --unrestricted --glob --regex --fixed-strings --ignore-case': 'none',
        '--case-sensitive --absolute-path --full-path --print0 --quiet --prune --one-file-system': 'none',
      },
      operands: [{ kind: 'pattern', most: 1 }, { kind: 'path' }],
      bundles: true,
      endOfFlags: true,
    },
  ],
}
