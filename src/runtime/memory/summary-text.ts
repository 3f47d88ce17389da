import type { TokenCounter } from '../../context.ts'
import { rememberedLine, shownTime } from './remembered-line.ts'
import type { SessionFacts, ToolUse } from './session-facts.ts'

/** How much is shown of one message that a person wrote and of the last answer, from the fullest, characters. */
const LENGTHS: readonly Lengths[] = [
  { asked: 240, answered: 800 },
  { asked: 240, answered: 400 },
  { asked: 160, answered: 160 },
  { asked: 80, answered: 80 },
  { asked: 40, answered: 40 },
]

interface Lengths {
  readonly asked: number
  readonly answered: number
}

/**
 * What a session was about, in at most so many tokens: when, what was asked, what was answered last, files and tools. Every
 * part of it is one line (BEHAVIOURS §2.1). The first message and the newest outlast those between. Empty where not even
 * that fits.
 */
export function summaryText(facts: SessionFacts, maxTokens: number, counter: TokenCounter): string {
  const fits = (text: string) => counter.text(text) <= maxTokens
  const least = Math.min(2, facts.asked.length)
  const lengths = LENGTHS.find((each) => fits(textWith(facts, least, each)))
  if (lengths === undefined) return ''
  let asked = least
  while (asked < facts.asked.length && fits(textWith(facts, asked + 1, lengths))) asked += 1
  return textWith(facts, asked, lengths)
}

/** With the first message and the newest of those that a person wrote: `count` in all. */
function textWith(
  { began, ended, turns, asked, answered, files, tools }: SessionFacts,
  count: number,
  lengths: Lengths,
) {
  const shown = count === asked.length ? asked : [...asked.slice(0, 1), ...asked.slice(asked.length - count + 1)]
  const said = shown.map((text) => `- Asked: ${rememberedLine(text, lengths.asked)}`)
  const hidden = turns - shown.length
  return [
    `- When: ${shownTime(began)} to ${shownTime(ended)} UTC, ${turns} ${turns === 1 ? 'turn' : 'turns'}`,
    ...said.slice(0, 1),
    ...(hidden > 0 && said.length > 0 ? [`- (${hidden} more not shown)`] : []),
    ...said.slice(1),
    ...(answered === '' ? [] : [`- Answered last: ${rememberedLine(answered, lengths.answered)}`]),
    ...(files.length === 0 ? [] : [`- Files: ${files.map((name) => rememberedLine(name, 80)).join(', ')}`]),
    ...(tools.length === 0 ? [] : [`- Tools: ${tools.map(useText).join(', ')}`]),
  ].join('\n')
}

function useText({ name, calls, failed }: ToolUse): string {
  return `${rememberedLine(name, 64)} (${calls}${failed > 0 ? `, ${failed} failed` : ''})`
}
