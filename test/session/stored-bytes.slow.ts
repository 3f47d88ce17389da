import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { systemClock } from '../../src/platform.ts'
import { openBlobs, openStore } from '../../src/session.ts'
import { postgresForTests } from './postgres-for-tests.ts'

const { options, server: database } = postgresForTests()

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'foreword-bytes-'))
  t.after(() => rmSync(path, { recursive: true, force: true }))
  return path
}

const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const limits = { maxBytes: 10_000_000 }

test('bytes that one machine stored are read, and removed, at another', options, async (t) => {
  const path = await database().database()
  const [works, beside] = [
    await openStore({ path, clock: systemClock }),
    await openStore({ path, clock: systemClock, beside: true }),
  ]
  t.after(() => Promise.all([works.close(), beside.close()]))
  const here = folder(t)
  const [one, other] = [openBlobs(here, works.bytes), openBlobs(folder(t), beside.bytes)]
  for (const bytes of [randomBytes(3_000_001), randomBytes(1), new Uint8Array()]) {
    let kept: string | undefined
    const { hash } = await one.put([bytes], { ...limits, keep: async (blob) => (kept = blob.hash) })
    assert.equal(hash, hashOf(bytes))
    assert.equal(kept, hash)
    assert.deepEqual(Buffer.from(await other.read(hash)), Buffer.from(bytes))
    const streamed = Buffer.concat(await Array.fromAsync(other.open(hash)))
    assert.equal(hashOf(streamed), hash)
    assert.equal(await other.remove(hash, () => true), false)
    assert.equal(await other.remove(hash), true)
    await assert.rejects(openBlobs(folder(t), works.bytes).read(hash), { code: 'not-found' })
  }
  await assert.rejects(other.read('0'.repeat(64)), { code: 'not-found' })
})

test('what a machine had before it shared anything is shared, and what nobody needs goes', options, async (t) => {
  const store = await openStore({ path: await database().database(), clock: systemClock })
  t.after(() => store.close())
  const here = folder(t)
  const alone = openBlobs(here)
  const kept = await alone.put([Buffer.from('kept')], limits)
  const gone = await alone.put([Buffer.from('gone')], limits)
  await openBlobs(here, store.bytes).sweep((hash) => hash === kept.hash)
  assert.deepEqual([...(await store.bytes!.hashes())], [kept.hash])
  const elsewhere = folder(t)
  const other = openBlobs(elsewhere, store.bytes)
  assert.equal(Buffer.from(await other.read(kept.hash)).toString(), 'kept')
  await assert.rejects(other.read(gone.hash), { code: 'not-found' })
  await other.sweep(() => false)
  assert.deepEqual([...(await store.bytes!.hashes())], [])
  assert.deepEqual(readdirSync(join(elsewhere, 'incoming')), [])
})
