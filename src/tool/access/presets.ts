import { phrase } from '../../context.ts'
import { filesRead, searchFiles } from './presets/files.ts'
import { gitRead, gitWrite } from './presets/git.ts'
import { type CommandPreset, matchCommand, type PlaceWord } from './presets/match-command.ts'

const leaves = phrase`The code of the project runs, which tools may have written: it can do whatever the sandbox lets a program do, and everything that you can where there is no sandbox.`

/** Runs the tests of a project for Node. Left out are flags that load a module or write a file. */
const nodeTest: CommandPreset = {
  name: 'node-test',
  allows: phrase`Runs tests of the workspace with node --test, and the scripts of its package.json with npm test and npm run.`,
  leaves,
  runsCode: true,
  commands: [
    {
      begins: ['node --test'],
      flags: {
        '--test-only --test-force-exit --no-warnings --enable-source-maps --experimental-strip-types': 'none',
        '--experimental-test-coverage': 'none',
        '--test-name-pattern --test-skip-pattern': '=pattern',
        '--test-reporter': '=one of spec|tap|dot|junit',
        '--test-concurrency --test-timeout': '=number',
        '--conditions': '=name',
      },
      operands: [{ kind: 'test' }],
    },
    { begins: ['npm test', 'npm t'], flags: { '--silent -s': 'none' } },
    {
      begins: ['npm run'],
      flags: { '--silent -s --if-present': 'none' },
      operands: [{ kind: 'name', most: 1 }],
    },
  ],
}

/** Runs the tests of a project for Python. Left out are flags that load a plugin or a configuration, or write a file. */
const pythonTest: CommandPreset = {
  name: 'python-test',
  allows: phrase`Runs tests of the workspace with pytest, also as python -m pytest.`,
  leaves,
  runsCode: true,
  commands: [
    {
      begins: ['pytest', 'python -m pytest', 'python3 -m pytest'],
      flags: {
        '-q -v -x -s -l --quiet --verbose --exitfirst --showlocals --no-header --no-summary': 'none',
        '--lf --last-failed --ff --failed-first --nf --new-first --sw --stepwise --co --collect-only': 'none',
        '--disable-warnings --strict-markers --strict-config --runxfail --fixtures --markers --full-trace': 'none',
        '-k -m': 'expression',
        '-r': '=text',
        '--tb': '=one of auto|long|short|line|native|no',
        '--maxfail --durations --verbosity': '=number',
        '--color': '=one of yes|no|auto',
        '--capture': '=one of fd|sys|no|tee-sys',
        '--import-mode': '=one of prepend|append|importlib',
        '--deselect': '=text',
        '--ignore': '=path',
      },
      operands: [{ kind: 'test' }],
      bundles: true,
      flagsAnywhere: true,
    },
  ],
}

/** When the flags were last compared with the manuals of the programs. */
export const PRESETS_CHECKED = '2026-11-23'

/** All presets, in the order in which they are listed. */
export const commandPresets: readonly CommandPreset[] = [
  filesRead,
  searchFiles,
  gitRead,
  gitWrite,
  nodeTest,
  pythonTest,
]

export const PRESET_NAMES: readonly string[] = commandPresets.map(({ name }) => name)

/** Whether presets allow a command, by words alone; the caller checks `paths` against the workspace. `why` has no full stop. */
export type PresetAnswer =
  | { readonly type: 'allowed'; readonly preset: string; readonly paths: readonly PlaceWord[] }
  | {
      readonly type: 'refused'
      readonly why: string
      /** A preset allows the command with other arguments, which `why` names. */
      readonly isNear?: true
    }

/** The answer of the presets with these names. Names that there are not allow nothing. Runs nothing and reads no disk. */
export function presetAnswer(argv: readonly string[], presets: readonly string[]): PresetAnswer {
  const refusals: { readonly why: string; readonly words: number }[] = []
  for (const { name, commands } of commandPresets.filter((each) => presets.includes(each.name))) {
    for (const command of commands) {
      const match = matchCommand(argv, command)
      if (match?.type === 'allowed') return { type: 'allowed', preset: name, paths: match.places }
      if (match) {
        const words = Math.max(...command.begins.map((begin) => begin.split(' ').length))
        refusals.push({ why: `${match.why} (preset ${name})`, words })
      }
    }
  }
  const [closest] = refusals.toSorted((one, other) => other.words - one.words)
  return closest
    ? { type: 'refused', why: closest.why, isNear: true }
    : { type: 'refused', why: 'no preset allows this command' }
}

/** The words that every command of a preset begins with: one list for each command. */
export function presetBeginnings(name: string): readonly (readonly string[])[] {
  const commands = commandPresets.find((preset) => preset.name === name)?.commands ?? []
  return commands.flatMap(({ begins, before }) =>
    begins.map((begin) => (before ? begin.split(' ').slice(0, 1) : begin.split(' '))),
  )
}

/** Why a preset allows more than its arguments say, as `it runs …`; `undefined` where it does not. */
export function presetRisk(name: string): string | undefined {
  return commandPresets.find((preset) => preset.name === name)?.runsCode
    ? phrase`it runs code of the project, which can do whatever the sandbox lets a program do`
    : undefined
}

/** Whether the commands of a preset change nothing. */
export function presetReadsOnly(name: string): boolean {
  return commandPresets.find((preset) => preset.name === name)?.readsOnly === true
}

/** Presets with a command that begins with these words: what can take the place of a free prefix. */
export function presetsInstead(words: readonly string[]): readonly string[] {
  return commandPresets
    .filter(({ commands }) =>
      commands.some(({ begins }) => begins.some((begin) => `${begin} `.startsWith(`${words.join(' ')} `))),
    )
    .map(({ name }) => name)
}
