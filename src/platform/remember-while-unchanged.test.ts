import assert from 'node:assert/strict'
import { linkSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { rememberWhileUnchanged } from './remember-while-unchanged.ts'
import { systemClock } from './system-clock.ts'

const isLinux = process.platform === 'linux'

async function remembered(context: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'foreword-remember-'))
  const file = join(folder, 'inner', 'file')
  let reads = 0
  const text = rememberWhileUnchanged(systemClock, { folders: [join(folder, 'inner')], files: [file] }, async () => {
    reads += 1
    return readFile(file, 'utf8').catch(() => 'missing')
  })
  context.after(async () => {
    text.close()
    await rm(folder, { recursive: true, force: true })
  })
  return { folder, file, value: text.value, reads: () => reads }
}

test('what is remembered is never older than the question, however a file changes', async (context) => {
  const { folder, file, value, reads } = await remembered(context)
  assert.equal(await value(), 'missing')
  mkdirSync(join(folder, 'inner'))
  assert.equal(await value(), 'missing')
  writeFileSync(file, 'one')
  assert.equal(await value(), 'one')
  writeFileSync(file, 'two')
  assert.equal(await value(), 'two')
  writeFileSync(join(folder, 'next'), 'six')
  renameSync(join(folder, 'next'), file)
  assert.equal(await value(), 'six')
  const before = reads()
  for (let time = 0; time < 3; time += 1) assert.equal(await value(), 'six')
  assert.equal(reads() - before, isLinux ? 0 : 3)
  rmSync(join(folder, 'inner'), { recursive: true })
  assert.equal(await value(), 'missing')
})

test('a file behind a link or with a second name is read each time', async (context) => {
  for (const makeLink of [symlinkSync, linkSync]) {
    const { folder, file, value } = await remembered(context)
    mkdirSync(join(folder, 'inner'))
    const other = join(folder, 'other')
    writeFileSync(other, 'one')
    makeLink(other, file)
    assert.equal(await value(), 'one')
    writeFileSync(other, 'two')
    assert.equal(await value(), 'two')
  }
})
