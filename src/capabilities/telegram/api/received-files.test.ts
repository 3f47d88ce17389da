import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Api } from 'grammy'
import { scriptedTelegram } from '../../../testing.ts'
import { telegramFiles, type TelegramFilesOptions } from './received-files.ts'
import { telegramApi } from './telegram-api.ts'
import { systemClock } from '../../../platform.ts'

const MANY = 30 * 1024 * 1024
const signal = new AbortController().signal

test('a file that somebody sent is taken', async (t) => {
  const { send, files } = await place(t)
  const file = await files.download(send(Buffer.from('hello')), { maxBytes: 5, signal })
  assert.equal(Buffer.concat(await Array.fromAsync(file)).toString(), 'hello')
})

test('a file is whole however long its reader takes to begin', async (t) => {
  setFlagsFromString('--expose-gc')
  const collectGarbage: () => void = runInNewContext('gc')
  const { send, files } = await place(t)
  const file = await files.download(send(Buffer.from('hello')), { maxBytes: 5, signal })
  for (let round = 0; round < 10; round += 1) {
    await new Promise((resolve) => setTimeout(resolve, 5))
    collectGarbage()
  }
  assert.equal(Buffer.concat(await Array.fromAsync(file)).toString(), 'hello')
})

test('a file that ends before its end has broken off', async (t) => {
  const { send, files } = await place(t, {
    fetch: async () => new Response('hel', { headers: { 'content-length': '5' } }),
  })
  const bytes = await files.download(send(Buffer.from('hello')), { maxBytes: 5000, signal })
  await assert.rejects(Array.fromAsync(bytes), { code: 'network', message: /received 3 of 5 bytes/ })
})

test('a file over the limit is refused before its first byte', async (t) => {
  const { telegram, send, files } = await place(t)
  await assert.rejects(files.download(send(Buffer.from('hello!')), { maxBytes: 5, signal }), {
    code: 'too-large',
    message: 'The file is larger than 5 bytes.',
  })
  assert.deepEqual(telegram.calls('file'), [])
})

test('a file that is longer than was said ends at the limit', async (t) => {
  const endless = new ReadableStream<Uint8Array>({ pull: (stream) => stream.enqueue(new Uint8Array(1000)) })
  const { send, files } = await place(t, { fetch: async () => new Response(endless) })
  const bytes = await files.download(send(Buffer.from('hello')), { maxBytes: 5000, signal })
  await assert.rejects(Array.fromAsync(bytes), { code: 'too-large' })
})

test('a download of which nothing comes for a while is broken off, before its first byte and behind it', async (t) => {
  const silent = createServer((request, response) => {
    if (request.url === '/begun') response.write('hel')
  })
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  t.after(() => silent.close() && silent.closeAllConnections())
  const { port } = silent.address() as AddressInfo
  for (const path of ['nothing', 'begun']) {
    const ask: typeof fetch = (_, how) => fetch(`http://127.0.0.1:${port}/${path}`, how)
    const { send, files } = await place(t, { fetch: ask, silenceMs: 50 })
    const take = async () => Array.fromAsync(await files.download(send(Buffer.from('hello')), { maxBytes: 9, signal }))
    await assert.rejects(take(), { code: 'network', message: /no bytes for 0\.05 s$/ })
  }
})

test('a path that climbs, and an answer that points elsewhere, give nothing', async (t) => {
  const asked: unknown[] = []
  const ask: typeof fetch = async (_, how) => {
    asked.push(how?.redirect)
    throw new TypeError('fetch failed')
  }
  const { telegram, send, files } = await place(t, { fetch: ask })
  await assert.rejects(files.download(send(Buffer.from('hello')), { maxBytes: 9, signal }), { code: 'network' })
  const api = { token: telegram.token, raw: { getFile: async () => ({ file_path: 'documents/../../../secrets' }) } }
  const climbing = telegramFiles({
    clock: systemClock,
    api: api as unknown as Api,
    token: telegram.token,
    apiRoot: telegram.url,
    fetch: ask,
  })
  await assert.rejects(climbing.download('file', { maxBytes: 9, signal }), { code: 'not-found' })
  assert.deepEqual(asked, ['error'])
})

test('a file that the Bot API does not give names its limit and the way out', async (t) => {
  const { send, files } = await place(t)
  await assert.rejects(files.download(send(new Uint8Array(21 * 1024 * 1024)), { maxBytes: MANY, signal }), {
    code: 'too-large',
    message: /20 MB on the public Bot API.*channels\.telegram\.apiRoot/,
  })
})

test('a deleted file and a temporarily unavailable file give different errors', async (t) => {
  const { telegram, send, files } = await place(t)
  const id = send(Buffer.from('hello'))
  const how = { maxBytes: 10, signal }
  await assert.rejects(files.download('nothing', how), { code: 'not-found' })
  telegram.fail('file', { type: 'refused', code: 404, description: 'Not Found' })
  await assert.rejects(files.download(id, how), { code: 'not-found' })
  for (const method of ['getFile', 'file']) {
    telegram.fail(method, { type: 'dropped' })
    telegram.fail(method, { type: 'broken' })
    telegram.fail(method, { type: 'limited', retryAfter: 1 })
    for (let n = 0; n < 3; n++) {
      await assert.rejects(files.download(id, how), { code: 'network' })
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

test('no error contains the token', async (t) => {
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

async function place(t: TestContext, options: Partial<TelegramFilesOptions> = {}) {
  const telegram = await scriptedTelegram()
  t.after(() => telegram.close())
  const { token, url: apiRoot } = telegram
  const files = telegramFiles({
    clock: systemClock,
    api: await telegramApi({ token, apiRoot }),
    token,
    apiRoot: `${apiRoot}/`,
    ...options,
  })
  const send = (bytes: Uint8Array): string => {
    const [update] = telegram.say(5, '', { document: { name: 'notes.txt', bytes } })
    return update?.message?.document?.file_id ?? ''
  }
  return { telegram, files, send }
}
