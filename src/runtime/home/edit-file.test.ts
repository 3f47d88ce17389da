import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { chmod, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { editFile, type FileEdit, FileEditError } from './edit-file.ts'
import { systemClock } from '../../platform.ts'

const accept = () => {}

test('a change keeps permission bits, the byte order mark and the link, and leaves nothing beside the file', async (t) => {
  const { home, path } = await place(t)
  const real = join(home, 'dotfiles.json')
  await writeFile(real, '\uFEFF{}\r\n', { mode: 0o640 })
  await chmod(real, 0o640)
  await symlink(real, path)
  assert.equal(
    await editFile({ clock: systemClock, home, path, change: (text) => text.replace('{}', '{"a": 1}'), check: accept }),
    true,
  )
  assert.equal(await readFile(path, 'utf8'), '\uFEFF{"a": 1}\r\n')
  assert.equal((await stat(real)).mode & 0o777, 0o640)
  assert.deepEqual((await readdir(home)).toSorted(), ['data', 'dotfiles.json', 'file.json'])
  assert.deepEqual(await readdir(join(home, 'data')), ['.lock'])
})

test('a new file is for its owner alone', async (t) => {
  const { home, path } = await place(t)
  await editFile({ clock: systemClock, home, path, change: () => '{}', check: accept })
  assert.equal((await stat(path)).mode & 0o777, 0o600)
})

test('what changes nothing writes nothing', async (t) => {
  const { home, path } = await place(t, '{}')
  const { ino } = await stat(path)
  const check = () => assert.fail('there is nothing to check')
  assert.equal(await editFile({ clock: systemClock, home, path, change: (text) => text, check }), false)
  assert.equal((await stat(path)).ino, ino)
})

for (const [what, edit, message] of [
  [
    'what its reader would refuse',
    {
      change: () => '{"a":',
      check(text: string) {
        JSON.parse(text)
      },
    },
    /JSON/,
  ],
  [
    'what would be too long to be read',
    { change: () => ' '.repeat(1024 * 1024 + 1), check: accept },
    /could not be read/,
  ],
] as const) {
  test(`${what} is not put in the place of the file`, async (t) => {
    const { home, path } = await place(t, '{"mine": 1}')
    await assert.rejects(editFile({ clock: systemClock, home, path, ...edit }), message)
    assert.equal(await readFile(path, 'utf8'), '{"mine": 1}')
    assert.deepEqual((await readdir(home)).toSorted(), ['data', 'file.json'])
  })
}

test('the check is given what is on the disk, as its reader reads it', async (t) => {
  const { home, path } = await place(t)
  const checked: string[] = []
  await editFile({
    clock: systemClock,
    home,
    path,
    change: () => '\uFEFF{"é": 1}',
    check: (text) => void checked.push(text),
  })
  assert.deepEqual(checked, ['{"é": 1}'])
})

test('of many changes at once none is lost', async (t) => {
  const { home, path } = await place(t, '')
  const names = Array.from({ length: 20 }, (_, index) => `n${index}`)
  const add = (name: string): FileEdit => ({
    clock: systemClock,
    home,
    path,
    change: (text) => `${text}${name}\n`,
    check: accept,
  })
  await Promise.all(names.map((name) => editFile(add(name))))
  assert.deepEqual((await readFile(path, 'utf8')).trim().split('\n').toSorted(), names.toSorted())
})

test('what somebody writes meanwhile is kept, and changed in turn', async (t) => {
  const { home, path } = await place(t, 'old\n')
  let writes = 0
  const edit: FileEdit = {
    clock: systemClock,
    home,
    path,
    change: (text) => `${text}mine\n`,
    check() {
      if (writes++ > 0) return
      // An editor saves between the reading and the replacing, with the same length.
      writeFileSync(path, 'new\n')
    },
  }
  assert.equal(await editFile(edit), true)
  assert.equal(await readFile(path, 'utf8'), 'new\nmine\n')
})

test('a file that is not text, or is a folder, is named and left alone', async (t) => {
  const { home, path } = await place(t)
  await writeFile(path, Buffer.from([0xff, 0xfe, 0x00]))
  const edit = {
    clock: systemClock,
    home,
    path,
    change: () => assert.fail('there is nothing to change'),
    check: accept,
  }
  await assert.rejects(
    editFile(edit),
    (error) => error instanceof FileEditError && /not valid UTF-8/.test(error.message),
  )
  await assert.rejects(editFile({ ...edit, path: join(home, 'data') }), /it is a folder, not a file/)
})

test('a file that its owner made read-only stays as it is', { skip: process.getuid?.() === 0 }, async (t) => {
  const { home, path } = await place(t, '{}')
  await chmod(path, 0o400)
  await assert.rejects(
    editFile({ clock: systemClock, home, path, change: () => '{"a": 1}', check: accept }),
    /is read-only/,
  )
  assert.equal(await readFile(path, 'utf8'), '{}')
})

test('a place that cannot be written is a sentence, and nothing is left', async (t) => {
  const { home } = await place(t)
  const path = join(home, 'missing', 'file.json')
  await assert.rejects(
    editFile({ clock: systemClock, home, path, change: () => '{}', check: accept }),
    /was left as it is/,
  )
})

async function place(t: TestContext, text?: string): Promise<{ home: string; path: string }> {
  const home = await mkdtemp(join(tmpdir(), 'foreword-edit-'))
  t.after(() => rm(home, { recursive: true }))
  const path = join(home, 'file.json')
  if (text !== undefined) await writeFile(path, text)
  return { home, path }
}
