import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { inspect } from 'node:util'
import type { Api } from 'grammy'
import { scriptedTelegram } from '../../../testing.ts'
import { plainText } from '../text/formatted-text.ts'
import { telegramApi, TelegramRefusal } from './telegram-api.ts'
import { telegramSender, type TelegramSenderOptions } from './telegram-sender.ts'
import { systemClock } from '../../../platform.ts'

const ANN = 5
const BEN = 6
const GROUP = -100

test('a message arrives with its formatting, without a preview of its links', async (t) => {
  const { telegram, sender } = await place(t)
  const entities = [{ type: 'bold' as const, offset: 0, length: 2 }]
  const id = await sender.send({ id: ANN }, { text: 'Hi there', entities })
  assert.deepEqual(telegram.messages(ANN), [
    { id, from: 'bot', text: 'Hi there', entities, buttons: [], edits: 0, preview: false },
  ])
})

test('previews are there where the owner wants them', async (t) => {
  const { telegram, sender } = await place(t, { linkPreviews: true })
  await sender.send({ id: ANN }, plainText('https://example.org'))
  assert.equal(telegram.messages(ANN)[0]?.preview, true)
})

test('a message has buttons and is in its topic', async (t) => {
  const { telegram, sender } = await place(t)
  telegram.say(GROUP, 'question', { thread: 7 })
  const buttons = [[{ text: 'Yes', data: 'y' }], [{ text: 'No', data: 'n' }]]
  await sender.send({ id: GROUP, thread: 7 }, plainText('Sure?'), { buttons })
  const [, message] = telegram.messages(GROUP)
  assert.deepEqual([message?.buttons, message?.thread], [buttons, 7])
})

test('an edit says whether anything changed and whether the message is still there', async (t) => {
  const { telegram, sender } = await place(t)
  const id = await sender.send({ id: ANN }, plainText('one'), { buttons: [[{ text: 'Yes', data: 'y' }]] })
  assert.equal(await sender.edit({ id: ANN }, id, plainText('two')), 'edited')
  assert.equal(await sender.edit({ id: ANN }, id, plainText('two')), 'same')
  assert.deepEqual(telegram.messages(ANN)[0]?.buttons, [])
  assert.equal(await sender.remove({ id: ANN }, id), true)
  assert.equal(await sender.remove({ id: ANN }, id), false)
  assert.equal(await sender.edit({ id: ANN }, id, plainText('three')), 'gone')
})

test('formatting that Telegram rejects is left out, and the operator is warned', async (t) => {
  const { telegram, sender, warnings } = await place(t)
  await sender.send({ id: ANN }, { text: 'Hi', entities: [{ type: 'bold', offset: 0, length: 9 }] })
  assert.deepEqual(
    telegram.messages(ANN).map(({ text, entities }) => ({ text, entities })),
    [{ text: 'Hi', entities: [] }],
  )
  assert.match(warnings.join(), /^Sent a message without its formatting: Telegram refused sendMessage: 400/)
})

test('text whose formatting Telegram rejects arrives without formatting', async (t) => {
  const { telegram, sender } = await place(t)
  telegram.open(ANN)
  for (const description of ['Bad Request: BUTTON_TOO_LONG', 'Bad Request: something quite new']) {
    telegram.fail('sendMessage', { type: 'refused', code: 400, description })
    await sender.send({ id: ANN }, { text: 'Hi', entities: [{ type: 'bold', offset: 0, length: 2 }] })
  }
  assert.deepEqual(
    telegram.messages(ANN).map(({ text, entities }) => [text, entities.length]),
    [
      ['Hi', 0],
      ['Hi', 0],
    ],
  )
})

test('a refusal says what Telegram said, and where a group went', async (t) => {
  const { telegram, sender } = await place(t)
  await assert.rejects(sender.send({ id: 77 }, plainText('Hi')), {
    status: 400,
    description: 'Bad Request: chat not found',
  })
  telegram.fail('sendMessage', { type: 'refused', code: 403, description: 'Forbidden: bot was blocked by the user' })
  const refused = await sender.send({ id: ANN }, plainText('Hi')).catch((error: unknown) => error)
  assert.ok(refused instanceof TelegramRefusal)
  assert.equal(refused.message, 'Telegram refused sendMessage: 403 Forbidden: bot was blocked by the user')
  telegram.fail('sendMessage', {
    type: 'refused',
    code: 400,
    description: 'Bad Request: x',
    parameters: { migrate_to_chat_id: -9 },
  })
  await assert.rejects(sender.send({ id: ANN }, plainText('Hi')), { migratedTo: -9 })
})

test('messages of one chat arrive in their order, through limits and faults', async (t) => {
  const { telegram, sender, waits } = await place(t)
  telegram.fail('sendMessage', { type: 'limited', retryAfter: 7 })
  telegram.fail('sendMessage', { type: 'broken' })
  telegram.fail('sendMessage', { type: 'dropped' })
  await Promise.all(['1', '2', '3', '4'].map((text) => sender.send({ id: ANN }, plainText(text))))
  assert.deepEqual(
    telegram.messages(ANN).map(({ text }) => text),
    ['1', '2', '3', '4'],
  )
  assert.equal(waits[0], 7000)
  assert.ok(waits.length >= 3)
})

test('a limit of one chat delays no other', async (t) => {
  const { telegram, sender, clock } = await place(t, {}, { byHand: true })
  telegram.fail('sendMessage', { type: 'limited', retryAfter: 60, chat: ANN })
  const toAnn = sender.send({ id: ANN }, plainText('Hi Ann'))
  await telegram.until(() => telegram.calls('sendMessage').length === 1)
  await sender.send({ id: BEN }, plainText('Hi Ben'))
  assert.deepEqual(telegram.messages(ANN), [])
  await clock.pass(59_000)
  assert.deepEqual(telegram.messages(ANN), [])
  await clock.pass(1_000)
  await toAnn
  assert.equal(telegram.messages(ANN).length, 1)
})

test('a chat whose call takes long delays no other', async (t) => {
  const { telegram, sender } = await place(t)
  telegram.fail('sendMessage', { type: 'slow', ms: 200, chat: ANN })
  const order: string[] = []
  await Promise.all([
    sender.send({ id: ANN }, plainText('Hi Ann')).then(() => order.push('Ann')),
    sender.send({ id: BEN }, plainText('Hi Ben')).then(() => order.push('Ben')),
  ])
  assert.deepEqual(order, ['Ben', 'Ann'])
})

test('a person gets three messages at once and then one a second, a group twenty a minute', async (t) => {
  const { telegram, sender, clock } = await place(t, {}, { byHand: true })
  telegram.open(GROUP)
  const sent = Promise.all(
    Array.from({ length: 30 }, (_, n) => [
      sender.send({ id: ANN }, plainText(`to Ann ${n}`)),
      sender.send({ id: GROUP }, plainText(`to all ${n}`)),
    ]).flat(),
  )
  const counts = () => [telegram.messages(ANN).length, telegram.messages(GROUP).length]
  await clock.pass(999)
  assert.deepEqual(counts(), [3, 5])
  await clock.pass(10_001)
  assert.deepEqual(counts(), [3 + 11, 5 + 2])
  await clock.pass(49_000)
  assert.deepEqual(counts(), [30, 5 + 15])
  await clock.pass(60_000)
  await sent
})

test('all chats together stay below thirty a second', async (t) => {
  const { telegram, sender, clock } = await place(t, {}, { byHand: true })
  const chats = Array.from({ length: 60 }, (_, n) => 1000 + n)
  for (const chat of chats) telegram.open(chat)
  const sent = Promise.all(chats.map((chat) => sender.send({ id: chat }, plainText('Hi'))))
  await clock.pass(1_000)
  const count = telegram.calls('sendMessage').length
  assert.ok(count > 20 && count <= 30, String(count))
  await clock.pass(3_000)
  await sent
})

test('the delay after failures grows up to a minute, and a failure is reported once', async (t) => {
  const { telegram, sender, waits, warnings } = await place(t)
  telegram.fail('sendMessage', { type: 'broken' }, 9)
  await sender.send({ id: ANN }, plainText('Hi'))
  assert.deepEqual(waits, [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000])
  assert.deepEqual(warnings, ['Telegram cannot be reached: its answer is not JSON. The gateway keeps trying.'])
})

test('a newer edit of a stream takes the place of one that waits, and the last one is kept', async (t) => {
  const { telegram, sender, clock } = await place(t, {}, { byHand: true })
  const ids = await Promise.all([1, 2, 3].map((n) => sender.send({ id: ANN }, plainText(`message ${n}`))))
  const [id = 0] = ids
  const edits = ['a', 'a b', 'a b c'].map((text) => sender.edit({ id: ANN }, id, plainText(text), { droppable: true }))
  const last = sender.edit({ id: ANN }, id, plainText('a b c d'))
  await clock.pass(1_000)
  assert.deepEqual(await Promise.all([...edits, last]), ['dropped', 'dropped', 'dropped', 'edited'])
  assert.equal(telegram.messages(ANN)[0]?.text, 'a b c d')
})

test('an edit of a stream is dropped by limits and faults', async (t) => {
  const { telegram, sender } = await place(t)
  const id = await sender.send({ id: ANN }, plainText('a'))
  telegram.fail('editMessageText', { type: 'limited', retryAfter: 1 })
  telegram.fail('editMessageText', { type: 'dropped' })
  assert.equal(await sender.edit({ id: ANN }, id, plainText('a b'), { droppable: true }), 'dropped')
  assert.equal(await sender.edit({ id: ANN }, id, plainText('a b c'), { droppable: true }), 'dropped')
  assert.equal(await sender.edit({ id: ANN }, id, plainText('a b c d'), { droppable: true }), 'edited')
})

test('typing is shown, and no fault of it is reported', async (t) => {
  const { telegram, sender } = await place(t)
  await sender.typing({ id: ANN })
  telegram.fail('sendChatAction', { type: 'broken' })
  await sender.typing({ id: ANN })
  await sender.typing({ id: 77 })
  assert.deepEqual(
    telegram.calls('sendChatAction').map(({ status }) => status),
    [200, 502, 400],
  )
})

test('typing is not shown while the chat is limited', async (t) => {
  const { telegram, sender, clock } = await place(t, {}, { byHand: true })
  telegram.fail('sendChatAction', { type: 'limited', retryAfter: 5 })
  await sender.typing({ id: ANN })
  await sender.typing({ id: ANN })
  assert.equal(telegram.calls('sendChatAction').length, 1)
  await clock.pass(5_000)
  await sender.typing({ id: ANN })
  assert.equal(telegram.calls('sendChatAction').length, 2)
})

test('a pressed button is answered, through a fault, and one that is too old is let be', async (t) => {
  const { telegram, sender } = await place(t)
  const id = await sender.send({ id: ANN }, plainText('Sure?'), { buttons: [[{ text: 'Yes', data: 'y' }]] })
  const { callback_query: query } = telegram.press(ANN, id, 'y')
  telegram.fail('answerCallbackQuery', { type: 'dropped' })
  await sender.answerButton(query?.id ?? '', 'Allowed.')
  await sender.answerButton(query?.id ?? '')
  assert.deepEqual(
    telegram.calls('answerCallbackQuery').map(({ status, parameters }) => [status, parameters['text']]),
    [
      [undefined, 'Allowed.'],
      [200, 'Allowed.'],
      [400, undefined],
    ],
  )
})

test('the end of the signal ends whatever waits', async (t) => {
  const { telegram, sender, stop } = await place(t, {}, { byHand: true })
  telegram.fail('sendMessage', { type: 'limited', retryAfter: 600 })
  const waiting = [sender.send({ id: ANN }, plainText('one')), sender.send({ id: ANN }, plainText('two'))]
  await telegram.until(() => telegram.calls('sendMessage').length === 1)
  stop(new Error('the gateway stops'))
  for (const { status } of await Promise.allSettled(waiting)) assert.equal(status, 'rejected')
  await assert.rejects(sender.send({ id: BEN }, plainText('three')), { message: 'the gateway stops' })
})

test('a message that is on its way when the end comes arrives, and its id is known', async (t) => {
  const { telegram, sender, stop } = await place(t)
  const sent = sender.send({ id: ANN }, plainText('Hi'))
  await telegram.until(() => telegram.calls('sendMessage').length === 1)
  stop(new Error('the gateway stops'))
  assert.equal(await sent, telegram.messages(ANN)[0]?.id)
})

test('no error and no warning contains the token', async (t) => {
  const { telegram, sender, warnings, stop } = await place(t, {}, { byHand: true })
  const { token } = telegram
  telegram.fail('sendMessage', { type: 'refused', code: 400, description: `Bad Request: ${token} of /bot${token}/x` })
  const refused = await sender.send({ id: ANN }, plainText('Hi')).catch((error: unknown) => error)
  await telegram.close()
  const lost = sender.send({ id: ANN }, plainText('Hi')).catch((error: unknown) => error)
  await telegram.until(() => warnings.length > 0)
  stop(new Error('the gateway stops'))
  assert.match(warnings.join(), /^Telegram cannot be reached: .*ECONNREFUSED/)
  for (const problem of [refused, await lost, warnings]) {
    assert.ok(!inspect(problem, { depth: 9, showHidden: true }).includes(token.slice(11)), inspect(problem))
  }
})

/** A sender over a real connection. Its time passes at once, or, `byHand`, as the test lets it pass. */
async function place(
  t: TestContext,
  options: Partial<TelegramSenderOptions> = {},
  { byHand = false }: { byHand?: boolean } = {},
) {
  const telegram = await scriptedTelegram()
  for (const chat of [ANN, BEN]) telegram.open(chat)
  const ending = new AbortController()
  t.after(async () => {
    ending.abort()
    await telegram.close()
  })
  const warnings: string[] = []
  const waits: number[] = []
  const api = await telegramApi({ token: telegram.token, apiRoot: telegram.url })
  const clock = handClock(api)
  let time = 0
  const sleepAtOnce = async (ms: number): Promise<void> => {
    waits.push(ms)
    time += ms
  }
  const sender = telegramSender({
    api,
    signal: ending.signal,
    warn: (text) => warnings.push(text),
    random: () => 1,
    clock: {
      ...systemClock,
      now: byHand ? clock.now : () => time,
      monotonic: byHand ? clock.now : () => time,
      sleep: byHand ? clock.sleep : sleepAtOnce,
    },
    ...options,
  })
  return { telegram, sender, warnings, waits, clock, stop: (reason: Error) => ending.abort(reason) }
}

/** Time that a test moves. Before each step all running calls end. */
function handClock(api: Api) {
  let time = 0
  let calls = 0
  const sleepers = new Set<{ readonly until: number; wake(): void }>()
  api.config.use(async (call, ...rest) => {
    calls++
    return call(...rest).finally(() => calls--)
  })

  async function settle(): Promise<void> {
    for (let quiet = 0; quiet < 10; quiet++) {
      await new Promise((resolve) => setImmediate(resolve))
      if (calls > 0) quiet = 0
    }
  }

  return {
    now: () => time,
    sleep: (ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        const sleeper = { until: time + ms, wake: resolve }
        sleepers.add(sleeper)
        signal?.addEventListener('abort', () => reject(signal.reason as Error))
      }),
    async pass(ms: number) {
      const end = time + ms
      for (;;) {
        await settle()
        const next = Math.min(...Array.from(sleepers, ({ until }) => until))
        if (next > end) break
        time = next
        for (const sleeper of sleepers) {
          if (sleeper.until > time) continue
          sleepers.delete(sleeper)
          sleeper.wake()
        }
      }
      time = end
    },
  }
}
