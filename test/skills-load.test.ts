import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { skillsFullText, skillsListText } from '../src/capabilities/skills/skills-text.ts'
import {
  skillRoots,
  isTrustedFolder,
  loadSkills,
  type LoadSkillsOptions,
} from '../src/capabilities/skills/folder/load-skills.ts'
import { binaryFinder } from '../src/capabilities/skills/folder/requirements.ts'
import { addTo, folderWith, skillText } from './skills/folder-with.ts'

test('roots come in order, and in a root folders by name', async (context) => {
  const one = folderWith(context, {
    'b/SKILL.md': skillText('name: zeta'),
    'B/SKILL.md': 'Plain.',
    'a/SKILL.md': skillText('description: Does A.', '# A'),
    'no-skill/README.md': 'x',
    'skill.md': 'x',
    'lower/skill.md': 'x',
  })
  const other = folderWith(context, { 'aa/SKILL.md': 'x' })
  const { skills, left, warnings } = await load([one, other])
  assert.deepEqual(
    skills.map(({ name, description, body, ref }) => [name, description, body, ref]),
    [
      ['B', '', 'Plain.', 'root-1/B'],
      ['a', 'Does A.', '# A', 'root-1/a'],
      ['zeta', '', 'Body.', 'root-1/b'],
      ['aa', '', 'x', 'root-2/aa'],
    ],
  )
  assert.deepEqual({ left, warnings }, { left: [], warnings: [] })
})

test('a later skill of the same name replaces the earlier one', async (context) => {
  const one = folderWith(context, { 'a/SKILL.md': 'old', 'b/SKILL.md': 'other' })
  const two = folderWith(context, { 'x/SKILL.md': skillText('name: a', 'new') })
  const { skills, left } = await load([one, two])
  assert.deepEqual(
    skills.map(({ name, body, ref }) => [name, body, ref]),
    [
      ['a', 'new', 'root-2/x'],
      ['b', 'other', 'root-1/b'],
    ],
  )
  assert.deepEqual(left, [
    {
      name: 'a',
      folder: join(one, 'a'),
      ref: 'root-1/a',
      code: 'replaced',
      why: 'root-2/x has the same name and comes later',
    },
  ])
})

test('a skill without its programs is left, and does not shadow one of the same name', async (context) => {
  const gated = (bins: string) => skillText(`name: a\nmetadata:\n  requires:\n    bins: ${bins}`, 'gated')
  const one = folderWith(context, { 'a/SKILL.md': 'here' })
  const two = folderWith(context, { 'a/SKILL.md': gated('[git, nowhere, [no, none]]'), 'b/SKILL.md': 'b' })
  const three = folderWith(context, { 'c/SKILL.md': gated('[[none, git]]').replace('name: a', 'name: c') })
  const { skills, left } = await load([one, two, three], { findBinary: async (name) => name === 'git' })
  assert.deepEqual(
    skills.map(({ name, body }) => [name, body]),
    [
      ['a', 'here'],
      ['b', 'b'],
      ['c', 'gated'],
    ],
  )
  assert.deepEqual(
    left.map(({ ref, code, why }) => [ref, code, why]),
    [['root-2/a', 'missing-programs', 'it needs nowhere and one of no, none, not found on PATH']],
  )
})

test('requirements of a skill besides programs are listed by name, and a path is the path of a file', async (context) => {
  const gated = (metadata: object) => skillText(`metadata: ${JSON.stringify({ openclaw: metadata })}`)
  const root = folderWith(context, {
    'a-path/SKILL.md': gated({ requires: { bins: ['./bin/here'] } }),
    'a-path/bin/here': 'x',
    'any/SKILL.md': gated({ requires: { anyBins: ['none', 'git'] } }),
    'env/SKILL.md': gated({ requires: { bins: ['git', 'none'], env: ['HERE', 'EMPTY', 'GONE'] } }),
    'keys/SKILL.md': gated({ requires: { env: ['GONE'] } }),
    'no-path/SKILL.md': gated({ requires: { bins: ['bin/gone', '/no/where', '/'] } }),
    'other/SKILL.md': gated({ os: ['darwin', 'win32'] }),
    'same/SKILL.md': gated({ os: 'linux', requires: { env: 'HERE' } }),
  })
  const { skills, left } = await load([root], {
    findBinary: async (name) => name === 'git',
    environment: { HERE: 'x', EMPTY: '' },
    platform: 'linux',
  })
  assert.deepEqual(
    skills.map(({ name }) => name),
    ['a-path', 'any', 'same'],
  )
  assert.deepEqual(
    left.map(({ name, code, why }) => [name, code, why]),
    [
      ['env', 'missing-programs', 'it needs none, not found on PATH; and EMPTY and GONE in the environment'],
      ['keys', 'missing-environment', 'it needs GONE in the environment'],
      ['no-path', 'missing-programs', 'it needs bin/gone and /no/where and /, no such file'],
      ['other', 'other-system', 'it is for darwin, win32, and this is linux'],
    ],
  )
})

test('a program that is installed since is found when skills are read again', async (context) => {
  const folder = folderWith(context, {
    'skills/a/SKILL.md': skillText('metadata: { requires: { bins: [tool] } }'),
    'bin/x': '',
  })
  const findBinary = binaryFinder({ path: join(folder, 'bin'), platform: 'linux' })
  const names = async () => (await load([join(folder, 'skills')], { findBinary })).skills.map(({ name }) => name)
  assert.deepEqual(await names(), [])
  addTo(folder, { 'bin/tool': '#!/bin/sh\n' })
  chmodSync(join(folder, 'bin', 'tool'), 0o755)
  assert.deepEqual(await names(), ['a'])
})

test('skills.disabled removes by final name', async (context) => {
  const one = folderWith(context, { 'a/SKILL.md': skillText('name: café'), 'b/SKILL.md': 'b' })
  const two = folderWith(context, { 'c/SKILL.md': skillText('name: café') })
  const { skills, left } = await load([one, two], { disabled: ['cafe\u0301', 'a', 'nobody'] })
  assert.deepEqual(
    skills.map(({ name }) => name),
    ['b'],
  )
  assert.deepEqual(
    left.map(({ ref, code }) => [ref, code]),
    [
      ['root-1/a', 'replaced'],
      ['root-2/c', 'disabled'],
    ],
  )
})

test('a missing root is an empty one, one that cannot be read is a warning with its path', async (context) => {
  const folder = folderWith(context, { file: 'x' })
  const { skills, warnings } = await load([join(folder, 'nowhere'), join(folder, 'file')])
  assert.deepEqual(skills, [])
  assert.deepEqual(warnings, [`${join(folder, 'file')}: the folder of skills cannot be read: it is not a folder`])
})

test('a SKILL.md that cannot be read is a warning with its path, and the others load', async (context) => {
  const root = folderWith(context, {
    'a/SKILL.md': 'fine',
    'bytes/SKILL.md': Buffer.from([0x61, 0xff, 0xfe]),
    'huge/SKILL.md': 'x'.repeat(1024 * 1024 + 1),
  })
  mkdirSync(join(root, 'folder', 'SKILL.md'), { recursive: true })
  mkdirSync(join(root, 'link'))
  symlinkSync('nowhere', join(root, 'link', 'SKILL.md'))
  mkdirSync(join(root, 'pipe'))
  if (process.platform !== 'win32') execFileSync('mkfifo', [join(root, 'pipe', 'SKILL.md')])
  const { skills, left, warnings } = await load([root])
  assert.deepEqual(
    skills.map(({ name }) => name),
    ['a'],
  )
  assert.deepEqual(warnings, [
    `${join(root, 'bytes', 'SKILL.md')}: it is not valid UTF-8`,
    `${join(root, 'folder', 'SKILL.md')}: it is a folder, not a file`,
    `${join(root, 'huge', 'SKILL.md')}: it has 1048577 bytes, more than the 1048576 allowed`,
    `${join(root, 'link', 'SKILL.md')}: it is a link that leads nowhere`,
    `${join(root, 'pipe', 'SKILL.md')}: it is a pipe or a device, not a file`,
  ])
  assert.deepEqual(
    left.map(({ name, code }) => [name, code]),
    ['bytes', 'folder', 'huge', 'link', 'pipe'].map((name) => [name, 'unreadable']),
  )
})

test('links to folders are followed; one that loops or leads nowhere is a warning', async (context) => {
  const elsewhere = folderWith(context, { 'tool/SKILL.md': skillText('name: linked') })
  const root = folderWith(context, { 'a/SKILL.md': 'a', file: 'x' })
  symlinkSync(join(elsewhere, 'tool'), join(root, 'b'))
  symlinkSync('dangling-target', join(root, 'dangling'))
  symlinkSync('loop', join(root, 'loop'))
  symlinkSync('.', join(root, 'itself'))
  symlinkSync('file', join(root, 'to-a-file'))
  const { skills, warnings } = await load([root], { digests: true })
  assert.deepEqual(
    skills.map(({ name, folder }) => [name, folder]),
    [
      ['a', join(root, 'a')],
      ['linked', join(root, 'b')],
    ],
  )
  assert.deepEqual(warnings, [
    `${join(root, 'dangling')}: it is a link that leads nowhere`,
    `${join(root, 'loop')}: it cannot be read: it is a link that leads back to itself`,
  ])
})

test('skills written for other agents load unchanged', async (context) => {
  const long = 'word '.repeat(400).trim()
  const root = folderWith(context, {
    'crlf/SKILL.md': '---\r\nname: crlf\r\ndescription: >\r\n  Two\r\n  lines.\r\n---\r\n\r\n# Body\r\n\r\nText.\r\n',
    'bom/SKILL.md': '\uFEFF---\nname: bom\ndescription: Has a mark.\n---\nBody.',
    'extra/SKILL.md': skillText('name: extra\nmodel: x\nhooks:\n  - a: [1, { b: 2 }]\nversion: 2'),
    'long/SKILL.md': skillText(`name: long\ndescription: ${long}`),
    'ünïcödé/SKILL.md': skillText('description: Größe, 大きさ, 😀.'),
    'broken/SKILL.md': skillText('name: other\ndescription: Use when: always'),
  })
  const { skills, warnings } = await load([root])
  const words = Object.fromEntries(skills.map(({ name, description, body }) => [name, [description, body]]))
  assert.deepEqual(words, {
    crlf: ['Two lines.', '# Body\r\n\r\nText.'],
    bom: ['Has a mark.', 'Body.'],
    extra: ['', 'Body.'],
    long: [long, 'Body.'],
    ünïcödé: ['Größe, 大きさ, 😀.', 'Body.'],
    other: ['Use when: always', 'Body.'],
  })
  assert.equal(warnings.length, 2)
  assert.match(
    warnings[0]!,
    /broken.SKILL\.md: of the frontmatter only name and description are used, .*: it is not valid YAML/,
  )
  assert.match(warnings[1]!, /long.SKILL\.md: description has 1999 characters; a list shows the first 1024/)
})

test('300 skills read the same twice, and the same when they were made in another order', async (context) => {
  const files = Array.from({ length: 300 }, (_, index) => [
    `skill-${index}/SKILL.md`,
    skillText(`name: skill-${index}\ndescription: Does ${index}.`, `# ${index}`),
  ])
  const root = folderWith(context, Object.fromEntries(files))
  const other = folderWith(context, Object.fromEntries(files.toReversed()))
  const [first, again, elsewhere] = await Promise.all(
    [root, root, other].map((path) => load([path], { digests: true })),
  )
  assert.equal(first!.skills.length, 300)
  for (const same of [again!, elsewhere!]) {
    assert.equal(skillsFullText(same.skills), skillsFullText(first!.skills))
    assert.equal(skillsListText(same.skills), skillsListText(first!.skills))
    assert.deepEqual(
      same.skills.map(({ digest }) => digest),
      first!.skills.map(({ digest }) => digest),
    )
  }
})

test('the digest of a skill depends on all paths and bytes, not on its location', async (context) => {
  const files = { 'a/SKILL.md': 'x', 'a/references/more.md': 'more', 'a/.hidden': '' }
  const digestOf = async (changes: Readonly<Record<string, string>>) => {
    const root = folderWith(context, { ...files, ...changes })
    symlinkSync('references', join(root, 'a', 'link'))
    return (await load([root], { digests: true })).skills[0]!.digest!
  }
  const plain = await digestOf({})
  assert.match(plain, /^[0-9a-f]{64}$/)
  assert.equal(await digestOf({}), plain)
  assert.equal(await digestOf({ 'a/.git/HEAD': 'x', 'a/.DS_Store': 'x' }), plain)
  const others = [
    await digestOf({ 'a/references/more.md': 'More' }),
    await digestOf({ 'a/references/new.md': '' }),
    await digestOf({ 'a/SKILL.md': 'y' }),
    await digestOf({ 'a/tools.json': '[]' }),
    await digestOf({ 'a/tools.json': '[]', 'a/allowlist.json': '{"rm":["-r"]}' }),
    await digestOf({ 'a/tools.json': '[]', 'a/execution.json': '[]' }),
  ]
  assert.equal(new Set([plain, ...others]).size, 7)
})

test('a tools.json comes along; one that cannot be read leaves a skill without tools', async (context) => {
  const root = folderWith(context, {
    'a/SKILL.md': 'a',
    'a/tools.json': '{}',
    'b/SKILL.md': 'b',
    'b/tools.json/file': 'x',
    'c/SKILL.md': 'c',
    'c/tools.json': '[]',
    'c/allowlist.json': '{}',
    'c/execution.json': '[]',
    'd/SKILL.md': 'd',
    'd/allowlist.json': '{}',
  })
  const { skills, warnings } = await load([root])
  assert.deepEqual(
    skills.map(({ name, toolFiles }) => [name, toolFiles]),
    [
      ['a', { 'tools.json': '{}' }],
      ['b', undefined],
      ['c', { 'tools.json': '[]', 'allowlist.json': '{}', 'execution.json': '[]' }],
      ['d', undefined],
    ],
  )
  assert.deepEqual(warnings, [
    `${join(root, 'b', 'tools.json')}: it is a folder, not a file; the skill is loaded without tools`,
  ])
})

test("a workspace's skills come last, and only from a workspace that is trusted", async (context) => {
  const home = folderWith(context, { 'skills/a/SKILL.md': 'a', 'workspace/.agents/skills/w/SKILL.md': 'w' })
  const foreign = folderWith(context, { '.agents/skills/f/SKILL.md': skillText('name: foreign') })
  const places = { home, directory: join(home, 'skills'), extraDirs: [], trustedDirs: [] }
  const own = await loaded(await skillRoots({ ...places, workspace: join(home, 'workspace') }))
  assert.deepEqual(
    own.skills.map(({ name, ref }) => [name, ref]),
    [
      ['a', 'skills/a'],
      ['w', 'workspace/.agents/skills/w'],
    ],
  )
  const stranger = await loaded(await skillRoots({ ...places, workspace: foreign }))
  assert.deepEqual(
    stranger.skills.map(({ name }) => name),
    ['a'],
  )
  assert.deepEqual(
    stranger.left.map(({ name, code }) => [name, code]),
    [['f', 'untrusted']],
  )
  assert.match(stranger.left[0]!.why, /`foreword skills trust`/)
  assert.equal(stranger.warnings.length, 1)
  assert.match(stranger.warnings[0]!, /one skill is not loaded, since the workspace is not trusted/)
  const trusted = await loaded(await skillRoots({ ...places, workspace: foreign, trustedDirs: [foreign] }))
  assert.deepEqual(
    trusted.skills.map(({ name }) => name),
    ['a', 'foreign'],
  )
  assert.deepEqual(trusted.warnings, [])
})

test('a link in the home to a workspace elsewhere earns no trust', async (context) => {
  const home = folderWith(context)
  const foreign = folderWith(context, { '.agents/skills/f/SKILL.md': 'f' })
  symlinkSync(foreign, join(home, 'workspace'))
  const places = { home, directory: join(home, 'skills'), extraDirs: [], workspace: join(home, 'workspace') }
  const roots = await skillRoots({ ...places, trustedDirs: [] })
  assert.equal(roots.at(-1)!.trusted, false)
})

test('a duplicate root counts at its first position', async (context) => {
  const home = folderWith(context, { 'skills/a/SKILL.md': 'a' })
  symlinkSync('skills', join(home, 'again'))
  const directory = join(home, 'skills')
  const places = { home, directory, workspace: join(home, 'workspace'), trustedDirs: [] }
  const roots = await skillRoots({ ...places, extraDirs: [directory, join(home, 'again'), join(home, 'more')] })
  assert.deepEqual(
    roots.map(({ ref, kind }) => [ref, kind]),
    [
      ['skills', 'home'],
      ['more', 'extra'],
      ['workspace/.agents/skills', 'workspace'],
    ],
  )
})

test('a folder is trusted in the home, or by its very name', () => {
  const trusted = { home: '/h/.foreword', trustedDirs: ['/w/mine'] }
  assert.equal(isTrustedFolder('/h/.foreword/workspace', trusted), true)
  assert.equal(isTrustedFolder('/h/.foreword', trusted), true)
  assert.equal(isTrustedFolder('/w/mine', trusted), true)
  for (const path of ['/w', '/w/mine/cloned', '/w/mine2', '/h/.foreword2', '/h', '/']) {
    assert.equal(isTrustedFolder(path, trusted), false, path)
  }
})

test(
  'a program is one that can be run from the PATH; a path is none',
  { skip: process.platform === 'win32' },
  async (context) => {
    const folder = folderWith(context, { 'one/tool': '#!/bin/sh\n', 'one/data': 'x', 'one/folder/x': 'x' })
    chmodSync(join(folder, 'one', 'tool'), 0o755)
    const find = binaryFinder({ path: `${join(folder, 'none')}:${join(folder, 'one')}`, platform: 'linux' })
    assert.deepEqual(await Promise.all(['tool', 'data', 'folder', 'nothing'].map(find)), [true, false, false, false])
    for (const name of ['', '../one/tool', join(folder, 'one', 'tool'), 'tool\0']) assert.equal(await find(name), false)
    assert.equal(await binaryFinder({ path: undefined, platform: 'linux' })('tool'), false)
  },
)

function load(paths: readonly string[], options: Partial<LoadSkillsOptions> = {}) {
  const roots = paths.map((path, index) => ({ path, ref: `root-${index + 1}`, kind: 'extra' as const }))
  return loadSkills({ roots, findBinary: async () => true, ...options })
}

function loaded(roots: LoadSkillsOptions['roots']) {
  return loadSkills({ roots, findBinary: async () => true })
}
