import { phrase } from '../../context.ts'
import { type CommandPreset, matchCommand, type PlaceWord } from './presets/match-command.ts'
import { filesRead, searchFiles } from './presets/files.ts'
import { gitRead, gitWrite } from './presets/git.ts'
import { nodeTest, pythonTest } from './presets/project-tests.ts'

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
