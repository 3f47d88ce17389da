import { phrase } from '../../../context.ts'
import type { CommandPreset, FlagValue, Operand } from './grammar.ts'

const color = '[=one of always|never|auto]'

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
  '--color': color,
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
