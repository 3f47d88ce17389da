import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test, { type TestContext } from 'node:test'
import { Bot, InputFile } from 'grammy'
import { scriptedTelegram, type ScriptedTelegramOptions } from './scripted-telegram.ts'

const ANN = 5
const GROUP = -100

test('a grammY bot receives what a person says, and the person sees the answer', async (t) => {
  const { telegram, bot } = await place(t, { username: 'my_bot' })
  bot.command('new', (context) => context.reply(`Hello ${context.from?.first_name}`))
  bot.on('message', (context) =>
    context.reply(`You said ${context.message.text}`, { reply_parameters: { message_id: context.msgId } }),
  )
  const running = bot.start()
  telegram.say(ANN, '/new')
  const [said] = telegram.say(ANN, 'Hi')
  await telegram.until(() => telegram.messages(ANN).length === 4)
  await bot.stop()
  await running
  assert.equal(bot.botInfo.username, 'my_bot')
  assert.deepEqual(
    telegram.messages(ANN).map(({ from, text, replyTo }) => [from, text, replyTo]),
    [
      ['person', '/new', undefined],
      ['person', 'Hi', undefined],
      ['bot', 'Hello Person 5', undefined],
      ['bot', 'You said Hi', said?.message?.message_id],
    ],
  )
  assert.deepEqual(telegram.waiting, [])
})

test('an update is delivered until a higher offset acknowledges it, and again on demand', async (t) => {
  const { telegram, bot } = await place(t)
  const [first = { update_id: 0 }] = telegram.say(ANN, 'one')
  const [second = { update_id: 0 }] = telegram.say(ANN, 'two')
  assert.equal(second.update_id, first.update_id + 1)
  assert.deepEqual(await bot.api.getUpdates(), [first, second])
  assert.deepEqual(await bot.api.getUpdates({ limit: 1 }), [first])
  assert.deepEqual(await bot.api.getUpdates({ offset: second.update_id }), [second])
  assert.deepEqual(await bot.api.getUpdates({ offset: second.update_id + 1 }), [])
  telegram.redeliver(first.update_id)
  assert.deepEqual(await bot.api.getUpdates({ offset: second.update_id + 1 }), [first])
  assert.deepEqual(await bot.api.getUpdates({ offset: second.update_id + 1 }), [])
})

test('a long poll ends when an update arrives, and when another poll begins', async (t) => {
  const { telegram, bot } = await place(t)
  const first = bot.api.getUpdates({ timeout: 30 }).catch((error: unknown) => error)
  await telegram.until(() => telegram.calls('getUpdates').length === 1)
  const second = bot.api.getUpdates({ timeout: 30, allowed_updates: ['message'] })
  await telegram.until(() => telegram.calls('getUpdates').length === 2)
  telegram.happen({
    edited_message: telegram.change(ANN, telegram.say(ANN, 'one')[0]!.message!.message_id, 'two').edited_message!,
  })
  assert.deepEqual(
    (await second).map(({ message }) => message?.text),
    ['one'],
  )
  assert.match(String(await first), /409: Conflict: terminated by other getUpdates request/)
})

test('a webhook gets updates with its secret until it accepts them, and excludes polling', async (t) => {
  const { telegram, bot } = await place(t)
  const received: (readonly [unknown, string])[] = []
  const hook = createServer((incoming, response) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      received.push([incoming.headers['x-telegram-bot-api-secret-token'], Buffer.concat(chunks).toString()])
      response.writeHead(received.length === 1 ? 503 : 200).end()
    })
  })
  await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve))
  t.after(() => hook.close())
  const url = `http://127.0.0.1:${(hook.address() as AddressInfo).port}/hook`
  await assert.rejects(bot.api.setWebhook(url, { secret_token: 'not allowed' }), /400: .*secret token/)
  await bot.api.setWebhook(url, { secret_token: 'top-secret' })
  await assert.rejects(bot.api.getUpdates(), /409: Conflict: can't use getUpdates method while webhook is active/)
  const [update] = telegram.say(ANN, 'Hi')
  await telegram.until(() => received.length === 2 && telegram.waiting.length === 0)
  for (const each of received) assert.deepEqual(each, ['top-secret', JSON.stringify(update)])
  const { last_error_message: lastError, pending_update_count: pending } = await bot.api.getWebhookInfo()
  assert.deepEqual([lastError, pending], ['Wrong response from the webhook: 503 Service Unavailable', 0])
  await bot.api.deleteWebhook()
  assert.deepEqual(await bot.api.getUpdates(), [])
})

test('it refuses what Telegram refuses, with the same messages', async (t) => {
  const { telegram, bot } = await place(t)
  telegram.say(ANN, 'Hi')
  const { api } = bot
  const bold = (offset: number, length: number) => ({ type: 'bold' as const, offset, length })
  const button = (data: string) => ({ reply_markup: { inline_keyboard: [[{ text: 'x', callback_data: data }]] } })
  const refused: readonly (readonly [Promise<unknown>, RegExp])[] = [
    [api.sendMessage(77, 'Hi'), /400: Bad Request: chat not found/],
    [api.sendMessage(ANN, ' \n'), /400: Bad Request: message text is empty/],
    [api.sendMessage(ANN, 'x'.repeat(4097)), /400: Bad Request: message is too long/],
    [api.sendMessage(ANN, 'Hi', { entities: [bold(0, 3)] }), /400: Bad Request: can't parse entities/],
    [api.sendMessage(ANN, '👍', { entities: [bold(1, 1)] }), /400: Bad Request: can't parse entities/],
    [api.sendMessage(ANN, 'abc', { entities: [bold(0, 2), { type: 'italic', offset: 1, length: 2 }] }), /overlap/],
    [api.sendMessage(ANN, 'abc', { entities: [bold(0, 3), { type: 'code', offset: 1, length: 1 }] }), /bold and code/],
    [api.sendMessage(ANN, 'Hi', button('x'.repeat(65))), /400: Bad Request: BUTTON_DATA_INVALID/],
    [api.sendMessage(ANN, 'Hi', { message_thread_id: 3 }), /400: Bad Request: message thread not found/],
    [api.sendMessage(ANN, 'Hi', { reply_parameters: { message_id: 1 } }), /message to be replied not found/],
    [api.editMessageText(ANN, 1, 'Hi'), /400: Bad Request: message to edit not found/],
    [api.editMessageText(ANN, 1001, 'Hi'), /400: Bad Request: message can't be edited/],
    [api.deleteMessage(ANN, 1), /400: Bad Request: message to delete not found/],
    [api.answerCallbackQuery('none'), /400: Bad Request: query is too old/],
    [api.getFile('none'), /400: Bad Request: wrong file_id/],
    [api.setMyCommands([{ command: 'No!', description: 'x' }]), /400: Bad Request: BOT_COMMAND_INVALID/],
    [api.raw.getChatMenuButton({}), /404: Not Found/],
    [new Bot(`${telegram.token}x`, { client: { apiRoot: telegram.url } }).api.getMe(), /401: Unauthorized/],
  ]
  for (const [call, words] of refused) {
    // oxlint-disable-next-line no-await-in-loop -- each refusal is asserted on its own
    await assert.rejects(call, words)
  }
})

test('messages can be edited, lose their buttons and be deleted, and an edit without changes is refused', async (t) => {
  const { telegram, bot } = await place(t)
  telegram.say(ANN, 'Hi')
  const markup = { inline_keyboard: [[{ text: 'Yes', callback_data: 'y' }]] }
  const { message_id: id } = await bot.api.sendMessage(ANN, 'Sure?', { reply_markup: markup })
  await assert.rejects(bot.api.editMessageText(ANN, id, 'Sure?', { reply_markup: markup }), /message is not modified/)
  await bot.api.editMessageReplyMarkup(ANN, id)
  await bot.api.editMessageText(ANN, id, ' Done. ')
  assert.deepEqual(telegram.messages(ANN).slice(1), [
    { id, from: 'bot', text: 'Done.', entities: [], buttons: [], edits: 2, preview: true },
  ])
  await bot.api.deleteMessage(ANN, id)
  assert.equal(telegram.messages(ANN).length, 1)
})

test('a button is pressed by the named person, and answered once', async (t) => {
  const { telegram, bot } = await place(t)
  telegram.say(GROUP, 'Hi', { title: 'Friends', from: 8 })
  const markup = { inline_keyboard: [[{ text: 'Yes', callback_data: 'y' }]] }
  const { message_id: id } = await bot.api.sendMessage(GROUP, 'Sure?', { reply_markup: markup })
  assert.throws(() => telegram.press(GROUP, id, 'n'), /has no button with n/)
  telegram.press(GROUP, id, 'y', 9)
  const query = (await bot.api.getUpdates())[1]?.callback_query
  assert.deepEqual([query?.from.id, query?.data, query?.message?.chat.title], [9, 'y', 'Friends'])
  await bot.api.answerCallbackQuery(query?.id ?? '', { text: 'Noted.' })
  await assert.rejects(bot.api.answerCallbackQuery(query?.id ?? ''), /query is too old/)
})

test('photos, documents and albums have files that can be fetched', async (t) => {
  const { telegram, bot } = await place(t)
  const bytes = Buffer.from('hello')
  const [photo] = telegram.say(ANN, 'See', { photo: bytes })
  assert.deepEqual([photo?.message?.caption, photo?.message?.text], ['See', undefined])
  const album = telegram.say(ANN, 'Both', { mediaGroup: [bytes, { name: 'a.txt', bytes, mime: 'text/plain' }] })
  assert.equal(new Set(album.map(({ message }) => message?.media_group_id)).size, 1)
  assert.deepEqual(
    album.map(({ message }) => message?.caption),
    ['Both', undefined],
  )
  const id = album[1]?.message?.document?.file_id ?? ''
  const { file_path: path } = await bot.api.getFile(id)
  const response = await fetch(`${telegram.url}/file/bot${telegram.token}/${path}`)
  assert.equal(await response.text(), 'hello')
  assert.equal((await fetch(`${telegram.url}/file/botwrong/${path}`)).status, 401)
})

test('calls come as JSON, as forms and in the query', async (t) => {
  const { telegram, bot } = await place(t)
  telegram.say(ANN, 'Hi')
  const address = `${telegram.url}/bot${telegram.token}/sendMessage`
  const entities = JSON.stringify([{ type: 'bold', offset: 0, length: 1 }])
  const form = { chat_id: String(ANN), text: '1', entities }
  const parts = new FormData()
  for (const [name, value] of Object.entries(form)) parts.set(name, value)
  await fetch(`${address}?${new URLSearchParams(form).toString()}`)
  await fetch(address, { method: 'POST', body: new URLSearchParams(form) })
  await fetch(address, { method: 'POST', body: parts })
  // grammY sends parameters with a file as a form.
  await bot.api.raw.sendMessage({
    chat_id: ANN,
    text: '1',
    extra: new InputFile(Buffer.from('x'), 'x'),
  } as never)
  assert.deepEqual(
    telegram.messages(ANN).map(({ text, entities: marks }) => [text, marks.length]),
    [
      ['Hi', 0],
      ['1', 1],
      ['1', 1],
      ['1', 1],
      ['1', 0],
    ],
  )
})

test('calls fail as scripted, for all chats or for one', async (t) => {
  const { telegram, bot } = await place(t)
  for (const chat of [ANN, 6]) telegram.open(chat)
  telegram.fail('sendMessage', { type: 'limited', retryAfter: 3, chat: ANN }, 2)
  telegram.fail('sendMessage', { type: 'dropped', done: true, chat: ANN })
  const limited = { error_code: 429, parameters: { retry_after: 3 } }
  await assert.rejects(bot.api.sendMessage(ANN, 'Hi'), limited)
  await bot.api.sendMessage(6, 'Hi')
  await assert.rejects(bot.api.sendMessage(ANN, 'Hi'), limited)
  await assert.rejects(bot.api.sendMessage(ANN, 'Hi'), { name: 'HttpError' })
  assert.equal(telegram.messages(ANN).length, 1)
  assert.deepEqual(
    telegram.calls('sendMessage').map(({ status }) => status),
    [429, 200, 429, undefined],
  )
  const endFailing = telegram.fail('sendMessage', { type: 'broken' }, Infinity)
  for (const _ of 'ab') await assert.rejects(bot.api.sendMessage(6, 'Hi'), { name: 'HttpError' })
  endFailing()
  await bot.api.sendMessage(6, 'Hi')
})

test('a wait that times out names its condition', async (t) => {
  const { telegram } = await place(t)
  await assert.rejects(
    telegram.until(() => telegram.messages(ANN).length > 0, 20),
    /after 20 ms: .*messages\(ANN\)/,
  )
})

async function place(t: TestContext, options: ScriptedTelegramOptions = {}) {
  const telegram = await scriptedTelegram(options)
  t.after(() => telegram.close())
  return { telegram, bot: new Bot(telegram.token, { client: { apiRoot: telegram.url } }) }
}
