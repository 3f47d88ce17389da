import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Reply, ChannelContext } from '../../src/capability.ts'
import { scriptedModel } from '../../src/testing.ts'
import { gate, type Opened, opened } from './opened.ts'

function pigeon(before: (reply: Reply) => Promise<void> = async () => {}) {
  const sent: Reply[] = []
  return {
    name: 'pigeon',
    sent,
    async deliver(reply: Reply) {
      await before(reply)
      sent.push(reply)
      return { messageId: `feather-${sent.length}` }
    },
  }
}

const roof = { channel: 'pigeon', conversation: 'roof' }

async function delivered({ log }: Opened, session: string) {
  return (await log(session)).flatMap((entry) => (entry.type === 'delivered' ? [entry] : []))
}

test('a reply is put into its conversation once, in order, and the log knows under which name', async (t) => {
  const channel = pigeon()
  const model = scriptedModel({ answer: (_, n) => ({ text: `answer ${n}` }) })
  const at = await opened(t, { model, channels: [channel] })
  const session = await at.runtime.sessionFor(roof)
  assert.equal(await at.runtime.sessionFor(roof), session)
  const turns = []
  for (const text of ['one', 'two', 'three']) turns.push(await at.runtime.submit({ session, text }))
  await Promise.all(turns.map(at.ended))
  await at.runtime.idle()
  assert.equal((await delivered(at, session)).length, 3)
  assert.deepEqual(
    channel.sent.map(({ conversation, turn, text }) => [conversation, turn, text]),
    turns.map(({ turn }, index) => ['roof', turn, `answer ${index + 1}`]),
  )
  assert.deepEqual(
    (await delivered(at, session)).map(({ turn, messageId, channel: name }) => [turn, messageId, name]),
    turns.map(({ turn }, index) => [turn, `feather-${index + 1}`, 'pigeon']),
  )
  const after = await at.reopened()
  await after.say('four', { session })
  await after.runtime.idle()
  assert.equal((await delivered(after, session)).length, 4)
  assert.equal(channel.sent.length, 4)
})

test('that a message went out is noted once, however often a channel says it, and again where another one took its place', async (t) => {
  let desk: ChannelContext | undefined
  const channel = { ...pigeon(), start: async (given: ChannelContext) => void (desk = given) }
  const at = await opened(t, { channels: [channel] })
  const { session, turn } = await at.say('hello')
  await at.runtime.idle()
  for (const messageId of ['one', 'one', 'two', 'two']) await desk!.sent(session, turn, { part: 1, messageId })
  await desk!.sent(session, turn, { part: 2, messageId: 'two' })
  const sent = (await at.log(session)).flatMap((entry) =>
    entry.type === 'sent' ? [[entry.part, entry.messageId]] : [],
  )
  assert.deepEqual(sent, [
    [1, 'one'],
    [1, 'two'],
    [2, 'two'],
  ])
})

test('a session that no channel is bound to delivers nothing', async (t) => {
  const channel = pigeon()
  const at = await opened(t, { channels: [channel] })
  const { session } = await at.say('hello')
  await at.runtime.close()
  assert.equal(channel.sent.length, 0)
  assert.ok(session)
})

test('a reply that a channel could not deliver is reported, and delivered later, before newer ones', async (t) => {
  let broken = true
  const channel = pigeon(async () => {
    if (broken) throw new Error('the pigeon is asleep')
  })
  const at = await opened(t, { channels: [channel] })
  const session = await at.runtime.sessionFor(roof)
  const first = await at.say('one', { session })
  await at.runtime.idle()
  assert.match(at.warnings[0]!, /Could not deliver.*the pigeon is asleep/)
  broken = false
  const second = await at.say('two', { session })
  await at.runtime.idle()
  assert.equal((await delivered(at, session)).length, 2)
  assert.deepEqual(
    channel.sent.map(({ turn }) => turn),
    [first.turn, second.turn],
  )
})

test('a reply that was settled and not delivered is delivered at the next start', async (t) => {
  const channel = pigeon(async () => {
    throw new Error('the pigeon is asleep')
  })
  const before = await opened(t, { channels: [channel] })
  const session = await before.runtime.sessionFor(roof)
  const { turn } = await before.say('one', { session })
  await before.runtime.idle()
  const awake = pigeon()
  const after = await before.reopened({ channels: [awake] })
  await after.runtime.idle()
  assert.equal((await delivered(after, session)).length, 1)
  assert.deepEqual(
    awake.sent.map((reply) => [reply.turn, reply.text]),
    [[turn, 'ok']],
  )
})

test('closing waits for a reply that is on its way, so that it is not sent again', async (t) => {
  const leaving = gate()
  const arrive = gate()
  const channel = pigeon(async () => {
    leaving.open()
    await arrive.passed
  })
  const before = await opened(t, { channels: [channel] })
  const session = await before.runtime.sessionFor(roof)
  await before.say('one', { session })
  await leaving.passed
  let isClosed = false
  const closed = before.runtime.close().then(() => (isClosed = true))
  await new Promise((resolve) => setTimeout(resolve, 20))
  assert.equal(isClosed, false)
  arrive.open()
  await closed
  const after = await before.reopened()
  await after.say('two', { session })
  await after.runtime.idle()
  assert.equal((await delivered(after, session)).length, 2)
  assert.equal(channel.sent.length, 2)
})

test('people read of a failed turn, and not of one that was cancelled before its first word', async (t) => {
  const channel = pigeon()
  const model = scriptedModel({ answer: () => ({ fail: 'auth' }) })
  const at = await opened(t, { model, channels: [channel] })
  const session = await at.runtime.sessionFor(roof)
  const first = await at.runtime.submit({ session, text: 'one' })
  await at.runtime.cancel(session, first.turn)
  await at.ended(first)
  const second = await at.say('two', { session })
  await at.runtime.idle()
  assert.equal((await delivered(at, session)).length, 1)
  assert.deepEqual(
    channel.sent.map(({ turn, text, outcome }) => [turn, text, outcome.type === 'failed' && outcome.code]),
    [[second.turn, '', 'auth']],
  )
})

test('people who write at the same moment to a new conversation get one session', async (t) => {
  const { runtime } = await opened(t)
  const sessions = await Promise.all(Array.from({ length: 5 }, () => runtime.sessionFor(roof)))
  assert.equal(new Set(sessions).size, 1)
  assert.equal((await runtime.store.sessions()).length, 1)
  const next = await runtime.newSession({ binding: roof })
  assert.notEqual(next.id, sessions[0])
  assert.equal(await runtime.sessionFor(roof), next.id)
  assert.equal((await runtime.store.sessions()).length, 2)
})

test('the status lists each warning of a channel once, and keeps the newest of the old ones', async (t) => {
  const trouble = 'The pigeon is ill.'
  const ill = {
    ...pigeon(),
    start: async ({ warn }: ChannelContext) => {
      for (let n = 1; n <= 150; n += 1) warn(`It sneezed ${n} times.`)
      warn(trouble)
    },
    warnings: () => [trouble],
  }
  const { runtime } = await opened(t, { channels: [ill] })
  const { warnings } = await runtime.status()
  assert.equal(warnings.filter((text) => text === trouble).length, 1)
  assert.ok(warnings.includes('It sneezed 150 times.'))
  assert.ok(warnings.length <= 101)
})

test('equal warnings are one with a count, and are told again the 10th time', async (t) => {
  const ill = {
    ...pigeon(),
    start: async ({ warn }: ChannelContext) => Array.from({ length: 30 }, () => warn('It sneezed.')),
  }
  const { runtime, warnings } = await opened(t, { channels: [ill as never] })
  assert.deepEqual((await runtime.status()).warnings, ['It sneezed. (30 times)'])
  assert.deepEqual(warnings, ['It sneezed.', 'It sneezed. (10 times)'])
})
