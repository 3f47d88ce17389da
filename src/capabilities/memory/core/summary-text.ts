import type { TokenCounter } from '../../../context.ts'
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

/** What was said is cut no shorter than this for the sake of names. */
const BESIDE_NAMES: Lengths = LENGTHS[2]!

/** How many files and how many tools are named, from the most. */
const NAMED: readonly number[] = [40, 20, 10, 5, 2, 0]

interface Lengths {
  readonly asked: number
  readonly answered: number
}

/**
 * What a session was about, in at most so many tokens: when, what was asked, what was answered last, files and tools. Every
 * part of it is one line (BEHAVIOURS §2.1). The first message and the newest outlast those between, and what was said
 * outlasts the names of files and tools. Empty where not even that fits.
 */
export function summaryText(facts: SessionFacts, maxTokens: number, counter: TokenCounter): string {
  const fits = (text: string) => counter.text(text) <= maxTokens
  const least = Math.min(2, facts.asked.length)
  const namedBeside = (lengths: Lengths) => NAMED.find((each) => fits(textWith(facts, least, lengths, each)))
  const named = namedBeside(BESIDE_NAMES) ?? namedBeside(LENGTHS.at(-1)!)
  if (named === undefined) return ''
  const lengths = LENGTHS.find((each) => fits(textWith(facts, least, each, named)))!
  let asked = least
  while (asked < facts.asked.length && fits(textWith(facts, asked + 1, lengths, named))) asked += 1
  return textWith(facts, asked, lengths, named)
}

/** With the first message and the newest of those that a person wrote: `count` in all. */
function textWith(
  { began, ended, turns, asked, answered, files, tools }: SessionFacts,
  count: number,
  lengths: Lengths,
  named: number,
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
    ...namesLine(
      'Files',
      files.map((name) => rememberedLine(name, 80)),
      named,
    ),
    ...namesLine('Tools', tools.map(useText), named),
  ].join('\n')
}

/** The newest names, and how many there are besides. */
function namesLine(title: string, names: readonly string[], most: number): readonly string[] {
  if (names.length === 0) return []
  const shown = names.slice(Math.max(0, names.length - most))
  const hidden = names.length - shown.length
  const more = hidden === 0 ? [] : [`${hidden}${shown.length === 0 ? '' : ' more'} not shown`]
  return [`- ${title}: ${[...shown, ...more].join(', ')}`]
}

function useText({ name, calls, failed }: ToolUse): string {
  return `${rememberedLine(name, 64)} (${calls}${failed > 0 ? `, ${failed} failed` : ''})`
}
