import type { Cut, Message, Origin } from '../context.ts'
import type { CallWarning, Usage } from './call.ts'
import type { PartialReason, TurnOutcome } from './turn-outcome.ts'

/**
 * What can happen in a session. The log only grows: an entry is never changed or taken back, and every other view of a
 * session is a projection of it. `turn` is present on everything that belongs to one turn.
 */
export type EntryBody =
  /** `after`: the session that its conversation had before, where no channel says so. */
  | { readonly type: 'session-start'; readonly title?: string; readonly channel?: Binding; readonly after?: string }
  /** Accepted input. On disk before it is acknowledged. Begins a turn that is queued until its `turn-start`. */
  | {
      readonly type: 'input'
      readonly turn: string
      readonly message: Message
      readonly tokens: TokenCounts
      /** A repeat with the same key finds this entry instead of making a second one. */
      readonly idempotencyKey?: string
      readonly options?: InputOptions
      /** Files that came with it, in the order in which they stand above it. */
      readonly attachments?: readonly AttachedFile[]
    }
  | { readonly type: 'turn-start'; readonly turn: string }
  /** One model call is about to be made. `call` names it in the ledger. */
  | {
      readonly type: 'assembly'
      readonly turn: string
      readonly call: string
      readonly model?: string
      readonly cut?: Cut
      /** Documents that stand in the request itself, in the first call of a turn. */
      readonly sources?: readonly Source[]
    }
  /** Written before an effect. */
  | {
      readonly type: 'tool-start'
      readonly turn: string
      readonly call: string
      readonly toolCallId: string
      readonly toolName: string
      readonly input: unknown
    }
  /** Written after an effect, before the model may read its result. */
  | {
      readonly type: 'tool-end'
      readonly turn: string
      readonly call: string
      readonly toolCallId: string
      readonly ok: boolean
      /** As the model reads it. */
      readonly output: string
      readonly durationMs: number
      /** Where it comes from, if not from the tool itself. */
      readonly origin?: Origin
      /** The whole of a result that was too long to show. */
      readonly stored?: StoredResult
      /** What the result was made of, for the person; the model reads `output`. */
      readonly sources?: readonly Source[]
    }
  /** A person has to decide about a call. The turn waits until there is an `approval` of the same id. */
  | {
      readonly type: 'approval-request'
      readonly turn: string
      readonly call: string
      readonly approval: string
      readonly toolCallId: string
      readonly rule: string
      readonly request: ApprovalQuestion
      /** SHA-256 of `request`: the decision holds for exactly that. */
      readonly digest: string
    }
  | {
      readonly type: 'approval'
      readonly turn: string
      readonly approval: string
      readonly toolCallId: string
      readonly digest: string
      readonly decision: ApprovalDecision
      /** Through which door, such as `cli` or `http`. */
      readonly by: string
    }
  /** A message that the model or the tools made. `partial`: it is the last of its turn and no whole answer. */
  | {
      readonly type: 'message'
      readonly turn: string
      readonly call?: string
      readonly message: Message
      readonly tokens: TokenCounts
      readonly partial?: PartialReason
      /** What the numbers in its text stand for. The text keeps them as the model wrote them. */
      readonly citations?: readonly Source[]
    }
  | {
      readonly type: 'usage'
      readonly turn: string
      readonly call: string
      readonly model: string
      readonly usage: Usage
      /** Why the answer ended, such as `stop` or `length`. */
      readonly finish?: string
      /** Something is to be said of the call, whose answer stands. */
      readonly warning?: CallWarning
    }
  | {
      readonly type: 'cut'
      readonly turn: string
      readonly call: string
      readonly cut: Cut
      /** What the prompt could cost, tokens. */
      readonly available: number
      /** The same before any margin: window − reserve. Absent in older logs. */
      readonly room?: number
    }
  | { readonly type: 'model'; readonly model: string | null }
  /** What the session has chosen by the name `choice`, such as an agent; `null` returns to what is usual. */
  | { readonly type: 'choice'; readonly choice: string; readonly value: string | null }
  /**
   * The conversation goes on behind the turn `head`, or from its beginning (`null`): `turn`, which ended, was taken back.
   * It stays in the log, and no later call reads it.
   */
  | { readonly type: 'head'; readonly turn: string; readonly head: string | null }
  | { readonly type: 'turn-end'; readonly turn: string; readonly outcome: TurnOutcome }
  /**
   * A message of a channel holds a part of the reply, perhaps not yet as it will be in the end. What is known to stand there
   * is changed afterwards and never sent a second time.
   */
  | {
      readonly type: 'sent'
      readonly turn: string
      readonly channel: string
      /** 1, 2, 3 … in the order of reading. */
      readonly part: number
      readonly messageId: string
    }
  /** The reply of a turn stands in its channel, under the channel's own message id. */
  | { readonly type: 'delivered'; readonly turn: string; readonly channel: string; readonly messageId?: string }

export type EntryType = EntryBody['type']

/** Exactly what a person is asked to allow. */
export interface ApprovalQuestion {
  readonly tool: string
  readonly input: unknown
  readonly argv?: readonly string[]
  readonly command?: string
  readonly folder?: string
  readonly diff?: string
  readonly facts?: Readonly<Record<string, unknown>>
}

/** `session`: the very same call (by its digest) needs no second question in this session. The model reads `reason`. */
export type ApprovalDecision =
  | { readonly type: 'approve'; readonly scope: 'once' | 'session' }
  | { readonly type: 'deny'; readonly reason?: string }

/** A file that came with a message, as it was then. */
export interface AttachedFile {
  readonly file: string
  readonly name: string
  readonly kind: 'text' | 'image' | 'table' | 'unreadable'
  /** `sha256:HASH` of its text among the contents. */
  readonly content?: string
  /** By the model-agnostic counter; only of text. */
  readonly tokens?: number
}

/** A document, or a part of one, that a model was given or cited (BEHAVIOURS §3.6). */
export interface Source {
  /** Its number in the turn, from 1. */
  readonly citation: number
  /** What makes it the same document: a file's id, or a URL. */
  readonly document: string
  readonly title: string
  readonly url?: string
  /** Where in the document: characters from the beginning, a page from 1, the headings above. */
  readonly start?: number
  readonly end?: number
  readonly page?: number
  readonly headings?: readonly string[]
  readonly score?: number
  readonly updated?: string
}

/** A result that is kept whole beside the log. */
export interface StoredResult {
  /** How the model asks for it. Unique by content within a session. */
  readonly id: string
  /** `sha256:HASH` of its text among the contents. */
  readonly content: string
  readonly characters: number
}

/** What a history is made of: the input of a turn and what was said for it. */
export type SpokenBody = Extract<EntryBody, { readonly type: 'input' | 'message' }>

/** One thing that happened in a session. */
export type Entry = EntryBody & {
  readonly session: string
  /** 1, 2, 3 … within the session, without gaps. */
  readonly seq: number
  /** ISO 8601, UTC, milliseconds. */
  readonly time: string
}

/** What a message costs, stored when it was written. */
export interface TokenCounts {
  /** `id@version` of the counter, such as `tokenx@2`. By another counter the message is counted anew. */
  readonly counter: string
  readonly full: number
  /** The same with its tool results cleared and its images replaced: the least it can cost in a history. */
  readonly least: number
}

/** A session is bound to at most one conversation of one channel, and the other way round. */
export interface Binding {
  readonly channel: string
  readonly conversation: string
}

/** What one request may choose for itself. */
export interface InputOptions {
  readonly model?: string
  /** The system prompt of this turn, in place of every other. */
  readonly system?: string
  /** Parameters of each model call of the turn, as the model room names them. */
  readonly parameters?: object
}
