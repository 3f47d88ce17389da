import { type Message, type ToolCallPart, toolCalls } from '../context.ts'
import type { Entry } from '../session.ts'
import type { Step } from './turn-setup.ts'

/** Where a turn stands, derived from its entries alone. */
export interface TurnState {
  /** The input and all messages that answer it, without partial ones: what the next call is assembled from. */
  readonly messages: Step['messages']
  /** Calls of the newest message that have no result yet. */
  readonly pending: readonly ToolCallPart[]
  /** The model call that asked for them; empty where its entry names none. */
  readonly call: string
  /** Model calls that gave a message. */
  readonly steps: number
  /** The newest message is an answer: only the end of the turn is missing. */
  readonly answered: boolean
}

/** Derives the state of a turn from its entries, oldest first. */
export function turnState(entries: readonly Entry[]): TurnState {
  const messages: Step['messages'][number][] = []
  let last: Message | undefined
  let call = ''
  let steps = 0
  for (const entry of entries) {
    if (entry.type !== 'input' && (entry.type !== 'message' || entry.partial)) continue
    last = entry.message
    messages.push({ message: last, counted: entry.tokens })
    if (last.role !== 'assistant') continue
    steps += 1
    call = (entry.type === 'message' && entry.call) || ''
  }
  const pending = last ? toolCalls(last) : []
  return { messages, pending, call, steps, answered: last?.role === 'assistant' && pending.length === 0 }
}

/** The tool calls of a step, as the log has them. */
export interface ToolJournal {
  /** Ids of the calls that were started. */
  readonly started: ReadonlySet<string>
  readonly ended: ReadonlyMap<string, Extract<Entry, { type: 'tool-end' }>>
  /** The newest question about a call. */
  readonly asked: ReadonlyMap<string, Extract<Entry, { type: 'approval-request' }>>
}

/** Reads the newest step only: some providers give the same call id in every step. */
export function toolJournal(all: readonly Entry[]): ToolJournal {
  const step = all.findLastIndex((entry) => entry.type === 'message' && entry.message.role === 'assistant')
  const started = new Set<string>()
  const ended = new Map<string, Extract<Entry, { type: 'tool-end' }>>()
  const asked = new Map<string, Extract<Entry, { type: 'approval-request' }>>()
  for (const entry of all.slice(step + 1)) {
    if (entry.type === 'tool-start') started.add(entry.toolCallId)
    if (entry.type === 'tool-end') ended.set(entry.toolCallId, entry)
    if (entry.type === 'approval-request') asked.set(entry.toolCallId, entry)
  }
  return { started, ended, asked }
}
