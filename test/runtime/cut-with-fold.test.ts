import assert from 'node:assert/strict'
import { after, test, type TestContext } from 'node:test'
import { providers as known } from '../../src/capabilities/providers.ts'
import { createModels } from '../../src/model.ts'
import type { SealedManifest } from '../../src/runtime/calls/seal.ts'
import { scriptedProvider } from '../../src/testing/scripted-provider.ts'
import { homelyPlugins, type Opened, opened } from './opened.ts'
import { systemClock } from '../../src/platform.ts'

const server = await scriptedProvider({
  answer: ({ bytes }) =>
    // A model that writes no note.
    bytes.toString().includes('Write the note that will stand')
      ? { text: ' ' }
      : { text: `Answer. ${'The tide comes in twice a day. '.repeat(20)}` },
  models: [{ name: 'small' }],
})
after(() => server.close())

const models = createModels({
  clock: systemClock,
  known,
  environment: { KEY: 'sk-test-0123456789abcdef' },
  providers: { local: { kind: 'openai-compatible', baseURL: server.url, apiKeyEnv: 'KEY' } },
  models: { 'local/small': { window: 4_000, maxOutput: 600, tools: true } },
})

async function last(at: Opened, session: string): Promise<SealedManifest> {
  const calls = (await at.store.calls(session)).filter(({ kind }) => kind === undefined)
  return calls.at(-1)!.manifest as SealedManifest
}

/** Talks until the next cut is near and the prompt still fits. */
async function nearlyFull(t: TestContext, notes: 'model' | 'index', plugins = homelyPlugins()) {
  const settings = { model: 'local/small', notes, reserve: 600, margin: 0 }
  const at = await opened(t, { models, settings, plugins })
  let session: string | undefined
  for (let turn = 0; ; turn += 1) {
    const view = await at.say(`Question ${turn}: how high is the water?`, session === undefined ? {} : { session })
    session = view.session
    const { used, budget } = await last(at, session)
    if (used > budget.available * 0.85) return { at, session }
  }
}

const told = { system: 'You are a poet.' }

test('a head that is composed again in a nearly full prompt is cut in the same call, and paid for once', async (t) => {
  const { at, session } = await nearlyFull(t, 'index')
  await at.say('And in verse?', { session, ...told })
  const folded = await last(at, session)
  assert.equal(folded.cutRecord?.why, 'head-changed')
  assert.equal(folded.cutRecord.again, 0)
  assert.ok(folded.used < folded.budget.available * 0.6)
  await at.say('And then?', { session, ...told })
  const next = await last(at, session)
  assert.equal(next.cutRecord, undefined)
  assert.ok(next.reuse!.tokens >= folded.used)
  assert.deepEqual((await at.runtime.replay(session)).different, [])
})

test('the same holds where the owner asks for a head that is composed again', async (t) => {
  const { at, session } = await nearlyFull(t, 'index')
  await at.store.append(session, [{ type: 'fold' }], at.clock.time())
  await at.say('And now?', { session })
  assert.equal((await last(at, session)).cutRecord?.why, 'head-changed')
  assert.deepEqual((await at.runtime.replay(session)).different, [])
})

test('what is announced for a head that is composed again is what its call sends again, with the cut that it makes', async (t) => {
  let rule = 'Be brief.'
  const rules = {
    name: 'rules',
    version: '1',
    layers: async () => [{ id: 'rules', layer: 'instructions', renditions: [{ form: 'full' as const, text: rule }] }],
  }
  const { at, session } = await nearlyFull(t, 'index', [...homelyPlugins(), rules])
  const { used } = await last(at, session)
  rule = 'Be very brief.'
  const { folded } = await at.runtime.reload({ now: true, session })
  await at.say('And now?', { session })
  const { cutRecord, reuse } = await last(at, session)
  assert.equal(cutRecord?.why, 'head-changed')
  assert.deepEqual(folded, [
    { session, tokens: reuse!.again, money: 0, cut: { turns: cutRecord.turns, tokens: cutRecord.hidden } },
  ])
  assert.ok(reuse!.again! < used * 0.5)
})

test('where a model was to write the note and has written none, a head that is composed again makes no cut', async (t) => {
  const { at, session } = await nearlyFull(t, 'model')
  await at.say('And in verse?', { session, ...told })
  const { cutRecord, used, budget } = await last(at, session)
  assert.ok(used > budget.available * 0.8)
  assert.equal(cutRecord, undefined)
})
