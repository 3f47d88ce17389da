import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../test/session/temporary-folder.ts'
import { openBlobs } from './blobs.ts'

const maxBytes = 1_000_000

test('bytes come back from under their hash, whole and in pieces', async (context) => {
  const blobs = openBlobs(await temporaryFolder(context))
  for (const bytes of [new Uint8Array(), fresh(1), fresh(64 * 1024), fresh(300_000)]) {
    const stored = await blobs.put(inPieces(bytes, 7_000), { maxBytes })
    assert.deepEqual(stored, { hash: sha256(bytes), bytes: bytes.length })
    assert.deepEqual(await blobs.read(stored.hash), bytes)
    assert.deepEqual(await gathered(blobs.open(stored.hash)), bytes)
  }
})

test('the same bytes are kept once, and nothing lies beside them', async (context) => {
  const folder = await temporaryFolder(context)
  const blobs = openBlobs(folder)
  const bytes = fresh(10_000)
  const stored = await Promise.all([100, 3_000, 10_000].map((size) => blobs.put(inPieces(bytes, size), { maxBytes })))
  assert.equal(new Set(stored.map(({ hash }) => hash)).size, 1)
  assert.deepEqual(await filesIn(folder), [blobs.path(sha256(bytes))])
})

test('one byte too many is refused at once, the rest is not asked for, and nothing is left', async (context) => {
  const folder = await temporaryFolder(context)
  const blobs = openBlobs(folder)
  let asked = 0
  let released = false
  async function* endless() {
    try {
      for (;;) {
        asked += 1
        yield fresh(1_000)
      }
    } finally {
      released = true
    }
  }
  await assert.rejects(blobs.put(endless(), { maxBytes: 9_999 }), { code: 'too-large', message: /9,999 bytes/ })
  assert.deepEqual([asked, released, await filesIn(folder)], [10, true, []])
  await blobs.put([fresh(9_999)], { maxBytes: 9_999 })
  assert.equal((await filesIn(folder)).length, 1)
})

test('an interrupted stream leaves nothing, and the error has the reason of the server', async (context) => {
  const folder = await temporaryFolder(context)
  const gone = Object.assign(new Error('the sender has gone'), { code: 'ECONNRESET' })
  async function* broken() {
    yield fresh(1_000)
    throw gone
  }
  await assert.rejects(openBlobs(folder).put(broken(), { maxBytes }), (error) => error === gone)
  assert.deepEqual(await filesIn(folder), [])
})

test('missing bytes are an error that says how to fix it', async (context) => {
  const blobs = openBlobs(await temporaryFolder(context))
  const missing = { code: 'not-found', message: /upload the file again/i }
  const hash = sha256(fresh(9))
  await assert.rejects(blobs.read(hash), missing)
  await assert.rejects(gathered(blobs.open(hash)), missing)
  assert.equal(await blobs.remove(hash), false)
})

test('only a hash leads to a path', async (context) => {
  const blobs = openBlobs(await temporaryFolder(context))
  for (const odd of ['', '../../etc/passwd', 'A'.repeat(64), `${'a'.repeat(64)}\n`, `../${'a'.repeat(61)}`]) {
    assert.throws(() => blobs.path(odd), { code: 'invalid' })
    await assert.rejects(blobs.read(odd), { code: 'invalid' })
    await assert.rejects(blobs.remove(odd), { code: 'invalid' })
  }
})

test(
  'the bytes of files can be read by their own user alone',
  { skip: process.platform === 'win32' },
  async (context) => {
    const folder = await temporaryFolder(context)
    const blobs = openBlobs(folder)
    const { hash } = await blobs.put([fresh(9)], { maxBytes })
    const places = [dirname(folder), folder, join(folder, 'incoming'), dirname(blobs.path(hash)), blobs.path(hash)]
    const modes = await Promise.all(places.map(async (place) => (await stat(place)).mode & 0o777))
    assert.deepEqual(modes, [0o700, 0o700, 0o700, 0o700, 0o600])
  },
)

test('a reader reads on while the bytes are removed, and one that stops lets go of them', async (context) => {
  const blobs = openBlobs(await temporaryFolder(context))
  const bytes = fresh(300_000)
  const { hash } = await blobs.put([bytes], { maxBytes })
  const reader = blobs.open(hash).getReader()
  await reader.read()
  const other = blobs.open(hash)
  const begun = other.getReader()
  const first = (await begun.read()).value!
  begun.releaseLock()
  assert.equal(await blobs.remove(hash), true)
  await reader.cancel()
  assert.deepEqual(Buffer.concat([first, await gathered(other)]).equals(bytes), true)
})

test('bytes that are needed stay, others go', async (context) => {
  const folder = await temporaryFolder(context)
  const blobs = openBlobs(folder)
  const [kept, left] = await Promise.all([fresh(9), fresh(10)].map((bytes) => blobs.put([bytes], { maxBytes })))
  const isNeeded = async (hash: string) => hash === kept!.hash
  assert.deepEqual([await blobs.remove(kept!.hash, isNeeded), await blobs.remove(left!.hash, isNeeded)], [false, true])
  assert.deepEqual(await filesIn(folder), [blobs.path(kept!.hash)])
  await assert.rejects(
    blobs.remove(kept!.hash, () => Promise.reject(new Error('the store is closed'))),
    /the store is closed/,
  )
  assert.equal(await blobs.remove(kept!.hash), true)
})

test('bytes that come again while they are removed are not lost', async (context) => {
  const blobs = openBlobs(await temporaryFolder(context))
  const bytes = fresh(9)
  const needed = new Set<string>()
  const isNeeded = async (hash: string) => {
    const known = needed.has(hash)
    await new Promise(setImmediate)
    return known
  }
  const keep = async ({ hash }: { hash: string }) => {
    await new Promise(setImmediate)
    needed.add(hash)
  }
  for (let round = 0; round < 50; round += 1) {
    const { hash } = await blobs.put([bytes], { maxBytes, keep })
    needed.clear()
    const removals = [blobs.remove(hash, isNeeded), blobs.sweep(isNeeded)]
    const again = blobs.put([bytes], { maxBytes, keep })
    await Promise.all([...removals, blobs.remove(hash, isNeeded), again])
    assert.deepEqual(await blobs.read(hash), bytes)
  }
})

test('a reference that cannot be stored is an error, and a sweep finds the bytes', async (context) => {
  const folder = await temporaryFolder(context)
  const blobs = openBlobs(folder)
  const keep = () => Promise.reject(new Error('the session has gone'))
  await assert.rejects(blobs.put([fresh(9)], { maxBytes, keep }), /the session has gone/)
  assert.deepEqual(await blobs.sweep(() => false), { pieces: 0, blobs: 1 })
  assert.deepEqual(await filesIn(folder), [])
})

test('a sweep takes pieces and bytes that nothing needs, but nothing that is arriving or not ours', async (context) => {
  const folder = await temporaryFolder(context)
  const blobs = openBlobs(folder)
  assert.deepEqual(await blobs.sweep(() => false), { pieces: 0, blobs: 0 })
  const [kept] = await Promise.all([fresh(9), fresh(10)].map((bytes) => blobs.put([bytes], { maxBytes })))
  await writeFile(join(folder, 'incoming', 'left-by-a-crash'), fresh(9))
  const strange = [join(folder, 'notes.txt'), join(folder, 'ab', 'notes.txt'), join(folder, 'ab', 'c'.repeat(64))]
  await mkdir(join(folder, 'ab'), { recursive: true })
  for (const path of strange) await writeFile(path, 'mine')

  let go = () => {}
  const gate = new Promise<void>((resolve) => (go = resolve))
  let begin = () => {}
  const begun = new Promise<void>((resolve) => (begin = resolve))
  async function* slow() {
    yield fresh(1_000)
    begin()
    await gate
  }
  const arriving = blobs.put(slow(), { maxBytes })
  await begun
  assert.deepEqual(await blobs.sweep((hash) => hash === kept!.hash), { pieces: 1, blobs: 1 })
  go()
  const { hash } = await arriving
  assert.deepEqual(await filesIn(folder), [...strange, blobs.path(kept!.hash), blobs.path(hash)].toSorted())
})

test('an invalid folder is reported like a failing store', async (context) => {
  const folder = await temporaryFolder(context)
  await mkdir(dirname(folder), { recursive: true })
  await writeFile(folder, 'a file stands here')
  await assert.rejects(openBlobs(folder).put([fresh(9)], { maxBytes }), { name: 'StoreError', code: 'io' })
})

let seed = 1

/** Other bytes at each call, the same in each run. */
function fresh(size: number): Uint8Array {
  const key = createHash('sha256')
    .update(String((seed += 1)))
    .digest()
  return new Uint8Array(Buffer.alloc(size, key))
}

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function gathered(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  for await (const piece of stream) pieces.push(piece)
  return new Uint8Array(Buffer.concat(pieces))
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

async function filesIn(folder: string): Promise<readonly string[]> {
  if (!existsSync(folder)) return []
  const found = await readdir(folder, { recursive: true, withFileTypes: true })
  return found
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
}
