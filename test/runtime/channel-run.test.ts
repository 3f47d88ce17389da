import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Channel } from '../../src/runtime.ts'
import type { ChannelInbox, ChannelContext } from '../../src/capability.ts'
import type { Runtime } from '../home/features.ts'
import { runChannels } from '../../src/runtime/channels/channel-run.ts'
import { systemClock } from '../../src/platform.ts'

function running(channels: readonly Channel[], stopTimeoutMs = 60_000) {
  const warnings: string[] = []
  const notes: string[] = []
  const run = runChannels({
    clock: systemClock,
    channels,
    runtime: {} as Runtime,
    openInbox: (name) => ({ name }) as unknown as ChannelInbox,
    openSent: (name) => ({
      async sending(session, turn, part) {
        notes.push(['before', name, session, turn, part].join(' '))
        return false
      },
      sent: async (session, turn, { part }) => void notes.push([name, session, turn, part].join(' ')),
    }),
    hasHome: async () => {},
    warn: (text) => void warnings.push(text),
    retryDelaysMs: [1, 1, 3_600_000],
    stopTimeoutMs,
  })
  return { ...run, warnings, notes }
}

const deliver = async () => ({ messageId: '1' })

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 1))
}

test('each channel is given a desk of its own, and one that only delivers needs none', async () => {
  const desks: ChannelContext[] = []
  const start = async (desk: ChannelContext) => void desks.push(desk)
  const { notes, warnings, stop } = running([
    { name: 'pigeon', deliver, start },
    { name: 'owl', deliver, start },
    { name: 'mute', deliver },
  ])
  assert.equal(desks.length, 2)
  for (const desk of desks) await desk.sent('s', 't', { part: 1, messageId: 'm' })
  desks[0]!.warn('Careful.')
  await stop()
  assert.deepEqual([notes, warnings], [['pigeon s t 1', 'owl s t 1'], ['Careful.']])
  assert.deepEqual(
    desks.map(({ inbox }) => inbox),
    [{ name: 'pigeon' }, { name: 'owl' }],
  )
})

test('a channel that does not start is reported once, retried, and does not block the others', async () => {
  const started: string[] = []
  let tries = 0
  const { warnings, stop } = running([
    {
      name: 'pigeon',
      deliver,
      async start() {
        tries += 1
        if (tries < 3) throw new Error('the loft is shut')
        started.push('pigeon')
      },
    },
    { name: 'owl', deliver, start: async () => void started.push('owl') },
  ])
  await until(() => started.length === 2)
  assert.deepEqual(started, ['owl', 'pigeon'])
  assert.deepEqual(warnings, ['The channel pigeon did not start: the loft is shut. Foreword tries again.'])
  await stop()
})

test('stopping ends the wait for the next try, and does not wait for ever', async () => {
  const refusing: Channel = {
    name: 'pigeon',
    deliver,
    async start() {
      throw new Error(`try ${(tries += 1)}`)
    },
    async stop() {
      throw new Error('it would not')
    },
  }
  let tries = 0
  const first = running([refusing])
  await until(() => tries === 3)
  await first.stop()
  assert.deepEqual([tries, first.warnings.at(-1)], [3, 'The channel pigeon failed to stop: it would not.'])
  const never = () => new Promise<void>(() => {})
  const second = running([{ name: 'owl', deliver, start: never, stop: never }], 5)
  await second.stop()
  assert.deepEqual(second.warnings, ['The channel owl did not stop in time.'])
})

test('stopping waits for a channel that is just starting, since that writes', async () => {
  const begun = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const done: string[] = []
  const { stop } = running([
    {
      name: 'slow',
      deliver,
      async start() {
        begun.resolve()
        await gate.promise
        done.push('started')
      },
    },
  ])
  await begun.promise
  const stopped = stop().then(() => done.push('stopped'))
  await new Promise((resolve) => setImmediate(resolve))
  gate.resolve()
  await stopped
  assert.deepEqual(done, ['started', 'stopped'])
})

test('a channel that gives up because everything stops is neither warned of nor tried again', async () => {
  const { promise: stopping, reject: giveUp } = Promise.withResolvers<void>()
  let tries = 0
  const { warnings, stop } = running([
    {
      name: 'pigeon',
      deliver,
      async start() {
        tries += 1
        await stopping
      },
      stop: async () => giveUp(new Error('the loft is shut')),
    },
  ])
  await stop()
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual([tries, warnings], [1, []])
})
