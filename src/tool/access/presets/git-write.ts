import type { CommandPreset } from './grammar.ts'

/**
 * Changes a repository with what cannot be undone left out. `git checkout` is only here to make a branch: of a word alone, it
 * decides by itself whether it is a branch or a file to overwrite; `switch` and `restore` do not.
 */
export const gitWrite: CommandPreset = {
  name: 'git-write',
  allows:
    'Stages files, commits with a message, makes and changes branches, and puts single files of the workspace back.',
  leaves:
    'In the sandbox the folder .git cannot be written, so these commands work only where programs run without it. A change of the branch replaces files of the workspace, also those that agents obey. Filters that the configuration of Git names run.',
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
    {
      begins: ['git checkout -b'],
      flags: {},
      operands: [{ kind: 'branch', least: 1, most: 2 }],
    },
    {
      begins: ['git restore'],
      flags: { '-S --staged -W --worktree -q --quiet': 'none', '-s': 'branch', '--source': '=branch' },
      operands: [{ kind: 'written', least: 1 }],
      bundles: true,
      endOfFlags: true,
    },
  ],
}
