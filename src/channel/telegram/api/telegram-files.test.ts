import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { inspect } from 'node:util'
import { scriptedTelegram } from '../../../testing.ts'
import { telegramApi } from './telegram-api.ts'
import { telegramFiles } from './telegram-files.ts'

const MANY = 30 * 1024 * 1024
const signal = new AbortController().signal

test('a file that somebody sent is taken', async (t) => {
  const { send, files } = await place(t)
  const file = await files.download(send(Buffer.from('hello')), { maxBytes: 5, signal })
  assert.deepEqual({ name: file.name, size: file.size }, { name: 'file_1.txt', size: 5 })
  assert.equal(Buffer.concat(await Array.fromAsync(file.bytes)).toString(), 'hello')
})

test('a file over the limit is refused before its first byte', async (t) => {
  const { telegram, send, files } = await place(t)
  await assert.rejects(files.download(send(Buffer.from('hello!')), { maxBytes: 5, signal }), {
    reason: 'too-large',
    message: 'The file is larger than 5 bytes.',
  })
  assert.deepEqual(telegram.calls('file'), [])
})

test('a file that is longer than was said ends at the limit', async (t) => {
  const { telegram, send } = await place(t)
  const endless = new ReadableStream<Uint8Array>({ pull: (stream) => stream.enqueue(new Uint8Array(1000)) })
  const files = telegramFiles({
    api: await telegramApi({ token: telegram.token, apiRoot: telegram.url }),
    token: telegram.token,
    apiRoot: telegram.url,
    fetch: async () => new Response(endless),
  })
  const { bytes } = await files.download(send(Buffer.from('hello')), { maxBytes: 5000, signal })
  await assert.rejects(Array.fromAsync(bytes), { reason: 'too-large' })
})

test('a file that the Bot API does not give names its limit and the way out', async (t) => {
  const { send, files } = await place(t)
  await assert.rejects(files.download(send(new Uint8Array(21 * 1024 * 1024)), { maxBytes: MANY, signal }), {
    reason: 'too-large',
    message: /20 MB on the public Bot API.*channels\.telegram\.apiRoot/,
  })
})

test('a file that is gone is told from one that cannot be had right now', async (t) => {
  const { telegram, send, files } = await place(t)
  const id = send(Buffer.from('hello'))
  const how = { maxBytes: 10, signal }
  await assert.rejects(files.download('nothing', how), { reason: 'gone' })
  telegram.fail('file', { type: 'refused', code: 404, description: 'Not Found' })
  await assert.rejects(files.download(id, how), { reason: 'gone' })
  for (const method of ['getFile', 'file']) {
    telegram.fail(method, { type: 'dropped' })
    telegram.fail(method, { type: 'broken' })
    telegram.fail(method, { type: 'limited', retryAfter: 1 })
    for (let n = 0; n < 3; n++) {
      // oxlint-disable-next-line no-await-in-loop -- one failure after another
      await assert.rejects(files.download(id, how), { reason: 'unreachable' })
    }
  }
})

test('the end of the signal ends it', async (t) => {
  const { telegram, send, files } = await place(t)
  const ending = new AbortController()
  telegram.fail('getFile', { type: 'slow', ms: 60_000 })
  const download = files.download(send(Buffer.from('hello')), { maxBytes: 10, signal: ending.signal })
  ending.abort(new Error('the gateway stops'))
  await assert.rejects(download, { message: 'the gateway stops' })
})

test('the token stands in no error', async (t) => {
  const { telegram, send, files } = await place(t)
  const id = send(Buffer.from('hello'))
  telegram.fail('file', { type: 'dropped' })
  const dropped = await files.download(id, { maxBytes: 10, signal }).catch((error: unknown) => error)
  await telegram.close()
  const closed = await files.download(id, { maxBytes: 10, signal }).catch((error: unknown) => error)
  for (const error of [dropped, closed]) {
    assert.ok(error instanceof Error)
    assert.ok(!inspect(error, { depth: 9, showHidden: true }).includes(telegram.token.slice(11)), inspect(error))
  }
})

async function place(t: TestContext) {
  const telegram = await scriptedTelegram()
  t.after(() => telegram.close())
  const { token, url: apiRoot } = telegram
  const files = telegramFiles({ api: await telegramApi({ token, apiRoot }), token, apiRoot: `${apiRoot}/` })
  const send = (bytes: Uint8Array): string => {
    const [update] = telegram.say(5, '', { document: { name: 'notes.txt', bytes } })
    return update?.message?.document?.file_id ?? ''
  }
  return { telegram, files, send }
}
