import assert from 'node:assert/strict'
import { after, test, type TestContext } from 'node:test'
import { providers as known } from '../../src/capabilities/providers.ts'
import { cutSentence } from '../../src/context.ts'
import { createModels } from '../../src/model.ts'
import type { SealedManifest } from '../../src/runtime/ledger/seal.ts'
import { scriptedProvider } from '../../src/testing/scripted-provider.ts'
import { opened } from './opened.ts'
import { systemClock } from '../../src/platform.ts'

const isNoteRequest = ({ bytes }: { readonly bytes: Buffer }) =>
  bytes.toString().includes('Write the note that will stand')

const server = await scriptedProvider({
  answer: (request) =>
    isNoteRequest(request)
      ? { text: 'They agreed on feet.', usage: { promptTokens: 9_000, outputTokens: 20 } }
      : { text: `Answer. ${'The tide comes in twice a day. '.repeat(60)}` },
  models: [{ name: 'priced' }, { name: 'plain' }],
})
after(() => server.close())

const facts = { window: 20_000, maxOutput: 1_500, tools: true }
const models = createModels({
  clock: systemClock,
  known,
  environment: { KEY: 'sk-test-0123456789abcdef' },
  providers: { local: { kind: 'openai-compatible', baseURL: server.url, apiKeyEnv: 'KEY' } },
  models: { 'local/priced': { ...facts, price: { input: 1, cachedInput: 0.25, output: 4 } }, 'local/plain': facts },
})

interface Talk {
  readonly model?: string
  readonly notes?: 'model' | 'index'
  readonly cutWhen?: 'full' | 'cheaper'
}

/** Talks, and returns the accounts of the calls. */
async function talk(t: TestContext, { model = 'local/priced', notes = 'index', cutWhen = 'cheaper' }: Talk) {
  const at = await opened(t, { models, settings: { model, notes, cutWhen, reserve: 1_500, margin: 0 } })
  let session = ''
  for (let turn = 0; turn < 55; turn += 1) {
    const view = await at.say(`Question ${turn}: how high is the water?`, session === '' ? {} : { session })
    session = view.session
    await at.runtime.idle(session)
  }
  const calls = (await at.store.calls(session)).filter(({ kind }) => kind === undefined)
  return { at, session, manifests: calls.map(({ manifest }) => manifest as SealedManifest) }
}

const whys = (manifests: readonly SealedManifest[]) => manifests.flatMap(({ cutRecord }) => cutRecord?.why ?? [])

for (const notes of ['index', 'model'] as const) {
  test(`with context.cutWhen "cheaper" a cut is made where later calls win by it, and says so: notes ${notes}`, async (t) => {
    const { at, session, manifests } = await talk(t, { notes })
    assert.ok(whys(manifests).includes('worth'), whys(manifests).join())
    const cut = manifests.find(({ cutRecord }) => cutRecord?.why === 'worth')!
    const { gain, again } = cut.cutRecord!
    assert.ok(gain && gain.calls >= 8 && gain.won > gain.cost * 1.5 && gain.again >= again)
    assert.match(cutSentence(cut.cutRecord!), /some \d+ more calls are expected: they win \$0\.\d+ for \$0\.\d+\./)
    const form = cut.entries.find(({ layer }) => layer === 'note')?.form
    assert.equal(form, notes === 'model' ? 'words' : 'index')
    const { calls, identical, different } = await at.runtime.replay(session)
    assert.deepEqual([identical, different], [calls, []])
  })
}

test('a model without a price, and the usual setting, cut only where they must', async (t) => {
  for (const asked of [{ model: 'local/plain' }, { cutWhen: 'full' }] as const) {
    const { manifests } = await talk(t, asked)
    assert.deepEqual([...new Set(whys(manifests))], ['full'])
  }
})
