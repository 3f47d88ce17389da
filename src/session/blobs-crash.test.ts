import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { temporaryFolder } from '../../test/session/temporary-folder.ts'
import { openBlobs } from './blobs.ts'

const blobsModule = JSON.stringify(import.meta.resolve('./blobs.ts'))

test('bytes of an interrupted upload have no hash, and a sweep removes them', async (context) => {
  const folder = await temporaryFolder(context)
  const child = spawned(
    folder,
    [],
    `
    async function* endless() {
      yield new Uint8Array(500_000)
      console.log('half')
      setInterval(() => {}, 1_000)
      await new Promise(() => {})
    }
    await blobs.put(endless(), { maxBytes: 1e9 })`,
  )
  await once(child.stdout!, 'data')
  child.kill('SIGKILL')
  await once(child, 'close')
  assert.deepEqual(await readdir(folder), ['incoming'])
  assert.deepEqual(await openBlobs(folder).sweep(() => true), { pieces: 1, blobs: 0 })
  assert.deepEqual(await readdir(folder, { recursive: true }), ['incoming'])
})

test('whenever the process is killed, every stored file is complete, and no acknowledged file is missing', async (context) => {
  const folder = await temporaryFolder(context)
  for (let round = 0; round < 3; round += 1) {
    const child = spawned(
      folder,
      [],
      `
      await Promise.all([1, 2, 3].map(async (caller) => {
        for (let count = 0; ; count += 1) {
          const piece = new TextEncoder().encode((process.pid + ' ' + caller + ' ' + count + ' ').repeat(5_000))
          const { hash } = await blobs.put([piece, piece, piece], { maxBytes: 1e9 })
          process.stdout.write(hash + '\\n')
        }
      }))`,
    )
    let said = ''
    child.stdout!.on('data', (chunk: Buffer) => (said += chunk.toString()))
    await once(child.stdout!, 'data')
    await pause(Math.random() * 60)
    child.kill('SIGKILL')
    await once(child, 'close')
    const blobs = openBlobs(folder)
    await blobs.sweep(() => true)
    const acknowledged = said.slice(0, said.lastIndexOf('\n')).split('\n')
    assert.deepEqual(
      acknowledged.filter((hash) => !existsSync(blobs.path(hash))),
      [],
    )
    for (const path of await filesIn(folder)) {
      assert.equal(
        createHash('sha256')
          .update(await readFile(path))
          .digest('hex'),
        basename(path),
      )
    }
  }
})

test(
  'where there is no room, that is said, and nothing is left',
  { skip: process.platform === 'win32' },
  async (context) => {
    const folder = await temporaryFolder(context)
    const child = spawned(
      folder,
      ['ulimit -f 64;'],
      `
    process.on('SIGXFSZ', () => {})
    const { code, message } = await blobs.put([new Uint8Array(1e6)], { maxBytes: 1e9 }).catch((error) => error)
    console.log(JSON.stringify({ code, message }))
    console.log(JSON.stringify(await blobs.put([new Uint8Array(1000)], { maxBytes: 1e9 })))`,
    )
    let said = ''
    child.stdout!.on('data', (chunk: Buffer) => (said += chunk.toString()))
    await once(child, 'close')
    const [refusal, stored] = said
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    assert.equal(refusal.code, 'full')
    assert.match(refusal.message, /free some space/)
    assert.equal(stored.bytes, 1000)
    assert.deepEqual(await filesIn(folder), [openBlobs(folder).path(stored.hash)])
  },
)

async function filesIn(folder: string): Promise<readonly string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true })
  return found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
}

/** `limits` are told to the shell before. */
function spawned(folder: string, limits: readonly string[], script: string): ChildProcess {
  const setUp = `const { openBlobs } = await import(${blobsModule}); const blobs = openBlobs(${JSON.stringify(folder)});`
  const words = [process.execPath, '--input-type=module', '--eval', `${setUp}${script}`]
  const [program, ...argv] =
    limits.length === 0 ? words : ['/bin/sh', '-c', `${limits.join(' ')} exec "$0" "$@"`, ...words]
  return spawn(program!, argv, { stdio: ['ignore', 'pipe', 'inherit'] })
}
