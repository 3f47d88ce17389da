import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { gzipSync } from 'node:zlib'
import { recordedCalls, send, startGateway, type TestGateway } from './gateway.ts'
import { answerMessages, startVendor } from './vendor.ts'

const body = JSON.stringify({
  model: 'claude-opus-5-5',
  stream: true,
  messages: [{ role: 'user', content: 'Say hello' }],
  max_tokens: 5,
})

/** What is on disk now, as a process that is killed leaves it. */
function killedNow(t: TestContext, { home }: Pick<TestGateway, 'home'>): string {
  const copy = mkdtempSync(join(tmpdir(), 'foreword-killed-'))
  t.after(() => rmSync(copy, { recursive: true, force: true }))
  cpSync(home, copy, { recursive: true, filter: (path) => !/^(?:gateway\.|\.lock)/.test(basename(path)) })
  return copy
}

const ask = ({ url, token }: TestGateway, sent: string | Uint8Array = body, ...headers: readonly string[]) =>
  send(`${url}/through/anthropic/v1/messages`, {
    headers: [
      'x-foreword-token',
      token,
      'x-api-key',
      'own',
      'user-agent',
      'claude-cli/2.1.330 (external, cli)',
      ...headers,
    ],
    body: sent,
  })

/** A gateway that was ended before, in the middle of and after an answer, and what it left behind each time. */
async function killedAtEveryMoment(
  t: TestContext,
  {
    sent = body,
    headers = [],
    ...options
  }: {
    sent?: string | Uint8Array
    headers?: readonly string[]
    through?: object
    environment?: Record<string, string>
  } = {},
) {
  const homes = { departed: '', answered: '', written: '' }
  const vendor = await startVendor(t, (request, outgoing) => {
    homes.departed = killedNow(t, gateway)
    return answerMessages('Hello.')(request, outgoing)
  })
  const settings = { providers: { anthropic: { kind: 'anthropic', baseURL: `${vendor.url}/v1` } }, ...options }
  const gateway = await startGateway(t, settings)
  gateway.runtime.store.watch(([entry]) => {
    if (entry?.type === 'session-start') homes.written = killedNow(t, gateway)
  })
  await ask(gateway, sent, ...headers)
  homes.answered = killedNow(t, gateway)
  const [call] = await recordedCalls(gateway)
  return { homes, gateway, call: call!, next: (home: string) => startGateway(t, { ...settings, home }) }
}

for (const [name, sent] of Object.entries({
  'a call': {},
  'a packed call': { sent: gzipSync(body), headers: ['content-encoding', 'gzip'] },
})) {
  test(`${name} that has left is on record after the next start, once, whenever its gateway was killed`, (t) =>
    isRecordedOnce(t, sent))
}

async function isRecordedOnce(t: TestContext, sent: Parameters<typeof killedAtEveryMoment>[1]): Promise<void> {
  const { homes, gateway, call, next } = await killedAtEveryMoment(t, sent)
  assert.equal(readdirSync(join(gateway.home, 'data', 'departures')).length, 0)
  const ends: Record<string, string | undefined> = {}
  for (const [moment, home] of Object.entries(homes)) {
    const again = await next(home)
    const [found, ...others] = await recordedCalls(again)
    assert.deepEqual(others, [], moment)
    assert.ok(found, moment)
    assert.deepEqual(
      [found.id, found.time, found.model, found.manifest.entries],
      [call.id, call.time, call.model, call.manifest.entries],
    )
    const { bytes } = await again.runtime
      .request(found.id, { body: true })
      .then((request) => ({ bytes: request.body ?? '' }))
    assert.equal(Buffer.from(bytes).toString(), body)
    ends[moment] = found.outcome?.foreign?.end
    if (found.outcome) {
      assert.deepEqual(found.outcome.usage, call.outcome?.usage)
      assert.equal(found.outcome.wire?.sha256, call.outcome?.wire?.sha256)
      const [exchange] = await again.runtime.foreignSessions.exchanges(found.session!, { limit: 1 })
      assert.equal(exchange?.answer?.text, 'Hello.')
    }
    await again.close()
    assert.deepEqual([again.warnings, readdirSync(join(home, 'data', 'departures'))], [[], []])
  }
  assert.equal((await recordedCalls(await next(homes.written))).length, 1)
  // How a call went that had not ended is not known; one that was answered whole is.
  assert.deepEqual(ends, { departed: undefined, answered: 'whole', written: 'whole' })
}

test('a call whose body went with the power is on record with what is known of it', async (t) => {
  const { homes, call, next } = await killedAtEveryMoment(t)
  const folder = join(homes.departed, 'data', 'departures')
  truncateSync(join(folder, readdirSync(folder)[0]!), 10)
  const again = await next(homes.departed)
  const [found, ...others] = await recordedCalls(again)
  assert.deepEqual(others, [])
  assert.deepEqual([found?.id, found?.model, found?.foreign?.client], [call.id, call.model, 'claude-code'])
  const { foreign } = found!.input as { foreign: { body: { sha256: string; bytes: number; lost: boolean } } }
  const { sha256, bytes, lost } = foreign.body
  assert.deepEqual([sha256, bytes, lost], [call.outcome?.wire?.sha256, body.length, true])
})

test('a secret of the gateway is in nothing that is kept of a call that leaves with it', async (t) => {
  const secret = 'sk-very-secret-value-of-the-gateway-42'
  const { homes, next } = await killedAtEveryMoment(t, {
    sent: body.replace('Say hello', `Say ${secret}`),
    through: { secrets: 'warn' },
    environment: { SOME_API_KEY: secret },
  })
  for (const file of readdirSync(homes.departed, { recursive: true, withFileTypes: true })) {
    if (file.isFile()) assert.ok(!readFileSync(join(file.parentPath, file.name)).includes(secret), file.name)
  }
  const again = await next(homes.departed)
  const [found] = await recordedCalls(again)
  assert.equal(found?.foreign?.client, 'claude-code')
  assert.doesNotMatch(JSON.stringify(found), new RegExp(secret))
})
