import type { Cut, ForeignText, Message, Origin } from '../context.ts'
import type { CallWarning } from './call.ts'
import type { Usage } from '../wire.ts'
import type { InputBudget } from './input-budget.ts'
import type { PartialReason, TurnOutcome } from './turn-outcome.ts'

/**
 * What can happen in a session. The log only grows: an entry is never changed or removed, and every other view of a
 * session is a projection of it. `turn` is present on every entry that belongs to one turn.
 */
export type EntryBody =
  /**
   * `after`: the previous session of its conversation, where no channel defines it. `foreign`: the program that it belongs to; its
   * calls are recorded, and it has no turns.
   */
  | {
      readonly type: 'session-start'
      readonly title?: string
      readonly channel?: Binding
      readonly after?: string
      readonly foreign?: string
    }
  /** Accepted input. On disk before it is acknowledged. Begins a turn that is queued until its `turn-start`. */
  | {
      readonly type: 'input'
      readonly turn: string
      /**
       * The turn that it follows; `null`: it begins the conversation again. Absent: it follows the turn that was admitted before
       * it, or the one that a `branch` entry named since.
       */
      readonly parent?: string | null
      readonly message: Message
      readonly tokens: TokenCounts
      /** A repeat with the same key finds this entry instead of making a second one. */
      readonly idempotencyKey?: string
      readonly options?: InputOptions
      /** Attached files, in the order in which they are placed above the message. */
      readonly attachments?: readonly AttachedFile[]
    }
  /** The message of a turn that waits was changed: this one takes the place of the one in its `input`, with its files. */
  | {
      readonly type: 'edit'
      readonly turn: string
      readonly message: Message
      readonly tokens: TokenCounts
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
      /** Documents in the request itself, in the first call of a turn. */
      readonly sources?: readonly CitationSource[]
      /** Texts of others that the model reads here and in no earlier call of the turn. */
      readonly foreign?: readonly ForeignText[]
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
      /** Where the result comes from, if not from the tool itself. */
      readonly origin?: Origin
      /** The whole of a result that was too long to show. */
      readonly stored?: StoredResult
      /** The documents of the result, for the person; the model reads `output`. */
      readonly sources?: readonly CitationSource[]
      /** Files of the session that a model which sees images is sent after `output`. */
      readonly images?: readonly ResultImage[]
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
      /** SHA-256 of `request`: the decision applies to exactly that. */
      readonly digest: string
      /** Texts of others that the model had read in the turn when it asked for the call. */
      readonly read?: readonly ForeignText[]
      /** It is about a call to a model that could pass a budget, and not about one of a tool. */
      readonly held?: BudgetQuestion
      /** It is asked only because of `read`: the tool can be approved for the session, under the policy with this SHA-256. */
      readonly grant?: string
      /** SHA-256 of what the program of the call could load from the workspace when it was asked about. */
      readonly loads?: string
    }
  | {
      readonly type: 'approval'
      readonly turn: string
      readonly approval: string
      readonly toolCallId: string
      readonly digest: string
      readonly decision: ApprovalOutcome
      /** Where the person decided, such as `cli` or `http`; the rule that asked where the question was withdrawn. */
      readonly by: string
    }
  /** A person took back the approval of a tool for the session. */
  | { readonly type: 'revoke'; readonly tool: string; readonly by: string }
  /** A message of the model or the tools. `partial`: it is the last of its turn, and incomplete. */
  | {
      readonly type: 'message'
      readonly turn: string
      readonly call?: string
      readonly message: Message
      readonly tokens: TokenCounts
      readonly partial?: PartialReason
      /** The documents that the numbers in its text refer to. The text keeps the numbers as the model wrote them. */
      readonly citations?: readonly CitationSource[]
    }
  | {
      readonly type: 'usage'
      readonly turn: string
      readonly call: string
      readonly model: string
      readonly usage: Usage
      /** Why the answer ended, such as `stop` or `length`. */
      readonly finish?: string
      readonly warning?: CallWarning
    }
  | {
      readonly type: 'cut'
      readonly turn: string
      readonly call: string
      readonly cut: Cut
      /** The budget of the prompt, tokens. */
      readonly available: number
      /** The same before any margin: window − reserve. */
      readonly room: number
    }
  /** Another program made a call through this gateway, which is over. */
  | { readonly type: 'foreign-call'; readonly call: string }
  /** The next call composes its head again, whatever the calls before it began with. */
  | { readonly type: 'fold' }
  /** Words for the next note, on everything up to the turn `through`. Where the answer was none, `fault` says why. */
  | {
      readonly type: 'note'
      readonly turn: string
      readonly call: string
      readonly through: string
      /** Whether they also say what earlier notes say. */
      readonly folds?: boolean
      readonly text?: string
      readonly fault?: string
    }
  | { readonly type: 'model'; readonly model: string | null }
  /** What the session chose under the name `choice`, such as an agent; `null` returns to the default. */
  | { readonly type: 'choice'; readonly choice: string; readonly value: string | null }
  /**
   * What a person calls the session and where they keep it. Absent fields stay as they are; `null` removes the title or takes
   * the session out of its folder. It is no activity: the session keeps its place in the list.
   */
  | {
      readonly type: 'label'
      readonly title?: string | null
      readonly pinned?: boolean
      readonly folder?: string | null
    }
  /**
   * The conversation continues after the turn `head`, or from its beginning (`null`): `turn`, which had ended, was undone.
   * It stays in the log, but no later call reads it.
   */
  | { readonly type: 'head'; readonly turn: string; readonly head: string | null }
  /** The conversation goes on after the turn `head`, or from its beginning (`null`). Turns that do not lead there are kept. */
  | { readonly type: 'branch'; readonly head: string | null }
  | { readonly type: 'turn-end'; readonly turn: string; readonly outcome: TurnOutcome }
  /**
   * A message of a channel contains a part of the reply, perhaps not yet in its final form. A message that was sent is edited
   * afterwards and never sent a second time.
   */
  | {
      readonly type: 'sent'
      readonly turn: string
      readonly channel: string
      /** 1, 2, 3 … in the order of reading. */
      readonly part: number
      /** `?`: it is about to be sent, and its id is not known. */
      readonly messageId: string
    }
  | { readonly type: 'delivered'; readonly turn: string; readonly channel: string; readonly messageId?: string }

export type EntryType = EntryBody['type']

/** Exactly what a person is asked to approve. */
export interface ApprovalQuestion {
  readonly tool: string
  readonly input: unknown
  readonly argv?: readonly string[]
  readonly command?: string
  readonly folder?: string
  readonly diff?: string
  readonly facts?: Readonly<Record<string, unknown>>
}

/** A call to a model that waits, since it could pass a budget. */
export interface BudgetQuestion {
  /** What it may cost, and what is left. */
  readonly sentence: string
  /** What an approval with the scope `session` does: it raises the limit of the period. */
  readonly raise: string
}

/**
 * `session`: the same call (by its digest) is not asked about again in this session. `tool`: calls of this tool are not asked about
 * again in it because of texts of others; only where the question has a `grant`. The model reads `reason`.
 */
export type ApprovalDecision =
  | { readonly type: 'approve'; readonly scope: 'once' | 'session' | 'tool' }
  | { readonly type: 'deny'; readonly reason?: string }

/** How a question ended. `withdraw`: nobody decided, since it needs no answer any more; it allows nothing. */
export type ApprovalOutcome = ApprovalDecision | { readonly type: 'withdraw'; readonly reason: string }

/** A file of a message, as it was when the message was sent. */
export interface AttachedFile {
  readonly file: string
  readonly name: string
  readonly kind: 'text' | 'image' | 'audio' | 'table' | 'unreadable'
  /** `sha256:HASH` of its text among the contents. */
  readonly content?: string
  /** Of text by the model-agnostic counter; of an image as assumed by its size, of a recording by its length. */
  readonly tokens?: number
}

/** An image or a recording of a result of a tool. */
export interface ResultImage extends AttachedFile {
  readonly mediaType: string
  /** In pixels. */
  readonly width?: number
  readonly height?: number
  readonly seconds?: number
}

/** A document, or a part of one, that a model was given or cited (BEHAVIOURS §3.6). */
export interface CitationSource {
  /** Its number in the turn, from 1. */
  readonly citation: number
  /** Identifies the document: a file's id, or a URL. */
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

/** A whole result that is stored beside the log. */
export interface StoredResult {
  /** The id that the model asks for. Unique by content within a session. */
  readonly id: string
  /** `sha256:HASH` of its text among the contents. */
  readonly content: string
  readonly characters: number
}

/** The entries that make up a history: the input of a turn and the messages that answer it. */
export type MessageBody = Extract<EntryBody, { readonly type: 'input' | 'message' }>

/** One thing that happened in a session. */
export type Entry = EntryBody & {
  readonly session: string
  /** 1, 2, 3 … within the session, without gaps. */
  readonly seq: number
  /** ISO 8601, UTC, milliseconds. */
  readonly time: string
}

/** The token counts of a message, stored when it was written. */
export interface TokenCounts {
  /** `id@version` of the counter, such as `tokenx@2`. With another counter the message is counted again. */
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

/** What one request chooses for itself. */
export interface InputOptions {
  readonly model?: string
  /** The turn in which another model answers the same message. */
  readonly beside?: string
  /** The system prompt of this turn, in place of every other. */
  readonly system?: string
  /** Parameters of each model call of the turn, as the model room names them. */
  readonly parameters?: object
  /** Limits besides those of the configuration. */
  readonly budgets?: readonly InputBudget[]
  /** The name of the token that it came with; absent: the owner's, or none. */
  readonly token?: string
  /** The channel that it came from, such as `telegram`. */
  readonly channel?: string
  /** `traceparent` of the request that it came with (W3C Trace Context). */
  readonly trace?: string
  /** `fail`: a model server of this machine that does not run ends the turn at once. Absent: it is asked again for a while. */
  readonly whenRefused?: 'fail'
}

/**
 * The entries as they are read: each message as it was edited last, while it waited. The edits themselves are left out. Every
 * reader of messages goes through this; only the log itself, an export and the audit have both.
 */
export function withEdits<Body extends EntryBody>(entries: readonly Body[]): readonly Body[] {
  if (!entries.some(({ type }) => type === 'edit')) return entries
  const edits = new Map(
    entries.flatMap((entry: EntryBody) => (entry.type === 'edit' ? [[entry.turn, entry] as const] : [])),
  )
  return entries.flatMap((entry): readonly Body[] => {
    if (entry.type === 'edit') return []
    const edit = entry.type === 'input' ? edits.get(entry.turn) : undefined
    if (edit === undefined) return [entry]
    const { message, tokens, attachments } = edit
    const { attachments: _before, ...kept } = entry as Extract<EntryBody, { readonly type: 'input' }>
    return [{ ...kept, message, tokens, ...(attachments === undefined ? {} : { attachments }) } as unknown as Body]
  })
}
