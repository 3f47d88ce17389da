import assert from 'node:assert/strict'
import test from 'node:test'
import { scriptedProvider } from '../src/testing.ts'
import { openedHome } from './home/opened-home.ts'

/** Windows that the configuration sets, and the room for the answer that they leave. */
const reserves = [
  [8192, 2048],
  [32_768, 8192],
  [131_072, 8192],
  [200_000, 8192],
] as const

for (const [window, reserve] of reserves) {
  test(`a window of ${window} tokens in the configuration leaves ${reserve} for the answer`, async (t) => {
    const server = await scriptedProvider({ models: [{ name: 'quiet', contextLength: null }] })
    t.after(() => server.close())
    const { runtime } = await openedHome(
      t,
      {},
      {
        model: 'lab/quiet',
        providers: { lab: { kind: 'openai-compatible', baseURL: server.url } },
        models: { 'lab/quiet': { window }, rehearsal: { window } },
      },
    )
    for (const model of ['lab/quiet', 'rehearsal']) {
      const { manifest } = await runtime.preview({ input: 'hi', model })
      assert.deepEqual([manifest.budget.window, manifest.budget.reserve], [window, reserve], model)
    }
  })
}

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
