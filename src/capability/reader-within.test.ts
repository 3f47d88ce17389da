import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { readerWithin } from './reader-within.ts'

test('a link within its folder is read, and one that leads to a key of this machine is not', async (t) => {
  const top = await mkdtemp(join(tmpdir(), 'foreword-within-'))
  t.after(() => rm(top, { recursive: true, force: true }))
  const folder = join(top, 'workspace')
  await mkdir(join(folder, 'docs'), { recursive: true })
  await writeFile(join(top, 'token'), 'a secret')
  await writeFile(join(folder, 'docs', 'agents.md'), 'Be nice.')
  await symlink('docs/agents.md', join(folder, 'inside.md'))
  await symlink('../token', join(folder, 'outside.md'))
  await symlink('nowhere', join(folder, 'nowhere.md'))
  await symlink(folder, join(top, 'alias'))
  const read = readerWithin([join(top, 'alias')])
  assert.deepEqual(await read(join(folder, 'inside.md')), { type: 'text', text: 'Be nice.' })
  assert.deepEqual(await read(join(folder, 'outside.md')), {
    type: 'unreadable',
    why: 'it is a link that leads out of its folder; put the file itself there',
  })
  assert.deepEqual(await read(join(folder, 'nowhere.md')), { type: 'missing' })
  assert.deepEqual(await read(join(folder, 'AGENTS.md')), { type: 'missing' })
})
