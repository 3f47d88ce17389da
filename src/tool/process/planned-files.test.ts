import assert from 'node:assert/strict'
import { chmod, mkdir, mkdtemp, realpath, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { findPlannedFiles, pathOutside, plannedFilesChange } from './planned-files.ts'

const SYSTEM = process.env['PATH'] ?? ''

/** A folder with a workspace in it, where every file is a program. */
async function place(t: TestContext, files: Readonly<Record<string, string>> = {}) {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'planned-')))
  t.after(() => rm(folder, { recursive: true }))
  const workspace = join(folder, 'workspace')
  await mkdir(join(workspace, 'bin'), { recursive: true })
  for (const [name, text] of Object.entries(files)) await write(join(workspace, name), text)
  return { folder, workspace, at: { folder: workspace, path: SYSTEM, workspace } }
}

async function write(path: string, text: string) {
  await writeFile(path, text)
  await chmod(path, 0o755)
}

/** Whether a command counts as changed, once one of its files has been written again. */
async function noticed(t: TestContext, argv: readonly string[], changed: string) {
  const { workspace, at } = await place(t, {
    'job.mjs': 'one',
    'before.mjs': 'one',
    'data.json': '1',
    'job.sh': '#!/bin/sh\n',
  })
  const words = argv.map((word) => word.replaceAll('HERE', workspace))
  const planned = await findPlannedFiles(words, at)
  assert.ok(!('why' in planned))
  assert.equal(await plannedFilesChange(planned, words, at), undefined)
  await write(join(workspace, changed), 'two')
  return plannedFilesChange(planned, words, at)
}

test('every file that the words of an interpreter name is planned, whatever the option', async (t) => {
  for (const argv of [
    ['node', '--import', './before.mjs', 'job.mjs'],
    ['node', '--import=./before.mjs', 'job.mjs'],
    ['node', '-r./before.mjs', 'job.mjs'],
    ['node', '-r', './before.mjs', 'job.mjs'],
    ['node', '--env-file=before.mjs', 'job.mjs'],
    ['node', '--import', 'file://HERE/before.mjs', 'job.mjs'],
  ]) {
    for (const file of ['before.mjs', 'job.mjs']) {
      const change = await noticed(t, argv, file)
      assert.match(change ?? `nothing of ${argv.join(' ')}`, new RegExp(`^the file .*${file} has changed since`))
    }
  }
  assert.match((await noticed(t, ['python3', 'job.mjs', 'data.json'], 'data.json')) ?? '', /data\.json has changed/)
  // A program that runs no file of its words reads what it is given.
  assert.equal(await noticed(t, ['cat', 'data.json'], 'data.json'), undefined)
})

test('the program that the first line of a script names is planned with it', async (t) => {
  const { folder, workspace, at } = await place(t, { job: '#!/usr/bin/env -S own --quiet\n', direct: '' })
  const bin = join(folder, 'bin')
  await mkdir(bin)
  await write(join(bin, 'own'), '#!/bin/sh\n')
  await write(join(workspace, 'direct'), `#!${bin}/own\n`)
  for (const name of ['./job', './direct']) {
    const here = { ...at, path: `${bin}:${SYSTEM}` }
    const planned = await findPlannedFiles([name], here)
    assert.ok(!('why' in planned))
    assert.match(planned.facts.interpreter ?? '', /bin\/own sha256:[0-9a-f]{64}$/)
    await write(join(bin, 'own'), `#!/bin/sh\necho ${name}\n`)
    assert.match((await plannedFilesChange(planned, [name], here)) ?? '', /^the interpreter .*own has changed since/)
  }
  await write(join(workspace, 'bin', 'mine'), '#!/bin/sh\n')
  await symlink(join(workspace, 'bin', 'mine'), join(bin, 'mine'))
  await write(join(workspace, 'job'), '#!/usr/bin/env mine\n')
  const refused = await findPlannedFiles(['./job'], { ...at, path: bin })
  assert.match('why' in refused ? refused.why : '', /"mine" on the PATH is .*a file of the workspace/)
})

test('no entry of the PATH that leads into the workspace is left, there or not yet there', async (t) => {
  const { folder, workspace } = await place(t)
  await symlink(workspace, join(folder, 'link'))
  const entries = [join(workspace, 'bin'), join(workspace, 'later/bin'), join(folder, 'link/bin'), workspace]
  assert.equal(
    await pathOutside([...entries, '/usr/bin', `${folder}/none`].join(':'), workspace),
    `/usr/bin:${folder}/none`,
  )
  assert.equal(await pathOutside(`${folder}/link/later:/bin`, join(folder, 'link')), '/bin')
})

test('a large file that an interpreter is given is told by its size and its time', async (t) => {
  const { workspace, at } = await place(t, { 'job.mjs': 'one', 'large.bin': '' })
  await truncate(join(workspace, 'large.bin'), 20_000_000)
  const argv = ['node', 'job.mjs', 'large.bin']
  const planned = await findPlannedFiles(argv, at)
  assert.ok(!('why' in planned))
  assert.match(planned.facts.scripts![1]!, /large\.bin sha256:none, 20000000 bytes, changed at \d+ ns$/)
  await truncate(join(workspace, 'large.bin'), 20_000_001)
  assert.match((await plannedFilesChange(planned, argv, at)) ?? '', /large\.bin has changed/)
})

test('what is not there, and what is no file, is planned as it is', async (t) => {
  const { at } = await place(t)
  for (const argv of [
    ['./none'],
    ['none-of-this-name'],
    ['./bin'],
    ['node', 'none.mjs', 'bin', '-', '--', 'a\0b', 'file:%'],
  ]) {
    const planned = await findPlannedFiles(argv, at)
    assert.ok(!('why' in planned))
    assert.equal(planned.facts.scripts, undefined)
    assert.equal(await plannedFilesChange(planned, argv, at), undefined)
  }
})
