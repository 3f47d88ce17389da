import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import { test, type TestContext } from 'node:test'
import type { AnyCapability } from '../../src/capability.ts'
import { createActivity } from '../../src/platform.ts'
import type { SessionStore } from '../../src/session.ts'
import { scriptedModel } from '../../src/testing.ts'
import { aroundEntries, gate, opened, tool } from './opened.ts'

/** What is said, one after another: in which of three sessions, and how many tools the model calls before it answers. */
const histories = fc.array(fc.record({ session: fc.nat({ max: 2 }), calls: fc.nat({ max: 2 }) }), {
  minLength: 1,
  maxLength: 4,
})

test('what is idle does not change any more: log, calls, index and replies', async (t) => {
  await fc.assert(
    fc.asyncProperty(histories, fc.nat({ max: 4 }), async (said, slowness) => {
      const [before, after] = await states(t, said, slowness, true)
      assert.deepEqual(after, before)
    }),
    { numRuns: 12 },
  )
})

test('the law falls where a capability does not tell that it is at work', async (t) => {
  const [before, after] = await states(t, [{ session: 0, calls: 1 }], 3, false)
  assert.notDeepEqual(after, before)
})

test('a part that fails, or that is never done, holds nobody up for longer than they want to wait', async (t) => {
  const failing: AnyCapability = { name: 'failing', lifecycle: { idle: () => Promise.reject(new Error('no')) } }
  const throwing: AnyCapability = { name: 'throwing', lifecycle: { idle: () => assert.fail('no') } }
  const here = await opened(t, { capabilities: [failing, throwing] })
  await here.runtime.idle()
  const endless = await opened(t, { capabilities: [{ name: 'endless', lifecycle: { idle: () => Promise.resolve() } }] })
  const stop = new AbortController()
  setImmediate(() => stop.abort(new Error('enough')))
  await assert.rejects(endless.runtime.idle(undefined, stop.signal), { message: 'enough' })
})

/** What there is at the moment when a runtime is idle, and after many more rounds. */
async function states(
  t: TestContext,
  said: readonly { readonly session: number; readonly calls: number }[],
  slowness: number,
  tells: boolean,
): Promise<readonly unknown[]> {
  const replies: string[] = []
  const late = gate()
  const channel = {
    name: 'pigeon',
    async deliver({ turn }: { readonly turn: string }) {
      await rounds(slowness)
      replies.push(turn)
      return { messageId: turn }
    },
  }
  const model = scriptedModel({
    answer({ messages }) {
      const calls = Number(/(\d) calls/.exec(JSON.stringify(messages.findLast(({ role }) => role === 'user')))?.[1])
      const isAnswered = messages.at(-1)?.role === 'tool'
      if (isAnswered || calls === 0) return { text: 'Done.' }
      return { toolCalls: Array.from({ length: calls }, () => ({ name: 'wait', input: {} })) }
    },
  })
  const slow = tool('wait', async () => {
    await rounds(slowness * 3)
    return { ok: true, output: 'waited' }
  })
  const at = await opened(t, {
    model,
    tools: [slow],
    channels: [channel],
    capabilities: [countsTurns(tells, late.passed)],
    around: (store) => onSlowDisk(store, slowness),
  })
  for (const { session: number, calls } of said) {
    const session = await at.runtime.sessionFor({ channel: 'pigeon', conversation: `roof ${number}` })
    void at.runtime.submit({ session, text: `Make ${calls} calls.` })
  }
  const look = async () => {
    const sessions = await at.store.sessions()
    const logs = await Promise.all(sessions.map(({ id }) => at.store.entries(id)))
    const calls = await Promise.all(sessions.map(({ id }) => at.store.calls(id)))
    const indexed = sessions.length > 0 ? (await at.runtime.recall.find({ text: 'calls' })).complete : true
    return { sessions, logs, calls, replies: [...replies], counted: await at.store.value('counted'), indexed }
  }
  await at.runtime.idle()
  const before = await look()
  assert.equal(before.replies.length, said.length)
  assert.equal(before.indexed, true)
  late.open()
  await rounds(200)
  return [before, await look()]
}

async function rounds(count: number): Promise<void> {
  for (let round = 0; round < count; round += 1) await new Promise(setImmediate)
}

/** Every write takes some rounds longer until it is acknowledged. */
function onSlowDisk(store: SessionStore, slowness: number): SessionStore {
  return aroundEntries(store, async (_, write) => {
    await rounds(slowness)
    const written = await write()
    await rounds(slowness)
    return written
  })
}

/** A capability of somebody else that works some time after each turn. */
function countsTurns(tells: boolean, late: Promise<void>): AnyCapability {
  const activity = createActivity()
  let turns = 0
  return {
    name: 'counts-turns',
    start: ({ store }) =>
      void store.watch((entries) => {
        if (entries.some(({ type }) => type === 'turn-end')) {
          turns += 1
          void activity.run(
            undefined,
            (tells ? rounds(50) : late).then(() => store.putValue('counted', turns)),
          )
        }
      }),
    ...(tells ? { lifecycle: { idle: () => activity.idle() } } : {}),
  }
}
