import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { renameSync, symlinkSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { type Message, tokenx } from '../src/context.ts'
import { openSkills } from '../src/capabilities/skills/open-skills.ts'
import { createToolbox, type ToolContext } from '../src/tool.ts'
import { folderWith, skillText } from './skills/folder-with.ts'
import { systemClock } from '../src/platform.ts'

const context: ToolContext = {
  clock: systemClock,
  session: 's',
  turn: 't',
  toolCallId: 'c9',
  signal: new AbortController().signal,
}

test('read_skill returns the stripped body, exactly', async (tests) => {
  const { tool } = await readSkill(tests)
  assert.deepEqual(await tool.execute!({ skill_name: 'alpha' }, context), { ok: true, output: '# Alpha\nUse it.' })
})

test('read_skill names the loaded skills in its schema', async (tests) => {
  const { tool } = await readSkill(tests)
  const { properties, required } = tool.inputSchema as {
    properties: Record<string, { enum?: unknown }>
    required: unknown
  }
  assert.deepEqual(properties.skill_name!.enum, ['alpha', 'ünï'])
  assert.deepEqual(required, ['skill_name'])
})

/** BEHAVIOURS §1.4. The match is exact and in memory: a name never becomes a path. */
const faults: readonly (readonly [input: unknown, error: string])[] = [
  ['alpha', 'arguments must be an object'],
  [null, 'arguments must be an object'],
  [['alpha'], 'arguments must be an object'],
  [{}, 'missing skill_name'],
  [{ skill_name: 3 }, 'missing skill_name'],
  [{ skill_name: '' }, 'missing skill_name'],
  [{ skill_name: 'gamma' }, 'unknown skill: gamma'],
  [{ skill_name: 'Alpha' }, 'unknown skill: Alpha'],
  [{ skill_name: 'alpha ' }, 'unknown skill: alpha '],
  [{ skill_name: '../alpha' }, 'unknown skill: ../alpha'],
  [{ skill_name: '__proto__' }, 'unknown skill: __proto__'],
]

for (const [input, error] of faults) {
  test(`read_skill answers ${JSON.stringify(input)} with ${error}, called directly and through a toolbox`, async (tests) => {
    const { tool } = await readSkill(tests)
    assert.deepEqual(await tool.execute!(input, context), { ok: false, error })
    const result = await createToolbox([tool]).run({ toolCallId: 'c', toolName: 'read_skill', input }, context)
    assert.deepEqual(result, { ok: false, error, meta: { failure: 'invalid-input' } })
  })
}

test('read_skill reads a file that the skill ships', async (tests) => {
  const { tool, root } = await readSkill(tests)
  const read = (path: string) => tool.execute!({ skill_name: 'alpha', path }, context)
  symlinkSync('more.md', join(root, 'alpha', 'references', 'link.md'))
  const more = { ok: true, output: '# More\r\n' }
  for (const path of ['references/more.md', './references/../references/more.md', 'references/link.md']) {
    assert.deepEqual(await read(path), more)
  }
  assert.deepEqual(await read('SKILL.md'), { ok: true, output: skillText('description: Does A.', '# Alpha\nUse it.') })
  assert.deepEqual(await read(join(root, 'alpha', 'references', 'more.md')), more)
})

test('a text that is larger than the room is read in pages, and each page names the next call', async (tests) => {
  const body = Array.from({ length: 400 }, (_, index) => `Step ${index}: do it 😀.`).join('\n')
  const { tool } = await readSkillIn(folderWith(tests, { 'long/SKILL.md': body, 'long/more.md': body }))
  const call = createToolbox([tool])
  for (const path of [undefined, 'more.md']) {
    let read = ''
    let offset = 0
    for (let pages = 0; pages < 100; pages++) {
      const input = { skill_name: 'long', ...(path && { path }), ...(offset > 0 && { offset }) }
      const room = { characters: 5_000, tokens: 600 }
      const result = await call.run({ toolCallId: 'c', toolName: 'read_skill', input }, { ...context, room })
      assert.equal(result.ok, true)
      const output = result.ok ? result.output : ''
      assert.equal(tokenx.text(output) <= 640, true)
      const [, page = output, next] =
        /^(.*)\n\[characters \d+ to \d+ of \d+; go on with offset (\d+)\]$/s.exec(output) ?? []
      read += page
      if (next === undefined) break
      offset = Number(next)
    }
    assert.equal(read, body)
  }
  const whole = await tool.execute!(
    { skill_name: 'long' },
    { ...context, room: { characters: 64_000, tokens: 60_000 } },
  )
  assert.deepEqual(whole, { ok: true, output: body })
  assert.deepEqual(await tool.execute!({ skill_name: 'long', offset: body.length }, context), {
    ok: true,
    output: `[the text ends at character ${body.length}]`,
  })
  for (const offset of [-1, 1.5, '3']) {
    assert.deepEqual(await tool.execute!({ skill_name: 'long', offset }, context), {
      ok: false,
      error: 'offset must be a whole number, 0 or more',
    })
  }
})

test('a part that is already above and unchanged is not repeated, and another part is added', async (tests) => {
  const body = 'word '.repeat(1_000)
  const { tool } = await readSkillIn(folderWith(tests, { 'long/SKILL.md': body }))
  const room = { characters: 2_000, tokens: 10_000 }
  const ask = async (input: object, seen: readonly Message[]) => {
    const result = await tool.execute!(input, { ...context, room, seen })
    return result.ok ? result.output : ''
  }
  const first = { skill_name: 'long' }
  const second = { skill_name: 'long', offset: 1_900 }
  const page = await ask(first, [])
  assert.match(page, /\[characters 0 to 1900 of 5000; go on with offset 1900\]$/)
  assert.equal(
    await ask(first, earlier(first, page)),
    'This part of the documentation of the skill long stands above, unchanged.',
  )
  assert.match(await ask(second, earlier(first, page)), /\[characters 1900 to 3800 of 5000/)
})

test('a skill that is itself a link ships its files too', async (tests) => {
  const elsewhere = folderWith(tests, { 'alpha/SKILL.md': 'x', 'alpha/more.md': 'more' })
  const root = folderWith(tests)
  symlinkSync(join(elsewhere, 'alpha'), join(root, 'alpha'))
  const { tool } = await readSkillIn(root)
  assert.deepEqual(await tool.execute!({ skill_name: 'alpha', path: 'more.md' }, context), { ok: true, output: 'more' })
})

test('the files of a skill are read where it lay when it was read, whatever link takes its place', async (tests) => {
  const secret = folderWith(tests, { 'references/more.md': 'secret' })
  const path = 'references/more.md'
  const { tool, root } = await readSkill(tests)
  renameSync(join(root, 'alpha'), join(root, 'moved'))
  symlinkSync(secret, join(root, 'alpha'))
  assert.deepEqual(await tool.execute!({ skill_name: 'alpha', path }, context), {
    ok: false,
    error: `the skill has no file "${path}"`,
  })
  const elsewhere = folderWith(tests, { 'beta/SKILL.md': skillText('description: B.', 'B'), [`beta/${path}`]: 'own' })
  const linked = folderWith(tests, {})
  symlinkSync(join(elsewhere, 'beta'), join(linked, 'beta'))
  const { tool: other } = await readSkillIn(linked)
  unlinkSync(join(linked, 'beta'))
  symlinkSync(secret, join(linked, 'beta'))
  assert.deepEqual(await other.execute!({ skill_name: 'beta', path }, context), { ok: true, output: 'own' })
})

test('no path and no link leads out of the folder of the skill', async (tests) => {
  const { tool, root } = await readSkill(tests)
  const secret = folderWith(tests, { secret: 'hush' })
  symlinkSync(join(secret, 'secret'), join(root, 'alpha', 'link'))
  symlinkSync(secret, join(root, 'alpha', 'folder'))
  symlinkSync('circle', join(root, 'alpha', 'circle'))
  const read = (path: string) => tool.execute!({ skill_name: 'alpha', path }, context)
  const out = (path: string) => ({
    ok: false,
    error: `path ${JSON.stringify(path)} leads out of the folder of the skill`,
  })
  const link = (path: string) => ({
    ok: false,
    error: `path ${JSON.stringify(path)} is a link that leads out of the folder of the skill`,
  })
  for (const path of ['../ünï/SKILL.md', '..', '/etc/passwd', 'references/../../x', '../alpha2']) {
    assert.deepEqual(await read(path), out(path))
  }
  assert.deepEqual(await read('link'), link('link'))
  assert.deepEqual(await read('folder/secret'), link('folder/secret'))
  assert.deepEqual(await read('folder'), link('folder'))
  assert.deepEqual(await read('a\0b'), { ok: false, error: 'path has a NUL character in it' })
  assert.deepEqual(await read('circle'), { ok: false, error: 'path "circle" is a link that leads back to itself' })
})

test('a binary file is named, its content is not returned, and a pipe is not waited for', async (tests) => {
  const { tool, root } = await readSkill(tests)
  const read = (path: string) => tool.execute!({ skill_name: 'alpha', path }, context)
  if (process.platform !== 'win32') execFileSync('mkfifo', [join(root, 'alpha', 'pipe')])
  const expected: Readonly<Record<string, string>> = {
    'logo.png': 'path "logo.png" is not a text (5 bytes); it can be used, but not read',
    'latin.txt': 'path "latin.txt" is not a text (2 bytes); it can be used, but not read',
    'huge.txt': 'path "huge.txt" has 262145 bytes, more than the 262144 that can be read',
    pipe: 'path "pipe" is not a file',
    references: 'path "references" is a folder. It holds: more.md',
    'nothing.md': 'the skill has no file "nothing.md"',
    'logo.png/x': 'the skill has no file "logo.png/x"',
  }
  for (const [path, error] of Object.entries(expected)) assert.deepEqual(await read(path), { ok: false, error })
  assert.deepEqual(await tool.execute!({ skill_name: 'alpha', path: 3 }, context), {
    ok: false,
    error: 'path must be a string',
  })
})

test('a text that is already above and unchanged is not repeated', async (tests) => {
  const { tool } = await readSkill(tests)
  const again = (seen: readonly Message[], input: object = { skill_name: 'alpha' }) =>
    tool.execute!(input, { ...context, seen })
  const body = '# Alpha\nUse it.'
  const above = { ok: true, output: 'The documentation of the skill alpha stands above, unchanged.' }
  const whole = { ok: true, output: body }
  assert.deepEqual(await again(earlier({ skill_name: 'alpha' }, body)), above)
  assert.deepEqual(await again(earlier({ skill_name: 'alpha', path: '' }, body)), above)
  assert.deepEqual(await again(earlier({ skill_name: 'alpha' }, `${body} `)), whole)
  assert.deepEqual(await again(earlier({ skill_name: 'alpha' }, above.output)), whole)
  assert.deepEqual(await again(earlier({ skill_name: 'ünï' }, body)), whole)
  assert.deepEqual(await again(earlier({ skill_name: 'alpha', path: 'SKILL.md' }, body)), whole)
  assert.deepEqual(await again(earlier({ skill_name: 'alpha' }, body, 'error-text')), whole)
  assert.deepEqual(await again([{ role: 'user', content: body }]), whole)
  assert.deepEqual(await again([]), whole)
  const file = { skill_name: 'alpha', path: 'references/more.md' }
  assert.deepEqual(await again(earlier(file, '# More\r\n'), file), {
    ok: true,
    output: 'The file references/more.md of the skill alpha stands above, unchanged.',
  })
})

test('the body of an activated skill is not cleared, and may be read again after a crash', async (tests) => {
  const { tool } = await readSkill(tests)
  const { readsContext, idempotent, keepsOutput, maxShownChars } = tool
  assert.deepEqual(
    { readsContext, idempotent, keepsOutput, maxShownChars },
    { readsContext: true, idempotent: true, keepsOutput: true, maxShownChars: 64_000 },
  )
})

function earlier(input: object, text: string, type: 'text' | 'error-text' = 'text'): readonly Message[] {
  const call = { type: 'tool-call' as const, toolCallId: 'c1', toolName: 'read_skill', input }
  const output = { type, value: text }
  return [
    { role: 'user', content: 'Go' },
    { role: 'assistant', content: [call] },
    { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c1', toolName: 'read_skill', output }] },
  ]
}

async function readSkill(tests: TestContext) {
  return await readSkillIn(
    folderWith(tests, {
      'alpha/SKILL.md': skillText('description: Does A.', '# Alpha\nUse it.'),
      'alpha/references/more.md': '# More\r\n',
      'alpha/logo.png': Buffer.from([0x89, 0x50, 0, 1, 2]),
      'alpha/latin.txt': Buffer.from([0x61, 0xe9]),
      'alpha/huge.txt': 'x'.repeat(256 * 1024 + 1),
      'ünï/SKILL.md': 'Plain.',
    }),
  )
}

async function readSkillIn(root: string) {
  const plugin = await openSkills({
    roots: [{ path: root, ref: 'skills', kind: 'home' }],
    findBinary: async () => true,
    mode: 'readOnDemand',
    workspace: root,
    environment: {},
    allowScripts: false,
  })
  return { root, tool: plugin.tools[0]! }
}
