import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { builtIn } from '../src/foreword.ts'
import { compactHome } from '../src/runtime/backup/compact-home.ts'
import { backupHome, loadConfiguration } from '../src/runtime.ts'
import { openRuntime } from './home/features.ts'
import { sqliteDriver, type StoreDriver } from '../src/session.ts'
import { capability } from '../src/capability.ts'
import { memoryDriver } from '../src/testing.ts'
import { eventsOf, served } from './server/served.ts'

test('a gateway runs on the store that its configuration names, and opens no other', async (t) => {
  const { home, request, json, driver } = await gateway(t)
  const { session, turn } = await json('/api/messages', { body: { text: '/say It is a fine day.' } })
  const events = await eventsOf(await request(`/api/sessions/${session}/events?turn=${turn}`))
  assert.equal(events.at(-1)?.data.entry?.type, 'turn-end')
  const second = await json('/api/messages', { body: { session, text: '/say And so was yesterday.' } })
  const view = await json<{ text: string; calls: readonly string[] }>(
    `/api/sessions/${session}/turns/${second.turn}?wait=10000`,
  )
  assert.equal(view.text, 'And so was yesterday.')
  const outline = await (await request(`/api/calls/${view.calls[0]}/manifest?format=outline`)).text()
  assert.match(outline, /^history .* included/m)
  const replay = await json<{ calls: number; identical: number }>(`/api/sessions/${session}/replay`)
  assert.deepEqual([replay.calls, replay.identical], [2, 2])

  const kept = await driver.open({ folder: join(home, 'data'), readOnly: true })
  assert.deepEqual(
    (await kept.sessions()).map(({ id, turns }) => [id, turns]),
    [[session, 2]],
  )
  assert.deepEqual(
    readdirSync(join(home, 'data')).filter((name) => sqliteDriver.owns(name)),
    [],
  )
})

test('what a store cannot do is said before anything is done', async (t) => {
  const { home, driver } = await gateway(t)
  const file = join(home, '..', `${Date.now()}.tar.gz`)
  await assert.rejects(backupHome({ home, store: driver, file, version: '0', time: '2026-01-01T00:00:00.000Z' }), {
    code: 'unsupported',
    message: /^The store memory cannot be saved as files/,
  })
  assert.equal(existsSync(file), false)
  await assert.rejects(
    compactHome(home, driver, () => {}),
    { code: 'unsupported', message: /^The store memory cannot be compacted/ },
  )
})

test('a store that the program does not bring is no store', async (t) => {
  const home = temporaryHome(t)
  const { configuration } = await loadConfiguration({ home, capabilities: builtIn, environment: {} })
  await assert.rejects(
    openRuntime({
      capabilities: builtIn,
      home,
      configuration: { ...configuration, store: 'memory' },
      environment: {},
      version: '0',
    }),
    /store must be one of sqlite/,
  )
})

async function gateway(t: TestContext) {
  const home = temporaryHome(t)
  const driver: StoreDriver = memoryDriver()
  const capabilities = [...builtIn, capability({ name: 'memory-store', stores: [driver] })]
  const environment = { FOREWORD_STORE: 'memory', FOREWORD_MODEL: 'rehearsal' }
  const { configuration, problems } = await loadConfiguration({
    home,
    environment,
    capabilities,
  })
  assert.deepEqual(problems, [])
  const runtime = await openRuntime({ capabilities, home, configuration, environment: {}, version: '0' })
  t.after(() => runtime.close())
  return { home, driver, ...served(runtime) }
}

function temporaryHome(t: TestContext): string {
  const home = mkdtempSync(join(tmpdir(), 'foreword-memory-store-'))
  t.after(() => rmSync(home, { recursive: true, force: true }))
  return home
}
