import { messageText, outputText, type ToolCallPart, toolCalls, toolResults, wholeCharacter } from '../../context.ts'
import { defined } from '../../platform.ts'
import type { HistoryItem, IndexedSession, LogPart, RecallIndex, ReplacedMessage } from '../../search.ts'
import { type Entry, type LogStore, readReferredContent, type SessionStore } from '../../session.ts'

export interface IndexingParts {
  readonly store: Pick<SessionStore, 'clock' | 'entries' | 'turn' | 'content' | 'session'>
  readonly index: RecallIndex
  readonly stopped: AbortSignal
}

const PAGE = 200
/** What is indexed in one transaction, characters: some 10 ms, then everything else has its turn. */
export const STEP_CHARACTERS = 8_000

/** Brings the index of a session to what its log holds, from where it was interrupted. A deleted session is removed. */
export async function indexSession(parts: IndexingParts, session: string): Promise<void> {
  const { store, index, stopped } = parts
  const row = await store.session(session)
  const known = index.session(session)
  if (known && !(row && (await isOfThisLog(store, known)))) await removeSession(parts, session)
  if (!row) return
  while (!stopped.aborted) {
    const from = await registerSession(parts, session)
    if (from === undefined) return
    const entries = await store.entries(session, { after: from, limit: PAGE })
    if (entries.length === 0) return
    for await (const { part } of logParts(store, entries)) {
      // Where somebody else indexes the same session, it is read again from where it is.
      if (stopped.aborted || (await indexParts(parts, [part])).length > 0) break
    }
  }
}

/** Writes parts in one transaction and merges what that left to merge in others, with all other work between them. Returns the refused parts. */
export async function indexParts(
  { store: { clock }, index, stopped }: IndexingParts,
  parts: readonly LogPart[],
): Promise<readonly LogPart[]> {
  const refused = index.add(parts)
  do await clock.yield()
  while (!stopped.aborted && index.mergeSome())
  return refused
}

/** Makes a session known to the index before its log is read. Returns how far it is; `undefined` where there is no log. */
export async function registerSession({ store, index }: IndexingParts, session: string): Promise<number | undefined> {
  const known = index.session(session)
  if (known) return known.upTo
  for await (const { part } of logParts(store, await store.entries(session, { limit: 1 }))) index.add([part])
  return index.session(session)?.upTo
}

/** Takes a session out, in slices. */
export async function removeSession({ store, index, stopped }: IndexingParts, session: string): Promise<void> {
  while (!stopped.aborted && index.removeSome(session)) await store.clock.yield()
}

/** Whether the entry that was indexed last is still the one that the log has there. */
async function isOfThisLog(store: Pick<LogStore, 'entries'>, { id, upTo, mark }: IndexedSession): Promise<boolean> {
  if (upTo === 0) return true
  const [entry] = await store.entries(id, { after: upTo - 1, limit: 1 })
  return entry?.seq === upTo && entry.time === mark
}

/** Entries of a session that follow each other as parts for the index, each small enough for one transaction. */
export async function* logParts(
  store: HistoryStore,
  entries: readonly Entry[],
): AsyncGenerator<{ readonly part: LogPart; readonly characters: number }> {
  let from = (entries[0]?.seq ?? 1) - 1
  let items: HistoryItem[] = []
  let replaced: ReplacedMessage[] = []
  let characters = 0
  // Turns are numbered in the order of their inputs.
  const ordinals = new Map<string, number>()
  let newest = from === 0 ? 0 : undefined
  for (const [index, entry] of entries.entries()) {
    const message = entry.type === 'edit' || entry.type === 'head' ? await replacedMessage(store, entry) : undefined
    if (message) {
      replaced.push(message)
      items = items.filter((item) => item.turn !== message.turn)
    }
    if (entry.type === 'input' || entry.type === 'edit' || entry.type === 'message') {
      const known = entry.type === 'input' && newest !== undefined ? newest + 1 : ordinals.get(entry.turn)
      const ordinal = known ?? (await store.turn(entry.session, entry.turn))?.ordinal ?? 0
      ordinals.set(entry.turn, ordinal)
      if (entry.type === 'input' && ordinal > 0) newest = ordinal
      const near = entries.slice(Math.max(0, index - LOOKED_BACK), index)
      const more = await historyItems(store, entry, ordinal, near)
      items.push(...more)
      characters += more.reduce((sum, { text }) => sum + text.length, 0)
    }
    if (characters < STEP_CHARACTERS && entry !== entries.at(-1)) continue
    const { session, seq: upTo, time: mark } = entry
    const channel = entries[0]?.type === 'session-start' ? entries[0].channel : undefined
    const conversation = channel && JSON.stringify([channel.channel, channel.conversation])
    const part = { session, ...defined({ conversation }), created: entries[0]!.time, from, upTo, mark, replaced, items }
    yield { part, characters }
    from = upTo
    items = []
    replaced = []
    characters = 0
  }
}

/** The message that an entry changes or takes back while it waits. What a call has read stays, also when it is undone. */
async function replacedMessage(
  store: Pick<SessionStore, 'entries' | 'turn'>,
  entry: Extract<Entry, { type: 'edit' | 'head' }>,
): Promise<ReplacedMessage | undefined> {
  const { session, turn } = entry
  if (entry.type === 'head') {
    const [begun] = await store.entries(session, { turn, types: ['turn-start', 'message'], limit: 1 })
    if (begun) return undefined
  }
  return { turn, firstSeq: (await store.turn(session, turn))?.firstSeq ?? 0 }
}

type HistoryStore = Pick<SessionStore, 'entries' | 'turn' | 'content'>

/** Tools that read the history: what they were asked and what they gave is no evidence of anything. */
const READERS: ReadonlySet<string> = new Set(['read_history', 'read_result'])
const EXCERPT = 200
/** Entries before a result among which its call is looked for: those of one step. */
const LOOKED_BACK = 200

/** The text of a message for the index: what was said, and each call of a tool beside its result. None without text. */
async function historyItems(
  store: HistoryStore,
  entry: Said,
  ordinal: number,
  near: readonly Entry[],
): Promise<readonly HistoryItem[]> {
  const { turn, seq, time, message } = entry
  const place = { turn, ordinal, seq, time }
  if (entry.type === 'message' && message.role === 'tool') return callItems(store, entry, place, near)
  const files = entry.type !== 'message' ? (entry.attachments ?? []).map(({ name }) => `[file: ${name}]`) : []
  const text = [...files, messageText(message)].filter((part) => part.trim() !== '').join('\n')
  return text === '' ? [] : [{ ...place, kind: 'message', role: message.role, text }]
}

type Said = Extract<Entry, { type: 'input' | 'edit' | 'message' }>
type Placed = Pick<HistoryItem, 'turn' | 'ordinal' | 'seq' | 'time'>

async function callItems(
  store: HistoryStore,
  entry: Said,
  place: Placed,
  near: readonly Entry[],
): Promise<readonly HistoryItem[]> {
  const results = toolResults(entry.message).filter(({ toolName }) => !READERS.has(toolName))
  if (results.length === 0) return []
  const { session, turn, seq: upTo } = entry
  const own = near.filter((each) => 'turn' in each && each.turn === turn)
  const isNear = results.every(({ toolCallId }) => own.some((each) => callIn(each, toolCallId)))
  const types = ['message', 'tool-end'] as const
  const before = isNear ? own : await store.entries(session, { turn, upTo, types, last: LOOKED_BACK })
  return Promise.all(
    results.map(async ({ toolCallId, toolName, output }): Promise<HistoryItem> => {
      const asked = before.map((each) => callIn(each, toolCallId)).findLast((call) => call !== undefined)
      const end = before.findLast((each) => each.type === 'tool-end' && each.toolCallId === toolCallId)
      const { ok, stored } = end?.type === 'tool-end' ? end : {}
      // A text that is lost is no reason to stop: what the model read of it is in the log.
      const whole = (stored && (await readReferredContent(store, stored.content))) ?? outputText(output)
      const input = asked === undefined ? '' : JSON.stringify(asked.input)
      const call = { id: toolCallId, name: toolName, input: oneLine(input), outcome: oneLine(whole), ok }
      return { ...place, kind: 'call', role: 'tool', heading: `${toolName} ${input}\n`, text: whole, call }
    }),
  )
}

function callIn(entry: Entry, toolCallId: string): ToolCallPart | undefined {
  if (entry.type !== 'message') return undefined
  return toolCalls(entry.message).find((call) => call.toolCallId === toolCallId)
}

function oneLine(text: string): string {
  const line = text
    .slice(0, 4 * EXCERPT)
    .replaceAll(/\s+/g, ' ')
    .trim()
  return line.length <= EXCERPT ? line : `${line.slice(0, wholeCharacter(line, EXCERPT - 1))}…`
}
