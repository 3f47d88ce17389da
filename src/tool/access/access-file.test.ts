import assert from 'node:assert/strict'
import { mkdtemp, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { accessFile } from './access-file.ts'
import type { TextRead, TextReader } from '../text-reader.ts'

test('a missing file is all defaults, and a change is seen at the next look', async (context) => {
  const path = await place(context)
  const file = accessFile([path], {}, reader())
  assert.equal(await modeOf(file), 'allowlist')
  await writeFile(path, '{"global": {"mode": "full"}}')
  assert.equal(await modeOf(file), 'full')
  await writeFile(path, '{"global": {"mode": "off"}}')
  assert.equal(await modeOf(file), 'off')
  await writeFile(path, '{"global": {"mode":')
  assert.equal(await modeOf(file), 'faulty')
  await rm(path)
  assert.equal(await modeOf(file), 'allowlist')
})

test('a file that was put in its place with the same size and time is seen', async (context) => {
  const path = await place(context)
  const time = new Date('2026-01-02T03:04:05Z')
  await writeFile(path, '{"global": {"enabled": true, "mode": "full"}} ')
  await utimes(path, time, time)
  const file = accessFile([path], {}, reader())
  assert.equal(await modeOf(file), 'full')
  await writeFile(`${path}.new`, '{"global": {"enabled": true, "mode": "off"}}  ')
  await utimes(`${path}.new`, time, time)
  await rename(`${path}.new`, path)
  assert.equal(await modeOf(file), 'off')
})

test('what a link points to is what counts', async (context) => {
  const path = await place(context)
  await writeFile(`${path}.real`, '{"global": {"mode": "full"}}')
  await symlink(`${path}.real`, path)
  const file = accessFile([path], {}, reader())
  assert.equal(await modeOf(file), 'full')
  await writeFile(`${path}.real`, '{"global": {"mode": "off"}}')
  assert.equal(await modeOf(file), 'off')
})

test('an edit of equal length in place counts, whatever the times of the file say', async (context) => {
  const path = await place(context)
  const time = new Date('2026-01-02T03:04:05Z')
  const file = accessFile([path], {}, reader())
  // Often, since two edits within one tick of the clock leave even the time of the change as it was.
  for (let round = 0; round < 50; round++) {
    for (const mode of ['full', 'off']) {
      await writeFile(path, `{"global": {"mode": "${mode}"}}`.padEnd(40))
      await utimes(path, time, time)
      assert.equal(await modeOf(file), mode)
    }
  }
})

test('the same text is the same policy, and is not taken apart again', async (context) => {
  const path = await place(context)
  const file = accessFile([path], {}, reader())
  for (const text of [undefined, '{"global": {"mode": "full"}}', '{"global": {"mode": ']) {
    if (text !== undefined) await writeFile(path, text)
    assert.equal(await file.current(), await file.current())
  }
})

test('of several places the first that is there counts, also where it cannot be read', async (context) => {
  const path = await place(context)
  const file = accessFile([path, `${path}.other`], {}, reader())
  await writeFile(`${path}.other`, '{"global": {"mode": "full"}}')
  assert.equal(await modeOf(file), 'full')
  await writeFile(path, '{}')
  assert.equal(await modeOf(file), 'allowlist')
  await rm(path)
  assert.equal(await modeOf(file), 'full')
  const looks: string[] = []
  const locked = accessFile([path, `${path}.other`], {}, async (asked) => {
    looks.push(asked)
    return { type: 'unreadable', why: 'it may not be read (permissions)' }
  })
  assert.equal(await modeOf(locked), 'faulty')
  assert.deepEqual(looks, [path])
})

test('a file that cannot be read allows nothing and says why', async (context) => {
  const path = await place(context)
  const file = accessFile([path], {}, async () => ({ type: 'unreadable', why: 'it is a pipe or a device, not a file' }))
  assert.deepEqual(await file.current(), {
    type: 'faulty',
    problems: ['it cannot be read: it is a pipe or a device, not a file'],
  })
})

test('the environment overrides the file', async (context) => {
  const path = await place(context)
  await writeFile(path, '{"tools": {"shell": {"timeoutMs": 5}}}')
  const read = await accessFile([path], { SHELL_TOOL_TIMEOUT_MS: '7' }, reader()).current()
  assert.equal(read.type === 'access' && read.access.shell.timeoutMs, 7)
  assert.equal(await modeOf(accessFile([path], { SHELL_TOOL_MODE: 'x' }, reader())), 'faulty')
})

async function place(context: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'foreword-access-'))
  context.after(() => rm(folder, { recursive: true }))
  return join(folder, 'tool-access.json')
}

async function modeOf(file: ReturnType<typeof accessFile>): Promise<string> {
  const read = await file.current()
  return read.type === 'faulty' ? 'faulty' : read.access.global.mode
}

function reader(): TextReader {
  return async (path): Promise<TextRead> => {
    const { readFile } = await import('node:fs/promises')
    try {
      return { type: 'text', text: await readFile(path, 'utf8') }
    } catch {
      return { type: 'missing' }
    }
  }
}
