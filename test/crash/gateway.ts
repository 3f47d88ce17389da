import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type TestContext } from 'node:test'
import type { Replay, RuntimeStatus, SubmittedTurn } from '../../src/runtime.ts'
import type { Entry } from '../../src/session.ts'
import { memoryFlags } from '../kit/started-program.ts'
import type { Orders, Place } from './process.ts'

/** A gateway in a process of its own, spoken to over HTTP, that can be killed at any moment. */
export interface Gateway {
  readonly url: string
  readonly pid: number
  /** Resolves once it has the store and has taken up what was left. */
  works(): Promise<void>
  /** Resolves with its exit code; `null`: a signal ended it. */
  readonly ended: Promise<number | null>
  /** Resolves as soon as a turn whose text or input holds the word has come to this place. */
  reaches(place: Place, word: string): Promise<void>
  /** SIGKILL: no handler runs, nothing is flushed. Resolves when the process is gone. */
  kill(): Promise<void>
  say(text: string, session?: string, idempotencyKey?: string): Promise<SubmittedTurn>
  /** Resolves with the first words of a turn. */
  firstWords(turn: SubmittedTurn): Promise<string>
  /** Waits for the end of a turn; the text of its answer. */
  answer(turn: SubmittedTurn): Promise<string>
  log(session: string): Promise<readonly Entry[]>
  replay(session: string): Promise<Replay>
  status(): Promise<Pick<RuntimeStatus, 'recovered' | 'running' | 'queued'>>
  sessions(): Promise<readonly { readonly id: string; readonly binding?: { readonly channel: string } }[]>
}

export async function startGateway(t: TestContext, orders: Orders): Promise<Gateway> {
  const child = spawn(
    process.execPath,
    [...memoryFlags, '--conditions=foreword-source', join(import.meta.dirname, 'process.ts'), JSON.stringify(orders)],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const ended = once(child, 'close')
  const kill = async () => {
    child.kill('SIGKILL')
    await ended
  }
  t.after(kill)
  const said: string[] = []
  let told = () => {}
  createInterface({ input: child.stdout }).on('line', (line) => {
    said.push(line)
    told()
  })
  void ended.then(() => told())
  const line = async (begin: string, word = '') => {
    for (;;) {
      const found = said.find((one) => one.startsWith(begin) && one.includes(word))
      if (found !== undefined) return found
      if (child.exitCode !== null || child.signalCode !== null) throw new Error(`it ended without saying "${begin}"`)
      await new Promise<void>((resolve) => (told = resolve))
    }
  }
  const url = (await line('listening')).slice('listening '.length)

  async function ask<Answer>(path: string, body?: unknown): Promise<Answer> {
    const response = await fetch(`${url}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return (await response.json()) as Answer
  }

  return {
    url,
    pid: child.pid!,
    works: async () => void (await line('works')),
    ended: ended.then(() => child.exitCode),
    kill,
    reaches: async (place, word) => void (await line(place, word)),
    say: (text, session, idempotencyKey) => ask<SubmittedTurn>('/api/messages', { text, session, idempotencyKey }),
    async firstWords({ session, turn }) {
      const response = await fetch(`${url}/api/sessions/${session}/events?turn=${turn}`)
      let text = ''
      for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
        text += chunk
        const words = /"type":"text-delta".*"text":"(.*?)"/.exec(text)
        if (words) return words[1]!
      }
      throw new Error('the turn ended without a word')
    },
    async answer({ session, turn }) {
      for (;;) {
        const view = await ask<{ text: string; outcome?: { type: string; message?: string } }>(
          `/api/sessions/${session}/turns/${turn}?wait=10000`,
        )
        if (view.outcome?.type === 'completed') return view.text
        if (view.outcome) throw new Error(`${view.outcome.type}: ${view.outcome.message ?? ''}`)
      }
    },
    async log(session) {
      const { entries } = await ask<{ entries: readonly Entry[] }>(`/api/sessions/${session}/entries?limit=500`)
      return entries
    },
    replay: (session) => ask<Replay>(`/api/sessions/${session}/replay`),
    status: () => ask<RuntimeStatus>('/api/status'),
    sessions: async () => (await ask<{ sessions: Awaited<ReturnType<Gateway['sessions']>> }>('/api/sessions')).sessions,
  }
}
