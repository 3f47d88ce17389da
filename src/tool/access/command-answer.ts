import type { GateAnswer } from '../toolbox.ts'
import type { AccessRead } from './access.ts'
import { accessAnswer } from './access-answer.ts'
import { commandWords } from './command-words.ts'
import { presetAnswer } from './presets.ts'

/** The first prefix that a command begins with, in whole words (BEHAVIOURS §2.4). One that only a shell understands allows none. */
export function allowingPrefix(argv: readonly string[], prefixes: readonly string[]): string | undefined {
  return prefixes.find((prefix) => {
    const words = prefixWords(prefix)
    return words !== undefined && beginsWith(argv, words)
  })
}

/** The words of a prefix; `undefined` where it allows nothing. */
export function prefixWords(prefix: string): readonly string[] | undefined {
  const read = commandWords(prefix)
  return read.type === 'words' && read.words.length > 0 ? read.words : undefined
}

export function beginsWith(words: readonly string[], beginning: readonly string[]): boolean {
  return beginning.every((word, index) => words[index] === word)
}

/** Whether the policy lets `shell` run a command, and the setting that decides. Runs nothing and looks at no path. */
export function commandAnswer(read: AccessRead, command: string): GateAnswer {
  const answer = accessAnswer(read, { name: 'shell' })
  if (answer.type === 'refuse' || read.type === 'faulty') return answer
  const { mode, presets, allowedPrefixes } = read.access.shell
  if (mode === 'full') return answer.type === 'ask' ? answer : { type: 'allow', rule: 'tools.shell.mode' }
  const words = commandWords(command)
  if (words.type === 'refused') return { type: 'refuse', rule: 'tools.shell.mode', reason: words.why }
  // A free prefix comes first: with it, a preset that allows the command too confines nothing.
  const prefix = allowingPrefix(words.words, allowedPrefixes)
  const preset = presetAnswer(words.words, presets)
  if (prefix === undefined && preset.type === 'refused') {
    return presets.length > 0
      ? { type: 'refuse', rule: PRESETS, reason: preset.why }
      : { type: 'refuse', rule: PREFIXES, reason: 'no prefix allows this command' }
  }
  if (answer.type === 'ask') return answer
  const rule = preset.type === 'allowed' && prefix === undefined ? PRESETS : PREFIXES
  const name = prefix ?? (preset.type === 'allowed' ? preset.preset : '')
  return { type: 'allow', rule: `${rule} ${JSON.stringify(name)}` }
}

const PRESETS = 'tools.shell.presets'
const PREFIXES = 'tools.shell.allowedPrefixes'
