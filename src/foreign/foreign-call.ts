import type { Manifest, Piece, ToolDefinition, AnyMessage } from '../context.ts'
import type { WireFormat } from '../wire.ts'

/** What is known of a request before its body is read. */
export interface ForeignRequestHead {
  readonly method: string
  /** Behind the address of the provider, with its query: `/v1/messages?beta=true`. */
  readonly path: string
  /** In lower case; several values of one name joined by `, `. */
  readonly headers: Readonly<Record<string, string>>
}

/** The program that made a call, by its headers. */
export interface ForeignClient {
  /** `claude-code`, `codex`, `opencode`, `pi`, `openclaw`, `aider`, `gemini-cli`, `qwen-code`, `copilot-cli`, `continue`,
   * `cline`; else the first word of its `user-agent`, or `unknown`. */
  readonly name: string
  readonly version?: string
}

/**
 * What a call is for. `turn`: a step of the conversation with a person. `sub-agent`: a step of an agent that the first one
 * started. `compaction`: the conversation is summarized. `title`: a name for it is asked for. `count`: only tokens are counted.
 * `quota`: a small call that asks whether others would be answered. `embedding`: vectors of texts are asked for. `other`: none of
 * these.
 */
export type ForeignKind = 'turn' | 'sub-agent' | 'compaction' | 'title' | 'count' | 'quota' | 'embedding' | 'other'

/** Whose call it is, and what for. */
export interface ForeignIdentity {
  /** Absent where the path belongs to no known format. */
  readonly format?: WireFormat
  readonly client: ForeignClient
  readonly kind: ForeignKind
  /** The client's own id of its session; absent where it sends none. An agent within a session is one of its own: `SESSION/AGENT`. */
  readonly session?: string
  /** The session or thread that started this one. */
  readonly parent?: string
  /** The client's own id of its turn: calls of one id are one turn, and a repeat among them is a retry. */
  readonly turn?: string
  /** What its provider keeps of the conversation, so that the body has only what is new. */
  readonly kept?: KeptConversation
  /** The provider's id of a cache that the model reads before the body: `cachedContents/…` of Gemini. */
  readonly cache?: string
  readonly model?: string
  readonly stream: boolean
  /** The most that the answer may have, tokens, as the body says. */
  readonly maxOutputTokens?: number
}

/** The provider's own id of what it keeps. */
export type KeptConversation =
  /** Of the answer that the call goes on from. */
  | { readonly answer: string }
  /** Of a conversation that the call is added to. */
  | { readonly conversation: string }

/** A mark of a prompt cache in a request. */
export interface ForeignMark {
  /** Index of the piece that it closes. */
  readonly piece: number
  /** As the body says, such as `5m` or `1h`; absent where it says nothing. */
  readonly life?: string
}

/**
 * A request of another program, taken apart: every token of it belongs to one entry of the manifest. It has the shape of an
 * assembly, so that it is kept, compared and shown like one.
 */
export interface ForeignAssembly {
  /** In the shapes of the core. What no shape is for is JSON in a text: nothing is left out. */
  readonly request: { readonly tools: readonly ToolDefinition[]; readonly messages: readonly AnyMessage[] }
  readonly manifest: Manifest
  readonly pieces: readonly Piece[]
  readonly marks: readonly ForeignMark[]
}
