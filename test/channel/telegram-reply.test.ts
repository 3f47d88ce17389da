import assert from 'node:assert/strict'
import test from 'node:test'
import { scriptedModel } from '../../src/testing.ts'
import { gate, tool } from '../runtime/opened.ts'
import { FASTER } from './fast-time.ts'
import { ada, telegramHome } from './telegram-home.ts'
import { isNextReply } from '../../src/capabilities/telegram/replies.ts'

test('a reply grows in one message while it is said, and somebody is seen typing', async (t) => {
  const [half, whole] = [gate(), gate()]
  const model = scriptedModel({
    answer: () => ({ text: ['Once ', 'upon ', 'a time.'], before: (n) => [undefined, half.passed, whole.passed][n] }),
  })
  const home = await telegramHome(t, { model })
  home.telegram.say(ada, 'A story')
  const [first] = await home.reads(ada, 'Once')
  assert.ok(home.telegram.calls('sendChatAction').length > 0)
  half.open()
  await home.reads(ada, 'Once upon')
  whole.open()
  const [last] = await home.reads(ada, 'Once upon a time.')
  assert.equal(last!.id, first!.id)
  await home.delivered(ada, 1)
  const entries = await home.log(String(ada))
  const sent = entries.flatMap((entry) => (entry.type === 'sent' ? [[entry.part, entry.messageId]] : []))
  const delivered = entries.flatMap((entry) => (entry.type === 'delivered' ? [entry.messageId] : []))
  // Before it is sent, and once its id is known.
  const notes = [
    [1, '?'],
    [1, String(first!.id)],
  ]
  assert.deepEqual([sent, delivered], [notes, [String(first!.id)]])
})

test('the view shows that it waits for a provider, and replaces that with the next output', async (t) => {
  const [waited, running] = [gate(), gate()]
  const model = scriptedModel({
    answer: (_, n) => {
      if (n === 1) return { fail: { code: 'rate-limit', facts: { retryAfterMs: 8_000 } } }
      return n === 2 ? { toolCalls: [{ name: 'search', input: {} }] } : { text: 'Here.' }
    },
  })
  const search = tool('search', async () => {
    await running.passed
    return { ok: true, output: 'something' }
  })
  const home = await telegramHome(t, { model, tools: [search], sleep: () => waited.passed })
  home.telegram.say(ada, 'Hello')
  const [first] = await home.reads(
    ada,
    '… the script asked for the failure rate-limit. Retrying in 8 s. Cancel with /stop.',
  )
  waited.open()
  await home.reads(ada, '… running search')
  running.open()
  const [last] = await home.reads(ada, 'Here.')
  assert.equal(last!.id, first!.id)
})

test('a provider that is waited for a moment is not worth a message', async (t) => {
  const model = scriptedModel({
    answer: (_, n) => (n === 1 ? { fail: { code: 'rate-limit', facts: { retryAfterMs: 1_000 } } } : { text: 'Here.' }),
  })
  const typings = () => home.telegram.calls('sendChatAction').length
  const home = await telegramHome(t, {
    model,
    sleep: async () => void (await home.telegram.until(() => typings() > 2)),
  })
  home.telegram.say(ada, 'Hello')
  const [message] = await home.reads(ada, 'Here.')
  await home.delivered(ada, 1)
  assert.equal(message!.edits, 0)
})

test('a quick answer is one message and no edit', async (t) => {
  const model = scriptedModel({ answer: () => ({ text: 'one two three four five' }) })
  const home = await telegramHome(t, { model })
  home.telegram.say(ada, 'Count')
  const [message] = await home.reads(ada, 'one two three four five')
  await home.delivered(ada, 1)
  assert.equal(message!.edits, 0)
})

test('a thousand words are not a thousand edits', async (t) => {
  const words = Array.from({ length: 300 }, (_, n) => `word${n} `)
  const model = scriptedModel({
    answer: () => ({
      text: words,
      before: (n) => (n % 10 === 0 ? new Promise((resolve) => setTimeout(resolve, 5)) : undefined),
    }),
  })
  const home = await telegramHome(t, { model })
  home.telegram.say(ada, 'Count')
  await home.reads(ada, words.join('').trim())
  const [sent] = home.telegram.calls('sendMessage')
  const edits = home.telegram.calls('editMessageText')
  const most = (edits.at(-1)!.time - sent!.time) / (1_500 / FASTER)
  assert.ok(edits.length <= most + 3, `${edits.length} edits where ${most} are the most`)
})

test('a long reply is split into messages with complete code blocks', async (t) => {
  const code = Array.from({ length: 220 }, (_, n) => `const value${n} = ${n} // a line of a long program`).join('\n')
  const model = scriptedModel({ answer: () => ({ text: ['Here it is:\n\n```ts\n', code, '\n```\n\nThat is all.'] }) })
  const home = await telegramHome(t, { model })
  home.telegram.say(ada, 'A program')
  await home.delivered(ada, 1)
  const parts = home.telegram.messages(ada).filter(({ from }) => from === 'bot')
  assert.ok(parts.length >= 3)
  for (const { text, entities } of parts) {
    assert.ok(text.length <= 4096)
    if (text.includes('const value')) assert.ok(entities.some(({ type }) => type === 'pre'))
  }
  const lines = parts.flatMap(({ text }) => text.split('\n')).filter((line) => line.startsWith('const value'))
  assert.equal(lines.join('\n'), code)
  assert.match(parts.at(-1)!.text, /That is all\.$/)
  const sent = (await home.log(String(ada))).flatMap((entry) => (entry.type === 'sent' ? [entry.part] : []))
  assert.deepEqual(
    sent,
    parts.flatMap((_, index) => [index + 1, index + 1]),
  )
})

test('what had been shown on the way and is not part of the reply goes', async (t) => {
  const [shown] = [gate()]
  const long = 'A paragraph of an answer that was too hasty.\n\n'.repeat(200)
  const model = scriptedModel({
    answer: (_, n) =>
      n === 1
        ? {
            text: [long],
            before: (piece) => (piece === 1 ? shown.passed : undefined),
            toolCalls: [{ name: 'none', input: {} }],
          }
        : { text: 'Short.' },
  })
  const home = await telegramHome(t, { model })
  home.telegram.say(ada, 'Think')
  await home.telegram.until(() => home.said(ada).length >= 3)
  shown.open()
  await home.reads(ada, 'Short.')
})

test('a turn that fails says why, and one that had begun keeps its words', async (t) => {
  const model = scriptedModel({ answer: (_, n) => (n === 1 ? { fail: 'auth' } : { text: 'Half of', fail: 'auth' }) })
  const home = await telegramHome(t, { model })
  home.telegram.say(ada, 'One')
  await home.telegram.until(() => home.said(ada)[0]?.startsWith('Failed: '))
  home.telegram.say(ada, 'Two')
  await home.telegram.until(() => home.said(ada)[1]?.startsWith('Half of\n\nFailed: '))
})

test('a turn that is stopped before its first word leaves nothing behind', async (t) => {
  const never = gate()
  const model = scriptedModel({ answer: () => ({ text: 'x', before: () => never.passed }) })
  const home = await telegramHome(t, { model })
  home.telegram.say(ada, 'Think')
  await home.telegram.until(() => home.telegram.calls('sendChatAction').length > 0)
  home.telegram.say(ada, '/stop')
  await home.reads(ada, 'Stopped.')
})

test('a reply to somebody who has blocked the bot is passed over, and the next one who writes is answered', async (t) => {
  const home = await telegramHome(t)
  const blocked = 'Forbidden: bot was blocked by the user'
  const unblock = home.telegram.fail(
    'sendMessage',
    { type: 'refused', code: 403, description: blocked, chat: ada },
    Infinity,
  )
  home.telegram.say(ada, 'Hello')
  await home.telegram.until(() => home.warnings.some((text) => text.includes('blocked by the user')))
  unblock()
  home.telegram.say(ada, 'I am back')
  await home.reads(ada, 'ok')
})

test('after a rate limit in the middle of a reply, the reply appears once', async (t) => {
  const half = gate()
  const model = scriptedModel({
    answer: () => ({ text: ['Once ', 'upon a time.'], before: (n) => (n === 1 ? half.passed : undefined) }),
  })
  const home = await telegramHome(t, { model })
  home.telegram.say(ada, 'A story')
  await home.reads(ada, 'Once')
  home.telegram.fail('editMessageText', { type: 'limited', retryAfter: 2 }, 2)
  half.open()
  await home.reads(ada, 'Once upon a time.')
})

test('words that are on their way while the gateway stops are on record, and stand in the chat once', async (t) => {
  const never = gate()
  const answers = [
    { text: ['Once ', 'upon'], before: (n: number) => (n === 1 ? never.passed : undefined) },
    { text: 'Once more.' },
  ]
  const model = scriptedModel({ answer: (_, n) => answers[n - 1]! })
  const home = await telegramHome(t, { model })
  home.telegram.fail('sendMessage', { type: 'slow', ms: 100 })
  home.telegram.say(ada, 'A story')
  await home.telegram.until(() => home.telegram.calls('sendMessage').length === 1)
  const after = await home.restarted()
  await after.delivered(ada, 1)
  await after.reads(ada, 'Once more.')
})

test('an answer that was noted as it is counts as there', async (t) => {
  const home = await telegramHome(t)
  home.telegram.say(ada, 'Hello')
  const [message] = await home.reads(ada, 'ok')
  await home.delivered(ada, 1)
  const entries = await home.log(String(ada))
  const { session, turn } = entries.find((entry) => entry.type === 'turn-end')! as { session: string; turn: string }
  const sent = [{ part: 1, messageId: String(message!.id) }]
  const reply = { conversation: String(ada), session, turn, text: 'ok', outcome: { type: 'completed' }, sent } as const
  assert.deepEqual(await home.channel.deliver(reply), { messageId: String(message!.id) })
  await home.reads(ada, 'ok')
})

test('a person reads how an incomplete or missing answer ended', async (t) => {
  const script = [{ text: 'Half', finish: 'length' as const }, {}, { reasoning: 'Hm.' }, { text: 'Whole.' }]
  const model = scriptedModel({ answer: (_, n) => script[n - 1]! })
  const home = await telegramHome(t, { model })
  const replies: string[] = []
  for (const [index, text] of ['One', 'Two', 'Three', 'Four'].entries()) {
    home.telegram.say(ada, text)
    await home.delivered(ada, index + 1)
    replies.push(home.said(ada).at(-1)!)
  }
  assert.deepEqual(replies, [
    'Half\n\nThe answer was cut at its length limit (context.reserve). Say `go on` for the rest.',
    'There is no answer: the model said nothing. Ask again, or choose another model.',
    'There is no answer: the model reasoned and said nothing. Ask again, or lower agent.reasoning.',
    'Whole.',
  ])
})

test('an answer of invisible characters is reported as empty, and later answers arrive', async (t) => {
  const model = scriptedModel({ answer: (_, n) => ({ text: n === 1 ? '\u200b\u2800' : 'Here.' }) })
  const home = await telegramHome(t, { model })
  home.telegram.say(ada, 'One')
  await home.reads(ada, 'The answer is empty.')
  home.telegram.say(ada, 'Two')
  await home.reads(ada, 'The answer is empty.', 'Here.')
})

test('a reply does not begin to grow before those in front of it are there', async (t) => {
  const home = await telegramHome(t)
  home.telegram.say(ada, 'One')
  await home.delivered(ada, 1)
  const session = (await home.session(ada))!
  const away = await home.restarted({ away: true })
  const turns: string[] = []
  for (const text of ['Two', 'Three']) {
    const { turn } = await away.runtime.submit({ session, text })
    for await (const event of away.runtime.events(session, { turn })) {
      if (event.type === 'entry' && event.entry.type === 'turn-end') break
    }
    turns.push(turn)
  }
  const next = (runtime: typeof home.runtime) =>
    Promise.all(turns.map((turn) => isNextReply(runtime.store, session, turn)))
  assert.deepEqual(await next(away.runtime), [true, false])
  const after = await away.restarted({ away: false })
  await after.delivered(ada, 3)
  assert.deepEqual(await next(after.runtime), [true, true])
})
