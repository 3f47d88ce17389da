import { phrase } from '../../../context.ts'
import type { CommandGrammar, CommandPreset, FlagValue, Operand } from './match-command.ts'

const before = ['--no-pager', '--no-optional-locks']
const color = 'one of always|never|auto'
const revisions: readonly Operand[] = [{ kind: 'revision' }]
const paths: readonly Operand[] = [{ kind: 'path' }]
const patterns: readonly Operand[] = [{ kind: 'pattern' }]

/** How differences are shown. Values only in the same word: git itself is not alike about the next one. */
const difference: Readonly<Record<string, FlagValue>> = {
  '-p -u --patch -s --no-patch --raw --patch-with-stat --patch-with-raw': 'none',
  '--numstat --shortstat --summary --compact-summary --name-only --name-status': 'none',
  '--stat': '[=text]',
  '-U --unified': '=number',
  '-w --ignore-all-space -b --ignore-space-change --ignore-space-at-eol': 'none',
  '--ignore-cr-at-eol --ignore-blank-lines': 'none',
  '-W --function-context -a --text -R -z --full-index --no-prefix --no-renames': 'none',
  '--minimal --patience --histogram': 'none',
  '--diff-algorithm': '=one of default|myers|minimal|patience|histogram',
  '-M --find-renames --abbrev --color-moved': '[=text]',
  '--diff-filter': '=text',
  '--word-diff': '[=one of color|plain|porcelain|none]',
  '--color': `[=${color}]`,
  '--no-color --no-ext-diff --no-textconv': 'none',
  '-S -G': '=text',
  '--pickaxe-all --pickaxe-regex': 'none',
  '--ignore-submodules': '[=one of none|untracked|dirty|all]',
}

const commits: Readonly<Record<string, FlagValue>> = {
  '-n': 'number',
  '-NUMBER --oneline --graph': 'none',
  '--max-count --skip --min-parents --max-parents': '=number',
  '--pretty': '[=format]',
  '--format': '=format',
  '--since --after --until --before --author --committer --grep': '=text',
  '--date': '=text',
  '--decorate': '[=one of short|full|auto|no]',
  '--no-decorate --abbrev-commit --no-abbrev-commit --all --merges --no-merges --first-parent --reverse': 'none',
  '--branches --tags --remotes': '[=pattern]',
  '--topo-order --date-order --author-date-order --follow --cc -c -m': 'none',
  '-i --regexp-ignore-case -E --extended-regexp -F --fixed-strings': 'none',
  '--all-match --invert-grep --left-right --cherry-pick --cherry-mark --ancestry-path --boundary': 'none',
  '--simplify-by-decoration --full-history --source --parents --children --no-notes': 'none',
}

const referenceFlags: Readonly<Record<string, FlagValue>> = {
  '--contains --no-contains --merged --no-merged --points-at': '=branch',
  // A signature as the key would make git start the program that checks signatures.
  '--sort': `=one of ${['refname', 'version:refname', 'v:refname', 'committerdate', 'authordate', 'creatordate', 'taggerdate'].flatMap((key) => [key, `-${key}`]).join('|')}`,
  '--color': `[=${color}]`,
  '--no-color --no-column -i --ignore-case': 'none',
}

/** A command of git that knows `--`. */
function git(name: string, rest: Omit<CommandGrammar, 'begins' | 'before' | 'endOfFlags'>): CommandGrammar {
  return { begins: [`git ${name}`], before, endOfFlags: true, ...rest }
}

export const gitRead: CommandPreset = {
  name: 'git-read',
  allows: phrase`Shows the state, the history, the differences, branches, tags and files of a repository, and changes nothing in it.`,
  leaves: phrase`It shows everything that the repository of the workspace contains, also what was removed from it later. Programs that the configuration of Git names, such as diff.external, still run.`,
  readsOnly: true,
  commands: [
    git('status', {
      flags: {
        '-s --short -b --branch --long -v --verbose -z --show-stash --ahead-behind --no-ahead-behind': 'none',
        '--porcelain': '[=one of v1|v2|1|2]',
        '-u --untracked-files': '[=one of no|normal|all]',
        '--ignored': '[=one of traditional|no|matching]',
        '--no-renames': 'none',
      },
      operands: paths,
      bundles: true,
      flagsAnywhere: true,
    }),
    git('log', { flags: { ...commits, ...difference }, operands: revisions, flagsAnywhere: true }),
    git('show', { flags: { ...commits, ...difference }, operands: revisions, flagsAnywhere: true }),
    git('diff', {
      flags: { '--cached --staged --merge-base --exit-code --quiet --check': 'none', ...difference },
      operands: revisions,
      flagsAnywhere: true,
    }),
    git('blame', {
      flags: {
        '-L': 'lines',
        '-w -s -e --show-email -l -t -f --show-name -n --show-number -b --root': 'none',
        '-p --porcelain --line-porcelain': 'none',
        '--since': '=text',
        '--abbrev': '[=number]',
      },
      operands: [{ kind: 'revision', least: 1, most: 2 }],
      flagsAnywhere: true,
    }),
    git('branch', {
      flags: { '--show-current -a --all -r --remotes -v -vv --verbose': 'none', ...referenceFlags },
      bundles: true,
    }),
    git('branch --list', {
      flags: { '-a --all -r --remotes -v -vv --verbose': 'none', ...referenceFlags },
      operands: patterns,
      bundles: true,
    }),
    git('tag', { flags: { ...referenceFlags, '-n': '[=number]' } }),
    git('tag --list', { flags: { ...referenceFlags, '-n': '[=number]' }, operands: patterns }),
    git('tag -l', { flags: { ...referenceFlags, '-n': '[=number]' }, operands: patterns }),
    git('ls-files', {
      flags: {
        '-c --cached -d --deleted -m --modified -o --others -i --ignored -s --stage -u --unmerged -k --killed': 'none',
        '-t -v -z --eol --full-name --directory --exclude-standard --error-unmatch --deduplicate': 'none',
      },
      operands: paths,
      bundles: true,
    }),
    git('ls-tree', {
      flags: { '-d -r -t -z -l --long --name-only --name-status --full-name --full-tree': 'none' },
      operands: revisions,
      bundles: true,
    }),
    git('rev-parse', {
      flags: {
        '--abbrev-ref': '[=one of strict|loose]',
        '--short': '[=number]',
        '--verify -q --quiet --symbolic --symbolic-full-name --all --branches --tags --remotes': 'none',
        '--show-toplevel --show-prefix --show-cdup --git-dir --absolute-git-dir --git-common-dir': 'none',
        '--is-inside-work-tree --is-inside-git-dir --is-bare-repository --is-shallow-repository': 'none',
      },
      operands: revisions,
    }),
    git('shortlog', {
      flags: {
        '-n --numbered -s --summary -e --email -c --committer --all --no-merges --merges --first-parent': 'none',
        '--since --after --until --before --author': '=text',
        '--group': '=one of author|committer',
      },
      operands: revisions,
      bundles: true,
    }),
    git('describe', {
      flags: {
        '--tags --all --always --long --exact-match --contains --first-parent --dirty': 'none',
        '--abbrev --candidates': '=number',
        '--match --exclude': '=pattern',
      },
      operands: [{ kind: 'branch' }],
    }),
    git('merge-base', {
      flags: { '-a --all --octopus --independent --is-ancestor': 'none' },
      operands: [{ kind: 'branch', least: 1 }],
    }),
    git('cat-file', { flags: { '-p -t -s -e': 'none' }, operands: [{ kind: 'revision', least: 1, most: 2 }] }),
  ],
}

/** Changes a repository without what cannot be undone. `git checkout WORD` could overwrite a file; it only makes branches here. */
export const gitWrite: CommandPreset = {
  name: 'git-write',
  allows: phrase`Stages files, commits with a message, makes and changes branches, and puts single files of the workspace back.`,
  leaves: phrase`In the sandbox the folder .git cannot be written, so these commands work only where programs run without it. A change of the branch replaces files of the workspace, also those that agents obey. Filters that the configuration of Git names run.`,
  commands: [
    {
      begins: ['git add'],
      flags: { '-A --all -u --update -n --dry-run -v --verbose -N --intent-to-add': 'none' },
      operands: [{ kind: 'path' }],
      bundles: true,
      endOfFlags: true,
    },
    {
      begins: ['git commit'],
      flags: {
        '-m': 'text',
        '--message': '=text',
        '-a --all -q --quiet -s --signoff --allow-empty --dry-run --no-gpg-sign': 'none',
      },
      needs: ['-m', '--message'],
      bundles: true,
    },
    {
      begins: ['git switch'],
      flags: { '-c': 'branch', '--create': '=branch', '-d --detach -q --quiet --no-guess': 'none' },
      operands: [{ kind: 'branch', most: 1 }],
    },
    { begins: ['git checkout -b'], flags: {}, operands: [{ kind: 'branch', least: 1, most: 2 }] },
    {
      begins: ['git restore'],
      flags: { '-S --staged -W --worktree -q --quiet': 'none', '-s': 'branch', '--source': '=branch' },
      operands: [{ kind: 'written', least: 1 }],
      bundles: true,
      endOfFlags: true,
    },
  ],
}
