import assert from 'node:assert/strict'
import test from 'node:test'
import { readFrontmatter } from './read-frontmatter.ts'

test('the fields of the standard are read, others are left alone', () => {
  const yaml = [
    'name: pdf-tools',
    'description: >',
    '  Reads PDFs:',
    '  all of them.',
    'license: Apache-2.0',
    'compatibility: needs poppler',
    'allowed-tools: Bash(git add:*) Read',
    'metadata:',
    '  author: somebody',
    '  version: 1.10',
    '  requires:',
    '    bins: [pdftotext, [rg, grep]]',
    'model: some-model',
    'hooks: { before: [{ run: x }] }',
  ]
  assert.deepEqual(read(yaml), {
    fields: {
      name: 'pdf-tools',
      description: 'Reads PDFs: all of them.',
      license: 'Apache-2.0',
      compatibility: 'needs poppler',
      allowedTools: 'Bash(git add:*) Read',
      version: '1.10',
      metadata: { author: 'somebody', version: 1.1, requires: { bins: ['pdftotext', ['rg', 'grep']] } },
      requires: [['pdftotext'], ['rg', 'grep']],
    },
    warnings: [],
  })
})

test('block scalars keep or fold their lines, with Windows line ends too', () => {
  assert.equal(read(['description: |', '  one', '  two']).fields.description, 'one\ntwo')
  assert.equal(read(['description: |-', '  one', '', '  two']).fields.description, 'one\n\ntwo')
  assert.equal(read(['description: >-', '  one', '  two'], '\r\n').fields.description, 'one two')
  assert.equal(read(['description: "a', '  b"'], '\r\n').fields.description, 'a b')
})

test('a name is one line in one spelling', () => {
  assert.equal(read(['name: "cafe\\u0301"']).fields.name, 'café')
  assert.deepEqual(read(['name: |', '  a', '  - **b**: c']), {
    fields: { name: 'a - **b**: c', metadata: {}, requires: [] },
    warnings: ['name has more than one line; it is read as a - **b**: c'],
  })
  assert.deepEqual(read(['name: |', '  plain']).warnings, [])
  assert.equal(read(['name: "  "']).fields.name, undefined)
})

test('a name or a description that is no text is read as it was written, with a warning', () => {
  assert.deepEqual(read(['name: 007', 'description: true']), {
    fields: { name: '007', description: 'true', metadata: {}, requires: [] },
    warnings: ['name is not a text; it is read as "007"', 'description is not a text; it is read as "true"'],
  })
  assert.deepEqual(read(['name: [a]', 'description: { b: c }']), {
    fields: { metadata: {}, requires: [] },
    warnings: ['name is not a text and is not used', 'description is not a text and is not used'],
  })
  assert.deepEqual(read(['name:', 'description: ~']), { fields: { metadata: {}, requires: [] }, warnings: [] })
})

test('a key that stands twice is a warning, and the last one counts', () => {
  assert.deepEqual(read(['name: a', 'description: x', 'name: b']), {
    fields: { name: 'b', description: 'x', metadata: {}, requires: [] },
    warnings: ['name stands more than once; the last one counts'],
  })
})

test('invalid YAML is a warning and counts as nothing', () => {
  const { fields, warnings } = read(['name: x', 'description: Use when: always'])
  assert.deepEqual(fields, { metadata: {}, requires: [] })
  assert.match(warnings.join(), /^the frontmatter is not used: it is not valid YAML: Nested mappings.* line 2/)
  for (const yaml of ['- a\n- b', 'just words', 'a: *nowhere', 'a: "', `a: ${'['.repeat(2_000)}`]) {
    const found = read([yaml])
    assert.deepEqual(found.fields, { metadata: {}, requires: [] }, yaml.slice(0, 20))
    assert.equal(found.warnings.length <= 1, true)
  }
})

test('tags have no meaning, and a few lines cannot grow to millions', () => {
  const tagged = read(['name: !!js/function "x"', 'description: !run rm'])
  assert.equal(tagged.fields.name, 'x')
  assert.equal(tagged.warnings.length, 2)
  const rows = ['a: &a [x,x,x,x,x,x,x,x,x]']
  for (const [one, other] of ['ab', 'bc', 'cd', 'de', 'ef', 'fg', 'gh', 'hi'].map((pair) => [pair[0]!, pair[1]!])) {
    rows.push(`${other}: &${other} [${Array(9).fill(`*${one}`).join(',')}]`)
  }
  const bomb = read([...rows, 'metadata: { all: *i }'])
  assert.match(bomb.warnings.join(), /the frontmatter is not used: Excessive alias count/)
  assert.match(read([`x: ${'y'.repeat(70_000)}`]).warnings.join(), /more than the 65536 that are read/)
  assert.deepEqual(
    Object.getPrototypeOf(read(['metadata:', '  __proto__: { a: 1 }']).fields.metadata),
    Object.prototype,
  )
})

test('required programs may be one, a list, or lists of alternatives', () => {
  const requires = (bins: string) => read(['metadata:', '  requires:', `    bins: ${bins}`])
  assert.deepEqual(requires('git').fields.requires, [['git']])
  assert.deepEqual(requires('[git, [rg, ag]]').fields.requires, [['git'], ['rg', 'ag']])
  assert.deepEqual(requires('').fields.requires, [])
  assert.deepEqual(requires('[[], 3, git]'), {
    fields: { metadata: { requires: { bins: [[], 3, 'git'] } }, requires: [['git']] },
    warnings: Array(2).fill('metadata.requires.bins has an entry that names no program; it is ignored'),
  })
})

test('an alias stands for what it names', () => {
  assert.deepEqual(
    read(['license: &l MIT', 'description: *l', 'metadata: &m', '  requires: { bins: [&g git, *g] }']).fields,
    {
      license: 'MIT',
      description: 'MIT',
      metadata: { requires: { bins: ['git', 'git'] } },
      requires: [['git'], ['git']],
    },
  )
})

function read(lines: readonly string[], end = '\n') {
  return readFrontmatter(['---', ...lines, '---', 'body'].join(end))
}
