import { type Message, toolCalls } from '../context.ts'
import type { Entry } from '../session.ts'

/** The state of a turn, derived from its entries alone. */
export interface TurnState {
  readonly entries: readonly Entry[]
  /** The input and all messages that answer it, without partial messages. */
  readonly messages: readonly Message[]
  /** Model calls that gave a message. */
  readonly steps: number
  /** The newest message is an answer: only the end of the turn is missing. */
  readonly answered: boolean
}

/** Derives the state of a turn from its entries, oldest first. */
export function turnState(entries: readonly Entry[]): TurnState {
  const messages = entries.flatMap((entry) => {
    if (entry.type === 'input') return [entry.message]
    return entry.type === 'message' && !entry.partial ? [entry.message] : []
  })
  const last = messages.at(-1)
  return {
    entries,
    messages,
    steps: messages.filter((message) => message.role === 'assistant').length,
    answered: last?.role === 'assistant' && toolCalls(last).length === 0,
  }
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
