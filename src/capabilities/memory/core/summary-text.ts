import { messageText, type TokenCounter, wholeCharacter } from '../../../context.ts'
import { type Entry, type SessionRow, type SessionStore, createLeftTurnReader, withEdits } from '../../../session.ts'

/** The lengths of one message of a person and of the last answer, fullest first, characters. */
const LENGTHS: readonly Lengths[] = [
  { asked: 240, answered: 800 },
  { asked: 240, answered: 400 },
  { asked: 160, answered: 160 },
  { asked: 80, answered: 80 },
  { asked: 40, answered: 40 },
]

/** Messages are not cut shorter than this to make room for names. */
const BESIDE_NAMES: Lengths = LENGTHS[2]!

/** How many files and how many tools are named, from the most. */
const NAMED: readonly number[] = [40, 20, 10, 5, 2, 0]

interface Lengths {
  readonly asked: number
  readonly answered: number
}

/**
 * When, what was asked, what was answered last, files and tools, each on one line (BEHAVIOURS §2.1). The first
 * message and the newest outlast those between, and what was said outlasts the names of files and tools. Empty where
 * not even that fits.
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
    `- When: ${minuteText(began)} to ${minuteText(ended)} UTC, ${turns} ${turns === 1 ? 'turn' : 'turns'}`,
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

/** No line break in the text can begin a line of its own, so nothing in it is a heading, a bullet or a fence. */
export function rememberedLine(text: string, most: number): string {
  const line = text.replaceAll(/[\s\u0085\u200b\ufeff]+/gu, ' ').trim()
  return line.length <= most ? line : `${line.slice(0, wholeCharacter(line, most - 1)).trimEnd()}…`
}

/** `2026-01-05 12:00`, in UTC. */
export function minuteText(iso: string): string {
  return iso.slice(0, 16).replace('T', ' ')
}

interface SessionFacts {
  readonly session: string
  /** ISO 8601. */
  readonly began: string
  readonly ended: string
  /** Those that lead to its head, without undone ones. */
  readonly turns: number
  /** Messages of a person: the first and the newest ones, oldest first. */
  readonly asked: readonly string[]
  /** Empty if there is none. */
  readonly answered: string
  /** Names of attached files, and paths in tool calls. */
  readonly files: readonly string[]
  readonly tools: readonly ToolUse[]
}

interface ToolUse {
  readonly name: string
  readonly calls: number
  readonly failed: number
}

/** Messages that are read. More would not fit a summary. */
const NEWEST_MESSAGES = 40
/** Entries in which calls are looked for, from the newest backwards: a log may have millions. */
const NEWEST_ENTRIES = 5_000
const MOST_FILES = 20

/** `undefined` if the session has no turns, or all were undone. */
export async function sessionFacts(
  store: Pick<SessionStore, 'entries' | 'files' | 'session' | 'turns'>,
  row: SessionRow,
): Promise<SessionFacts | undefined> {
  const { id: session, turns, entries } = row
  const without = await createLeftTurnReader(store)(session)
  const left = turns - without.length
  if (left <= 0) return undefined
  const after = Math.max(0, entries - NEWEST_ENTRIES)
  const isLeft = (entry: Entry) => !('turn' in entry && without.includes(entry.turn))
  const [first, inputs, messages, calls, files] = await Promise.all([
    store.entries(session, { types: ['input'], limit: 1 }),
    store.entries(session, { types: ['input', 'edit'], last: NEWEST_MESSAGES }),
    store.entries(session, { types: ['message'], last: NEWEST_MESSAGES, after }),
    store.entries(session, { types: ['tool-start', 'tool-end'], after }),
    store.files({ owner: { type: 'session', id: session } }),
  ])
  const all = withEdits(inputs[0]?.seq === first[0]?.seq ? inputs : [...first, ...inputs])
  return {
    session,
    began: first[0]?.time ?? row.created,
    ended: (messages.at(-1) ?? all.at(-1))?.time ?? row.updated,
    turns: left,
    asked: all
      .filter(isLeft)
      .flatMap((entry) => (entry.type === 'input' ? [messageText(entry.message).trim()] : []))
      .filter(isNotEmpty),
    answered: messages.filter(isLeft).map(assistantText).findLast(isNotEmpty) ?? '',
    files: newestDistinct([...files.map(({ name }) => name), ...calls.filter(isLeft).flatMap(inputPath)]),
    tools: toolUses(calls.filter(isLeft)),
  }
}

function isNotEmpty(text: string): boolean {
  return text !== ''
}

function assistantText(entry: Entry): string {
  return entry.type === 'message' && entry.message.role === 'assistant' ? messageText(entry.message).trim() : ''
}

function inputPath(entry: Entry): readonly string[] {
  if (entry.type !== 'tool-start' || typeof entry.input !== 'object' || entry.input === null) return []
  const { path } = entry.input as { readonly path?: unknown }
  return typeof path === 'string' && path.trim() !== '' ? [path] : []
}

function newestDistinct(names: readonly string[]): readonly string[] {
  return [...new Set(names.toReversed())].slice(0, MOST_FILES).toReversed()
}

function toolUses(entries: readonly Entry[]): readonly ToolUse[] {
  const failed = new Set<string>()
  for (const entry of entries) if (entry.type === 'tool-end' && !entry.ok) failed.add(callKey(entry))
  const uses = new Map<string, ToolUse>()
  for (const entry of entries) {
    if (entry.type !== 'tool-start') continue
    const name = entry.toolName
    const before = uses.get(name) ?? { name, calls: 0, failed: 0 }
    uses.set(name, { name, calls: before.calls + 1, failed: before.failed + (failed.has(callKey(entry)) ? 1 : 0) })
  }
  return [...uses.values()]
}

/** Some providers give the same id in every step. */
function callKey({ call, toolCallId }: { readonly call: string; readonly toolCallId: string }): string {
  return `${call} ${toolCallId}`
}
