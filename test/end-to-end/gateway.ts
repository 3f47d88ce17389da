import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext } from 'node:test'
import OpenAI from 'openai'
import { DefaultChatTransport, readUIMessageStream, type UIMessage } from 'ai'
import type { CallRecord } from '../../src/session.ts'
import { type ScriptedProvider, type ScriptedProviderOptions, scriptedProvider } from '../../src/testing.ts'
import { spawnForeword } from '../cli/gateway-process.ts'
import { temporaryHome } from '../cli/home.ts'
import { type Recorded, run } from '../cli/recorded-io.ts'

/** Keys that must be seen nowhere. */
export const keys = {
  SCRIPTED_OPENAI_KEY: 'sk-openai-2f1b7c9d4e6a8035',
  SCRIPTED_ANTHROPIC_KEY: 'sk-ant-0c5e9b7a3d1f2468',
}

/** The program itself, with providers that are scripts. */
export interface RealGateway {
  readonly home: string
  readonly url: string
  readonly token: string
  readonly provider: ScriptedProvider
  /** Everything that it has printed. */
  printed(): string
  /** Ends it as Ctrl-C does. */
  stop(): Promise<void>
  readonly environment: Readonly<Record<string, string>>
  readonly openai: OpenAI
  /** A command on the same home. */
  foreword(...words: readonly string[]): Promise<Recorded>
  /** JSON in, JSON out, as with `curl`; an answer that is no success is an error with its text. */
  curl<Answer>(path: string, body?: unknown): Promise<Answer>
  /** Says something and waits for the end of the turn. */
  say(text: string, options?: { readonly session?: string; readonly model?: string }): Promise<Turn>
  /** As `useChat` sends it; the message that it shows at the end. */
  chat(conversation: string, text: string, model?: string): Promise<UIMessage>
  call(id: string): Promise<CallRecord>
  /** Resolves when it has nothing to do, in a session or at all. */
  idle(session?: string): Promise<void>
}

export interface Turn {
  readonly session: string
  readonly turn: string
  readonly text: string
  readonly calls: readonly string[]
  readonly outcome?: { readonly type: string; readonly code?: string; readonly message?: string }
}

/** Starts a gateway, which ends with the test: in this process, unless something else is given to start it. */
export async function realGateway(
  t: TestContext,
  options: ScriptedProviderOptions,
  configuration: Readonly<Record<string, unknown>> = {},
  /** Puts something into the home before the gateway starts. */
  prepare: (home: string) => Promise<void> = async () => {},
  start: StartGateway = startHere,
): Promise<RealGateway> {
  let started: StartedGateway | undefined
  // Before its home and its provider are gone.
  t.after(() => started?.stop())
  const provider = await scriptedProvider(options)
  t.after(() => provider.close())
  const temporary = temporaryHome(t)
  const { home } = temporary
  const { FOREWORD_MODEL: _, ...rest } = temporary.environment
  const environment = { ...rest, ...keys }
  mkdirSync(home, { recursive: true, mode: 0o700 })
  writeFileSync(join(home, 'config.json'), JSON.stringify({ ...configured(provider.url), ...configuration }))
  await prepare(home)
  started = await start(t, environment)
  const { first, printed, stop } = started
  const { address: url } = JSON.parse(first) as { address: string }
  const token = readFileSync(join(home, 'data', 'token'), 'utf8').trim()
  const headers = { authorization: `Bearer ${token}` }

  async function curl<Answer>(path: string, body?: unknown): Promise<Answer> {
    const response = await fetch(`${url}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(await response.text())
    return (await response.json()) as Answer
  }

  return {
    home,
    url,
    token,
    provider,
    printed,
    stop,
    environment,
    openai: new OpenAI({ apiKey: token, baseURL: `${url}/v1`, maxRetries: 0 }),
    foreword: (...words) => run(words, { environment }),
    curl,
    async say(text, said = {}) {
      const { session, turn } = await curl<Turn>('/api/messages', { text, ...said })
      return curl<Turn>(`/api/sessions/${session}/turns/${turn}?wait=20000`)
    },
    async chat(conversation, text, model) {
      const body = model === undefined ? {} : { model }
      const transport = new DefaultChatTransport<UIMessage>({ api: `${url}/api/chat`, headers, body })
      const stream = await transport.sendMessages({
        trigger: 'submit-message',
        chatId: conversation,
        messageId: undefined,
        messages: [{ id: `${conversation} ${text}`, role: 'user', parts: [{ type: 'text', text }] }],
        abortSignal: undefined,
      })
      let shown: UIMessage | undefined
      for await (const message of readUIMessageStream({ stream })) shown = message
      return shown!
    },
    call: (id) => curl<CallRecord>(`/api/calls/${id}`),
    async idle(session) {
      await curl(`/api/status?wait=idle${session === undefined ? '' : `&session=${session}`}`)
    },
  }
}

/** Starts a gateway with the environment of a home. */
type StartGateway = (t: TestContext, environment: Readonly<Record<string, string>>) => Promise<StartedGateway>

interface StartedGateway extends Pick<RealGateway, 'printed' | 'stop'> {
  /** What it prints at its start, with its address. */
  readonly first: string
}

/** In this process; `stop` is Ctrl-C. */
export const startHere: StartGateway = async (_t, environment) => {
  let output = ''
  let interrupt: (() => void) | undefined
  const first = Promise.withResolvers<string>()
  const ended = run(['start', '--json'], {
    environment: { PATH: process.env['PATH'] ?? '', ...environment },
    onInterrupt: (listener) => {
      interrupt = listener
      return () => (interrupt = undefined)
    },
    exit: () => {},
    onOutput(piece) {
      output += piece
      if (/^\{"address".*\n/m.test(output)) first.resolve(output)
    },
  })
  const stop = async () => {
    interrupt?.()
    await ended
  }
  const failed = ended.then(() => Promise.reject(new Error(`the gateway has ended:\n${output}`)))
  return { first: await Promise.race([first.promise, failed]), printed: () => output, stop }
}

/** In a process of its own, which `stop` kills. */
export const startApart: StartGateway = async (t, environment) => {
  const { child, ended, line, stdout, stderr } = spawnForeword(t, ['start', '--json'], environment)
  return {
    first: await line(/address/),
    printed: () => stdout() + stderr(),
    async stop() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

function configured(url: string) {
  return {
    model: 'ollama/scripted',
    providers: {
      ollama: { kind: 'ollama', baseURL: url },
      openai: { kind: 'openai', baseURL: `${url}/v1`, apiKeyEnv: 'SCRIPTED_OPENAI_KEY' },
      responses: { kind: 'openai', baseURL: `${url}/v1`, apiKeyEnv: 'SCRIPTED_OPENAI_KEY', api: 'responses' },
      anthropic: { kind: 'anthropic', baseURL: url, apiKeyEnv: 'SCRIPTED_ANTHROPIC_KEY' },
      hasty: { kind: 'openai-compatible', baseURL: `${url}/v1`, timeouts: { firstMs: 150, idleMs: 150 } },
    },
  }
}
