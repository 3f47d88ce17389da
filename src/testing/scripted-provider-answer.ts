import type { IncomingHttpHeaders } from 'node:http'

export type Wire = 'ollama' | 'openai-chat' | 'openai-responses' | 'anthropic' | 'gemini'

/** One call as the server saw it. */
export interface ScriptedRequest {
  readonly wire: Wire
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** The body as it arrived, and its SHA-256 in lower-case hexadecimal. */
  readonly bytes: Buffer
  readonly sha256: string
  readonly body: Readonly<Record<string, unknown>>
  /** When it arrived, in ms since 1970. */
  readonly time: number
  readonly model: string
  readonly newest: string
  readonly tools: readonly string[]
  /** Whether the client disconnected before the end of the answer. */
  readonly cancelled: boolean
}

/** One answer of the server: reasoning, then text, then tool calls. By default all of it is sent at once. */
export interface ScriptedAnswer {
  /** A string is sent word by word, a list piece by piece. */
  readonly text?: string | readonly string[]
  readonly reasoning?: string | readonly string[]
  /**
   * What the provider expects back with its reasoning: the signature of Anthropic, the encrypted content of OpenAI, in Chat
   * Completions the signature that Gemini gives with each call.
   */
  readonly signature?: string
  /** A string as input is sent unchanged, even if it is not JSON. `namespace` exists only in the Responses API of OpenAI. */
  readonly toolCalls?: readonly {
    readonly id?: string
    readonly name: string
    readonly namespace?: string
    readonly input: unknown
  }[]
  /** `silent` reports no tokens. */
  readonly usage?: ScriptedUsage | 'silent'
  /** What llama.cpp reports beside its usage: tokens of the prompt from its cache, and others. */
  readonly timings?: { readonly cached: number; readonly read: number }
  /** The default is `tool-calls` if there are any, otherwise `stop`. */
  readonly finish?: 'stop' | 'length' | 'tool-calls' | 'content-filter'
  readonly delayMs?: number
  readonly pieceDelayMs?: number
  readonly status?: number
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** An error in the stream, in the format of the provider, instead of the end. */
  readonly streamError?: { readonly message: string; readonly type?: string }
  /** Sends this number of frames and then nothing, with an open connection. 0 sends no status either. */
  readonly hangAfter?: number
  /** Repeats the first frame that contains this text until the client disconnects. */
  readonly forever?: string
  readonly endAfter?: number
  /** Breaks the connection after this number of frames. 0 breaks it before the status. */
  readonly cutAfter?: number
}

export interface ScriptedUsage {
  readonly promptTokens?: number
  readonly cachedTokens?: number
  readonly cacheWrittenTokens?: number
  /** Of the written ones, those that are kept for longer. */
  readonly longWrittenTokens?: number
  readonly outputTokens?: number
  readonly reasoningTokens?: number
}

/** The pieces of a text: the given list, or words with the whitespace after them. */
export function textPieces(text: string | readonly string[] | undefined): readonly string[] {
  if (text === undefined) return []
  return typeof text === 'string' ? (text.match(/\S+\s*|\s+/g) ?? []) : text
}

export function finishReason({ finish, toolCalls }: ScriptedAnswer): NonNullable<ScriptedAnswer['finish']> {
  return finish ?? (toolCalls?.length ? 'tool-calls' : 'stop')
}

/** The JSON text of a call's input. */
export function inputText(input: unknown): string {
  return typeof input === 'string' ? input : JSON.stringify(input)
}

/** An id for a call without one: the same for the same request, and another at every step of a conversation. */
export function callId({ body }: ScriptedRequest, index: number): string {
  const messages = body['messages'] ?? body['input'] ?? body['contents']
  return `call_${Array.isArray(messages) ? messages.length : 0}_${index + 1}`
}

/** A model in the list of the scripted server. */
export interface ListedModel {
  readonly name: string
  /** The context window in tokens. The default is 131,072. `null` is not reported. */
  readonly contextLength?: number | null
  /** In the words of Ollama: `completion`, `tools`, `vision`, `thinking`. */
  readonly capabilities?: readonly string[]
  /** Who made the server, as engines name themselves at `/v1/models`: `llamacpp`, `vllm`. */
  readonly ownedBy?: string
  /** The `parameters` text of Ollama, such as `num_ctx 8192`. */
  readonly parameters?: string
}

interface PlainAnswer {
  readonly status: number
  readonly body: unknown
}

/** Answers to `/api/tags`, `/api/show`, `/v1/models` and `/props`; 404 for everything else. */
export function modelsAnswer(
  path: string,
  bytes: Buffer,
  { models, slots }: { readonly models: readonly ListedModel[]; readonly slots?: number | undefined },
): PlainAnswer {
  switch (path) {
    case '/api/tags':
      return { status: 200, body: { models: models.map(({ name }) => ({ name, model: name, size: 1, details: {} })) } }
    case '/api/show':
      return modelDetails(JSON.parse(bytes.toString('utf8')) as { model?: string; name?: string }, models)
    case '/v1/models':
      return { status: 200, body: { object: 'list', data: models.map(modelRow) } }
    case '/props':
      return slots === undefined ? nothing(path) : { status: 200, body: { total_slots: slots } }
    default:
      return nothing(path)
  }
}

function nothing(path: string): PlainAnswer {
  return { status: 404, body: { error: { message: `nothing answers at ${path}` } } }
}

function modelDetails(asked: { model?: string; name?: string }, models: readonly ListedModel[]): PlainAnswer {
  const wanted = asked.model ?? asked.name ?? ''
  const found = models.find(({ name }) => name === wanted || name === `${wanted}:latest`)
  if (!found) return { status: 404, body: { error: `model '${wanted}' not found` } }
  const { contextLength = 131_072, capabilities = ['completion', 'tools'], parameters } = found
  const length = contextLength === null ? {} : { 'scripted.context_length': contextLength }
  const info = { 'general.architecture': 'scripted', ...length }
  return { status: 200, body: { details: {}, model_info: info, capabilities, ...(parameters ? { parameters } : {}) } }
}

function modelRow({ name, contextLength = 131_072, ownedBy }: ListedModel): object {
  return {
    id: name,
    object: 'model',
    ...(ownedBy === undefined ? {} : { owned_by: ownedBy }),
    ...(contextLength === null ? {} : { context_length: contextLength }),
  }
}
