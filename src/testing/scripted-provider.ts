import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import {
  modelsAnswer,
  type ScriptedAnswer,
  type ListedModel,
  type ScriptedRequest,
  type Wire,
} from './scripted-provider-answer.ts'
import { responseFrames } from './scripted-provider-frames.ts'

export interface ScriptedProviderOptions {
  /** The answer to the nth request, counted from 1. The default is `ok`. */
  readonly answer?: (request: ScriptedRequest, n: number) => ScriptedAnswer | Promise<ScriptedAnswer>
  /** The models that `/api/tags`, `/api/show` and `/v1/models` list. The default is one model, `scripted`. */
  readonly models?: readonly ListedModel[]
  /** The default is a free port. */
  readonly port?: number
}

export interface ScriptedProvider {
  /** `http://127.0.0.1:PORT`, the base URL for Ollama and Anthropic. The base URL for OpenAI is `${url}/v1`. */
  readonly url: string
  /** The model calls so far, in order. Requests for lists of models are not among them. */
  readonly requests: readonly ScriptedRequest[]
  /** Ends every connection. */
  close(): Promise<void>
}

/**
 * Starts a server on the loopback interface with the APIs of Ollama, OpenAI (Chat Completions and Responses) and
 * Anthropic. It answers from a script, for tests and benchmarks of whole programs over real connections.
 */
export async function scriptedProvider(options: ScriptedProviderOptions = {}): Promise<ScriptedProvider> {
  const { answer = () => ({ text: 'ok' }), models = [{ name: 'scripted' }] } = options
  const requests: ScriptedRequest[] = []

  const handle = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = new URL(incoming.url ?? '/', 'http://localhost').pathname
    const wire = WIRES[path]
    const bytes = await readAll(incoming)
    if (!wire || incoming.method !== 'POST') return sendJson(response, modelsAnswer(path, bytes, models))
    const request = recordedRequest(wire, path, incoming, bytes, response)
    requests.push(request)
    await sendAnswer(await answer(request, requests.length), request, response)
  }

  const server = createServer((incoming, response) => {
    handle(incoming, response).catch((error: unknown) => {
      if (response.headersSent) return response.destroy()
      sendJson(response, { status: 500, body: { error: { message: `the script failed: ${String(error)}` } } })
    })
  })
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const WIRES: Readonly<Record<string, Wire>> = {
  '/api/chat': 'ollama',
  '/v1/chat/completions': 'openai-chat',
  '/v1/responses': 'openai-responses',
  '/v1/messages': 'anthropic',
}

async function sendAnswer(answer: ScriptedAnswer, request: ScriptedRequest, response: ServerResponse): Promise<void> {
  if (answer.delayMs) await pause(answer.delayMs)
  if (answer.cutAfter === 0) return void response.destroy()
  if (answer.hangAfter === 0) return
  if (answer.status !== undefined) return sendJson(response, { status: answer.status, ...bodyAndHeaders(answer) })
  const type = request.wire === 'ollama' ? 'application/x-ndjson' : 'text/event-stream'
  response.writeHead(200, { 'content-type': type, ...answer.headers })
  const frames = responseFrames(answer, request)
  if (answer.forever !== undefined) return sendForever(frames, answer.forever, response)
  const end = answer.cutAfter ?? answer.hangAfter ?? answer.endAfter ?? frames.length
  if (answer.pieceDelayMs) {
    for (const frame of frames.slice(0, end)) {
      response.write(frame)
      await pause(answer.pieceDelayMs)
    }
  } else {
    response.write(frames.slice(0, end).join(''))
  }
  if (answer.hangAfter !== undefined) return
  // The cut waits until the frames before it are sent. Otherwise they would be lost with the connection.
  if (answer.cutAfter !== undefined) return void response.write('', () => setTimeout(() => response.destroy(), 5))
  response.end()
}

/** Writes as fast as the client reads. */
async function sendForever(frames: readonly string[], text: string, response: ServerResponse): Promise<void> {
  const at = frames.findIndex((frame) => frame.includes(text))
  if (at === -1) throw new Error(`No frame contains ${text}.`)
  response.write(frames.slice(0, at).join(''))
  const frame = frames[at]!
  const block = frame.repeat(Math.max(1, Math.ceil(65_536 / frame.length)))
  while (!response.destroyed) {
    if (response.write(block)) await new Promise((resolve) => setImmediate(resolve))
    else await waitForDrain(response)
  }
}

function waitForDrain(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const over = () => {
      response.off('drain', over)
      response.off('close', over)
      resolve()
    }
    response.on('drain', over)
    response.on('close', over)
  })
}

function bodyAndHeaders({ body = {}, headers }: ScriptedAnswer) {
  return { body, ...(headers ? { headers } : {}) }
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
    model: String(body['model']),
    get sha256() {
      return createHash('sha256').update(bytes).digest('hex')
    },
    get cancelled() {
      return response.destroyed && !response.writableEnded
    },
    get newest() {
      return newestText(body['messages'] ?? body['input'])
    },
    get tools() {
      return toolNames(body['tools'])
    },
  }
}

function newestText(messages: unknown): string {
  const newest = (Array.isArray(messages) ? messages : []).findLast((message) => message?.role === 'user')
  const content: unknown = newest?.content ?? ''
  if (typeof content === 'string') return content
  return (content as readonly { text?: string }[]).map(({ text = '' }) => text).join('\n')
}

function toolNames(tools: unknown): readonly string[] {
  if (!Array.isArray(tools)) return []
  return tools.map((tool: { name?: string; function?: { name: string } }) => tool.name ?? tool.function?.name ?? '')
}

async function readAll(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
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
