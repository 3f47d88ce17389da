import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { after } from 'node:test'
import { readText } from './text-reader.ts'

const folder = mkdtempSync(join(tmpdir(), 'foreword-reader-'))
after(() => rmSync(folder, { recursive: true, force: true }))

test('a text is read without its byte order mark', async () => {
  assert.deepEqual(await reading('good.md', '\uFEFFGrüße\r\n'), { type: 'text', text: 'Grüße\r\n' })
})

test('a missing file, also below a file, is missing', async () => {
  writeFileSync(join(folder, 'file'), '')
  assert.deepEqual(await readText(join(folder, 'nothing.md')), { type: 'missing' })
  assert.deepEqual(await readText(join(folder, 'file', 'nothing.md')), { type: 'missing' })
})

test('parts that are not text are described in words', async () => {
  assert.deepEqual(await reading('latin1.md', Buffer.from([0x47, 0xfc, 0x6e])), {
    type: 'unreadable',
    why: 'it is not valid UTF-8',
  })
  assert.deepEqual(await reading('large.md', Buffer.alloc(1024 * 1024 + 1, 'a')), {
    type: 'unreadable',
    why: 'it has 1048577 bytes, more than the 1048576 allowed',
  })
  mkdirSync(join(folder, 'folder.md'))
  assert.deepEqual(await readText(join(folder, 'folder.md')), {
    type: 'unreadable',
    why: 'it is a folder, not a file',
  })
})

test('a pipe without a writer is not waited for', { skip: process.platform === 'win32' }, async () => {
  execFileSync('mkfifo', [join(folder, 'pipe.md')])
  const pipe = { type: 'unreadable', why: 'it is a pipe or a device, not a file' }
  assert.deepEqual(await readText(join(folder, 'pipe.md')), pipe)
  symlinkSync('/dev/zero', join(folder, 'endless.md'))
  assert.deepEqual(await readText(join(folder, 'endless.md')), pipe)
})

test('a file of exactly the largest size is read', async () => {
  const found = await reading('fits.md', Buffer.alloc(1024 * 1024, 'a'))
  assert.equal(found.type === 'text' && found.text.length, 1024 * 1024)
})

function reading(name: string, content: string | Buffer) {
  writeFileSync(join(folder, name), content)
  return readText(join(folder, name))
}
