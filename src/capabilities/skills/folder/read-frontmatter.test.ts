import assert from 'node:assert/strict'
import test from 'node:test'
import * as fc from 'fast-check'
import { readFrontmatter, splitFrontmatter, stripFrontmatter } from './read-frontmatter.ts'
import { noRequirements } from './requirements.ts'

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
      requires: needs([['pdftotext'], ['rg', 'grep']]),
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
    fields: { name: 'a - **b**: c', metadata: {}, requires: noRequirements },
    warnings: ['name has more than one line; it is read as a - **b**: c'],
  })
  assert.deepEqual(read(['name: |', '  plain']).warnings, [])
  assert.equal(read(['name: "  "']).fields.name, undefined)
})

test('a name or a description that is no text is read as it was written, with a warning', () => {
  assert.deepEqual(read(['name: 007', 'description: true']), {
    fields: { name: '007', description: 'true', metadata: {}, requires: noRequirements },
    warnings: ['name is not a text; it is read as "007"', 'description is not a text; it is read as "true"'],
  })
  assert.deepEqual(read(['name: [a]', 'description: { b: c }']), {
    fields: { metadata: {}, requires: noRequirements },
    warnings: ['name is not a text and is not used', 'description is not a text and is not used'],
  })
  assert.deepEqual(read(['name:', 'description: ~']), {
    fields: { metadata: {}, requires: noRequirements },
    warnings: [],
  })
})

test('a duplicate key is a warning, and the last one applies', () => {
  assert.deepEqual(read(['name: a', 'description: x', 'name: b']), {
    fields: { name: 'b', description: 'x', metadata: {}, requires: noRequirements },
    warnings: ['name appears more than once; the last one counts'],
  })
})

test('invalid YAML is a warning, and name and description are read from their lines', () => {
  const { fields, warnings } = read(['name: "x"', 'description: Use when: always', 'metadata: { a: 1 }'])
  assert.deepEqual(fields, { name: 'x', description: 'Use when: always', metadata: {}, requires: noRequirements })
  assert.match(
    warnings.join(),
    /^of the frontmatter only name and description are used, read as plain text: it is not valid YAML: Nested mappings.* at line 3, column/,
  )
  const folded = read(['description: >', '  Use when:', '  always', 'license: [MIT', 'name:'])
  assert.deepEqual(folded.fields, { description: 'Use when: always', metadata: {}, requires: noRequirements })
  assert.match(folded.warnings.join(), /^of the frontmatter only description is used/)
  assert.match(read(['name: [x', 'title: y']).warnings.join(), /^of the frontmatter only name is used/)
})

test('a description keeps every line, whatever colons it has and however broken another line is', () => {
  const cases: readonly (readonly [lines: readonly string[], description: string | undefined])[] = [
    [
      ['description:', '  Totals invoices. Triggers: invoice, bill', '  and receipts.'],
      'Totals invoices. Triggers: invoice, bill and receipts.',
    ],
    [['description:', '  Totals invoices. Triggers: invoice.'], 'Totals invoices. Triggers: invoice.'],
    [['description:', '  - Totals: invoices', '  - and receipts'], '- Totals: invoices - and receipts'],
    [
      ['description: Totals invoices.', '  Use when: asked.', '', '  Never: guess.'],
      'Totals invoices. Use when: asked. Never: guess.',
    ],
    [['description: Totals invoices.', 'Use when asked.', 'license: MIT'], 'Totals invoices. Use when asked.'],
    [['description: Totals invoices', '  of a month.', 'hint: [file] [mode]'], 'Totals invoices of a month.'],
    [['description: "Totals \\"receipts\\"."', 'hint: [file] [mode]'], 'Totals "receipts".'],
    [["description: 'It''s: fine'", 'hint: [file] [mode]'], "It's: fine"],
    [['description: |', '  one', '  two', 'hint: [file] [mode]'], 'one\ntwo'],
    [['description: [Beta] Totals: invoices'], '[Beta] Totals: invoices'],
    [['description: ~', 'hint: [file] [mode]'], undefined],
  ]
  for (const [lines, description] of cases) {
    assert.equal(read(lines).fields.description, description, lines.join('|'))
    assert.equal(read(lines, '\r\n').fields.description, description, lines.join('|'))
  }
})

test('signs alone are no name', () => {
  assert.deepEqual(read(['name: [', 'description: x']).fields, { ...read(['description: x']).fields })
  assert.match(read(['name: [']).warnings.join(), /^the frontmatter is not used/)
})

test('what is no YAML and has no such lines counts as nothing', () => {
  for (const yaml of ['- a\n- b', 'just words', 'a: *nowhere', 'a: "', `a: ${'['.repeat(2_000)}`]) {
    const found = read([yaml])
    assert.deepEqual(found.fields, { metadata: {}, requires: noRequirements }, yaml.slice(0, 20))
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
  assert.deepEqual(requires('git').fields.requires.bins, [['git']])
  assert.deepEqual(requires('[git, [rg, ag]]').fields.requires.bins, [['git'], ['rg', 'ag']])
  assert.deepEqual(requires('[[cargo], [nix]]').fields.requires.bins, [['cargo', 'nix']])
  assert.deepEqual(requires('[[cargo]]').fields.requires.bins, [['cargo']])
  assert.deepEqual(requires('').fields.requires, noRequirements)
  assert.deepEqual(requires('[[], 3, git]'), {
    fields: { metadata: { requires: { bins: [[], 3, 'git'] } }, requires: needs([['git']]) },
    warnings: Array(2).fill('metadata.requires.bins has an entry that names no program; it is ignored'),
  })
})

test('requirements are read where public skills put them, as YAML and as JSON', () => {
  const asPublic = {
    requires: { bins: ['git', './tool'], anyBins: ['rg', 'ag'], env: ['A_KEY'] },
    os: ['macos', 'linux'],
  }
  const expected = {
    bins: [['git'], ['./tool'], ['rg', 'ag']],
    env: ['A_KEY'],
    os: ['darwin', 'linux'],
  }
  for (const name of ['openclaw', 'clawdbot', 'moltbot']) {
    const json = JSON.stringify(asPublic)
    assert.deepEqual(read([`metadata: { "${name}": ${json} }`]).fields.requires, expected)
    assert.deepEqual(read(['metadata:', `  ${name}: '${json}'`]).fields.requires, expected)
    assert.deepEqual(read([`metadata: '${JSON.stringify({ [name]: asPublic })}'`]).fields.requires, expected)
  }
  const both = read([
    'metadata:',
    '  requires: { bins: [git], env: ONE }',
    '  openclaw: { requires: { bins: jq, env: [ONE, TWO] }, os: windows }',
    '  clawdbot: "not json"',
  ])
  assert.deepEqual(both.fields.requires, { bins: [['git'], ['jq']], env: ['ONE', 'TWO'], os: ['win32'] })
  assert.deepEqual(read(['metadata: { openclaw: { requires: { env: [3, X] } } }']).warnings, [
    'metadata.openclaw.requires.env has an entry that names no variable; it is ignored',
  ])
})

test('an alias refers to its target', () => {
  assert.deepEqual(
    read(['license: &l MIT', 'description: *l', 'metadata: &m', '  requires: { bins: [&g git, *g] }']).fields,
    {
      license: 'MIT',
      description: 'MIT',
      metadata: { requires: { bins: ['git', 'git'] } },
      requires: needs([['git'], ['git']]),
    },
  )
})

function needs(bins: readonly (readonly string[])[]) {
  return { ...noRequirements, bins }
}

function read(lines: readonly string[], end = '\n') {
  return readFrontmatter(['---', ...lines, '---', 'body'].join(end))
}

/** BEHAVIOURS §1.2, row by row; what is not there is unchanged. */
const table: readonly (readonly [content: string, body?: string])[] = [
  ['---\nname: x\n---\n# Body\n', '# Body'],
  ['# Title\n\npara\n\n---\n\nrest\n'],
  ['---\nname: x\nno close\n'],
  ['---\n---\nbody\n', 'body'],
  ['\n---\nname: x\n---\nbody', 'body'],
  ['---\r\nname: a\r\n---\r\nbody\r\n', 'body'],
  ['---\nname: x\n---\n\n---\n\nSection\n', '---\n\nSection'],
]

for (const [content, body = content] of table) {
  test(`the body of ${JSON.stringify(content)} is ${body === content ? 'unchanged' : JSON.stringify(body)}`, () => {
    assert.equal(stripFrontmatter(content), body)
  })
}

test('a byte order mark, blank lines before and blanks behind a fence do not hide frontmatter', () => {
  assert.equal(stripFrontmatter('\uFEFF---\nname: x\n---\nbody'), 'body')
  assert.equal(stripFrontmatter('\uFEFF\n \t\n---  \nname: x\n--- \t\nbody'), 'body')
  assert.equal(stripFrontmatter('---\nname: x\n---'), '')
})

test('what only looks like a fence is none', () => {
  for (const content of [
    '',
    '---',
    '----\nname: x\n---\n',
    ' ---\nname: x\n---\n',
    '-- -\na\n---\n',
    'x\n---\na: b\n---\n',
  ]) {
    assert.equal(stripFrontmatter(content), content)
  }
  assert.equal(stripFrontmatter('---\na: |\n  ---\n---\nbody'), 'body')
  assert.equal(stripFrontmatter('\uFEFF# Title\n'), '\uFEFF# Title\n')
})

test('a text knows the lines on which its frontmatter and its body begin', () => {
  assert.deepEqual(splitFrontmatter('\n\n---\r\nname: x\r\n---\r\n\r\nbody'), {
    frontmatter: 'name: x\r\n',
    line: 4,
    body: 'body',
    bodyLine: 7,
  })
})

test('whatever follows frontmatter is the body, and without frontmatter nothing is touched', () => {
  const text = fc.string({ unit: fc.constantFrom('---', '\n', '\r\n', 'a', ' ', '\uFEFF', ': ', '-') })
  fc.assert(fc.property(text, (body) => stripFrontmatter(`---\nname: x\n---\n${body}`) === body.trim()))
  fc.assert(
    fc.property(text, (content) => {
      const body = stripFrontmatter(content)
      return body === content || (splitFrontmatter(content) !== undefined && content.trimEnd().endsWith(body))
    }),
  )
})
