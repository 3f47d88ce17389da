import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { scriptedServer } from './scripted-server.ts'
import {
  type ScriptedCall,
  type ScriptedFailure,
  type ScriptedTelegram,
  visibleMessage,
  telegramPeople,
  telegramWorld,
} from './scripted-telegram-world.ts'
import { botMethods } from './scripted-telegram-methods.ts'
import { BotApiRefusal, readParameters } from './scripted-telegram-text.ts'
import { telegramUpdates } from './scripted-telegram-updates.ts'

export interface ScriptedTelegramOptions {
  readonly token?: string
  /** The user name of the bot, without the `@`. */
  readonly username?: string
}

const TIMEOUT_MS = 60_000

/**
 * Starts a Bot API server on the loopback interface, with people who act as a script says. It follows the documentation
 * of Telegram and refuses what Telegram refuses, with the same messages. For tests of whole programs over real connections.
 */
export async function scriptedTelegram(options: ScriptedTelegramOptions = {}): Promise<ScriptedTelegram> {
  const { token = '7000000001:scripted-telegram-token-of-the-tests', username = 'scripted_bot' } = options
  const id = Number(token.split(':')[0])
  const abilities = { can_join_groups: true, can_read_all_group_messages: false, supports_inline_queries: false }
  const me = { id, is_bot: true, first_name: 'Scripted', username, ...abilities }
  const world = telegramWorld(me)
  const updates = telegramUpdates()
  const failures = telegramFailures()
  const methods = botMethods(world, updates)
  const calls: { -readonly [key in keyof ScriptedCall]: ScriptedCall[key] }[] = []

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = decodeURIComponent(new URL(incoming.url ?? '/', 'http://localhost').pathname)
    const [, isFile, given, rest = ''] = /^(\/file)?\/bot([^/]+)\/(.+)$/s.exec(path) ?? []
    if (given === undefined) throw new BotApiRefusal(404, 'Not Found')
    if (given !== token) throw new BotApiRefusal(401, 'Unauthorized')
    const method = isFile ? 'file' : rest
    const parameters = isFile ? { path: rest } : await readParameters(incoming)
    const call = { method, parameters, status: undefined as number | undefined, time: Date.now() }
    calls.push(call)
    const chat = 'chat_id' in parameters ? Number(parameters['chat_id']) : undefined
    const failure = failures.take(method.toLowerCase(), chat)
    try {
      if (failure?.type === 'slow') await pause(failure.ms)
      else if (failure && !(failure.type === 'dropped' && failure.done)) return fail(failure, call, response)
      const answer = isFile ? fileBytes(rest) : await runMethod(method, parameters, closeSignal(response))
      if (failure?.type === 'dropped') return void response.destroy()
      call.status = 200
      send(response, 200, answer)
    } catch (error) {
      call.status = error instanceof BotApiRefusal ? error.code : 500
      throw error
    }
  }

  async function runMethod(
    method: string,
    parameters: Readonly<Record<string, unknown>>,
    gone: AbortSignal,
  ): Promise<string> {
    const run = methods.get(method.toLowerCase())
    if (!run) throw new BotApiRefusal(404, 'Not Found')
    return JSON.stringify({ ok: true, result: await run(parameters, gone) })
  }

  function fileBytes(path: string): Uint8Array {
    const file = world.fileAt(path)
    if (!file) throw new BotApiRefusal(404, 'Not Found')
    return file.bytes
  }

  const server = await scriptedServer(handle, refuse)
  return {
    url: server.url,
    token,
    me,
    ...telegramPeople(world, updates.add),
    happen: updates.add,
    redeliver: updates.redeliver,
    open: (chat, type) => void world.open(chat, type),
    messages: (chat) => Array.from(world.chat(chat)?.messages.values() ?? [], visibleMessage),
    calls: (method) =>
      calls.filter((call) => (method === undefined ? call.method !== 'getUpdates' : call.method === method)),
    fail: failures.add,
    async until(predicate, withinMs = TIMEOUT_MS) {
      const end = Date.now() + withinMs
      for (;;) {
        const found = predicate()
        if (found) return found
        if (Date.now() > end) throw new Error(`Timed out after ${withinMs} ms: ${String(predicate)}`)
        // oxlint-disable-next-line no-await-in-loop -- polling is the purpose
        await pause(5)
      }
    },
    get waiting() {
      return updates.waiting
    },
    async close() {
      updates.close()
      await server.close()
    },
  }
}

function closeSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  return gone.signal
}

function fail(failure: ScriptedFailure, call: { status: number | undefined }, response: ServerResponse): void {
  if (failure.type === 'dropped') return void response.destroy()
  if (failure.type === 'broken') {
    call.status = failure.code ?? 502
    return send(response, call.status, '<html><body>Bad Gateway</body></html>')
  }
  if (failure.type === 'limited') {
    const { retryAfter } = failure
    const words = `Too Many Requests: retry after ${retryAfter}`
    throw new BotApiRefusal(429, words, { retry_after: retryAfter })
  }
  if (failure.type === 'refused') throw new BotApiRefusal(failure.code, failure.description, failure.parameters)
}

function refuse(error: unknown, response: ServerResponse): void {
  const { code, message, parameters } =
    error instanceof BotApiRefusal ? error : new BotApiRefusal(500, `the script failed: ${String(error)}`)
  const answer = { ok: false, error_code: code, description: message, ...(parameters ? { parameters } : {}) }
  send(response, code, JSON.stringify(answer))
}

function send(response: ServerResponse, status: number, body: string | Uint8Array): void {
  const type = typeof body === 'string' ? 'application/json' : 'application/octet-stream'
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) })
  response.end(body)
}

function telegramFailures() {
  const waiting: { readonly method: string; readonly how: ScriptedFailure; times: number }[] = []
  return {
    add(method: string, how: ScriptedFailure, times = 1) {
      const added = { method: method.toLowerCase(), how, times }
      waiting.push(added)
      return () => void (added.times = 0)
    },
    /** Removes and returns the failure for a call. */
    take(method: string, chat: number | undefined) {
      const index = waiting.findIndex(
        ({ method: wanted, how, times }) =>
          times > 0 && (wanted === method || wanted === '*') && (how.chat === undefined || how.chat === chat),
      )
      const found = waiting[index]
      if (!found) return undefined
      found.times--
      if (found.times === 0) waiting.splice(index, 1)
      return found.how
    },
  }
}
