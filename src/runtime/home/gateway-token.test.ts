import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { after } from 'node:test'
import { ensureToken, readToken } from './gateway-token.ts'

const folder = mkdtempSync(join(tmpdir(), 'foreword-token-'))
after(() => rmSync(folder, { recursive: true, force: true }))

test('the first start makes a token for the owner alone, and later ones keep it', async () => {
  const home = join(folder, 'first')
  assert.equal(await readToken(home), undefined)
  const token = await ensureToken({ home, random: (bytes) => new Uint8Array(bytes).fill(7) })
  assert.equal(token, 'BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc')
  assert.equal(await ensureToken({ home, random: () => assert.fail('no second token') }), token)
  assert.equal(await readToken(home), token)
  if (process.platform === 'win32') return
  assert.equal(statSync(join(home, 'data', 'token')).mode & 0o777, 0o600)
  assert.equal(statSync(home).mode & 0o777, 0o700)
})

test('a configured token is the one that the commands on this machine find', async () => {
  const home = join(folder, 'configured')
  const random = (bytes: number) => new Uint8Array(bytes)
  await ensureToken({ home, random })
  assert.equal(await ensureToken({ home, random, configured: 'chosen' }), 'chosen')
  assert.equal(await readToken(home), 'chosen')
})
