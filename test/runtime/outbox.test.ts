import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { type Channel } from '../../src/runtime.ts'
import { UndeliverableError, type Reply } from '../../src/capability.ts'
import { createOutbox, type OutboxOptions } from '../../src/runtime/channels/outbox.ts'
import { createSessionStates } from '../../src/runtime/sessions/session-state.ts'
import { openStore, type SessionStore, type TurnOutcome } from '../../src/session.ts'
import { fixedClock } from '../../src/testing.ts'
import { temporaryFolder } from '../session/temporary-folder.ts'
import { gate } from './opened.ts'
import { systemClock } from '../../src/platform.ts'

const counted = { counter: 'chars@1', full: 1, least: 1 }
const completed: TurnOutcome = { type: 'completed' }

/** A pigeon that does what `fly` says, and remembers what it has brought. */
function pigeon(fly: (reply: Reply) => Promise<void> | void = () => {}) {
  const brought: Reply[] = []
  const channel: Channel = {
    name: 'pigeon',
    async deliver(reply) {
      await fly(reply)
      brought.push(reply)
      return { messageId: `feather of ${reply.turn}` }
    },
  }
  return { channel, brought, turns: () => brought.map(({ turn }) => turn) }
}

async function world(context: TestContext) {
  const store = await openStore({ clock: systemClock, path: join(await temporaryFolder(context), 'store.sqlite') })
  context.after(() => store.close())
  const clock = fixedClock({ timers: systemClock })
  const warnings: string[] = []

  function outbox(channel: Channel, options: OutboxOptions = {}, through: SessionStore = store) {
    const desks = createSessionStates(through)
    const warn = (text: string) => void warnings.push(text)
    const made = createOutbox(through, [channel], clock, warn, { retryDelaysMs: [1], stopTimeoutMs: 100, ...options })
    context.after(() => made.stop())
    return {
      ...made,
      desks,
      ...made.openSent(channel.name),
      deliver: async (session: string) => made.deliver((await desks.of(session))!),
    }
  }

  async function settle(session: string, turn: string, text = `answer of ${turn}`, outcome = completed, key?: string) {
    const binding = { channel: 'pigeon', conversation: `roof of ${session}` }
    if (!(await store.session(session))) {
      await store.append(session, [{ type: 'session-start', channel: binding }], clock.time())
      await store.bind(binding, session)
    }
    const said = { role: 'assistant', content: text } as const
    await store.append(
      session,
      [
        {
          type: 'input',
          turn,
          message: { role: 'user', content: 'hello' },
          tokens: counted,
          ...(key === undefined ? {} : { idempotencyKey: key }),
        },
        { type: 'turn-start', turn },
        ...(text === '' ? [] : [{ type: 'message' as const, turn, message: said, tokens: counted }]),
        { type: 'turn-end', turn, outcome },
      ],
      clock.time(),
    )
  }

  const delivered = async (session: string) =>
    (await store.entries(session, { types: ['delivered'] })).map((entry) => entry.type === 'delivered' && entry.turn)

  return { store, clock, warnings, outbox, settle, delivered }
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 1))
}

test('what a channel refuses is tried again until it has arrived, and what came later waits behind it', async (context) => {
  const { outbox, settle, warnings, delivered } = await world(context)
  let tries = 0
  const { channel, turns } = pigeon(({ turn }) => {
    if (turn === 'first' && ++tries < 5) throw new Error(tries < 3 ? 'the pigeon is asleep' : 'the pigeon is hungry.')
  })
  const box = outbox(channel)
  await settle('s', 'first')
  await settle('s', 'second')
  await box.deliver('s')
  assert.deepEqual([tries, turns(), await delivered('s')], [5, ['first', 'second'], ['first', 'second']])
  assert.deepEqual(warnings, [
    'Could not deliver a reply of s: the pigeon is asleep. Foreword tries again.',
    'Could not deliver a reply of s: the pigeon is hungry. Foreword tries again.',
  ])
})

test('a reply that cannot get through holds up no other session', async (context) => {
  const { outbox, settle } = await world(context)
  const mended = gate()
  let isMended = false
  const { channel, turns } = pigeon(async ({ turn }) => {
    if (turn === 'hanging') await mended.passed
    if (turn === 'refused' && !isMended) throw new Error('no way')
  })
  const box = outbox(channel)
  for (const [session, turn] of [
    ['a', 'hanging'],
    ['b', 'refused'],
    ['c', 'easy'],
  ] as const)
    await settle(session, turn)
  const lanes = ['a', 'b', 'c'].map((session) => box.deliver(session))
  await lanes[2]
  assert.deepEqual(turns(), ['easy'])
  isMended = true
  await lanes[1]
  mended.open()
  await lanes[0]
  assert.deepEqual(turns(), ['easy', 'refused', 'hanging'])
})

test('a reply that comes meanwhile ends the wait for the next try', async (context) => {
  const { outbox, settle, warnings } = await world(context)
  let broken = true
  const { channel, turns } = pigeon(() => {
    if (broken) throw new Error('the pigeon is asleep')
  })
  const box = outbox(channel, { retryDelaysMs: [3_600_000] })
  await settle('s', 'first')
  const lane = box.deliver('s')
  await until(() => warnings.length > 0)
  broken = false
  await settle('s', 'second')
  await box.deliver('s')
  await lane
  assert.deepEqual(turns(), ['first', 'second'])
})

test('however many replies wait, all of them arrive in order, over a restart too', async (context) => {
  const { outbox, settle } = await world(context)
  const turns = Array.from({ length: 130 }, (_, index) => `t${index}`)
  await settle('s1', 'delivered')
  await outbox(pigeon().channel).deliver('s1')
  for (const turn of turns) await settle('s1', turn)
  const { channel, turns: brought } = pigeon()
  await outbox(channel).deliver('s1')
  assert.deepEqual(brought(), turns)
})

test('a reply that cannot be delivered is reported once, skipped, and retried at the next start', async (context) => {
  const { outbox, settle, warnings, delivered } = await world(context)
  let tries = 0
  const { channel, turns } = pigeon(({ turn }) => {
    if (turn !== 'blocked') return
    tries += 1
    throw new UndeliverableError('they have blocked the pigeon')
  })
  const box = outbox(channel)
  await settle('s', 'blocked')
  await box.deliver('s')
  await settle('s', 'later')
  await box.deliver('s')
  assert.deepEqual([tries, turns(), await delivered('s')], [1, ['later'], ['later']])
  assert.deepEqual(warnings, [
    'Cannot deliver the reply of blocked in s: they have blocked the pigeon. Foreword skips it.',
  ])
  await settle('s', 'last')
  const next = outbox(channel)
  await next.deliver('s')
  assert.deepEqual([tries, turns()], [2, ['later', 'last']])
})

test('a reply comes with the newest known message id of each delivered part', async (context) => {
  const { outbox, settle, store } = await world(context)
  const { channel, brought } = pigeon()
  const box = outbox(channel)
  await settle('s', 'one')
  for (const [part, messageId] of [
    [2, 'b'],
    [1, 'a'],
    [1, 'a'],
    [1, 'c'],
    [1, 'c'],
  ] as const) {
    await box.sent('s', 'one', { part, messageId })
  }
  await Promise.all(['x', 'x', 'x'].map((messageId) => box.sent('s', 'one', { part: 3, messageId })))
  assert.equal((await store.entries('s', { types: ['sent'] })).length, 4)
  await box.deliver('s')
  const sent = [
    ['c', 1],
    ['b', 2],
    ['x', 3],
  ].map(([messageId, part]) => ({ part, messageId }))
  assert.deepEqual(brought, [
    { conversation: 'roof of s', session: 's', turn: 'one', text: 'answer of one', outcome: completed, sent },
  ])
})

test('a crash after some parts were sent hands them over at the next start', async (context) => {
  const { outbox, settle } = await world(context)
  const breaking: Channel = {
    name: 'pigeon',
    async deliver({ session, turn }) {
      await first.sent(session, turn, { part: 1, messageId: 'm1' })
      throw new Error('the wind')
    },
  }
  const first = outbox(breaking, { retryDelaysMs: [3_600_000] })
  await settle('s', 'one')
  void first.deliver('s')
  const { channel, brought } = pigeon()
  await until(async () => (await first.desks.of('s'))!.stream.lastSeq() > 5)
  await first.stop()
  const next = outbox(channel)
  next.recover(next.desks)
  await until(() => brought.length > 0)
  assert.deepEqual(brought[0]?.sent, [{ part: 1, messageId: 'm1' }])
})

test('a part that a former process was about to send is known to be perhaps there, until it is sent', async (context) => {
  const { outbox, settle, store } = await world(context)
  const { channel, brought } = pigeon()
  await settle('s', 'one')
  const [former, next] = [outbox(channel), outbox(channel)]
  assert.equal(await former.sending('s', 'one', 1), false)
  // Its own next try knows that the service refused the one before.
  assert.equal(await former.sending('s', 'one', 1), false)
  for (let time = 0; time < 2; time += 1) assert.equal(await next.sending('s', 'one', 1), true)
  assert.equal(await next.sending('s', 'one', 2), false)
  await next.sent('s', 'one', { part: 2, messageId: 'b' })
  assert.equal(await outbox(channel).sending('s', 'one', 2), false)
  await former.deliver('s')
  assert.deepEqual(brought[0]?.sent, [{ part: 2, messageId: 'b' }])
  await next.sent('s', 'one', { part: 1, messageId: 'a' })
  assert.equal(await outbox(channel).sending('s', 'one', 1), false)
  const parts = (await store.entries('s', { types: ['sent'] })).map((entry) => entry.type === 'sent' && entry.messageId)
  assert.deepEqual(parts, ['?', '?', '?', 'b', '?', 'a', '?'])
})

test('another try to send is refused once another gateway has the home', async (context) => {
  const { outbox, settle } = await world(context)
  let isOurs = true
  const box = outbox(pigeon().channel, {
    async hasHome() {
      if (!isOurs) throw new Error('taken over')
    },
  })
  await settle('s', 'one')
  for (let time = 0; time < 2; time += 1) assert.equal(await box.sending('s', 'one', 1), false)
  isOurs = false
  await assert.rejects(box.sending('s', 'one', 1), /taken over/)
})

/** A store that takes no entry of this type three times. */
function fullForAWhile(store: SessionStore, type: 'sent' | 'delivered'): SessionStore {
  let refusals = 3
  return {
    ...store,
    async append(session, bodies, time) {
      if (bodies[0]?.type === type && refusals-- > 0) throw new Error('the disk is full')
      return store.append(session, bodies, time)
    },
  }
}

test('what has arrived and could not be written is written later and not sent again', async (context) => {
  const { outbox, settle, store, delivered } = await world(context)
  const { channel, turns } = pigeon()
  await settle('s', 'one')
  await outbox(channel, {}, fullForAWhile(store, 'delivered')).deliver('s')
  assert.deepEqual([turns(), await delivered('s')], [['one'], ['one']])
})

test('a part that has arrived and could not be noted is noted before anything more is sent, and not sent again', async (context) => {
  const { outbox, settle, store, delivered } = await world(context)
  const arrived: number[] = []
  const box = outbox(
    {
      name: 'pigeon',
      async deliver({ session, turn, sent }) {
        for (const part of [1, 2].filter((each) => !sent.some((known) => known.part === each))) {
          arrived.push(part)
          await box.sent(session, turn, { part, messageId: `m${part}` })
        }
        return { messageId: 'm1' }
      },
    },
    {},
    fullForAWhile(store, 'sent'),
  )
  await settle('s', 'one')
  await box.deliver('s')
  assert.deepEqual([arrived, await delivered('s')], [[1, 2], ['one']])
})

test('a turn that was cancelled before its first word needs no reply; what it had said is delivered', async (context) => {
  const { outbox, settle } = await world(context)
  const { channel, brought } = pigeon()
  const cancelled: TurnOutcome = { type: 'cancelled' }
  await settle('s', 'silent', '', cancelled)
  await settle('s', 'begun', 'Once upon', cancelled)
  await settle('s', 'failed', '', { type: 'failed', code: 'auth', message: 'no key' })
  await outbox(channel).deliver('s')
  assert.deepEqual(
    brought.map(({ turn, text, outcome }) => [turn, text, outcome.type]),
    [
      ['begun', 'Once upon', 'cancelled'],
      ['failed', '', 'failed'],
    ],
  )
})

test('after the conversation has gone on to a new session, what was said in the old one is still answered there', async (context) => {
  const { outbox, settle, store, clock } = await world(context)
  const { channel, brought } = pigeon()
  await settle('old', 'asked there', undefined, completed, 'pigeon:7')
  await settle('old', 'asked elsewhere')
  await store.append('new', [{ type: 'session-start' }], clock.time())
  await store.bind({ channel: 'pigeon', conversation: 'roof of old' }, 'new')
  assert.equal((await store.session('old'))?.binding, undefined)
  const box = outbox(channel)
  box.recover(box.desks)
  await until(() => brought.length > 0)
  await box.deliver('old')
  assert.deepEqual(
    brought.map(({ conversation, turn }) => [conversation, turn]),
    [['roof of old', 'asked there']],
  )
})

test('nothing is delivered before the outbox opens', async (context) => {
  const { outbox, settle } = await world(context)
  const { channel, turns } = pigeon()
  const open = gate()
  const box = outbox(channel, { opens: open.passed })
  await settle('s', 'one')
  const lane = box.deliver('s')
  await new Promise((resolve) => setTimeout(resolve, 10))
  assert.deepEqual(turns(), [])
  open.open()
  await lane
  assert.deepEqual(turns(), ['one'])
})

test('stopping waits for a reply that is on its way, for a while, and sends nothing more', async (context) => {
  const { outbox, settle, warnings, delivered } = await world(context)
  const land = gate()
  const flying = gate()
  const { channel, turns } = pigeon(async () => {
    flying.open()
    await land.passed
  })
  const box = outbox(channel, { stopTimeoutMs: 60_000 })
  await settle('s', 'one')
  await settle('s', 'two')
  void box.deliver('s')
  await flying.passed
  const stopped = box.stop()
  land.open()
  await stopped
  assert.deepEqual([turns(), await delivered('s'), warnings], [['one'], ['one'], []])
  await box.deliver('s')
  assert.deepEqual(turns(), ['one'])

  const leaving = gate()
  const deliver = () => {
    leaving.open()
    return new Promise<never>(() => {})
  }
  const lost = outbox({ name: 'pigeon', deliver }, { stopTimeoutMs: 5 })
  void lost.deliver('s')
  await leaving.passed
  await lost.stop()
  assert.match(warnings.at(-1)!, /still being sent/)
})

test('an outbox that is stopped before it opens, or while it waits for the next try, ends at once', async (context) => {
  const { outbox, settle, warnings } = await world(context)
  await settle('s', 'one')
  const closed = outbox(pigeon().channel, { opens: new Promise(() => {}), stopTimeoutMs: 3_600_000 })
  void closed.deliver('s')
  await closed.stop()
  const refusing = pigeon(() => {
    throw new Error('no')
  })
  const waiting = outbox(refusing.channel, { retryDelaysMs: [3_600_000], stopTimeoutMs: 3_600_000 })
  void waiting.deliver('s')
  await until(() => warnings.length > 0)
  await waiting.stop()
})
