import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { after, test, type TestContext } from 'node:test'
import { providers as known } from '../../src/capabilities/providers.ts'
import * as fc from 'fast-check'
import { chars, imageTokens, type Manifest, type Message, messageTokens } from '../../src/context.ts'
import { UNKNOWN_IMAGE_TOKENS } from '../../src/context/image.ts'
import { createModels } from '../../src/model.ts'
import { scriptedProvider } from '../../src/testing/scripted-provider.ts'
import { imageFiles } from '../document/files/image-file.ts'
import { type Opened, opened } from './opened.ts'
import { wireContent } from './wire-body.ts'
import { systemClock } from '../../src/platform.ts'

const names = ['seeing', 'blind']
const server = await scriptedProvider({
  // The whole prompt, as the provider counts it: a token for four characters, 300 for an image.
  answer: (request) => {
    const { characters, images } = wireContent(request)
    return { text: 'ok', usage: { promptTokens: Math.ceil(characters / 4) + images * 300 + 20, outputTokens: 1 } }
  },
  models: names.map((name) => ({ name })),
})
after(() => server.close())

const providers = ['ollama', 'local', 'openai', 'responses', 'anthropic'] as const
const facts = (vision: boolean) => ({ vision, window: 200_000 })
const models = createModels({
  clock: systemClock,
  known,
  environment: { KEY: 'sk-test-0123456789abcdef' },
  providers: {
    ollama: { kind: 'ollama', baseURL: server.url },
    local: { kind: 'openai-compatible', baseURL: server.url, apiKeyEnv: 'KEY' },
    openai: { kind: 'openai', baseURL: server.url, apiKeyEnv: 'KEY' },
    responses: { kind: 'openai', baseURL: server.url, api: 'responses', apiKeyEnv: 'KEY' },
    anthropic: { kind: 'anthropic', baseURL: server.url, apiKeyEnv: 'KEY' },
  },
  models: Object.fromEntries(
    providers.flatMap((provider) => names.map((name) => [`${provider}/${name}`, facts(name === 'seeing')])),
  ),
})

/** The slots that are messages. */
const messageTokensOf = ({ used, slots }: Manifest) => used - slots.tools - slots.system

async function withPicture({ runtime }: Opened): Promise<string> {
  const bytes = imageFiles['image/png']!(640, 480)
  const owner = { type: 'session', id: 'inbox' } as const
  const { id } = await runtime.library.add({ name: 'cat.png', bytes: Readable.from([bytes]), owner })
  await runtime.library.settled(id)
  return id
}

/** Some wires put a line break between two texts, which is nobody's word. */
const counter = { ...chars, text: (text: string) => text.replaceAll('\n', '').length }

const openedHere = (t: TestContext, model: string) => opened(t, { models, plugins: [], settings: { counter, model } })

for (const provider of providers) {
  test(`${provider}: an image that the model cannot see is sent, counted and recorded as a marker, turn after turn`, async (t) => {
    const at = await openedHere(t, `${provider}/blind`)
    const image = await withPicture(at)
    const { session, outcome, calls } = await at.say('What is on it?', { attachments: [image] })
    assert.deepEqual(outcome, { type: 'completed' })
    const { manifest } = (await at.store.call(calls[0]!)) ?? assert.fail()
    const { texts, characters, images } = wireContent(server.requests.at(-1)!)
    assert.deepEqual([texts.join('\n').includes('[image cat.png: this model cannot see images]'), images], [true, 0])
    assert.equal(messageTokensOf(manifest), characters)
    const entry = manifest.entries.find(({ slot }) => slot === 'input')
    assert.deepEqual(
      [entry?.form, entry?.outcome, entry?.reason, entry!.fullTokens - 'What is on it?'.length],
      ['image-marker', 'reduced', { code: 'model-cannot-see', images: 1 }, imageTokens(640, 480)],
    )
    const { request, identical } = await at.runtime.request(calls[0]!)
    assert.match(JSON.stringify(request), /this model cannot see images/)
    assert.doesNotMatch(JSON.stringify(request), /"type":"file"/)
    assert.ok(identical)

    const next = await at.say('And now?', { session })
    assert.deepEqual(next.outcome, { type: 'completed' })
    const later = (await at.store.call(next.calls[0]!)) ?? assert.fail()
    assert.equal(messageTokensOf(later.manifest), wireContent(server.requests.at(-1)!).characters)
    assert.deepEqual(
      later.manifest.entries.filter(({ slot }) => slot === 'history').map(({ form }) => form),
      ['image-marker'],
    )
    assert.deepEqual((await at.runtime.replay(session)).different, [])
    assert.deepEqual(at.warnings, [])
  })

  test(`${provider}: a session goes from a model that sees to one that does not and back`, async (t) => {
    const at = await openedHere(t, `${provider}/seeing`)
    const image = await withPicture(at)
    const { session, warnings: none } = await at.say('What is on it?', { attachments: [image] })
    assert.deepEqual(none, [])
    const input = (await at.log(session)).find(({ type }) => type === 'input')
    const attachments = [{ file: image, name: 'cat.png', kind: 'image', tokens: imageTokens(640, 480) }]
    assert.partialDeepStrictEqual(input, { attachments })
    const reading = { width: 640, height: 480, tokens: imageTokens(640, 480) }
    assert.partialDeepStrictEqual(await at.runtime.library.file(image), { state: { reading } })
    const sees = [wireContent(server.requests.at(-1)!).images]
    for (const model of ['blind', 'seeing', 'blind'].map((name) => `${provider}/${name}`)) {
      const { outcome, calls, warnings } = await at.say('And now?', { session, model })
      assert.deepEqual([outcome, warnings], [{ type: 'completed' }, []])
      const { images, characters } = wireContent(server.requests.at(-1)!)
      sees.push(images)
      const { manifest } = (await at.store.call(calls[0]!)) ?? assert.fail()
      assert.equal(messageTokensOf(manifest), characters + images * imageTokens(640, 480))
    }
    assert.deepEqual(sees, [1, 0, 1, 0])
    assert.deepEqual((await at.runtime.replay(session)).different, [])
  })

  test(`${provider}: what is counted is what the body holds, whatever is said`, async (t) => {
    const at = await openedHere(t, `${provider}/seeing`)
    const check = async (messages: readonly Message[], model: string) => {
      let call = ''
      for await (const event of at.runtime.complete({ messages, model, prompt: model.endsWith('/blind') })) {
        if (event.type === 'call-start') call = event.call
      }
      const { manifest } = (await at.store.call(call)) ?? assert.fail()
      const { characters, images, resultImages } = wireContent(server.requests.at(-1)!)
      const byAddress = server.requests.at(-1)!.bytes.toString().split('https://example.org/cat.png').length - 1
      const ofImages =
        byAddress * (UNKNOWN_IMAGE_TOKENS + 'https://example.org/cat.png'.length) +
        (images - resultImages - byAddress) * imageTokens(4, 4) +
        resultImages * messageTokens(counter, taken([]))
      assert.equal(messageTokensOf(manifest), characters + ofImages)
    }
    const cases = fc.tuple(conversation(), fc.constantFrom(...names.map((name) => `${provider}/${name}`)))
    await fc.assert(
      fc.asyncProperty(cases, ([messages, model]) => check(messages, model)),
      { numRuns: 25 },
    )
  })
}

test('images say nothing of how words are counted, not even images smaller than the words that replace them', async (t) => {
  const at = await openedHere(t, 'ollama/seeing')
  const say = async (...messages: readonly Message[]) => {
    let call = ''
    for await (const event of at.runtime.complete({ messages, model: 'ollama/seeing' })) {
      if (event.type === 'call-start') call = event.call
    }
    return (await at.store.call(call)) ?? assert.fail()
  }
  const hello: Message = { role: 'user', content: 'Hello' }
  const image = { type: 'image' as const, image: PNG, mediaType: 'image/png' }
  const look: Message = { role: 'user', content: [{ type: 'text', text: 'Look! '.repeat(100) }, image, image] }
  const before = await say(hello)
  for (let n = 0; n < 9; n += 1) await say(look)
  const later = await say(hello)
  assert.equal(later.manifest.budget.margin, before.manifest.budget.margin)
})

test('an image whose file was removed is counted and recorded as what is said of it', async (t) => {
  const at = await openedHere(t, 'local/seeing')
  const image = await withPicture(at)
  const { session } = await at.say('What is on it?', { attachments: [image] })
  await at.runtime.library.remove(image)
  const { request } = await at.runtime.preview({ session, input: 'And now?' })
  assert.match(JSON.stringify(request), /\[image cat\.png: it is no longer there\]/)
  const { calls } = await at.say('And now?', { session })
  const { manifest } = (await at.store.call(calls[0]!)) ?? assert.fail()
  const { texts, characters, images } = wireContent(server.requests.at(-1)!)
  assert.deepEqual([texts.join('').includes('it is no longer there'), images], [true, 0])
  assert.equal(messageTokensOf(manifest), characters)
  assert.deepEqual(manifest.entries.find(({ slot }) => slot === 'history')?.reason, { code: 'image-gone', images: 1 })
  assert.deepEqual((await at.runtime.replay(session)).different, [])
})

test('a session whose turns failed because of an image continues, and its calls replay', async (t) => {
  const at = await openedHere(t, 'local/seeing')
  const image = await withPicture(at)
  const { session } = await at.say('What is on it?', { attachments: [image] })
  const turn = 'turn_old'
  const { message, tokens } = (await at.log(session)).find((entry) => entry.type === 'input') ?? assert.fail()
  const failed = { type: 'failed', code: 'prompt-truncated', message: 'prompt was truncated by the server' } as const
  const said = { role: 'assistant', content: 'A cat.' } as const
  await at.store.append(
    session,
    [
      { type: 'input', turn, message, tokens },
      { type: 'turn-start', turn },
      { type: 'message', turn, message: said, tokens: { ...tokens, full: 6, least: 6 }, partial: 'interrupted' },
      { type: 'turn-end', turn, outcome: failed },
    ],
    at.clock.time(),
  )
  const now = await at.reopened({ settings: { counter, model: 'local/blind' } })
  for (let n = 0; n < 2; n += 1) {
    assert.deepEqual((await now.say('And now?', { session })).outcome, { type: 'completed' })
    const { texts, images } = wireContent(server.requests.at(-1)!)
    assert.deepEqual([texts.join('').match(/this model cannot see images/g)?.length, images], [2, 0])
  }
  assert.deepEqual((await now.runtime.replay(session)).different, [])
})

/** Texts, images by their bytes and by their address, and tools that answer with words and images. */
function conversation(): fc.Arbitrary<readonly Message[]> {
  const text = fc.stringMatching(/^[a-z]{1,12}( [a-z]{1,9}){0,4}$/)
  const image = fc.constantFrom(
    { type: 'image' as const, image: PNG, mediaType: 'image/png' },
    { type: 'image' as const, image: new URL('https://example.org/cat.png'), mediaType: 'image/png' },
    { type: 'file' as const, data: PNG, mediaType: 'image/png' },
  )
  const user = fc
    .record({ said: text, images: fc.array(image, { maxLength: 2 }) })
    .map(({ said, images }): Message => ({
      role: 'user',
      content: [{ type: 'text' as const, text: said }, ...images],
    }))
  const answer = text.map((said): readonly Message[] => [{ role: 'assistant', content: said }])
  const step = fc
    .record({ said: text, pictures: fc.integer({ min: 0, max: 2 }) })
    .map(({ said, pictures }): readonly Message[] => [
      {
        role: 'assistant',
        content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'camera', input: { at: said } }],
      },
      taken([said], pictures),
      { role: 'assistant', content: said },
    ])
  const turn = fc.tuple(user, fc.oneof(answer, step)).map(([asked, answered]) => [asked, ...answered])
  return fc.tuple(fc.array(turn, { maxLength: 3 }), user).map(([turns, last]) => [...turns.flat(), last])
}

/** What a tool answers that takes pictures. */
function taken(said: readonly string[], pictures = 1): Message {
  const texts = said.map((text) => ({ type: 'text' as const, text }))
  const images = Array.from({ length: pictures }, () => ({
    type: 'file-data' as const,
    data: PNG,
    mediaType: 'image/png',
  }))
  const output = { type: 'content' as const, value: [...texts, ...images] }
  return { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c1', toolName: 'camera', output }] }
}

const PNG = Buffer.from(imageFiles['image/png']!(4, 4)).toString('base64')
