import {
  messageReasoning,
  messageText,
  outputText,
  toolCalls,
  toolResults,
  type Message,
} from '../../../src/context.ts'
import type { SessionEvent } from '../../../src/capability.ts'
import type { Entry } from '../../../src/session.ts'

type EntryOf<Type extends Entry['type']> = Extract<Entry, { readonly type: Type }>
export type Outcome = EntryOf<'turn-end'>['outcome']
export type ApprovalRequest = EntryOf<'approval-request'>
type InputEntry = EntryOf<'input'>

/** A conversation as the page shows it: a projection of the log and of the words that are still arriving. */
export interface Conversation {
  readonly turns: readonly Turn[]
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
  readonly text: string
  readonly attachments: NonNullable<InputEntry['attachments']>
  /** ISO 8601. */
  readonly time: string
  readonly state: 'queued' | 'running' | 'ended'
  readonly outcome: Outcome | undefined
  readonly undone: boolean
  readonly parts: readonly Part[]
  /** Ids of its model calls, in order. */
  readonly calls: readonly string[]
  /** The wait before a call is made again. */
  readonly retry: { readonly attempt: number; readonly until: number; readonly message: string } | undefined
  /** Why it stopped, until it goes on. */
  readonly interrupted: string | undefined
}

export type Part = TextPart | ToolPart

/** Text or reasoning of the model. `provisional`: it is still arriving. */
export interface TextPart {
  readonly type: 'text' | 'reasoning'
  readonly call: string
  readonly text: string
  readonly provisional: boolean
  readonly citations: NonNullable<EntryOf<'message'>['citations']>
}

export interface ToolPart {
  readonly type: 'tool'
  readonly call: string
  readonly toolCallId: string
  readonly name: string
  readonly input: unknown
  readonly state: 'asked' | 'waiting' | 'running' | 'done' | 'failed' | 'denied'
  readonly approval: ApprovalRequest | undefined
  readonly result: string | undefined
  readonly durationMs: number | undefined
}

export const emptyConversation: Conversation = { turns: [], from: 1, seq: 0, early: [], lastEvent: undefined }

/** A conversation of which a page of the log is known, oldest entry first: the newest page, or one that follows `before`. */
export function conversationOf(entries: readonly Entry[]): Conversation {
  const { turns, early } = projected(entries)
  const last = entries.at(-1)
  if (last === undefined) return emptyConversation
  return { turns, from: entries[0]!.seq, seq: last.seq, early, lastEvent: String(last.seq) }
}

/** The conversation with the page of the log that ends where it begins. */
export function withEarlier(conversation: Conversation, entries: readonly Entry[]): Conversation {
  const { turns, early } = projected([...entries, ...conversation.early])
  const from = entries[0]?.seq ?? conversation.from
  return { ...conversation, turns: [...turns, ...conversation.turns], early, from }
}

/** Many entries at once, and those whose turns begin before them. */
function projected(entries: readonly Entry[]): Pick<Conversation, 'turns' | 'early'> {
  const turns = new Map<string, Turn>()
  const early: Entry[] = []
  for (const entry of entries) {
    if (entry.type === 'input') turns.set(entry.turn, newTurn(entry))
    else if ('turn' in entry) {
      const turn = turns.get(entry.turn)
      if (turn === undefined) early.push(entry)
      else turns.set(entry.turn, turnWith(turn, entry))
    }
  }
  return { turns: [...turns.values()], early }
}

/** The conversation after one more event. Pure; an event that was seen before changes nothing. */
export function withEvent(conversation: Conversation, event: SessionEvent, now: number): Conversation {
  if (event.type === 'entry') {
    if (event.entry.seq <= conversation.seq) return conversation
    const next = withEntry(conversation, event.entry)
    return { ...next, seq: event.entry.seq, lastEvent: event.id }
  }
  const turns = changeTurn(conversation.turns, event.turn, (turn) => {
    if (event.type === 'retry') {
      const { attempt, waitMs, message } = event
      return { ...turn, retry: { attempt, until: now + waitMs, message } }
    }
    if (event.type === 'interrupted') return { ...turn, interrupted: event.message }
    const type = event.type === 'text-delta' ? 'text' : 'reasoning'
    return { ...turn, retry: undefined, parts: withDelta(turn.parts, type, event.call, event.text) }
  })
  return { ...conversation, turns, lastEvent: event.id }
}

function withDelta(parts: readonly Part[], type: TextPart['type'], call: string, text: string): readonly Part[] {
  const last = parts.at(-1)
  if (last?.type === type && last.provisional && last.call === call) {
    return [...parts.slice(0, -1), { ...last, text: last.text + text }]
  }
  return [...parts, { type, call, text, provisional: true, citations: [] }]
}

function withEntry(conversation: Conversation, entry: Entry): Conversation {
  if (entry.type === 'input') return { ...conversation, turns: [...conversation.turns, newTurn(entry)] }
  if (!('turn' in entry)) return conversation
  if (conversation.turns.every(({ id }) => id !== entry.turn)) {
    return { ...conversation, early: [...conversation.early, entry] }
  }
  const turns = changeTurn(conversation.turns, entry.turn, (turn) => turnWith(turn, entry))
  return { ...conversation, turns }
}

function newTurn({ turn, message, attachments = [], time }: InputEntry): Turn {
  return {
    id: turn,
    text: messageText(message),
    attachments,
    time,
    state: 'queued',
    outcome: undefined,
    undone: false,
    parts: [],
    calls: [],
    retry: undefined,
    interrupted: undefined,
  }
}

function turnWith(turn: Turn, entry: Entry): Turn {
  switch (entry.type) {
    case 'turn-start':
      return { ...turn, state: 'running', interrupted: undefined }
    case 'assembly':
      return { ...turn, calls: [...turn.calls, entry.call], interrupted: undefined }
    case 'message':
      return { ...turn, retry: undefined, parts: withMessage(turn.parts, entry) }
    case 'tool-start':
      return changeTool(turn, entry.toolCallId, { state: 'running' })
    case 'tool-end':
      return changeTool(turn, entry.toolCallId, {
        state: entry.ok ? 'done' : 'failed',
        result: entry.output,
        durationMs: entry.durationMs,
      })
    case 'approval-request':
      return changeTool(turn, entry.toolCallId, { state: 'waiting', approval: entry })
    case 'approval':
      return changeTool(turn, entry.toolCallId, { state: entry.decision.type === 'approve' ? 'running' : 'denied' })
    case 'turn-end':
      return { ...turn, state: 'ended', outcome: entry.outcome, retry: undefined, interrupted: undefined }
    case 'head':
      return { ...turn, undone: true }
    default:
      return turn
  }
}

/** The message has the whole text: it takes the place of what had arrived of it. */
function withMessage(parts: readonly Part[], entry: EntryOf<'message'>): readonly Part[] {
  const call = entry.call ?? ''
  const kept = parts.filter((part) => part.type === 'tool' || !part.provisional)
  if (entry.message.role === 'tool') return withResults(kept, entry.message)
  const reasoning = messageReasoning(entry.message)
  const text = messageText(entry.message)
  const citations = entry.citations ?? []
  return [
    ...kept,
    ...(reasoning === '' ? [] : [textPart('reasoning', call, reasoning, [])]),
    ...(text === '' ? [] : [textPart('text', call, text, citations)]),
    ...toolCalls(entry.message).map(({ toolCallId, toolName, input }): ToolPart => ({
      type: 'tool',
      call,
      toolCallId,
      name: toolName,
      input,
      state: 'asked',
      approval: undefined,
      result: undefined,
      durationMs: undefined,
    })),
  ]
}

function textPart(type: TextPart['type'], call: string, text: string, citations: TextPart['citations']): TextPart {
  return { type, call, text, provisional: false, citations }
}

/** Results that no `tool-end` reported: calls that were refused or denied. */
function withResults(parts: readonly Part[], message: Message): readonly Part[] {
  const results = new Map(toolResults(message).map((result) => [result.toolCallId, result.output]))
  return parts.map((part) => {
    if (part.type !== 'tool' || part.result !== undefined) return part
    const output = results.get(part.toolCallId)
    if (output === undefined) return part
    const state = part.state === 'denied' || output.type === 'execution-denied' ? 'denied' : 'failed'
    return {
      ...part,
      result: outputText(output),
      state: output.type.startsWith('error') ? state : part.state === 'denied' ? state : 'done',
    }
  })
}

function changeTool(turn: Turn, toolCallId: string, change: Partial<ToolPart>): Turn {
  const parts = turn.parts.map((part) =>
    part.type === 'tool' && part.toolCallId === toolCallId ? { ...part, ...change } : part,
  )
  return { ...turn, parts, interrupted: undefined }
}

/** Searched from the end, where the running turn is. */
function changeTurn(turns: readonly Turn[], id: string, change: (turn: Turn) => Turn): readonly Turn[] {
  const index = turns.findLastIndex((turn) => turn.id === id)
  return index === -1 ? turns : turns.with(index, change(turns[index]!))
}
