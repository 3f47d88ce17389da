import assert from 'node:assert/strict'
import { mkdtemp, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { accessFile, type AccessFileRead, type AccessReader } from './access-file.ts'

test('a missing file is all defaults, and a change is seen at the next look', async (context) => {
  const path = await place(context)
  const file = accessFile(path, {}, reader())
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
  const file = accessFile(path, {}, reader())
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
  const file = accessFile(path, {}, reader())
  assert.equal(await modeOf(file), 'full')
  await writeFile(`${path}.real`, '{"global": {"mode": "off"}}')
  assert.equal(await modeOf(file), 'off')
})

test('a file is read once for as long as it stays the same', async (context) => {
  const path = await place(context)
  await writeFile(path, '{"global": {"mode": "full"}}')
  const looks: string[] = []
  const file = accessFile(path, {}, reader(looks))
  for (let time = 0; time < 3; time++) assert.equal(await modeOf(file), 'full')
  assert.deepEqual(looks, [path])
})

test('a file that cannot be read allows nothing and says why', async (context) => {
  const path = await place(context)
  const file = accessFile(path, {}, async () => ({ type: 'unreadable', why: 'it is a pipe or a device, not a file' }))
  assert.deepEqual(await file.current(), {
    type: 'faulty',
    problems: ['it cannot be read: it is a pipe or a device, not a file'],
  })
})

test('the environment stands over the file', async (context) => {
  const path = await place(context)
  await writeFile(path, '{"tools": {"shell": {"timeoutMs": 5}}}')
  const read = await accessFile(path, { SHELL_TOOL_TIMEOUT_MS: '7' }, reader()).current()
  assert.equal(read.type === 'access' && read.access.shell.timeoutMs, 7)
  assert.equal(await modeOf(accessFile(path, { SHELL_TOOL_MODE: 'x' }, reader())), 'faulty')
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

function reader(looks: string[] = []): AccessReader {
  return async (path): Promise<AccessFileRead> => {
    looks.push(path)
    const { readFile } = await import('node:fs/promises')
    try {
      return { type: 'text', text: await readFile(path, 'utf8') }
    } catch {
      return { type: 'missing' }
    }
  }
}
