import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { systemClock } from '../../src/platform.ts'
import { openBlobs, openStore, removeDatabaseStore } from '../../src/session.ts'
import { postgresForTests } from './postgres-for-tests.ts'
import { scriptedBucket } from './scripted-bucket.ts'

const { options, server } = postgresForTests()

test(
  'the bytes of files are in a bucket where a store names one, also for another machine, and go with the store',
  options,
  async (t) => {
    const { place: files, objects } = await scriptedBucket(t)
    const path = await server().database()
    const folder = mkdtempSync(join(tmpdir(), 'foreword-bucket-'))
    t.after(() => rmSync(folder, { recursive: true }))
    const before = await openStore({ path, clock: systemClock })
    const early = await openBlobs(join(folder, 'one'), before.bytes).put([Buffer.from('early')], { maxBytes: 100 })
    await before.close()
    assert.equal(objects.size, 0)

    const store = await openStore({ path, clock: systemClock, files })
    const blobs = openBlobs(join(folder, 'one'), store.bytes)
    const late = await blobs.put([Buffer.from('late')], { maxBytes: 100 })
    assert.deepEqual([...objects.keys()], [`of-foreword/foreword/${late.hash}`])
    const elsewhere = openBlobs(join(folder, 'other'), store.bytes)
    for (const { hash, text } of [
      { hash: early.hash, text: 'early' },
      { hash: late.hash, text: 'late' },
    ])
      assert.equal(Buffer.from(await elsewhere.read(hash)).toString(), text)
    // What nothing needs goes from both places.
    await blobs.sweep((hash) => hash === late.hash)
    assert.deepEqual([...(await store.bytes!.hashes())], [late.hash])
    await store.close()
    await removeDatabaseStore({ address: path, files }, systemClock)
    assert.equal(objects.size, 0)
  },
)
