import assert from 'node:assert/strict'
import type { Runtime } from '../runtime.ts'
import type { SessionRow } from '../session.ts'
import {
  asText,
  type ChannelCase,
  type ChannelFixture,
  channelWorld,
  eventually,
  longReply,
  waitBriefly,
  wordsIn,
} from './channel-cases-world.ts'
import type { TestFunction } from './test-function.ts'
import type { ScriptedReply } from './scripted-model.ts'

/**
 * Adds a test for every rule of `Channel`, over a runtime with a scripted model:
 *
 * ```ts
 * channelCases(test, async () => ({ longest: 4096, open: async () => …, remove: async () => … }))
 * ```
 */
export function channelCases(test: TestFunction, makeFixture: () => Promise<ChannelFixture>): void {
  const channelCase: ChannelCase = (name, run) => {
    test(name, async () => {
      const world = await channelWorld(await makeFixture())
      try {
        await run(world)
      } finally {
        await world.remove()
      }
    })
  }
  conversationCases(channelCase)
  restartCases(channelCase)
}

function conversationCases(channelCase: ChannelCase): void {
  channelCase('each message gets one reply, in the order of the messages', async (world) => {
    const { send, pair, answered, answers } = await world.open()
    await pair('4001')
    for (const n of [1, 2, 3, 4, 5]) await send('4001', `question-${n}`)
    await answered('4001', 5)
    await waitBriefly()
    assert.deepEqual(await answers('4001'), ['answer-1', 'answer-2', 'answer-3', 'answer-4', 'answer-5'])
  })

  channelCase('two conversations are two sessions, and a slow one does not delay the other', async (world) => {
    const slow = Promise.withResolvers<void>()
    const { send, pair, answered, answers } = await world.open({
      async answer(said) {
        if (said.includes('question-1')) await slow.promise
        return { text: said.replace('question', 'answer') }
      },
    })
    await pair('4001', '4002')
    await send('4001', 'question-1')
    await send('4001', 'question-2')
    await send('4002', 'question-3')
    await send('4002', 'question-4')
    assert.deepEqual(await answered('4002', 2), ['answer-3', 'answer-4'])
    assert.deepEqual(await answers('4001'), [])
    slow.resolve()
    assert.deepEqual(await answered('4001', 2), ['answer-1', 'answer-2'])
  })

  channelCase('a reply that is longer than a message arrives completely, in parts', async (world) => {
    const words = longReply(world.fixture.longest)
    const { send, pair, sentMessages } = await world.open({ answer: () => ({ text: asText(words) }) })
    await pair('4001')
    const before = (await sentMessages('4001')).length
    await send('4001', 'question-1')
    await eventually('the whole reply', async () => (await sentMessages('4001')).join(' ').includes(words.at(-1)!))
    const texts = (await sentMessages('4001')).slice(before)
    assert.deepEqual(wordsIn(texts), words)
    assert.ok(texts.length >= 3)
    for (const text of texts) assert.ok(text.length <= world.fixture.longest, `a message of ${text.length} characters`)
  })

  for (const [spelt, how] of [
    ['/new', 'in lower case'],
    ['  /NeW \n', 'in mixed case with whitespace around it'],
  ] as const) {
    channelCase(`/new ${how} starts a new session and keeps the old one`, async (world) => {
      const { send, pair, answered, sentMessages, runtime, channel } = await world.open()
      await pair('4001')
      await send('4001', 'question-1')
      await answered('4001', 1)
      const [old] = await channelSessions(runtime, channel.name)
      const before = (await sentMessages('4001')).length
      await send('4001', spelt)
      await eventually('a message about the new session', async () => (await sentMessages('4001')).length > before)
      assert.equal(world.requests.length, 1)
      await send('4001', 'question-2')
      assert.deepEqual(await answered('4001', 2), ['answer-1', 'answer-2'])
      const { system, messages } = world.requests[1]!
      assert.ok(system !== undefined && system !== '')
      assert.deepEqual([messages.length, messages[0]?.role], [1, 'user'])
      assert.ok(JSON.stringify(messages).includes('question-2'))
      const sessions = await channelSessions(runtime, channel.name)
      assert.equal(sessions.length, 2)
      const [bound] = sessions.filter(({ binding }) => binding)
      assert.deepEqual(bound?.binding, old?.binding)
      assert.notEqual(bound?.id, old?.id)
      const kept = await runtime.store.session(old!.id)
      assert.deepEqual([kept?.binding, kept?.turns], [undefined, 1])
    })
  }

  channelCase('a message that came before /new is still answered', async (world) => {
    const slow = Promise.withResolvers<void>()
    const { send, pair, answered, sentMessages } = await world.open({
      async answer() {
        await slow.promise
        return { text: 'answer-1' }
      },
    })
    await pair('4001')
    const before = (await sentMessages('4001')).length
    await send('4001', 'question-1')
    await eventually('the question to the model', () => world.requests.length === 1)
    await send('4001', '/new')
    await eventually('a message about the new session', async () => (await sentMessages('4001')).length > before)
    slow.resolve()
    assert.deepEqual(await answered('4001', 1), ['answer-1'])
  })

  channelCase('the channel reports a failed turn, and the conversation continues', async (world) => {
    let fails = true
    const { send, pair, sentMessages, answered } = await world.open({
      answer: () => (fails ? { fail: 'auth' } : { text: 'answer-2' }),
    })
    await pair('4001')
    const before = (await sentMessages('4001')).length
    await send('4001', 'question-1')
    const received = async () => (await sentMessages('4001')).slice(before)
    await eventually('a message about the failure', async () => (await received()).some((text) => text.trim() !== ''))
    fails = false
    await send('4001', 'question-2')
    assert.deepEqual(await answered('4001', 1), ['answer-2'])
    await waitBriefly()
    assert.equal((await received()).length, 2)
  })

  channelCase('an unpaired chat reaches no model and creates no session', async (world) => {
    const { send, pair, pairs, answered, answers, runtime, channel } = await world.open()
    if (!pairs) return
    await send('4666', 'question-1')
    await send('4666', '/new')
    await pair('4001')
    await send('4001', 'question-2')
    assert.deepEqual(await answered('4001', 1), ['answer-2'])
    await waitBriefly()
    assert.deepEqual([world.requests.length, await answers('4666')], [1, []])
    assert.equal((await channelSessions(runtime, channel.name)).length, 1)
    assert.equal((await runtime.store.sessions()).length, 1)
    await pair('4666')
    await send('4666', 'question-3')
    assert.deepEqual(await answered('4666', 1), ['answer-3'])
  })
}

async function channelSessions({ store }: Runtime, channel: string): Promise<readonly SessionRow[]> {
  const sessions = await store.sessions()
  const begun = await Promise.all(
    sessions.map(async (session) => {
      const [start] = await store.entries(session.id, { limit: 1 })
      return start?.type === 'session-start' && start.channel?.channel === channel ? [session] : []
    }),
  )
  return begun.flat()
}

/** Cases with restarts, failing disks and failing services. */
function restartCases(channelCase: ChannelCase): void {
  channelCase('a message is on disk before the channel acknowledges it', async (world) => {
    const reached = Promise.withResolvers<void>()
    const disk = Promise.withResolvers<void>()
    let isSlow = false
    const { send, pair, answered } = await world.open({
      async before(written) {
        if (!isSlow || (written !== 'inbox' && written !== 'input')) return
        reached.resolve()
        await disk.promise
      },
    })
    await pair('4001')
    isSlow = true
    let acknowledged = false
    const said = send('4001', 'question-1').then(() => (acknowledged = true))
    await reached.promise
    await waitBriefly()
    const early = acknowledged
    disk.resolve()
    await said
    assert.equal(early, false)
    assert.deepEqual(await answered('4001', 1), ['answer-1'])
  })

  channelCase('a message that is delivered twice starts one turn, even after a restart', async (world) => {
    const first = await world.open()
    await first.pair('4001')
    await first.send('4001', 'question-1', { update: 71 })
    await first.answered('4001', 1)
    await first.send('4001', 'question-1', { update: 71 })
    await first.send('4001', 'question-2', { update: 72 })
    await first.answered('4001', 2)
    await first.close()
    const second = await world.open()
    await second.send('4001', 'question-1', { update: 71 })
    await second.send('4001', 'question-2', { update: 72 })
    await second.send('4001', 'question-3', { update: 73 })
    await second.answered('4001', 3)
    await waitBriefly()
    assert.deepEqual(await second.answers('4001'), ['answer-1', 'answer-2', 'answer-3'])
    assert.equal(world.requests.length, 3)
  })

  channelCase('a message that was accepted but not processed is processed after a restart', async (world) => {
    let isFull = false
    const first = await world.open({
      before(written) {
        if (isFull && written === 'input') throw new Error('the disk is full')
      },
    })
    await first.pair('4001')
    isFull = true
    await Promise.race([first.send('4001', 'question-1'), waitBriefly(300)])
    await first.close()
    const second = await world.open()
    assert.deepEqual(await second.answered('4001', 1), ['answer-1'])
    await waitBriefly()
    assert.deepEqual(await second.answers('4001'), ['answer-1'])
  })

  channelCase('a restart between a message and its answer loses no message and repeats no answer', async (world) => {
    const first = await world.open({ answer: () => hanging })
    await first.pair('4001', '4002')
    await first.send('4001', 'question-1')
    await first.send('4002', 'question-2')
    await first.send('4001', 'question-3')
    await eventually('two questions to the model', () => world.requests.length === 2)
    await first.close()
    const second = await world.open()
    assert.deepEqual(await second.answered('4001', 2), ['answer-1', 'answer-3'])
    assert.deepEqual(await second.answered('4002', 1), ['answer-2'])
    await waitBriefly()
    assert.deepEqual(await second.answers('4001'), ['answer-1', 'answer-3'])
  })

  channelCase('a reply that was sent but not recorded is not sent again after a restart', async (world) => {
    let lost = 0
    const first = await world.open({
      before(written) {
        if (written !== 'delivered') return
        lost += 1
        throw new Error('the process dies here')
      },
    })
    await first.pair('4001')
    await first.send('4001', 'question-1')
    await first.answered('4001', 1)
    await eventually('the end of the delivery', () => lost > 0)
    await first.close()
    const second = await world.open()
    await second.send('4001', 'question-2')
    await second.answered('4001', 2)
    await waitBriefly()
    assert.deepEqual(await second.answers('4001'), ['answer-1', 'answer-2'])
  })

  for (const restarts of [false, true]) {
    const name = `a long reply that was interrupted continues where it stopped${restarts ? ', after a restart' : ''}`
    channelCase(name, async (world) => {
      const words = longReply(world.fixture.longest)
      const answer = () => ({ text: asText(words) })
      let at = await world.open({ answer })
      if (!at.fail) return
      await at.pair('4001')
      const before = (await at.sentMessages('4001')).length
      at.fail(1)
      await at.send('4001', 'question-1')
      await eventually('the first part', async () => (await at.sentMessages('4001')).length > before)
      await waitBriefly()
      if (restarts) {
        await at.close()
        at = await world.open({ answer })
      }
      at.fail?.(undefined)
      const received = async () => (await at.sentMessages('4001')).slice(before)
      await eventually('the whole reply', async () => (await received()).join(' ').includes(words.at(-1)!))
      await waitBriefly()
      assert.deepEqual(wordsIn(await received()), words)
    })
  }

  channelCase('a gateway closes while its model and its service hang, and resumes at the next start', async (world) => {
    const first = await world.open({
      answer: (said) => (said.includes('1') ? { text: 'answer-1' } : hanging),
    })
    await first.pair('4001', '4002')
    first.fail?.(0)
    await first.send('4001', 'question-1')
    await first.send('4002', 'question-2')
    await eventually('two questions to the model', () => world.requests.length === 2)
    let isClosed = false
    void first.close().then(() => (isClosed = true))
    await eventually('the end of the gateway', () => isClosed)
    const second = await world.open()
    second.fail?.(undefined)
    assert.deepEqual(await second.answered('4001', 1), ['answer-1'])
    assert.deepEqual(await second.answered('4002', 1), ['answer-2'])
  })
}

/** A model that has started its answer and sends nothing. */
const hanging: ScriptedReply = { text: 'answer-0', before: () => new Promise(() => {}) }
