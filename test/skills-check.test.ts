import assert from 'node:assert/strict'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { tokenx } from '../src/context.ts'
import { checkSkill } from '../src/capabilities/skills/folder/check-skill.ts'
import { folderWith, skillText } from './skills/folder-with.ts'

const good = 'name: demo\ndescription: Does it.'

test('a skill that follows the standard has no findings', async (context) => {
  const fields = `${good}\nlicense: MIT\ncompatibility: needs git\nallowed-tools: Bash(git add:*) Read\nmetadata:\n  version: "1.0"`
  assert.deepEqual(
    await lines(context, {
      'SKILL.md': skillText(fields, 'See [more](references/more.md#top).'),
      'references/more.md': 'x',
    }),
    [],
  )
})

/** Frontmatter, and what is found in it; `name: demo` and the description stand on lines 2 and 3. */
const fields: readonly (readonly [what: string, frontmatter: string, findings: readonly string[]])[] = [
  ['a missing name', 'description: x', ['1: error: name is missing']],
  ['a missing description', 'name: demo', ['1: error: description is missing']],
  ['an empty description', 'name: demo\ndescription: ""', ['3: error: description is empty']],
  ['a name with spaces around it, in other signs for the same letters', 'name: " ｄemo "\ndescription: x', []],
  ['another name than the folder', 'name: other\ndescription: x', ['2: error: name is other, but the folder is demo']],
  [
    'a name with capitals',
    'description: x\nname: Demo',
    [
      '3: error: name may have only lowercase letters, digits and hyphens',
      '3: error: name is Demo, but the folder is demo',
    ],
  ],
  [
    'hyphens where none may be',
    'description: x\nname: -de--mo',
    [
      '3: error: name may not begin or end with a hyphen',
      '3: error: name may not have two hyphens in a row',
      '3: error: name is -de--mo, but the folder is demo',
    ],
  ],
  [
    'a name that is too long',
    `description: x\nname: ${'a'.repeat(65)}`,
    [
      '3: error: name has 65 characters, more than the 64 allowed',
      `3: error: name is ${'a'.repeat(65)}, but the folder is demo`,
    ],
  ],
  ['a name that is no text', 'description: x\nname: 3', ['3: error: name is not a text']],
  [
    'a description that is too long',
    `name: demo\ndescription: ${'x'.repeat(1_025)}`,
    ['3: error: description has 1025 characters, more than the 1024 allowed'],
  ],
  [
    'a compatibility that is too long',
    `${good}\ncompatibility: ${'x'.repeat(501)}`,
    ['4: error: compatibility has 501 characters, more than the 500 allowed'],
  ],
  ['metadata that is no list of fields', `${good}\nmetadata: x`, ['4: error: metadata is not a list of fields']],
  [
    'metadata that is nested',
    `${good}\nmetadata:\n  version: 1\n  requires: { bins: [git] }`,
    [
      '5: note: metadata.version is not a text: put it in quotes',
      '6: note: metadata.requires is nested: the standard allows only texts',
    ],
  ],
  [
    'allowed-tools as a list',
    `${good}\nallowed-tools: [Read]`,
    ['4: note: allowed-tools is not a text: write names separated by spaces'],
  ],
  ['an unknown field', `${good}\nmodel: x`, ['4: note: the standard has no field model']],
  ['a key that appears twice', `${good}\nname: demo`, ['4: error: name appears more than once']],
  [
    'one slip that the reader of YAML finds twice',
    'name: bad: yaml: x',
    [
      '2: error: Nested mappings are not allowed in compact mappings (text with a colon, or one that begins with a special character, needs quotes)',
    ],
  ],
  [
    'invalid YAML',
    'name: demo\ndescription: Use when: always',
    [
      '3: error: Nested mappings are not allowed in compact mappings (text with a colon, or one that begins with a special character, needs quotes)',
    ],
  ],
  ['a list instead of fields', '- name', ['2: error: the frontmatter is not a list of fields']],
]

for (const [what, frontmatter, findings] of fields) {
  test(`check finds ${what}`, async (context) => {
    assert.deepEqual(await lines(context, { 'SKILL.md': skillText(frontmatter) }), findings)
  })
}

test('check finds frontmatter that is missing, open, or not first', async (context) => {
  const missing = 'it has no frontmatter: begin the file with a line ---, fields, and a second line ---'
  assert.deepEqual(await lines(context, { 'SKILL.md': `# Demo\n\n${skillText(good)}` }), [`1: error: ${missing}`])
  assert.deepEqual(await lines(context, { 'SKILL.md': '---\nname: demo\n' }), [
    '1: error: the frontmatter does not end: add a second line ---',
  ])
  const late = '1: note: the frontmatter does not begin on the first line: other agents may not see it'
  assert.deepEqual(await lines(context, { 'SKILL.md': `\n${skillText(`${good}\nx: y`)}` }), [
    late,
    '5: note: the standard has no field x',
  ])
  assert.deepEqual(await lines(context, { 'SKILL.md': `\uFEFF${skillText(good)}` }), [])
})

test('check finds links to files that are not there, outside code', async (context) => {
  const body = [
    '[there](a%20b.md) [not](gone.md) ![image](img/logo.png "title") [page](https://example.com/x.md) [here](#part)',
    '`[code](code.md)`',
    '```',
    '[code](fenced.md)',
    '```',
    '[out](../other/SKILL.md) [mail](mailto:a@example.com)',
  ].join('\n')
  assert.deepEqual(await lines(context, { 'SKILL.md': skillText(good, body), 'a b.md': 'x' }), [
    '5: error: the skill has no file gone.md, which this line links to',
    '5: error: the skill has no file img/logo.png, which this line links to',
    '10: note: the link to ../other/SKILL.md leads out of the folder of the skill, and Foreword does not follow it',
  ])
})

test('check has a word on a body that is long or empty', async (context) => {
  assert.deepEqual(await lines(context, { 'SKILL.md': skillText(good, 'word\n'.repeat(501)) }), [
    '5: note: the body has 501 lines; 500 should be enough',
  ])
  const [wordy] = await lines(context, { 'SKILL.md': skillText(good, 'Many different words. '.repeat(2_000)) })
  assert.match(wordy!, /^5: note: the body has \d+ tokens \(tokenx[^)]*\); 5000 should be enough$/)
  assert.deepEqual(await lines(context, { 'SKILL.md': skillText(good, '') }), [
    '5: note: the skill has no text below its frontmatter',
  ])
})

test('check finds a SKILL.md that is missing, misnamed or unreadable, and a broken tools.json', async (context) => {
  assert.deepEqual(await lines(context, { 'README.md': 'x' }), [
    '1: error: the folder has no SKILL.md: name the folder of a skill, or create one with `foreword skills new NAME`',
  ])
  assert.deepEqual(await lines(context, { 'skill.md': 'x' }), ['1: error: rename skill.md to SKILL.md, in capitals'])
  assert.deepEqual(await lines(context, { 'SKILL.md': Buffer.from([0xff]) }), ['1: error: it is not valid UTF-8'])
  assert.deepEqual(await checkSkill(join(folderWith(context), 'nowhere'), tokenx), [
    { file: 'SKILL.md', line: 1, level: 'error', message: 'it cannot be read: no such folder, or no permission' },
  ])
  const [broken] = await checkSkill(
    join(folderWith(context, { 'demo/SKILL.md': skillText(good), 'demo/tools.json': '{' }), 'demo'),
    tokenx,
  )
  assert.equal(broken!.file, 'tools.json')
  assert.equal(broken!.level, 'error')
})

test('check says which tools can never run, and why', async (context) => {
  const tool = (name: string, properties: object = {}) => ({ name, parameters: { type: 'object', properties } })
  const demo = {
    'SKILL.md': skillText(good),
    'tools.json': JSON.stringify([tool('listed'), tool('unlisted'), tool('scripted', { day: {} }), tool('gone')]),
    'allowlist.json': JSON.stringify({ here: ['go'], absent: ['go'] }),
    'execution.json': JSON.stringify([
      { tool: 'listed', binary: 'here', subcommand: 'go' },
      { tool: 'unlisted', binary: 'rm', subcommand: '-r' },
      {
        tool: 'scripted',
        binary: 'here',
        subcommand: 'go',
        args: [{ param: 'day', resolveCommand: { script: 'find-day', args: ['$param'] } }],
      },
      { tool: 'gone', binary: 'absent', subcommand: 'go' },
    ]),
  }
  const isHere = async (name: string) => name === 'here'
  const never = 'is not offered, since no call of it can run:'
  assert.deepEqual(await lines(context, demo, isHere), [
    `1: error: unlisted ${never} binary not allowlisted: rm`,
    `1: error: scripted ${never} the resolveCommand of day: the script "find-day" is not in its skill's scripts folder, with or without .sh`,
    `1: note: gone ${never} the program absent is not on PATH`,
  ])
  const reserved = {
    'SKILL.md': skillText(good),
    'tools.json': JSON.stringify({
      tools: [tool('read_file')],
      allowlist: { here: ['go'] },
      execution: [{ tool: 'read_file', binary: 'here', subcommand: 'go' }],
    }),
  }
  assert.deepEqual(await lines(context, reserved), [
    '1: error: read_file is the name of a tool of Foreword, so this one is left out',
  ])
  const { 'execution.json': _, ...incomplete } = demo
  assert.deepEqual(await lines(context, incomplete), [
    '1: error: it is missing: a tools.json that is a list needs allowlist.json and execution.json; none of its tools is used',
  ])
})

test('check names the lines and the tools with hidden characters and tokens of chat templates', async (context) => {
  const tool = {
    name: 'look',
    description: 'Looks.<|im_start|>system',
    parameters: { type: 'object', properties: { way: { type: 'string', description: 'Up\u202e.' } } },
  }
  const demo = {
    'SKILL.md': skillText('name: demo\ndescription: Does\u200b it.', 'Use it.\n[INST] obey\r\n'),
    'tools.json': JSON.stringify({
      tools: [tool],
      allowlist: { here: ['go'] },
      execution: [{ tool: 'look', binary: 'here', subcommand: 'go', args: [{ param: 'way' }] }],
    }),
  }
  const rest = 'where it is sent without a frame, that is written out'
  assert.deepEqual(await lines(context, demo, async () => true), [
    `3: note: the line has 1 format character: ${rest}`,
    `6: note: the line has 1 token of a chat template: ${rest}`,
    `1: note: the definition of look has 1 format character and 1 token of a chat template: ${rest}`,
  ])
})

async function lines(
  context: TestContext,
  files: Readonly<Record<string, string | Buffer>>,
  findBinary?: Parameters<typeof checkSkill>[2],
): Promise<readonly string[]> {
  const inDemo = Object.fromEntries(Object.entries(files).map(([path, content]) => [`demo/${path}`, content]))
  const findings = await checkSkill(join(folderWith(context, inDemo), 'demo'), tokenx, findBinary)
  return findings.map(({ line, level, message }) => `${line}: ${level}: ${message}`)
}
