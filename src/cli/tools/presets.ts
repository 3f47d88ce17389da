import type { CommandCall, Io } from '../../capability.ts'
import { nearestHint } from '../../platform.ts'
import type { CommandGrammar, CommandPreset, Operand, WordKind } from '../../tool.ts'
import { CommandFailure } from '../failure.ts'
import { wrappedLine } from '../wrapped-line.ts'
import { applyStyle, print, printJson, width } from '../io.ts'

/** Prints every preset of commands, or one with its commands and their flags. Needs no gateway. */
export async function showPresets(call: CommandCall, io: Io): Promise<number> {
  const { commandPresets } = await import('../../tool.ts')
  const [, name] = call.words
  const chosen = await allowedPresets(call.home, io)
  const shown = name === undefined ? commandPresets : [findPreset(name, commandPresets)]
  if (call.json) for (const preset of shown) printJson(io, { ...preset, isAllowed: chosen.includes(preset.name) })
  else if (name === undefined) print(io, shown.map((preset) => heading(preset, chosen, io)).join('\n\n'))
  else print(io, await presetText(shown[0]!, chosen, io))
  return 0
}

/** The presets in `tool-access.json` and the environment; none where they cannot be read. */
async function allowedPresets(home: string, io: Io): Promise<readonly string[]> {
  const [{ accessFilePath }, { accessFile, readText }] = await Promise.all([
    import('../../runtime.ts'),
    import('../../tool.ts'),
  ])
  const read = await accessFile([await accessFilePath(home)], io.environment, readText).current()
  return read.type === 'access' ? read.access.shell.presets : []
}

function findPreset(name: string, presets: readonly CommandPreset[]): CommandPreset {
  const found = presets.find((preset) => preset.name === name)
  if (found) return found
  const names = presets.map((preset) => preset.name)
  const hint = nearestHint(name, names, `The presets are ${names.join(', ')}.`)
  throw new CommandFailure('not-found', `Unknown preset "${name}".`, { hint })
}

function heading({ name, allows, leaves }: CommandPreset, chosen: readonly string[], io: Io): string {
  const state = chosen.includes(name) ? 'allowed' : 'not in tool-access.json'
  return [
    `${applyStyle(io, 'bold', name)} ${applyStyle(io, 'dim', `(${state})`)}`,
    indented(allows, io, 2),
    indented(`What it does not stop: ${leaves}`, io, 2),
  ].join('\n')
}

async function presetText(preset: CommandPreset, chosen: readonly string[], io: Io): Promise<string> {
  const { flagsOf, flagText, kindText, PRESETS_CHECKED } = await import('../../tool.ts')
  const commands = preset.commands.map((command) => {
    const flags = [...flagsOf(command)].map(([name, value]) => flagText(name, value))
    return [
      applyStyle(io, 'bold', commandLine(command, kindText)),
      indented(flags.length === 0 ? 'no flags' : flags.join(', '), io, 4),
    ].join('\n')
  })
  const checked = `Compared with the manuals of the programs on ${PRESETS_CHECKED}. What is not named here is refused.`
  return [heading(preset, chosen, io), indented(checked, io, 2), ...commands].join('\n\n')
}

/** Such as `git blame, then 1–2 words: a revision or a path`. */
function commandLine({ begins, operands = [], needs }: CommandGrammar, text: (kind: WordKind) => string): string {
  const parts = [...(needs ? [`with ${needs.join(' or ')}`] : []), ...operands.map((each) => operandText(each, text))]
  return `  ${begins.join(' | ')}${parts.length === 0 ? '' : `, ${parts.join(', ')}`}`
}

function operandText({ kind, least = 0, most }: Operand, text: (kind: WordKind) => string): string {
  const count = most === undefined ? `${least} or more` : least === most ? String(most) : `${least} to ${most}`
  return `${count} × ${text(kind)}`
}

function indented(text: string, io: Io, blanks: number): string {
  return wrappedLine(text, Math.min(width(io), 100) - blanks).replaceAll(/^(?=.)/gm, ' '.repeat(blanks))
}
