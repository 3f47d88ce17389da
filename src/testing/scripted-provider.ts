import type { IncomingMessage, ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { setImmediate, setTimeout as pause } from 'node:timers/promises'
import { sha256 } from '../platform.ts'
import {
  modelsAnswer,
  type ScriptedAnswer,
  type ListedModel,
  type ScriptedRequest,
  type ScriptedUsage,
  type Wire,
} from './scripted-provider-answer.ts'
import { responseFrames } from './scripted-provider-frames.ts'
import { type ScriptedServer, scriptedServer } from './scripted-server.ts'

export interface ScriptedProviderOptions {
  /** The answer to the nth request, counted from 1. The default is `ok`. */
  readonly answer?: (request: ScriptedRequest, n: number) => ScriptedAnswer | Promise<ScriptedAnswer>
  /** The models that `/api/tags`, `/api/show` and `/v1/models` list. The default is one model, `scripted`. */
  readonly models?: readonly ListedModel[]
  /** What `/props` says, as that of llama.cpp. Without it there is no such page. */
  readonly slots?: number
  /** Reports the tokens of answers without `usage`, as a provider with a prompt cache would. */
  readonly cache?: PromptCache
  /** The default is a free port. */
  readonly port?: number
}

interface PromptCache {
  report(request: ScriptedRequest, answer: ScriptedAnswer): ScriptedUsage
}

/** Its `url` is the base URL for Ollama and Anthropic. The base URL for OpenAI is `${url}/v1`. */
export interface ScriptedProvider extends ScriptedServer {
  /** The model calls so far, in order. Requests for lists of models are not among them. */
  readonly requests: readonly ScriptedRequest[]
}

/**
 * Starts a server on the loopback interface with the APIs of Ollama, OpenAI (Chat Completions and Responses), Anthropic
 * and Gemini (`:streamGenerateContent`). It answers from a script, for tests and benchmarks of whole programs over real connections.
 */
export async function scriptedProvider(options: ScriptedProviderOptions = {}): Promise<ScriptedProvider> {
  const { answer = () => ({ text: 'ok' }), models = [{ name: 'scripted' }], slots } = options
  const requests: ScriptedRequest[] = []

  const handle = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = new URL(incoming.url ?? '/', 'http://localhost').pathname
    const wire = WIRES[path] ?? (path.endsWith(':streamGenerateContent') ? 'gemini' : undefined)
    const bytes = await buffer(incoming)
    if (!wire || incoming.method !== 'POST') return sendJson(response, modelsAnswer(path, bytes, { models, slots }))
    const request = recordedRequest(wire, path, incoming, bytes, response)
    requests.push(request)
    const number = requests.length
    const given = withReport(await answer(request, number), request, options.cache)
    await sendAnswer(given, { request, number }, response)
  }

  const fail = (error: unknown, response: ServerResponse) =>
    sendJson(response, { status: 500, body: { error: { message: `the script failed: ${String(error)}` } } })
  return { ...(await scriptedServer(handle, fail, options.port)), requests }
}

/** What was not read is in no cache. */
function withReport(answer: ScriptedAnswer, request: ScriptedRequest, cache?: PromptCache): ScriptedAnswer {
  const wasRead = answer.status === undefined && answer.cutAfter !== 0 && answer.hangAfter !== 0
  return cache && wasRead && answer.usage === undefined ? { ...answer, usage: cache.report(request, answer) } : answer
}

const WIRES: Readonly<Record<string, Wire>> = {
  '/api/chat': 'ollama',
  '/v1/chat/completions': 'openai-chat',
  '/v1/responses': 'openai-responses',
  '/v1/messages': 'anthropic',
}

async function sendAnswer(
  answer: ScriptedAnswer,
  { request, number }: { readonly request: ScriptedRequest; readonly number: number },
  response: ServerResponse,
): Promise<void> {
  if (answer.delayMs) await pauseWhileOpen(response, answer.delayMs)
  if (response.destroyed) return
  if (answer.cutAfter === 0) return void response.destroy()
  if (answer.hangAfter === 0) return
  const { status, body = {}, headers = {} } = answer
  if (status !== undefined) return sendJson(response, { status, body, headers })
  const type = request.wire === 'ollama' ? 'application/x-ndjson' : 'text/event-stream'
  response.writeHead(200, { 'content-type': type, ...headers })
  const frames = responseFrames(answer, request, number)
  if (answer.forever !== undefined) return sendForever(frames, answer.forever, response)
  const end = answer.cutAfter ?? answer.hangAfter ?? answer.endAfter ?? frames.length
  if (answer.pieceDelayMs) {
    for (const frame of frames.slice(0, end)) {
      if (response.destroyed) return
      response.write(frame)
      await pauseWhileOpen(response, answer.pieceDelayMs)
    }
  } else {
    response.write(frames.slice(0, end).join(''))
  }
  if (answer.hangAfter !== undefined) return
  // The cut waits until the frames before it are sent. Otherwise they would be lost with the connection.
  if (answer.cutAfter !== undefined) return void response.write('', () => setTimeout(() => response.destroy(), 5))
  response.end()
}

/** Ends early when the client has gone: nobody waits for the rest of a slow answer. */
async function pauseWhileOpen(response: ServerResponse, ms: number): Promise<void> {
  const gone = new AbortController()
  const leave = () => gone.abort()
  response.once('close', leave)
  await pause(ms, undefined, { signal: gone.signal }).catch(() => {})
  response.off('close', leave)
}

/** Writes as fast as the client reads. */
async function sendForever(frames: readonly string[], text: string, response: ServerResponse): Promise<void> {
  const at = frames.findIndex((frame) => frame.includes(text))
  if (at === -1) throw new Error(`No frame contains ${text}.`)
  const frame = frames[at]!
  const block = frame.repeat(Math.max(1, Math.ceil(65_536 / frame.length)))
  async function* endless() {
    yield frames.slice(0, at).join('')
    for (; ; await setImmediate()) yield block
  }
  await pipeline(endless, response)
}

function recordedRequest(
  wire: Wire,
  path: string,
  { headers }: IncomingMessage,
  bytes: Buffer,
  response: ServerResponse,
): ScriptedRequest {
  const body = JSON.parse(bytes.toString('utf8')) as Record<string, unknown>
  const time = Date.now()
  return {
    wire,
    path,
    headers,
    bytes,
    body,
    time,
    model: `${(body['model'] as string | undefined) ?? /\/models\/([^/:]+):/.exec(path)?.[1]}`,
    get sha256() {
      return sha256(bytes)
    },
    get cancelled() {
      return response.destroyed && !response.writableEnded
    },
    get newest() {
      return newestText(body['messages'] ?? body['input'] ?? body['contents'])
    },
    get tools() {
      return toolNames(body['tools'])
    },
  }
}

function newestText(messages: unknown): string {
  const newest = (Array.isArray(messages) ? messages : []).findLast((message) => message?.role === 'user')
  const content: unknown = newest?.content ?? newest?.parts ?? ''
  if (typeof content === 'string') return content
  return (content as readonly { text?: string }[]).map(({ text = '' }) => text).join('\n')
}

interface ListedTool {
  readonly name?: string
  readonly function?: { readonly name: string }
  readonly functionDeclarations?: readonly { readonly name: string }[]
}

function toolNames(tools: unknown): readonly string[] {
  if (!Array.isArray(tools)) return []
  return tools.flatMap(({ name, function: inner, functionDeclarations = [] }: ListedTool) =>
    functionDeclarations.length > 0 ? functionDeclarations.map((each) => each.name) : (name ?? inner?.name ?? ''),
  )
}

interface PlainAnswer {
  readonly status: number
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}

function sendJson(response: ServerResponse, { status, body, headers = {} }: PlainAnswer): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}
