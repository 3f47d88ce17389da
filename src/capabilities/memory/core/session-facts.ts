import { messageText } from '../../../context.ts'
import { type Entry, type SessionRow, type SessionStore, undoneTurnsOf } from '../../../session.ts'

/** What a session was about, as its log says it. */
export interface SessionFacts {
  readonly session: string
  /** ISO 8601. */
  readonly began: string
  readonly ended: string
  /** Without those that were taken back. */
  readonly turns: number
  /** What a person said: the first message and the newest, oldest first. */
  readonly asked: readonly string[]
  /** The newest answer; empty where there was none. */
  readonly answered: string
  /** Names of files that were handed in, and paths that tools were given. */
  readonly files: readonly string[]
  readonly tools: readonly ToolUse[]
}

export interface ToolUse {
  readonly name: string
  readonly calls: number
  readonly failed: number
}

/** Of what was said. More would not fit a summary. */
const NEWEST_MESSAGES = 40
/** Entries in which calls are looked for, from the newest backwards: a log may have millions. */
const NEWEST_ENTRIES = 5_000
const MOST_FILES = 20

/** `undefined` where nobody has said anything in it, or all of it was taken back. */
export async function sessionFacts(
  store: Pick<SessionStore, 'entries' | 'files' | 'session'>,
  row: SessionRow,
): Promise<SessionFacts | undefined> {
  const { id: session, turns, entries } = row
  const undone = await undoneTurnsOf(store)(session)
  const left = turns - undone.length
  if (left <= 0) return undefined
  const after = Math.max(0, entries - NEWEST_ENTRIES)
  const isLeft = (entry: Entry) => !('turn' in entry && undone.includes(entry.turn))
  const [first, inputs, messages, calls, files] = await Promise.all([
    store.entries(session, { types: ['input'], limit: 1 }),
    store.entries(session, { types: ['input'], last: NEWEST_MESSAGES }),
    store.entries(session, { types: ['message'], last: NEWEST_MESSAGES, after }),
    store.entries(session, { types: ['tool-start', 'tool-end'], after }),
    store.files({ owner: { type: 'session', id: session } }),
  ])
  const all = inputs[0]?.seq === first[0]?.seq ? inputs : [...first, ...inputs]
  return {
    session,
    began: first[0]?.time ?? row.created,
    ended: (messages.at(-1) ?? all.at(-1))?.time ?? row.updated,
    turns: left,
    asked: all
      .filter(isLeft)
      .flatMap((entry) => (entry.type === 'input' ? [messageText(entry.message).trim()] : []))
      .filter(isSaid),
    answered: messages.filter(isLeft).map(answerOf).findLast(isSaid) ?? '',
    files: newestDistinct([...files.map(({ name }) => name), ...calls.filter(isLeft).flatMap(pathOf)]),
    tools: toolUses(calls.filter(isLeft)),
  }
}

function isSaid(text: string): boolean {
  return text !== ''
}

function answerOf(entry: Entry): string {
  return entry.type === 'message' && entry.message.role === 'assistant' ? messageText(entry.message).trim() : ''
}

/** What file tools were given. */
function pathOf(entry: Entry): readonly string[] {
  if (entry.type !== 'tool-start' || typeof entry.input !== 'object' || entry.input === null) return []
  const { path } = entry.input as { readonly path?: unknown }
  return typeof path === 'string' && path.trim() !== '' ? [path] : []
}

function newestDistinct(names: readonly string[]): readonly string[] {
  return [...new Set(names.toReversed())].slice(0, MOST_FILES).toReversed()
}

function toolUses(entries: readonly Entry[]): readonly ToolUse[] {
  const failed = new Set<string>()
  for (const entry of entries) if (entry.type === 'tool-end' && !entry.ok) failed.add(keyOf(entry))
  const uses = new Map<string, ToolUse>()
  for (const entry of entries) {
    if (entry.type !== 'tool-start') continue
    const name = entry.toolName
    const before = uses.get(name) ?? { name, calls: 0, failed: 0 }
    uses.set(name, { name, calls: before.calls + 1, failed: before.failed + (failed.has(keyOf(entry)) ? 1 : 0) })
  }
  return [...uses.values()]
}

/** Some providers give the same id in every step. */
function keyOf({ call, toolCallId }: { readonly call: string; readonly toolCallId: string }): string {
  return `${call} ${toolCallId}`
}
