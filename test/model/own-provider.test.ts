import assert from 'node:assert/strict'
import test from 'node:test'
import { harbour } from '../../examples/05-own-provider.ts'
import { capability } from '../../src/capability.ts'
import { createModels } from '../../src/model.ts'
import { loadConfiguration } from '../../src/runtime.ts'
import { providerCases } from '../../src/testing.ts'
import { systemClock } from '../../src/platform.ts'

// The window of the catalog counts at every address.
providerCases(test, { provider: harbour, model: 'pilot-1' })

test('a provider of one’s own is known to the configuration, with its settings, and is chosen by its key', async () => {
  const load = (providers: object) =>
    loadConfiguration({
      home: '/srv/foreword',
      environment: {},
      capabilities: [capability({ name: 'harbour', models: { providers: [harbour] } })],
      read: () => Promise.resolve({ type: 'text', text: JSON.stringify({ providers }) }),
    })
  const { configuration, problems } = await load({
    pier: { kind: 'harbour', region: 'south' },
    quay: { kind: 'harbour' },
  })
  assert.deepEqual(problems, [])
  const entries = { pier: { kind: 'harbour', region: 'south' }, quay: { kind: 'harbour' } }
  assert.deepEqual(configuration.providers, entries)
  const wrong = await load({ pier: { kind: 'ollama' }, quay: { kind: 'harbour', region: 'west' } })
  assert.deepEqual(
    wrong.problems.map(({ key, message }) => [key, message]),
    [
      ['providers.pier.kind', 'must be one of harbour'],
      ['providers.quay.region', 'must be one of north, south'],
    ],
  )

  const choose = (environment: Readonly<Record<string, string>>) =>
    createModels({ clock: systemClock, known: [harbour], providers: configuration.providers, environment }).choose()
  assert.equal((await choose({ HARBOUR_API_KEY: 'k' })).id, 'pier/pilot-1')
  await assert.rejects(choose({}), /No model is attached/)
})
