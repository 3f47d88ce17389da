import assert from 'node:assert/strict'
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { confinedPath, readerWithin } from './confined-path.ts'

async function places(t: TestContext) {
  const top = await realpath(await mkdtemp(join(tmpdir(), 'confined-')))
  t.after(() => rm(top, { recursive: true, force: true }))
  const folder = join(top, 'workspace')
  await mkdir(join(folder, 'inner'), { recursive: true })
  await mkdir(join(top, 'workspace-evil'))
  await writeFile(join(folder, 'inner/a.txt'), 'a')
  await symlink(top, join(folder, 'out'))
  await symlink('inner', join(folder, 'in'))
  await symlink('inner/nothing', join(folder, 'dangling'))
  await symlink(join(top, 'nothing'), join(folder, 'gone'))
  await symlink('circle', join(folder, 'circle'))
  await symlink(folder, join(top, 'alias'))
  return { top, folder }
}

async function namesOf(folder: string, asked: string): Promise<string> {
  const place = await confinedPath(folder, asked)
  return place.type === 'inside' ? place.names.join('/') : place.why
}

test('a path in the folder is resolved through its links, whether or not it exists yet', async (t) => {
  const { top, folder } = await places(t)
  assert.equal(await namesOf(folder, '.'), '')
  assert.equal(await namesOf(folder, 'inner/a.txt'), 'inner/a.txt')
  assert.equal(await namesOf(folder, 'in/a.txt'), 'inner/a.txt')
  assert.equal(await namesOf(folder, 'in/new/b.txt'), 'inner/new/b.txt')
  assert.equal(await namesOf(folder, 'inner/../in/./a.txt'), 'inner/a.txt')
  assert.equal(await namesOf(folder, join(folder, 'inner')), 'inner')
  assert.equal(await namesOf(join(top, 'alias'), join(top, 'alias/inner')), 'inner')
  assert.equal(await namesOf(join(folder, 'later'), 'a.txt'), 'a.txt')
})

test('a path that leads out is refused in a sentence, however it is written', async (t) => {
  const { top, folder } = await places(t)
  const out = [
    '..',
    '../',
    '/',
    '/etc/passwd',
    '/proc/self/environ',
    '../workspace-evil',
    'inner/../../workspace-evil/x',
  ]
  for (const asked of [
    ...out,
    `${folder}-evil`,
    'out',
    'out/workspace-evil',
    'out/new.txt',
    'gone',
    'gone/x',
    top,
    '../WORKSPACE/inner',
  ]) {
    assert.match(await namesOf(folder, asked), /outside the workspace/, asked)
  }
})

test('a path that is none says what is wrong with it', async (t) => {
  const { folder } = await places(t)
  assert.match(await namesOf(folder, ''), /empty/)
  assert.match(await namesOf(folder, 'a\0b'), /NUL/)
  assert.match(await namesOf(folder, 'a\ud800'), /half a character/)
  assert.match(await namesOf(folder, 'dangling'), /leads nowhere/)
  assert.match(await namesOf(folder, 'dangling/x'), /leads nowhere/)
  assert.match(await namesOf(folder, 'circle/x'), /in a circle/)
  assert.match(await namesOf(folder, 'inner/a.txt/x'), /a file, not a folder/)
  assert.match(await namesOf(folder, 'x'.repeat(300)), /too long/)
})

test('a path has 200 names and 4,096 bytes at most, however it is written', async (t) => {
  const { folder } = await places(t)
  assert.equal((await namesOf(folder, 'a/'.repeat(199))).length, 2 * 199 - 1)
  for (const one of ['a/', '/', './', '../', 'a\\']) {
    assert.match(await namesOf(folder, one.repeat(8_000)), /longer than 4096 bytes|more than 200 names/)
  }
  assert.match(await namesOf(folder, 'a/'.repeat(200)), /more than 200 names/)
  assert.match(await namesOf(folder, 'é'.repeat(2_049)), /longer than 4096 bytes/)
})

test('folders out of reach stay so within the folder, and matter nowhere else', async (t) => {
  const { top, folder } = await places(t)
  const asked = async (path: string, outOfReach: readonly string[]) =>
    (await confinedPath(folder, path, outOfReach)).type
  assert.equal(await asked('inner/a.txt', [join(folder, 'inner')]), 'refused')
  assert.equal(await asked('in/a.txt', [join(folder, 'in')]), 'refused')
  assert.equal(await asked('other', [join(folder, 'inner')]), 'inside')
  assert.equal(await asked('inner/a.txt', [top, folder, join(top, 'nothing')]), 'inside')
})

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
