import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { test, type TestContext } from 'node:test'
import { providers as known } from '../../src/capabilities/providers.ts'
import { tokenx, toolTokens } from '../../src/context.ts'
import { createModels } from '../../src/model.ts'
import { scriptedModel } from '../../src/testing.ts'
import { scriptedProvider } from '../../src/testing/scripted-provider.ts'
import { imageFiles } from '../document/files/image-file.ts'
import { modelsAt, providerFor } from '../model/providers.ts'
import { type Opened, opened } from './opened.ts'
import { systemClock } from '../../src/platform.ts'

const words = (count: number) => Array.from({ length: count }, (_, index) => `word${index % 10}`).join(' ')

/** A provider that reports what `count` makes of the characters that it was sent. */
const reporting = (
  count: (characters: number, n: number) => number,
  facts: object = { window: 40_000, maxOutput: 2000 },
) =>
  scriptedModel({
    facts,
    answer: (request, n) => ({
      text: `answer ${n}`,
      usage: { promptTokens: count(JSON.stringify([request.system, request.messages]).length, n) },
    }),
  })

/** What the counter makes of ordinary words, roughly. */
const tokens = (characters: number) => Math.round(characters / 3)

/** Talks until the prompts are long. */
async function longSession({ say }: Opened, turns = 8): Promise<string> {
  const { session } = await say(words(800))
  for (let n = 1; n < turns; n += 1) await say(words(800), { session })
  return session
}

const limitOf = async ({ runtime }: Opened) => (await runtime.models()).find(({ current }) => current)?.limit

test('an answer to a prompt that was possibly truncated is kept with a warning, and the next prompt is smaller', async (t) => {
  const model = reporting((characters, n) => (n <= 8 ? tokens(characters) : Math.min(4000, tokens(characters))))
  const at = await opened(t, { model })
  const session = await longSession(at)
  const short = await at.say('And now?', { session })
  assert.deepEqual([short.outcome, short.text], [{ type: 'completed' }, 'answer 9'])
  assert.deepEqual(
    short.warnings.map(({ code }) => code),
    ['prompt-read-short'],
  )
  assert.match(short.warnings[0]!.message, /reports 4000 prompt tokens, and about \d{4,} were sent.*The answer is kept/)
  const record = (await at.store.call(short.calls[0]!)) ?? assert.fail()
  assert.deepEqual([record.outcome?.warning, record.outcome?.error], [short.warnings[0], undefined])
  const [usage] = (await at.log(session)).filter((entry) => entry.type === 'usage').slice(-1)
  assert.deepEqual(usage?.type === 'usage' && usage.warning, short.warnings[0])

  const limit = (await limitOf(at)) ?? assert.fail()
  assert.deepEqual([limit.from, limit.call, limit.since], ['short-report', short.calls[0], at.clock.time()])
  assert.match(
    (await at.runtime.status()).warnings.join('\n'),
    /prompts of up to [\d,]+ tokens from .* to .*\(call call_/,
  )
  const next = await at.say('And then?', { session })
  const { manifest } = (await at.store.call(next.calls[0]!)) ?? assert.fail()
  assert.ok(manifest.used <= limit.prompt! && manifest.used < record.manifest.used, String(manifest.used))
  assert.deepEqual([next.outcome, next.warnings], [{ type: 'completed' }, []])
  assert.deepEqual((await at.runtime.replay(session)).different, [])
})

test('a server that provably cut the prompt has given no answer: its words are kept, and the next turn fits', async (t) => {
  const server = await scriptedProvider({
    answer: ({ bytes }) => ({
      text: 'So be it.',
      usage: { promptTokens: Math.min(2000, Math.round(bytes.byteLength / 5)) },
    }),
  })
  t.after(() => server.close())
  const models = createModels({
    clock: systemClock,
    known,
    providers: { ollama: { kind: 'ollama', baseURL: server.url } },
  })
  const at = await opened(t, { models, settings: { model: 'ollama/scripted' } })
  const { session } = await at.say('hello')
  const cut = await at.say(words(5000), { session })
  assert.equal(cut.outcome?.type === 'failed' && cut.outcome.code, 'prompt-truncated')
  assert.match(
    cut.outcome?.type === 'failed' ? cut.outcome.message : '',
    /prompt was truncated by the server: .* read 2000 tokens of at least 2500/,
  )
  assert.equal(cut.text, 'So be it.')
  const record = (await at.store.call(cut.calls[0]!)) ?? assert.fail()
  assert.deepEqual([record.outcome?.error?.code, record.outcome?.usage?.promptTokens], ['prompt-truncated', 2000])
  const { from, prompt } = (await limitOf(at)) ?? assert.fail()
  assert.deepEqual([from, prompt! > 1000 && prompt! < 3000], ['short-report', true])
  const next = await at.say('And now?', { session })
  assert.deepEqual([next.outcome, next.warnings], [{ type: 'completed' }, []])
  assert.ok((await at.store.call(next.calls[0]!))!.manifest.used <= prompt!)
})

test('a provider that reports only what was not in its cache is not taken to cut prompts', async (t) => {
  let before = 0
  const model = reporting((characters) => {
    const uncached = characters - before
    before = characters
    return tokens(uncached)
  })
  const at = await opened(t, { model })
  const session = await longSession(at)
  for (let n = 0; n < 4; n += 1) {
    const { outcome, warnings } = await at.say('And now?', { session })
    assert.deepEqual([outcome, warnings], [{ type: 'completed' }, []])
  }
  // Another session begins as this one did.
  before = 1000
  assert.deepEqual((await at.say('hello')).warnings, [])
  assert.equal(await limitOf(at), undefined)
  const learned = (await at.runtime.models()).find(({ current }) => current)?.calibration
  assert.ok((learned?.samples ?? 0) <= 2, 'a part of a prompt says nothing of the counter')
})

test('what an estimate has taught never stops a session', async (t) => {
  const model = reporting((characters, n) => (n === 1 ? 300 : tokens(characters)))
  const at = await opened(t, { model })
  const { session, outcome } = await at.say(words(1200))
  assert.deepEqual(outcome, { type: 'completed' })
  assert.ok(await limitOf(at))
  const next = await at.say(words(3000), { session })
  assert.deepEqual(next.outcome, { type: 'completed' })
  assert.equal(await limitOf(at), undefined, 'a larger prompt was read whole')
})

test('a provider that leaves out a cached head is not taken to cut prompts, in any session', async (t) => {
  const at = await opened(t, { model: reporting((characters, n) => (n === 1 ? tokens(characters) : 300)) })
  await mkdir(join(at.home, 'context'))
  await writeFile(join(at.home, 'context', 'system_prompt.md'), words(4000))
  await at.runtime.reload()
  for (let n = 0; n < 3; n += 1) assert.deepEqual((await at.say('hello')).warnings, [])
  assert.equal(await limitOf(at), undefined)
})

test('a prompt with images teaches nothing about the counter of texts', async (t) => {
  const at = await opened(t, { model: reporting(() => 1000, { window: 40_000, vision: true }) })
  const owner = { type: 'session', id: 'inbox' } as const
  const bytes = Readable.from([imageFiles['image/png']!(640, 480)])
  const { id } = await at.runtime.library.add({ name: 'cat.png', bytes, owner })
  await at.runtime.library.settled(id)
  const { calls, warnings } = await at.say('What is on it?', { attachments: [id] })
  const { used } = (await at.store.call(calls[0]!))!.manifest
  assert.ok(used > 1200 && used < 2000, String(used))
  const status = (await at.runtime.models()).find(({ current }) => current)
  assert.deepEqual([warnings, status?.calibration], [[], undefined])
})

test('what was read is held by our own count, as the counter was learned to be off', async (t) => {
  const model = scriptedModel({
    facts: { window: 40_000, maxOutput: 2000 },
    answer: (request, n) => {
      const texts = [request.system ?? '', ...request.messages.map(({ content }) => content as string)]
      const ofTools = request.tools.reduce((sum, tool) => sum + toolTokens(tokenx, tool), 0)
      const estimated = texts.reduce((sum, text) => sum + tokenx.perMessage + tokenx.text(text), ofTools)
      return { text: 'ok', usage: { promptTokens: n <= 4 ? Math.round(estimated * 1.5) : 1200 } }
    },
  })
  const at = await opened(t, { model })
  for (let n = 0; n < 4; n += 1) await at.say('hello')
  assert.equal((await at.say(words(4000))).warnings.length, 1)
  const status = (await at.runtime.models()).find(({ current }) => current)
  const { ratio } = status?.calibration ?? assert.fail()
  assert.ok(ratio > 1.4, String(ratio))
  assert.equal(status?.limit?.prompt, Math.floor(1200 / ratio))
})

test('a server that counts what it had cached, too, is found to cut a later prompt', async (t) => {
  const server = await providerFor(t, {
    answer: ({ bytes }) => ({
      text: 'So be it.',
      usage: { promptTokens: Math.min(1200, Math.round(bytes.byteLength / 3)), cachedTokens: 0 },
    }),
  })
  // Two tokens for each word, of which one half is certain.
  const dense = (count: number) => 'well, '.repeat(count)
  const at = await opened(t, { models: modelsAt(server.url), settings: { model: 'local/scripted' } })
  const unclear = await at.say(dense(200))
  assert.deepEqual([unclear.outcome, unclear.warnings], [{ type: 'completed' }, []])
  const noticed = await at.say(dense(1900), { session: unclear.session })
  assert.deepEqual(
    [noticed.outcome, noticed.warnings.map(({ code }) => code)],
    [{ type: 'completed' }, ['prompt-read-short']],
  )
  await at.runtime.reload()
  const other = await at.say(dense(1200))
  const proven = await at.say(dense(1400), { session: other.session })
  assert.equal(proven.outcome?.type === 'failed' && proven.outcome.code, 'prompt-truncated')
})

test('what a server can have cached proves nothing: the same message again, and the first one after a restart', async (t) => {
  const server = await providerFor(t, {
    answer: (_, n) => ({ text: 'So be it.', usage: { promptTokens: n === 1 ? 2000 : 40 } }),
  })
  const at = await opened(t, { models: modelsAt(server.url), settings: { model: 'ollama/scripted' } })
  const { session } = await at.say(words(900))
  const again = await at.say(words(900), { session, from: null })
  assert.deepEqual([again.outcome, again.warnings], [{ type: 'completed' }, []])
  const next = await at.reopened()
  const { outcome, warnings } = await next.say('And now?', { session })
  assert.deepEqual([outcome, warnings], [{ type: 'completed' }, []])
})

test('a server that reports no cache and reads little more than the newest message is found when a session comes to it', async (t) => {
  // It answers whatever it is sent, and says that it read some hundred tokens.
  const cutting = await providerFor(t, { answer: () => ({ text: 'So be it.', usage: { promptTokens: 300 } }) })
  const models = createModels({
    clock: systemClock,
    known,
    providers: {
      ollama: { kind: 'ollama', baseURL: cutting.url },
      local: { kind: 'openai-compatible', baseURL: `${(await wholeServer(t)).url}/v1` },
    },
  })
  const at = await opened(t, { models, settings: { model: 'local/scripted' } })
  const { session } = await at.say(words(300))
  await at.say(words(1200), { session })
  const cut = await at.say('And now?', { session, model: 'ollama/scripted' })
  assert.equal(cut.outcome?.type === 'failed' && cut.outcome.code, 'prompt-truncated')
  // What it may have in its cache by now proves nothing, and the model that read all of it goes on.
  await at.runtime.reload()
  const again = await at.say('And then?', { session, model: 'ollama/scripted' })
  assert.deepEqual([again.outcome, again.warnings], [{ type: 'completed' }, []])
  const back = await at.say('And now?', { session, model: 'local/scripted' })
  assert.deepEqual([back.outcome, back.warnings], [{ type: 'completed' }, []])
})

/** Reads everything, and has no cache. */
const wholeServer = (t: TestContext) =>
  providerFor(t, {
    answer: ({ bytes }) => ({ text: 'So be it.', usage: { promptTokens: Math.round(bytes.byteLength / 4) } }),
  })
