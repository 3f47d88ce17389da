import type { IncomingHttpHeaders } from 'node:http'

export type Wire = 'ollama' | 'openai-chat' | 'openai-responses' | 'anthropic'

/** One call as the server saw it. */
export interface ScriptedRequest {
  readonly wire: Wire
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** The very body, and its SHA-256 in lowercase hexadecimal. */
  readonly bytes: Buffer
  readonly sha256: string
  readonly body: Readonly<Record<string, unknown>>
  /** When it had arrived, ms since 1970. */
  readonly time: number
  readonly model: string
  /** The text of the newest user message. */
  readonly newest: string
  /** Names of the tools that were offered. */
  readonly tools: readonly string[]
  /** Whether the client left before the answer was at its end. */
  readonly cancelled: boolean
}

/** What to say. Reasoning comes first, then text, then tool calls. All in one message, without waiting, unless told. */
export interface ScriptedAnswer {
  /** A string is sent word by word, a list piece by piece. */
  readonly text?: string | readonly string[]
  readonly reasoning?: string | readonly string[]
  /** What the provider wants back with its reasoning (Anthropic's signature, OpenAI's encrypted content). */
  readonly signature?: string
  /** Input that is a string is sent as it is, JSON or not. `namespace` is OpenAI's: of the Responses wire alone. */
  readonly toolCalls?: readonly {
    readonly id?: string
    readonly name: string
    readonly namespace?: string
    readonly input: unknown
  }[]
  /** `silent` says nothing of tokens. */
  readonly usage?: ScriptedUsage | 'silent'
  /** `tool-calls` when there are any, otherwise `stop`. */
  readonly finish?: 'stop' | 'length' | 'tool-calls' | 'content-filter'
  /** Before the first byte. */
  readonly delayMs?: number
  /** After each piece. */
  readonly pieceDelayMs?: number
  /** Answers with this status and `body` instead. */
  readonly status?: number
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** An error in the stream, in the wire's own form, after everything else and instead of the end. */
  readonly streamError?: { readonly message: string; readonly type?: string }
  /** Nothing more comes after so many pieces of the wire, and the connection stays open. 0: not even a status. */
  readonly hangAfter?: number
  /** The first piece of the wire that holds this text is sent again and again, until the client leaves. */
  readonly forever?: string
  /** The answer is closed in good form after so many pieces of the wire, before its end. */
  readonly endAfter?: number
  /** The connection breaks after so many pieces of the wire. 0: before a status. */
  readonly cutAfter?: number
}

export interface ScriptedUsage {
  readonly promptTokens?: number
  readonly cachedTokens?: number
  readonly cacheWrittenTokens?: number
  readonly outputTokens?: number
  readonly reasoningTokens?: number
}

/** Pieces of a text: words with the space behind them, or what was given. */
export function pieces(text: string | readonly string[] | undefined): readonly string[] {
  if (text === undefined) return []
  return typeof text === 'string' ? (text.match(/\S+\s*|\s+/g) ?? []) : text
}

export function finishOf({ finish, toolCalls }: ScriptedAnswer): NonNullable<ScriptedAnswer['finish']> {
  return finish ?? (toolCalls?.length ? 'tool-calls' : 'stop')
}

/** The JSON text of a call's input. */
export function inputText(input: unknown): string {
  return typeof input === 'string' ? input : JSON.stringify(input)
}

/** An id for a call without one: the same for the same request, and another at every step of a conversation. */
export function callId({ body }: ScriptedRequest, index: number): string {
  const messages = body['messages'] ?? body['input']
  return `call_${Array.isArray(messages) ? messages.length : 0}_${index + 1}`
}

/** A model that the scripted server says it has. */
export interface ScriptedModel {
  readonly name: string
  /** The most it can take, tokens. 131,072 unless given; `null` is not told. */
  readonly contextLength?: number | null
  /** Ollama's words: `completion`, `tools`, `vision`, `thinking`. */
  readonly capabilities?: readonly string[]
  /** Ollama's `parameters` text, such as `num_ctx 8192`. */
  readonly parameters?: string
}

interface PlainAnswer {
  readonly status: number
  readonly body: unknown
}

/** Answers to `/api/tags`, `/api/show` and `/v1/models`; 404 for everything else. */
export function modelsAnswer(path: string, bytes: Buffer, models: readonly ScriptedModel[]): PlainAnswer {
  switch (path) {
    case '/api/tags':
      return { status: 200, body: { models: models.map(({ name }) => ({ name, model: name, size: 1, details: {} })) } }
    case '/api/show':
      return show(JSON.parse(bytes.toString('utf8')) as { model?: string; name?: string }, models)
    case '/v1/models':
      return { status: 200, body: { object: 'list', data: models.map(row) } }
    default:
      return { status: 404, body: { error: { message: `nothing answers at ${path}` } } }
  }
}

function show(asked: { model?: string; name?: string }, models: readonly ScriptedModel[]): PlainAnswer {
  const wanted = asked.model ?? asked.name ?? ''
  const found = models.find(({ name }) => name === wanted || name === `${wanted}:latest`)
  if (!found) return { status: 404, body: { error: `model '${wanted}' not found` } }
  const { contextLength = 131_072, capabilities = ['completion', 'tools'], parameters } = found
  const length = contextLength === null ? {} : { 'scripted.context_length': contextLength }
  const info = { 'general.architecture': 'scripted', ...length }
  return { status: 200, body: { details: {}, model_info: info, capabilities, ...(parameters ? { parameters } : {}) } }
}

function row({ name, contextLength = 131_072 }: ScriptedModel): object {
  return { id: name, object: 'model', ...(contextLength === null ? {} : { context_length: contextLength }) }
}
