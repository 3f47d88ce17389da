import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { scriptedProvider } from '../src/testing.ts'
import { openedHome, type OpenedHome, until } from './home/opened-home.ts'

/** Windows that the configuration sets, and the room for the answer that they leave. */
const reserves = [
  [8192, 2048],
  [32_768, 8192],
  [131_072, 8192],
  [200_000, 8192],
] as const

for (const [window, reserve] of reserves) {
  test(`a window of ${window} tokens in the configuration leaves ${reserve} for the answer`, async (t) => {
    const models = { 'lab/quiet': { window }, rehearsal: { window } }
    const { runtime } = await openedHome(t, {}, { ...(await labOf(t)), models })
    for (const model of ['lab/quiet', 'rehearsal']) {
      const { manifest } = await runtime.preview({ input: 'hi', model })
      assert.deepEqual([manifest.budget.window, manifest.budget.reserve], [window, reserve], model)
    }
  })
}

test('the longest answer of a model is kept free where that leaves half of the window, and always in the preset deepchat', async (t) => {
  const models = {
    'lab/half': { window: 64_000, maxOutput: 32_000 },
    'lab/more': { window: 64_000, maxOutput: 32_001 },
    'lab/short': { window: 64_000, maxOutput: 1_000 },
  }
  for (const [layout, reserve, kept] of [
    ['auto', undefined, [32_000, 8_192, 1_000]],
    ['deepchat', undefined, [32_000, 32_001, 1_000]],
    ['deepchat', 3_000, [3_000, 3_000, 3_000]],
  ] as const) {
    const configuration = { ...(await labOf(t)), models, context: { layout, ...(reserve && { reserve }) } }
    const { runtime } = await openedHome(t, {}, configuration)
    const previews = await Promise.all(Object.keys(models).map((model) => runtime.preview({ input: 'hi', model })))
    assert.deepEqual(
      previews.map(({ manifest }) => manifest.budget.reserve),
      kept,
    )
  }
})

test('the list of models says which figures were assumed', async (t) => {
  const { runtime } = await openedHome(
    t,
    {},
    {
      model: 'lab/quiet',
      providers: { lab: { kind: 'openai-compatible', baseURL: 'http://127.0.0.1:1/v1' } },
      models: { 'lab/quiet': { window: 32_768, vision: true } },
    },
  )
  const current = (await runtime.models()).find(({ id }) => id === 'lab/quiet')
  assert.deepEqual(current?.facts?.assumed, ['maxOutput', 'tools', 'reasoning'])
})

async function labOf(t: TestContext) {
  const server = await scriptedProvider({ models: [{ name: 'quiet', contextLength: null }] })
  t.after(() => server.close())
  return { model: 'lab/quiet', providers: { lab: { kind: 'openai-compatible', baseURL: server.url } } }
}

/** A home whose model holds 8,192 tokens, with a project of one file of about 3,480. */
async function homeWithProject(t: TestContext, layout: string) {
  const opened = await openedHome(
    t,
    { 'tool-access.json': '{"global": {"mode": "full"}}', 'context/system_prompt.md': 'Be kind. '.repeat(90) },
    { context: { layout }, models: { rehearsal: { window: 8192 } } },
  )
  const { runtime } = opened
  const project = await runtime.projects.create({ name: 'Harbour', instructions: '' })
  const bytes = new Blob(['The tide comes and the tide goes again. '.repeat(386)]).stream()
  const { id } = await runtime.library.add({ name: 'tides.txt', bytes, owner: { type: 'project', id: project.id } })
  const file = await until(async () => {
    const row = await runtime.library.file(id)
    return row.state.type === 'processing' ? undefined : row
  })
  assert.ok(file.state.type === 'ready' && file.state.reading.kind === 'text')
  assert.ok(file.state.reading.tokens >= 3400 && file.state.reading.tokens < 3686, String(file.state.reading.tokens))
  const { id: session } = await runtime.newSession({ project: project.id })
  return { opened, session }
}

async function projectEntry({ runtime }: OpenedHome, session: string) {
  const { manifest, request } = await runtime.preview({ session, input: 'hi' })
  const entry = manifest.entries.find(({ layer }) => layer === 'project')
  return { entry, manifest, offered: request.tools.map(({ name }) => name) }
}

test('a project never makes a short message overflow: beside tools, system, margin and a message it is searched', async (t) => {
  const { opened, session } = await homeWithProject(t, 'auto')
  const { entry, manifest, offered } = await projectEntry(opened, session)
  assert.equal(entry?.outcome, 'omitted')
  assert.equal(entry.reason?.code, 'project-too-large')
  assert.ok(Number(entry.reason.limit) < 3400)
  assert.ok(manifest.budget.available - manifest.used >= 8192 / 4, 'an ordinary message still fits')
  assert.ok(offered.includes('search_project'), offered.join(' '))
  const said = await opened.say('/say Hello.', session)
  assert.equal(said.text, 'Hello.')
})

test('the preset onyx keeps to 60 % of the window without the room for the answer', async (t) => {
  const { opened, session } = await homeWithProject(t, 'onyx')
  const { entry, offered } = await projectEntry(opened, session).catch((error: unknown) => {
    const { facts } = error as { facts: { manifest: { entries: readonly { layer: string }[] } } }
    return { entry: facts.manifest.entries.find(({ layer }) => layer === 'project') as never, offered: [] as string[] }
  })
  assert.notEqual(entry?.outcome, 'omitted')
  assert.deepEqual(entry?.reason, { code: 'project-fits', tokens: entry?.reason?.tokens, limit: 3686, files: 1 })
  assert.ok(!offered.includes('search_project'))
})
