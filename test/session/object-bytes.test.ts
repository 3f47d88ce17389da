import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sha256, systemClock } from '../../src/platform.ts'
import { openObjectBytes } from '../../src/session/postgres/object-bytes.ts'
import { scriptedBucket } from './scripted-bucket.ts'

async function* of(...pieces: readonly Uint8Array[]) {
  yield* pieces
}

async function read(bytes: AsyncIterable<Uint8Array>): Promise<readonly Uint8Array[]> {
  return Array.fromAsync(bytes)
}

test('files of any size come back from a bucket as they were, and are listed to the end', async (t) => {
  const { place, objects, uploads } = await scriptedBucket(t)
  const bytes = openObjectBytes(place, 'anna', systemClock)
  await bytes.examine()
  const large = Buffer.alloc(20 * 1024 * 1024, 'ebb and flood ')
  const files = [Buffer.from('hello'), Buffer.alloc(0), large, Buffer.from('one'), Buffer.from('more')]
  for (const file of files) await bytes.put(sha256(file), of(file.subarray(0, 9_000_000), file.subarray(9_000_000)))
  for (const file of files) {
    const pieces = await read(bytes.read(sha256(file)))
    assert.ok(pieces.length > 0)
    assert.ok(Buffer.concat(pieces).equals(file))
  }
  assert.deepEqual([...(await bytes.hashes())].toSorted(), files.map((file) => sha256(file)).toSorted())
  assert.deepEqual(
    [...objects.keys()].filter((key) => !key.startsWith('of-foreword/anna/')),
    [],
  )
  assert.equal(uploads.size, 0)
  // What another home has there is not this one's.
  const other = openObjectBytes(place, 'bob', systemClock)
  assert.equal((await other.hashes()).size, 0)
  assert.equal((await read(other.read(sha256(files[0]!)))).length, 0)
  for (const file of files) await bytes.remove(sha256(file))
  await bytes.remove(sha256('never there'))
  assert.equal(objects.size, 0)
})

test('a service that is busy is asked again, and what a stream breaks off leaves nothing', async (t) => {
  const { place, objects, uploads, busy } = await scriptedBucket(t)
  const bytes = openObjectBytes(place, 'anna', systemClock)
  busy.times = 2
  await bytes.put(sha256('a'), of(Buffer.from('a')))
  assert.equal(objects.size, 1)
  async function* breaking() {
    yield Buffer.alloc(9 * 1024 * 1024)
    yield Buffer.alloc(9 * 1024 * 1024)
    throw new Error('the browser went away')
  }
  await assert.rejects(bytes.put(sha256('b'), breaking()), /the browser went away/)
  assert.deepEqual([objects.size, uploads.size], [1, 0])
})

test('a bucket that is gone is not a file that was never there', async (t) => {
  const { place } = await scriptedBucket(t)
  const gone = openObjectBytes({ ...place, address: `${new URL(place.address).origin}/gone` }, 'anna', systemClock)
  for (const work of [() => read(gone.read(sha256('a'))), () => gone.remove(sha256('a')), () => gone.hashes()])
    await assert.rejects(work, /NoSuchBucket/)
})

test('what a bucket refuses is said with what to do, and without the key', async (t) => {
  const { place, asked } = await scriptedBucket(t)
  for (const [change, said] of [
    [{ secretKey: 'of-somebody-else' }, /^Cannot use the bucket http.*\/team: it answered 403 \(SignatureDoesNotMatch/],
    [{ address: `${new URL(place.address).origin}/other` }, /\/other: it answered 404 \(NoSuchBucket/],
    [{ address: 'http://127.0.0.1:9/team' }, /^Cannot use the bucket http:\/\/127\.0\.0\.1:9\/team: /],
  ] as const) {
    await assert.rejects(openObjectBytes({ ...place, ...change }, 'anna', systemClock).examine(), (error: Error) => {
      assert.match(error.message, said)
      assert.match((error as Error & { hint: string }).hint, /foreword doctor/)
      assert.ok(!JSON.stringify([error.message, error.stack]).includes('of-somebody-else'))
      return true
    })
  }
  assert.ok(asked.every((request) => !request.includes(place.secretKey)))
})
