import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { builtIn } from '../src/foreword.ts'
import { loadConfiguration } from '../src/runtime.ts'
import { scriptedProvider } from '../src/testing.ts'
import { temporaryHome } from './cli/home.ts'
import { openRuntime } from './home/features.ts'

/** A home whose server with OpenAI's API is a script. */
async function homeWithServer(t: TestContext, set: Readonly<Record<string, string>> = {}) {
  const provider = await scriptedProvider({ answer: () => ({ text: 'Yes.' }) })
  t.after(() => provider.close())
  const { home } = temporaryHome(t)
  mkdirSync(home, { recursive: true })
  const file = join(home, 'config.json')
  const baseURL = `${provider.url}/v1`
  writeFileSync(
    file,
    JSON.stringify({ model: 'rehearsal', providers: { own: { kind: 'openai-compatible', baseURL } } }),
  )
  const environment = { FOREWORD_HOME: home, ...set }
  const { configuration } = await loadConfiguration({ home, capabilities: builtIn, environment })
  const runtime = await openRuntime({ capabilities: builtIn, home, configuration, environment, version: '0' })
  t.after(() => runtime.close())
  const written = () => JSON.parse(readFileSync(file, 'utf8')) as { readonly model: string }
  return { home, file, baseURL, setup: runtime.setup, store: runtime.store, written }
}

test('a chosen model is in the configuration and is used without a restart', async (t) => {
  const { setup, written } = await homeWithServer(t)
  await setup.chooseModel('own/test-model')
  assert.equal(written().model, 'own/test-model')
  assert.equal((await setup.options()).model.id, 'own/test-model')
})

test('a model that the environment sets is not changed, and neither is the file', async (t) => {
  const { file, setup } = await homeWithServer(t, { FOREWORD_MODEL: 'rehearsal' })
  const before = readFileSync(file, 'utf8')
  await assert.rejects(
    setup.chooseModel('own/test-model'),
    /environment variable FOREWORD_MODEL sets the model to rehearsal/,
  )
  assert.equal(readFileSync(file, 'utf8'), before)
  await setup.chooseModel('rehearsal')
})

test('an attached provider, its key and a chosen model are in the audit with who did it, and the key is not', async (t) => {
  const { baseURL, setup, store } = await homeWithServer(t)
  await setup.attach({ kind: 'openai-compatible', name: 'lab', baseURL, key: 'sk-canary-key' }, 'token:phone')
  await setup.chooseModel('lab/test-model', 'owner')
  const records = (await store.audit()).filter(({ kind, by }) => kind === 'change' && by !== 'start')
  assert.deepEqual(
    records.map(({ rule, by, reason }) => [rule, by, reason]),
    [
      ['data/keys/lab', 'token:phone', 'a key was kept in it'],
      ['config.json', 'token:phone', 'providers.lab set: a provider was attached'],
      ['config.json', 'owner', 'model set'],
    ],
  )
  assert.ok(!JSON.stringify(records).includes('canary'))
})

test('a provider that cannot be written down leaves the key that was kept before, and no new one', async (t) => {
  const { home, file, baseURL, setup } = await homeWithServer(t)
  const kept = join(home, 'data', 'keys', 'openai-compatible')
  const attach = (key: string) => setup.attach({ kind: 'openai-compatible', baseURL, key })
  writeFileSync(file, '{ this is not JSON')
  await assert.rejects(attach('sk-first'))
  assert.ok(!existsSync(kept))

  writeFileSync(file, '{}')
  await attach('sk-second')
  writeFileSync(file, '{ this is not JSON')
  await assert.rejects(attach('sk-third'))
  assert.equal(readFileSync(kept, 'utf8'), 'sk-second\n')
})
