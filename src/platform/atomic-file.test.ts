import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { makePrivateFolder, syncFolder, writeFileAtomically, writeNewFile } from '../platform.ts'

test('a file is replaced whole, for its owner alone, and nothing is left beside it', async (context) => {
  const folder = temporary(context)
  const path = join(folder, 'a.txt')
  assert.equal(await writeFileAtomically(path, 'one'), true)
  assert.equal(statSync(path).mode & 0o777, 0o600)
  assert.equal(await writeFileAtomically(path, new TextEncoder().encode('two'), { mode: 0o644 }), true)
  assert.equal(readFileSync(path, 'utf8'), 'two')
  assert.equal(statSync(path).mode & 0o777, 0o644)
  assert.deepEqual(readdirSync(folder), ['a.txt'])
})

test('a check that refuses or throws leaves the file as it was', async (context) => {
  const folder = temporary(context)
  const path = join(folder, 'a.txt')
  writeFileSync(path, 'one')
  const seen: string[] = []
  const check = async (beside: string) => {
    seen.push(readFileSync(beside, 'utf8'))
    return false
  }
  assert.equal(await writeFileAtomically(path, 'two', { check }), false)
  await assert.rejects(writeFileAtomically(path, 'three', { check: () => Promise.reject(new Error('no')) }), /no/)
  assert.deepEqual(seen, ['two'])
  assert.equal(readFileSync(path, 'utf8'), 'one')
  assert.deepEqual(readdirSync(folder), ['a.txt'])
})

test('what cannot be put in place is cleared away', async (context) => {
  const folder = temporary(context)
  const path = join(folder, 'a')
  await makePrivateFolder(join(path, 'inside'))
  await assert.rejects(writeFileAtomically(path, 'one'))
  assert.deepEqual(readdirSync(folder), ['a'])
})

test('a new file replaces none, and takes the bits that this process gives to files', async (context) => {
  const folder = temporary(context)
  const path = join(folder, 'a.txt')
  const before = process.umask(0o027)
  try {
    await writeNewFile(path, 'one', { mode: 'umask', owner: { uid: process.getuid!(), gid: process.getgid!() } })
  } finally {
    process.umask(before)
  }
  assert.equal(statSync(path).mode & 0o777, 0o640)
  await assert.rejects(writeNewFile(path, 'two'), { code: 'EEXIST' })
  assert.equal(readFileSync(path, 'utf8'), 'one')
})

test('a private folder is made with those above it, and a folder that may not be read is as safe as it can be', async (context) => {
  const folder = join(temporary(context), 'a', 'b')
  await makePrivateFolder(folder)
  await makePrivateFolder(folder)
  assert.equal(statSync(folder).mode & 0o777, 0o700)
  chmodSync(folder, 0o300)
  await syncFolder(folder)
  chmodSync(folder, 0o700)
  await assert.rejects(syncFolder(join(folder, 'missing')), { code: 'ENOENT' })
})

function temporary(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'foreword-atomic-'))
  context.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
