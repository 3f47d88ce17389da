import assert from 'node:assert/strict'
import type { Runtime } from '../runtime.ts'
import type { SessionRow } from '../session.ts'
import { type ChannelCase, eventually, moment } from './channel-cases-world.ts'

/** What people see of a channel. */
export function talkCases(channelCase: ChannelCase): void {
  channelCase('replies come in the order of what was said, each once', async (world) => {
    const { say, pair, answered, answers } = await world.open()
    await pair('4001')
    for (const n of [1, 2, 3, 4, 5]) await say('4001', `question-${n}`)
    await answered('4001', 5)
    await moment()
    assert.deepEqual(await answers('4001'), ['answer-1', 'answer-2', 'answer-3', 'answer-4', 'answer-5'])
  })

  channelCase('two conversations are two sessions, and a slow one delays no other', async (world) => {
    const slow = Promise.withResolvers<void>()
    const { say, pair, answered, answers } = await world.open({
      async answer(said) {
        if (said.includes('question-1')) await slow.promise
        return { text: said.replace('question', 'answer') }
      },
    })
    await pair('4001', '4002')
    await say('4001', 'question-1')
    await say('4001', 'question-2')
    await say('4002', 'question-3')
    await say('4002', 'question-4')
    assert.deepEqual(await answered('4002', 2), ['answer-3', 'answer-4'])
    assert.deepEqual(await answers('4001'), [])
    slow.resolve()
    assert.deepEqual(await answered('4001', 2), ['answer-1', 'answer-2'])
  })

  channelCase('a reply that is longer than a message arrives whole, in parts', async (world) => {
    const words = longReply(world.place.longest)
    const { say, pair, heard } = await world.open({ answer: () => ({ text: asText(words) }) })
    await pair('4001')
    const before = (await heard('4001')).length
    await say('4001', 'question-1')
    await eventually('the whole reply', async () => (await heard('4001')).join(' ').includes(words.at(-1)!))
    const texts = (await heard('4001')).slice(before)
    assert.deepEqual(wordsIn(texts), words)
    assert.ok(texts.length >= 3)
    for (const text of texts) assert.ok(text.length <= world.place.longest, `a message of ${text.length} characters`)
  })

  for (const [spelt, how] of [
    ['/new', 'as it is'],
    ['  /NeW \n', 'in any case, with blanks around it'],
  ] as const) {
    channelCase(`/new, ${how}, begins a new session and keeps the old one`, async (world) => {
      const { say, pair, answered, heard, runtime, channel } = await world.open()
      await pair('4001')
      await say('4001', 'question-1')
      await answered('4001', 1)
      const [old] = await sessionsOf(runtime, channel.name)
      const before = (await heard('4001')).length
      await say('4001', spelt)
      await eventually('a word about the new session', async () => (await heard('4001')).length > before)
      assert.equal(world.asked.length, 1)
      await say('4001', 'question-2')
      assert.deepEqual(await answered('4001', 2), ['answer-1', 'answer-2'])
      const { system, messages } = world.asked[1]!
      assert.ok(system !== undefined && system !== '')
      assert.deepEqual([messages.length, messages[0]?.role], [1, 'user'])
      assert.ok(JSON.stringify(messages).includes('question-2'))
      const sessions = await sessionsOf(runtime, channel.name)
      assert.equal(sessions.length, 2)
      const [bound] = sessions.filter(({ binding }) => binding)
      assert.deepEqual(bound?.binding, old?.binding)
      assert.notEqual(bound?.id, old?.id)
      const kept = await runtime.store.session(old!.id)
      assert.deepEqual([kept?.binding, kept?.turns], [undefined, 1])
    })
  }

  channelCase('what was said before /new is still answered', async (world) => {
    const slow = Promise.withResolvers<void>()
    const { say, pair, answered, heard } = await world.open({
      async answer() {
        await slow.promise
        return { text: 'answer-1' }
      },
    })
    await pair('4001')
    const before = (await heard('4001')).length
    await say('4001', 'question-1')
    await eventually('the question to the model', () => world.asked.length === 1)
    await say('4001', '/new')
    await eventually('a word about the new session', async () => (await heard('4001')).length > before)
    slow.resolve()
    assert.deepEqual(await answered('4001', 1), ['answer-1'])
  })

  channelCase('people are told of a turn that failed, and can go on', async (world) => {
    let fails = true
    const { say, pair, heard, answered } = await world.open({
      answer: () => (fails ? { fail: 'auth' } : { text: 'answer-2' }),
    })
    await pair('4001')
    const before = (await heard('4001')).length
    await say('4001', 'question-1')
    const told = async () => (await heard('4001')).slice(before)
    await eventually('a word about the failure', async () => (await told()).some((text) => text.trim() !== ''))
    fails = false
    await say('4001', 'question-2')
    assert.deepEqual(await answered('4001', 1), ['answer-2'])
    await moment()
    assert.equal((await told()).length, 2)
  })

  channelCase('who is not let in reaches no model and makes no session', async (world) => {
    const { say, pair, pairs, answered, answers, runtime, channel } = await world.open()
    if (!pairs) return
    await say('4666', 'question-1')
    await say('4666', '/new')
    await pair('4001')
    await say('4001', 'question-2')
    assert.deepEqual(await answered('4001', 1), ['answer-2'])
    await moment()
    assert.deepEqual([world.asked.length, await answers('4666')], [1, []])
    assert.equal((await sessionsOf(runtime, channel.name)).length, 1)
    assert.equal((await runtime.store.sessions()).length, 1)
    await pair('4666')
    await say('4666', 'question-3')
    assert.deepEqual(await answered('4666', 1), ['answer-3'])
  })
}

/** `word-1`, `word-2` …: more than two messages can hold. */
export function longReply(longest: number): readonly string[] {
  return Array.from({ length: Math.ceil((longest * 2.5) / 10) }, (_, n) => `word-${10_000 + n}`)
}

/** In paragraphs. */
export function asText(words: readonly string[]): string {
  return words.map((word, n) => (n % 40 === 39 ? `${word}.\n\n` : `${word} `)).join('')
}

export function wordsIn(texts: readonly string[]): readonly string[] {
  return texts.join('\n').match(/word-\d+/g) ?? []
}

/** Those that began in a channel. */
async function sessionsOf({ store }: Runtime, channel: string): Promise<readonly SessionRow[]> {
  const sessions = await store.sessions()
  const begun = await Promise.all(
    sessions.map(async (session) => {
      const [start] = await store.entries(session.id, { limit: 1 })
      return start?.type === 'session-start' && start.channel?.channel === channel ? [session] : []
    }),
  )
  return begun.flat()
}
