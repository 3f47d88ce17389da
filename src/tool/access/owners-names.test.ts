import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import {
  isOwnersName,
  looksLikeRepository,
  OBEYED_NAMES_CHECKED,
  obeyedBeside,
  obeyedName,
  obeyedNames,
  obeyedPath,
} from './owners-names.ts'

for (const name of [
  '.git',
  '.GIT',
  '.git.',
  '.git ',
  '.Git . ',
  'GIT~1',
  'GIT~2',
  'GI7EBA~1',
  '.git::$INDEX_ALLOCATION',
  'AGENTS.md.',
  '.vscode ',
  '.g\u200Dit',
  '.g\uFE00it',
  '.g\u034Fit',
  'agent\u017F.md',
  '\uFF0Egit',
  'work.code-workspace',
  'WORK~1.COD',
  'JENKIN~1',
  'MCP~1.JSO',
]) {
  test(`${JSON.stringify(name)} belongs to the owner alone`, () => assert.equal(isOwnersName(name), true))
}

for (const name of ['git', 'GIT', 'GIT~1.TXT', '.github', 'AGENTS.md.txt', 'agents', '...', ' ', '~1', 'src.js']) {
  test(`${JSON.stringify(name)} is a name as any other`, () => assert.equal(isOwnersName(name), false))
}

/** Ways to write a name that some file system takes for the same. */
const FORMS: Readonly<Record<string, (name: string) => string>> = {
  'in capitals': (name) => name.toUpperCase(),
  'with dots and spaces at the end': (name) => `${name}. .`,
  'with a stream': (name) => `${name}::$DATA`,
  'with an invisible character': (name) => `${name[0]}\u200C${name.slice(1)}`,
  'with a selector of variants': (name) => `${name}\uFE0F`,
  'in another form of Unicode': (name) =>
    name.replaceAll(/[a-z]/g, (letter) => String.fromCodePoint(letter.charCodeAt(0) + 0xfee0)),
  'by its short name': (name) =>
    /^\.?[^.]{0,8}(?:\.[^.]{0,3})?$/.test(name) && !name.startsWith('.') ? name : shortName(name),
}

/** As Windows makes it for the first of its kind. */
function shortName(name: string): string {
  const parts = name.replace(/^\.+/, '').toUpperCase().split('.')
  const ending = parts.length > 1 ? `.${parts.pop()!.slice(0, 3)}` : ''
  return `${parts.join('').slice(0, 6)}~1${ending}`
}

const paths = obeyedNames.flatMap(({ level, names }) => names.split(' ').map((path) => ({ level, path })))

for (const [form, write] of Object.entries(FORMS)) {
  test(`every name of the table is known ${form}, in any folder`, () => {
    const unknown = paths.filter(({ level, path }) => {
      const names = path.replace('*', 'any').split('/').map(write)
      return obeyedPath(['sub', ...names])?.level !== level
    })
    assert.deepEqual(unknown, [])
  })
}

test('every name of the table is known with backslashes, which are a way on Windows', () => {
  const unknown = paths.filter(({ level, path }) => {
    const name = path.replace('*', 'any').replaceAll('/', '\\')
    return obeyedPath(['sub', name])?.level !== level || obeyedName(`C:\\x\\${name}`)?.level !== level
  })
  assert.deepEqual(unknown, [])
})

test('what lies in a folder that belongs to the owner does, too, and a folder that is called as a file of a build does not count', () => {
  assert.equal(obeyedPath(['.github', 'workflows', 'ci.yml'])?.level, 'never')
  assert.equal(obeyedPath(['.git', 'package.json'])?.level, 'never')
  assert.equal(obeyedPath(['workflows', 'ci.yml']), undefined)
  assert.equal(obeyedPath(['build', 'notes.md']), undefined)
  assert.equal(obeyedPath(['sub', 'build'])?.level, 'asks')
})

for (const [names, is] of [
  [['HEAD', 'objects', 'refs'], true],
  [['HEAD', 'commondir'], true],
  [['head', 'Objects', 'REFS.', 'other'], true],
  [['HE\u200CAD', '\uFF4Fbjects', 'refs::$DATA'], true],
  [['HEAD', 'objects'], false],
  [['objects', 'refs', 'commondir', 'config', 'hooks'], false],
  [['HEAD.md', 'objects', 'refs'], false],
  [[], false],
] as const) {
  test(`a folder with ${names.join(', ') || 'nothing'} is ${is ? '' : 'not '}taken for a repository`, () =>
    assert.equal(looksLikeRepository(names), is))
}

test('of a repository settings and hooks are obeyed, and without one what makes it', () => {
  const there = ['HEAD', 'objects', 'refs']
  for (const name of [
    'HEAD',
    'config',
    'CONFIG.',
    'config.worktree',
    'CONFIG~1.WOR',
    'hooks',
    'ho\u200Coks',
    'commondir',
  ]) {
    assert.equal(obeyedBeside(name, there)?.level, 'never', name)
    assert.equal(obeyedName(name, 'any', true)?.level, 'never', name)
    assert.notEqual(obeyedName(name, 'any')?.level, 'never', name)
  }
  for (const name of ['objects', 'refs', 'description', 'notes.md']) assert.equal(obeyedBeside(name, there), undefined)
  for (const name of there) {
    const others = there.filter((one) => one !== name)
    assert.equal(obeyedBeside(name.toUpperCase(), others)?.level, 'never', name)
    assert.equal(obeyedBeside(name, others.slice(1)), undefined, name)
  }
})

test('no name is listed twice', () => {
  const listed = paths.map(({ path }) => path.toLowerCase())
  assert.deepEqual(
    listed.filter((path, index) => listed.indexOf(path) !== index),
    [],
  )
})

test('the guide has the day on which the names were last compared', () => {
  const guide = readFileSync(new URL('../../../docs/guide/tools.md', import.meta.url), 'utf8')
  assert.ok(guide.includes(`compared with the manuals of the programs on ${OBEYED_NAMES_CHECKED}`))
})
