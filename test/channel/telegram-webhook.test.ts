import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { ada, bob, type TelegramHome, telegramHome, userTexts } from './telegram-home.ts'

const secret = 'a-secret-of-the-tests'
const url = 'https://agent.example.org'

const hooked = async (t: TestContext) => {
  const home = await telegramHome(t, { options: { webhook: { url, secret } } })
  // As Telegram does: what nobody listens to yet is brought again.
  while ((await call(home, '{"update_id":0}')).status === 503) await pause(5)
  return home
}

function call(
  home: TelegramHome,
  body: string,
  headers: Readonly<Record<string, string>> = { 'x-telegram-bot-api-secret-token': secret },
) {
  return home.channel.hook!.handle(new Request(`${url}/channels/telegram`, { method: 'POST', body, headers }))
}

function update(id: number, text: string, from = ada): string {
  const chat = { id: from, type: 'private', first_name: 'Ada' }
  const person = { id: from, is_bot: false, first_name: 'Ada' }
  return JSON.stringify({ update_id: id, message: { message_id: id, date: 1, chat, from: person, text } })
}

test('with a webhook Telegram gets the URL and the secret, and is not polled', async (t) => {
  const home = await hooked(t)
  const [set] = home.telegram.calls('setWebhook')
  assert.deepEqual(set!.parameters, {
    url: `${url}/channels/telegram`,
    secret_token: secret,
    allowed_updates: ['message', 'edited_message', 'callback_query', 'my_chat_member'],
    max_connections: 1,
  })
  home.telegram.open(ada, 'private')
  assert.equal((await call(home, update(1, 'Hello'))).status, 200)
  assert.equal((await call(home, update(1, 'Hello'))).status, 200)
  await home.reads(ada, 'ok')
  assert.deepEqual(userTexts(await home.log(String(ada))), ['Hello'])
  assert.deepEqual(home.telegram.calls('getUpdates'), [])
})

test('a call with a wrong secret, or none, is refused before anything of it is read', async (t) => {
  const home = await hooked(t)
  for (const given of [
    {},
    { 'x-telegram-bot-api-secret-token': 'wrong' },
    { 'x-telegram-bot-api-secret-token': `${secret}x` },
  ]) {
    const response = await call(home, update(1, 'Hello'), given as Record<string, string>)
    assert.equal(response.status, 403)
    assert.doesNotMatch(await response.text(), /a-secret/)
  }
  assert.equal((await home.runtime.store.sessions()).length, 0)
})

test('a webhook rejects everything except a POST with an update of a limited size', async (t) => {
  const home = await hooked(t)
  for (const body of ['', 'nonsense', '[]', '{}', '{"update_id":"1"}', 'null'])
    assert.equal((await call(home, body)).status, 400)
  assert.equal((await call(home, JSON.stringify({ update_id: 1, filler: 'x'.repeat(1024 * 1024) }))).status, 413)
  assert.equal((await home.channel.hook!.handle(new Request(url))).status, 405)
})

test('a gateway without a webhook has no address to call', async (t) => {
  const home = await telegramHome(t)
  assert.equal(home.channel.hook, undefined)
})

test('where nothing can be kept Telegram is asked to come again', async (t) => {
  const home = await hooked(t)
  await home.close()
  assert.equal((await call(home, update(1, 'Hello'))).status, 503)
})

test('a stranger over the webhook is a stranger', async (t) => {
  const home = await hooked(t)
  home.telegram.open(bob, 'private')
  assert.equal((await call(home, update(1, 'Hello', bob))).status, 200)
  await home.telegram.until(() => home.said(bob)[0]?.startsWith('This bot is private.'))
  assert.equal((await home.runtime.store.sessions()).length, 0)
})

test('without a webhook one that was set before is taken away', async (t) => {
  const home = await telegramHome(t)
  await home.telegram.until(() => home.telegram.calls('deleteWebhook').length === 1)
})
