import assert from 'node:assert/strict'
import { type TestContext } from 'node:test'
import { messageText } from '../../src/context.ts'
import type { SessionEvent } from '../../src/runtime.ts'
import { type Entry, type SessionStore } from '../../src/session.ts'
import { scriptedModel } from '../../src/testing.ts'
import { type Opened, opened, tool } from './opened.ts'

/** A session of which turns, a channel and people write at the same time, and which then comes to rest. */
export interface BusySession extends Opened {
  readonly session: string
  /** Lets everybody begin. */
  begin(): Promise<void>
  /** Resolves with the whole log once nothing more is to come. */
  readonly rest: Promise<readonly Entry[]>
}

/** Inputs that are handed in while turns are written. */
const INPUTS = 24

/**
 * Each entry of a turn is handed to the store together with what somebody else writes in the same session: before it and
 * behind it, so that they reach the disk in one commit.
 */
export async function busySession(t: TestContext): Promise<BusySession> {
  let busy: Opened | undefined
  let session = ''
  let inputs = 0
  const beside = async () => {
    if (!busy || inputs >= INPUTS) return
    inputs += 1
    const n = inputs
    await busy.runtime.submit({ session, text: n % 3 === 0 ? `look ${n}` : `say ${n}` })
    if (n % 4 === 0) await busy.runtime.setModel(session, undefined)
  }
  const around = (store: SessionStore): SessionStore => ({
    ...store,
    append(id, bodies, time) {
      const isOfTurn = bodies.some(({ type }) => type !== 'input' && type !== 'model')
      if (isOfTurn && bodies.length % 2 === 0) void beside()
      const written = store.append(id, bodies, time)
      if (isOfTurn) void beside()
      return written
    },
  })
  const model = scriptedModel({
    answer: ({ messages }) => {
      const newest = messages.at(-1)!
      if (newest.role === 'tool') return { text: 'it is as blue as ever' }
      const text = messageText(newest)
      return text.startsWith('look')
        ? { text: 'let me look', toolCalls: [{ id: 'again', name: 'look', input: {} }] }
        : { text: `you said ${text} to me` }
    },
  })
  const { promise: rest, resolve } = Promise.withResolvers<readonly Entry[]>()
  const channel = {
    name: 'pigeon',
    deliver: async ({ turn }: { turn: string }) => ({ messageId: `feather of ${turn}` }),
  }
  busy = await opened(t, {
    model,
    around,
    channels: [channel],
    tools: [tool('look', async () => ({ ok: true, output: 'blue' }))],
  })
  session = await busy.runtime.sessionFor({ channel: 'pigeon', conversation: 'roof' })
  const { runtime, log } = busy
  const lookForRest = async () => {
    const entries = await log(session)
    const count = (type: Entry['type']) => entries.filter((entry) => entry.type === type).length
    if (count('delivered') === INPUTS + 1 && count('model') === INPUTS / 4) resolve(entries)
  }
  busy.store.watch(() => void lookForRest())
  return {
    ...busy,
    session,
    rest,
    begin: async () => void (await runtime.submit({ session, text: 'say 0' })),
  }
}

/** Every entry once and in order, and of each call words that its message begins with. */
export function assertWhole(events: readonly SessionEvent[], log: readonly Entry[]): void {
  const entries = events.flatMap((event) => (event.type === 'entry' ? [event.entry] : []))
  assert.deepEqual(
    entries.map(({ seq, type }) => `${seq} ${type}`),
    log.map(({ seq, type }) => `${seq} ${type}`),
  )
  assert.deepEqual(JSON.parse(JSON.stringify(entries)), log)
  const words = new Map<string, string>()
  for (const event of events) {
    if (event.type === 'text-delta') words.set(event.call, (words.get(event.call) ?? '') + event.text)
    if (event.type !== 'entry' || event.entry.type !== 'message' || event.entry.call === undefined) continue
    const said = words.get(event.entry.call) ?? ''
    assert.ok(messageText(event.entry.message).startsWith(said), `"${said}" was told of ${event.entry.call}`)
  }
}
