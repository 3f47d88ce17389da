import { messageText } from '../../../src/context.ts'
import type { RetryNotice, SessionEvent } from '../../../src/capability.ts'
import type { CitationSource, Entry } from '../../../src/session.ts'
import { type Head, type TurnPlace, turnsToHead } from './branches.ts'
import { isAfter } from './event-order.ts'
import {
  decided,
  type Part,
  type ToolPart,
  withDelta,
  withMessage,
  withoutProvisional,
  withTool,
  withToolEnd,
} from './turn-parts.ts'

export type { Part } from './turn-parts.ts'
type EntryOf<Type extends Entry['type']> = Extract<Entry, { readonly type: Type }>
export type Outcome = EntryOf<'turn-end'>['outcome']
type InputEntry = EntryOf<'input'>

/** A conversation as the page shows it: a projection of the log and of the words that are still arriving. */
export interface Conversation {
  /** The turns that lead to the head. */
  readonly turns: readonly Turn[]
  /** All turns that were read, in the order of the log. */
  readonly log: readonly Turn[]
  readonly head: Head
  /** `seq` of the first and the last entry that were read: 1 and above, without gaps between them. */
  readonly from: number
  readonly seq: number
  /** Entries of turns that begin before `from`, until their beginning is read. */
  readonly early: readonly Entry[]
  /** Id of the last event, for reading on. */
  readonly lastEvent: string | undefined
}

export interface Turn {
  readonly id: string
  /** As its input names it: the turn that it follows. Absent: the one before it in the log. */
  readonly parent: string | null | undefined
  readonly place: TurnPlace | undefined
  readonly text: string
  readonly attachments: NonNullable<InputEntry['attachments']>
  /** `seq` of the entry with these words: what an edit of them is based on. */
  readonly base: number
  readonly options: InputEntry['options']
  /** ISO 8601. */
  readonly time: string
  readonly state: 'queued' | 'running' | 'ended'
  readonly begun: boolean
  readonly outcome: Outcome | undefined
  readonly undone: boolean
  readonly parts: readonly Part[]
  /** Ids of its model calls, in order. */
  readonly calls: readonly string[]
  /** The wait before a call is made again, or the fallback that is asked instead. */
  readonly retry: (Pick<RetryNotice, 'attempt' | 'message' | 'model'> & { readonly until: number }) | undefined
  /** Why it stopped, until it goes on. */
  readonly interrupted: string | undefined
  /** The question about a call to a model that waits, since it could pass a budget. */
  readonly held: Extract<Entry, { readonly type: 'approval-request' }> | undefined
  /** What the model was given to read in this turn, each document or part of one once, in its order. */
  readonly sources: readonly CitationSource[]
  /** Sentences about its calls. Their answers are kept. */
  readonly warnings: readonly string[]
}

export const emptyConversation: Conversation = {
  turns: [],
  log: [],
  head: undefined,
  from: 1,
  seq: 0,
  early: [],
  lastEvent: undefined,
}

/** A conversation of which a page of the log is known, oldest entry first: the newest page, or one that follows `before`. */
export function conversationOf(entries: readonly Entry[]): Conversation {
  const last = entries.at(-1)
  if (last === undefined) return emptyConversation
  const from = entries[0]!.seq
  return withPath({ ...projected(entries), turns: [], from, seq: last.seq, lastEvent: String(last.seq) })
}

/** The conversation with the page of the log that ends where it begins. */
export function withEarlier(conversation: Conversation, entries: readonly Entry[]): Conversation {
  const { log, early, head } = projected([...entries, ...conversation.early])
  const from = entries[0]?.seq ?? conversation.from
  return withPath({
    ...conversation,
    log: [...log, ...conversation.log],
    early,
    from,
    head: conversation.log.length > 0 || conversation.head !== undefined ? conversation.head : head,
  })
}

function withPath(conversation: Conversation): Conversation {
  const { log, head, from } = conversation
  // A message that was taken back while it waited was never part of the conversation.
  const turns = turnsToHead(log, head, from <= 1).filter(({ begun, undone }) => begun || !undone)
  return { ...conversation, turns }
}

/** Many entries at once, and those whose turns begin before them. */
function projected(entries: readonly Entry[]): Pick<Conversation, 'log' | 'early' | 'head'> {
  const turns = new Map<string, Turn>()
  const early: Entry[] = []
  let head: Head
  for (const entry of entries) {
    head = headAfter(head, entry)
    if (entry.type === 'input') turns.set(entry.turn, newTurn(entry))
    else if ('turn' in entry) {
      const turn = turns.get(entry.turn)
      if (turn === undefined) early.push(entry)
      else turns.set(entry.turn, turnWith(turn, entry))
    }
  }
  return { log: [...turns.values()], early, head }
}

function headAfter(head: Head, entry: Entry): Head {
  if (entry.type === 'branch') return entry.head
  return entry.type === 'input' ? undefined : head
}

/** The conversation after one more event. Pure; an event that was seen before changes nothing. */
export function withEvent(conversation: Conversation, event: SessionEvent, now: number): Conversation {
  if (event.type === 'entry') {
    if (event.entry.seq <= conversation.seq) return conversation
    const next = withEntry(conversation, event.entry)
    return { ...next, seq: event.entry.seq, lastEvent: event.id }
  }
  if (event.type !== 'interrupted' && !isAfter(event.id, conversation.lastEvent)) return conversation
  const changed = changeTurn(conversation, event.turn, (turn) => {
    if (event.type === 'retry') {
      const { attempt, waitMs, message, model } = event
      return { ...turn, retry: { attempt, until: now + waitMs, message, ...(model && { model }) } }
    }
    if (event.type === 'interrupted') return { ...turn, interrupted: event.message }
    const type = event.type === 'text-delta' ? 'text' : 'reasoning'
    return { ...turn, retry: undefined, parts: withDelta(turn.parts, type, event.call, event.text) }
  })
  return { ...changed, lastEvent: event.id }
}

function withEntry(conversation: Conversation, entry: Entry): Conversation {
  const head = headAfter(conversation.head, entry)
  if (entry.type === 'branch') return withPath({ ...conversation, head })
  if (entry.type === 'input') return withPath({ ...conversation, head, log: [...conversation.log, newTurn(entry)] })
  if (!('turn' in entry)) return conversation
  if (conversation.log.every(({ id }) => id !== entry.turn)) {
    return { ...conversation, early: [...conversation.early, entry] }
  }
  const changed = changeTurn(conversation, entry.turn, (turn) => turnWith(turn, entry))
  return entry.type === 'head' ? withPath(changed) : changed
}

function newTurn({ turn, parent, message, attachments = [], time, seq, options }: InputEntry): Turn {
  return {
    id: turn,
    parent,
    place: undefined,
    text: messageText(message),
    attachments,
    base: seq,
    options,
    time,
    state: 'queued',
    begun: false,
    outcome: undefined,
    undone: false,
    parts: [],
    calls: [],
    ...AT_REST,
    sources: [],
    warnings: [],
  }
}

function turnWith(turn: Turn, entry: Entry): Turn {
  switch (entry.type) {
    case 'turn-start':
      return { ...turn, state: 'running', begun: true, interrupted: undefined }
    case 'edit':
      return { ...turn, text: messageText(entry.message), attachments: entry.attachments ?? [], base: entry.seq }
    case 'assembly':
      return {
        ...turn,
        calls: [...turn.calls, entry.call],
        interrupted: undefined,
        // Words of a call that broke off with its gateway are no part of the answer: the next call writes it.
        parts: withoutProvisional(turn.parts),
        sources: withSources(turn.sources, entry.sources),
      }
    case 'message':
      return { ...turn, retry: undefined, parts: withMessage(turn.parts, entry) }
    case 'tool-start':
      return changeTool(turn, entry.toolCallId, { state: 'running', started: entry.time })
    case 'tool-end':
      return {
        ...turn,
        interrupted: undefined,
        parts: withToolEnd(turn.parts, entry),
        sources: withSources(turn.sources, entry.sources),
      }
    case 'approval-request':
      if (entry.held) return { ...turn, held: entry, interrupted: undefined }
      return changeTool(turn, entry.toolCallId, { state: 'waiting', approval: entry })
    case 'approval':
      if (turn.held?.approval === entry.approval) return { ...turn, held: undefined }
      return changeTool(turn, entry.toolCallId, decided(entry))
    case 'usage':
      return entry.warning ? { ...turn, warnings: [...turn.warnings, entry.warning.message] } : turn
    case 'turn-end':
      return { ...turn, ...AT_REST, state: 'ended', outcome: entry.outcome }
    case 'head':
      return { ...turn, undone: true }
    default:
      return turn
  }
}

/** The fields of a turn that waits for nothing. */
const AT_REST = { retry: undefined, held: undefined, interrupted: undefined } as const

function withSources(
  sources: readonly CitationSource[],
  more: readonly CitationSource[] = [],
): readonly CitationSource[] {
  const isNew = ({ document, start }: CitationSource) =>
    !sources.some((known) => document === known.document && start === known.start)
  return [...sources, ...more.filter(isNew)]
}

function changeTool(turn: Turn, toolCallId: string, change: Partial<ToolPart>): Turn {
  return { ...turn, parts: withTool(turn.parts, toolCallId, change), interrupted: undefined }
}

function changeTurn(conversation: Conversation, id: string, change: (turn: Turn) => Turn): Conversation {
  const changed = (turns: readonly Turn[]): readonly Turn[] => {
    // Searched from the end, where the running turn is.
    const index = turns.findLastIndex((turn) => turn.id === id)
    return index === -1 ? turns : turns.with(index, change(turns[index]!))
  }
  return { ...conversation, log: changed(conversation.log), turns: changed(conversation.turns) }
}
