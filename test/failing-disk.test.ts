import assert from 'node:assert/strict'
import fs, { readFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { temporaryHome } from './cli/home.ts'
import { startCommand } from './cli/running-command.ts'

test('a gateway whose disk does not confirm what was written says so to whoever waits, and ends with a code of its own', async (t) => {
  const { home, environment } = temporaryHome(t)
  const gateway = startCommand(t, ['start', '--json'], { ...environment, FOREWORD_GATEWAY_PORT: '0' })
  const [line] = (await once(gateway.stdout, 'data')) as [Buffer]
  const { address } = JSON.parse(line.toString()) as { readonly address: string }
  const token = readFileSync(join(home, 'data', 'token'), 'utf8').trim()
  const send = (text: string) =>
    fetch(`${address}/api/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ text }),
    })
  assert.equal((await send('/say before')).status, 202)
  const { fdatasync } = fs
  const failing = (_: number, done: (error: Error) => void) => {
    fs.fdatasync = fdatasync
    syncBuiltinESMExports()
    done(Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' }))
  }
  fs.fdatasync = failing as unknown as typeof fdatasync
  syncBuiltinESMExports()
  const refused = await send('/say after')
  assert.equal(refused.status, 500)
  const { error } = (await refused.json()) as { readonly error: { readonly code: string; readonly message: string } }
  assert.equal(error.code, 'storage')
  assert.match(error.message, /^the disk did not confirm what was written to the store/i)
  assert.equal(await gateway.ended, 4)
  assert.match(gateway.stderr(), /Stopping: the disk did not confirm.*EIO/)
})

test('while the disk is full, whatever has to be written is refused with a sentence that says so, and is taken once there is room', async (t) => {
  const { home, environment } = temporaryHome(t)
  const gateway = startCommand(t, ['start', '--json'], { ...environment, FOREWORD_GATEWAY_PORT: '0' })
  const [line] = (await once(gateway.stdout, 'data')) as [Buffer]
  const { address } = JSON.parse(line.toString()) as { readonly address: string }
  const token = readFileSync(join(home, 'data', 'token'), 'utf8').trim()
  const post = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const response = await fetch(`${address}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    return { status: response.status, body: await response.text() }
  }
  const asked = {
    '/api/messages': { text: '/say hello' },
    '/api/schedules': { when: 'every hour', text: '/say hello', budget: { usd: 1 } },
    '/v1/chat/completions': { messages: [{ role: 'user', content: '/say hello' }] },
  }
  const ready = async () => {
    const response = await fetch(`${address}/health/ready`)
    return [response.status, ((await response.json()) as { readonly error?: { readonly code: string } }).error?.code]
  }
  assert.deepEqual(await ready(), [200, undefined])
  const { exec } = DatabaseSync.prototype
  const full = Object.assign(new Error('database or disk is full'), { code: 'ERR_SQLITE_ERROR', errcode: 13 })
  DatabaseSync.prototype.exec = function (sql) {
    if (sql !== 'commit') return exec.call(this, sql)
    exec.call(this, 'rollback')
    throw full
  }
  try {
    for (const [path, body] of Object.entries(asked)) {
      const refused = await post(path, body)
      assert.deepEqual([path, refused.status], [path, 507])
      assert.match(refused.body, /there is no room to write the store: free some space on the disk/i)
      assert.deepEqual(await ready(), [503, 'storage-full'])
    }
  } finally {
    DatabaseSync.prototype.exec = exec
  }
  for (const [path, body] of Object.entries(asked)) {
    assert.ok((await post(path, body)).status < 300, path)
    assert.deepEqual(await ready(), [200, undefined])
  }
})
