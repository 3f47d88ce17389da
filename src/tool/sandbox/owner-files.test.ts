import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { systemTemporaryFolder } from '../../../test/tool/system-temporary-folder.ts'
import { createOwnerEnds } from './owner-search.ts'
import { findOwnerFiles } from './owner-files.ts'
import { restoreOwnerFiles } from './restore-owner-files.ts'

/** A file system of its own, so that nothing can be renamed into it from the folder for temporary files. */
const MEMORY = '/dev/shm'
const isElsewhere = existsSync(MEMORY) && statSync(MEMORY).dev !== statSync(systemTemporaryFolder).dev

test(
  'what a program made is moved to another file system whole, with links as they are',
  { skip: isElsewhere ? false : 'there is one file system' },
  async (t) => {
    const folder = realpathSync(mkdtempSync(join(systemTemporaryFolder, 'owner-files-')))
    const place = mkdtempSync(join(MEMORY, 'owner-files-'))
    t.after(() => [folder, place].forEach((each) => rmSync(each, { recursive: true, force: true })))
    const before = await findOwnerFiles(folder)
    mkdirSync(join(folder, 'sub/.git/hooks'), { recursive: true })
    writeFileSync(join(folder, 'sub/.git/hooks/pre-commit'), 'run', { mode: 0o700 })
    symlinkSync('/etc/passwd', join(folder, 'sub/.git/link'))
    execFileSync('mkfifo', [join(folder, '.npmrc')])
    const { moved, faults } = await restoreOwnerFiles(folder, before, place)
    assert.deepEqual([moved.toSorted(), faults], [['.npmrc', 'sub/.git'], []])
    assert.deepEqual(readdirSync(folder), ['sub'])
    assert.deepEqual(readdirSync(join(folder, 'sub')), [])
    assert.equal(readFileSync(join(place, 'sub/.git/hooks/pre-commit'), 'utf8'), 'run')
    assert.equal(statSync(join(place, 'sub/.git/hooks/pre-commit')).mode & 0o777, 0o700)
    assert.equal(readlinkSync(join(place, 'sub/.git/link')), '/etc/passwd')
  },
)

test('a workspace that is another folder than before is not touched', async (t) => {
  const top = realpathSync(mkdtempSync(join(systemTemporaryFolder, 'owner-files-')))
  t.after(() => rmSync(top, { recursive: true, force: true }))
  const folder = join(top, 'workspace')
  mkdirSync(folder)
  const before = await findOwnerFiles(folder)
  renameSync(folder, join(top, 'before'))
  mkdirSync(folder)
  writeFileSync(join(folder, 'AGENTS.md'), 'mine')
  await assert.rejects(restoreOwnerFiles(folder, before, join(top, 'place')), /not the folder that it was/)
  assert.deepEqual(readdirSync(folder), ['AGENTS.md'])
})

test('a link that the owner makes counts ten seconds later at the latest, and what a known one leads through at once', async (t) => {
  const folder = realpathSync(mkdtempSync(join(systemTemporaryFolder, 'ends-')))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const findEnds = createOwnerEnds()
  const ends = async (now: number) => (await findEnds(folder, now)).map((path) => path.slice(folder.length + 1))
  assert.deepEqual(await ends(0), [])
  symlinkSync('docs/rules.md', join(folder, 'CLAUDE.md'))
  assert.deepEqual(await ends(9_999), [])
  assert.deepEqual(await ends(10_000), ['docs/rules.md'])
  mkdirSync(join(folder, 'two'))
  symlinkSync('two', join(folder, 'docs'))
  assert.deepEqual(await ends(10_001), ['two/rules.md'])
  mkdirSync(join(folder, '.git'))
  writeFileSync(join(folder, '.git/config'), '[core]\nhooksPath = a\n')
  writeFileSync(join(folder, '.git/config.worktree'), '[core]\nhooksPath = b\n[include]\npath = c\n')
  assert.deepEqual((await ends(30_000)).toSorted(), ['.git/c', 'a', 'b', 'two/rules.md'])
})
