import { defined } from '../../platform.ts'
import { type AccessRead, matchesToolName } from './access.ts'
import { allowingPrefix } from './access-answer.ts'
import { commandWords } from './command-words.ts'
import { prefixRisk } from './prefix-risk.ts'
import { presetAnswer, presetRisk } from './presets.ts'

/** One entry of `tool-access.json`, and what it lets through or holds back. */
export interface AccessRule {
  /** Where it is: `global.allowedTools`, `tools.NAME`, `tools.shell.presets` or `tools.shell.allowedPrefixes`. */
  readonly rule: string
  /** A name or pattern of tools, the name of a preset, or a prefix of commands. */
  readonly name: string
  readonly settings?: string
  /** Known tools that it matches, or commands that were called before and that it allows. */
  readonly matches: readonly string[]
  /** Why it allows more than it seems to: `it runs …`. */
  readonly risk?: string
  readonly fault?: string
}

/** The entries of a policy in order; none where it cannot be read. `tools`: known names. `commands`: such as were called. */
export function accessRules(
  read: AccessRead,
  tools: readonly string[],
  commands: readonly string[],
): readonly AccessRule[] {
  if (read.type === 'faulty') return []
  const { global, tools: settings, shell } = read.access
  const matching = (name: string) => tools.filter((tool) => matchesToolName(name, tool))
  const called = commands.flatMap((command) => {
    const words = commandWords(command)
    return words.type === 'words' ? [{ command, words: words.words }] : []
  })
  return [
    ...global.allowedTools.map((name) => ({ rule: 'global.allowedTools', name, matches: matching(name) })),
    ...Object.entries(settings).map(([name, set]) => ({
      rule: `tools.${name}`,
      name,
      settings: Object.entries(set)
        .map(([key, value]) => `${key}: ${value}`)
        .join(', '),
      matches: matching(name),
    })),
    ...shell.presets.map((name): AccessRule => {
      const isAllowed = (words: readonly string[]) => presetAnswer(words, [name]).type === 'allowed'
      return {
        rule: 'tools.shell.presets',
        name,
        matches: called.filter(({ words }) => isAllowed(words)).map(({ command }) => command),
        ...defined({ risk: presetRisk(name) }),
      }
    }),
    ...shell.allowedPrefixes.map((prefix): AccessRule => {
      const words = commandWords(prefix)
      return {
        rule: 'tools.shell.allowedPrefixes',
        name: prefix,
        matches: called.filter((each) => allowingPrefix(each.words, [prefix])).map(({ command }) => command),
        ...defined({ risk: prefixRisk(prefix) }),
        ...(words.type === 'refused' ? { fault: words.why } : {}),
      }
    }),
  ]
}
