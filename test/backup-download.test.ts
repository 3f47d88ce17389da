import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { run } from './cli/recorded-io.ts'
import { realGateway } from './end-to-end/gateway.ts'

interface State {
  readonly running?: object
  readonly failed?: { readonly message: string }
  readonly ready?: { readonly id: string; readonly name: string; readonly bytes: number; readonly files: number }
  readonly made: readonly { readonly bytes: number }[]
}

async function home(t: TestContext) {
  const gateway = await realGateway(t, { answer: () => ({ text: 'Good morning.' }) })
  await gateway.say('Hello.')
  const headers = { authorization: `Bearer ${gateway.token}` }
  const send = (method: string, path: string) => fetch(`${gateway.url}${path}`, { method, headers })
  const made = async (): Promise<State> => {
    assert.equal((await send('POST', '/api/backups')).status, 202)
    for (;;) {
      const state = (await (await send('GET', '/api/backups')).json()) as State
      if (!state.running) return state
      await wait(50)
    }
  }
  return { gateway, send, made }
}

test('an archive is made beside the running gateway, downloaded whole, and restored', async (t) => {
  const { gateway, send, made } = await home(t)
  writeFileSync(join(gateway.home, 'tool-access.json'), '{}')
  const { ready, made: list } = await made()
  const answer = await send('GET', `/api/backups/${ready!.id}/archive`)
  assert.match(answer.headers.get('content-disposition')!, /^attachment; filename="foreword-[\d-]+\.tar\.gz"$/)
  const bytes = Buffer.from(await answer.arrayBuffer())
  assert.equal(bytes.length, ready!.bytes)
  assert.deepEqual(
    list.map((each) => each.bytes),
    [ready!.bytes],
  )
  const folder = mkdtempSync(join(tmpdir(), 'foreword-download-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'saved.tar.gz')
  writeFileSync(file, bytes)
  const restored = join(folder, 'home')
  const { code, stderr } = await run(['restore', file], { environment: { FOREWORD_HOME: restored } })
  assert.equal(code, 0, stderr)
  for (const name of ['config.json', 'tool-access.json', 'data/token']) {
    assert.equal(readFileSync(join(restored, name), 'utf8'), readFileSync(join(gateway.home, name), 'utf8'), name)
  }
})

test('it has what `foreword backup` saves, and no earlier archive in it', async (t) => {
  const { gateway, made } = await home(t)
  await made()
  const { ready } = await made()
  const { stdout } = await gateway.foreword('backup', '--json', join(gateway.home, '..', 'saved.tar.gz'))
  assert.equal(ready!.files, (JSON.parse(stdout) as { readonly files: number }).files)
})

test('an archive that is gone says so, and nothing of it stays when the gateway stops', async (t) => {
  const { gateway, send, made } = await home(t)
  const first = await made()
  await made()
  const gone = await send('GET', `/api/backups/${first.ready!.id}/archive`)
  assert.equal(gone.status, 404)
  assert.match(await gone.text(), /is gone/)
  await gateway.stop()
  assert.deepEqual(
    readdirSync(join(gateway.home, 'data')).filter((name) => name.startsWith('backup-')),
    [],
  )
  assert.ok(existsSync(join(gateway.home, 'data', 'token')))
})
