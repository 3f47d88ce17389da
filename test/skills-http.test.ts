import assert from 'node:assert/strict'
import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { openedHome } from './home/opened-home.ts'
import { served } from './server/served.ts'
import { skillText } from './skills/folder-with.ts'

interface Listed {
  readonly skills: readonly {
    readonly name: string
    readonly tokens: { readonly full: number; readonly list: number }
    readonly digest: string
    readonly from: string
    readonly warnings: readonly string[]
  }[]
  readonly left: readonly {
    readonly name: string
    readonly code: string
    readonly why: string
    readonly file: string
    readonly hint: string
  }[]
  readonly warnings: readonly string[]
  readonly total: number
  readonly read: number
  readonly forms: readonly string[]
  readonly why: string
}

interface Reach {
  readonly model: string
  readonly form: string
  readonly named: number
  readonly text: string
  readonly tools: readonly string[]
  readonly but?: string
  readonly hint?: string
}

const files = {
  'skills/alpha/SKILL.md': skillText('name: alpha\ndescription: Does A.', '# Alpha\nUse it. [more](more.md)'),
  'skills/alpha/references/tides.md': '# Tides\n',
  'skills/alpha-two/SKILL.md': skillText('name: alpha-two\ncolour: red'),
  'skills/gated/SKILL.md': skillText('metadata: { requires: { bins: [no-such-program-here] } }'),
  'skills/off/SKILL.md': 'x',
  'skills/twin-a/SKILL.md': skillText('name: twin'),
  'skills/twin-b/SKILL.md': skillText('name: twin'),
  'skills/loud/SKILL.md': skillText('name: loud\ndescription: "Says \\u007Bthings'),
  'tool-access.json': '{"global": {"mode": "full"}}',
}

async function skillsHome(t: TestContext, more: Readonly<Record<string, string>> = {}) {
  const opened = await openedHome(t, { ...files, ...more }, { skills: { disabled: ['off'] } })
  return { ...opened, ...served(opened.runtime) }
}

test('the list is that of the command line, with the file and the fix of what is not loaded', async (t) => {
  const { home, json } = await skillsHome(t)
  const { skills, left, total, read, forms, why } = await json<Listed>('/api/skills')
  assert.deepEqual(
    skills.map(({ name, from }) => [name, from]),
    [
      ['alpha', 'skills/alpha'],
      ['alpha-two', 'skills/alpha-two'],
      ['loud', 'skills/loud'],
      ['twin', 'skills/twin-b'],
    ],
  )
  for (const { tokens, digest } of skills) {
    assert.ok(tokens.full > 0 && tokens.list > 0)
    assert.match(digest, /^[0-9a-f]{64}$/)
  }
  assert.deepEqual(Object.fromEntries(left.map(({ name, code, file }) => [name, [code, file]])), {
    gated: ['missing-programs', join(home, 'skills', 'gated', 'SKILL.md')],
    off: ['disabled', join(home, 'skills', 'off', 'SKILL.md')],
    twin: ['replaced', join(home, 'skills', 'twin-a', 'SKILL.md')],
  })
  for (const { why: reason, hint } of left) assert.ok(reason.length > 10 && hint.length > 10)
  assert.deepEqual([total, read, forms[0]], [4, 4, 'full'])
  assert.match(why, /head's share/)
  const [alpha, second, loud] = skills
  assert.deepEqual([alpha!.warnings, second!.warnings], [[], []], 'a name that begins alike is another skill')
  assert.match(loud!.warnings[0]!, /skills\/loud\/SKILL\.md: /)
})

test('a filter finds skills by the words of name and description', async (t) => {
  const { json, request } = await skillsHome(t)
  const found = await json<Listed>('/api/skills?q=a.+DOES')
  assert.deepEqual([found.skills.map(({ name }) => name), found.left, found.total], [['alpha'], [], 4])
  assert.equal((await request('/api/skills?colour=red')).status, 400)
})

test('one skill comes with what the model reads of it, its files, and the findings of the check', async (t) => {
  const { json, request } = await skillsHome(t)
  const {
    line,
    text,
    files: own,
    findings,
  } = await json<{
    readonly line: string
    readonly text: string
    readonly files: readonly object[]
    readonly findings: readonly { readonly line: number; readonly message: string }[]
  }>('/api/skills/alpha')
  assert.equal(line, '- **alpha**: Does A.')
  assert.equal(text, '## alpha\nDoes A.\n\n# Alpha\nUse it. [more](more.md)')
  assert.deepEqual(own, [
    { path: 'SKILL.md', bytes: files['skills/alpha/SKILL.md'].length },
    { path: 'references/tides.md', bytes: 8 },
  ])
  assert.match(findings[0]!.message, /no file more\.md/)
  assert.deepEqual(await json('/api/skills/alpha/file?path=references%2Ftides.md'), {
    path: 'references/tides.md',
    text: '# Tides\n',
  })
  for (const path of ['../twin-b/SKILL.md', 'nothing.md', '/etc/passwd']) {
    const refused = await request(`/api/skills/alpha/file?path=${encodeURIComponent(path)}`)
    assert.equal(refused.status, 404, path)
  }
  const { error } = await json<{ readonly error: { readonly message: string } }>('/api/skills/gated')
  assert.match(error.message, /^The skill gated is not loaded: it needs no-such-program-here/)
  const unknown = await json<{ readonly error: { readonly hint: string } }>('/api/skills/alhpa')
  assert.match(unknown.error.hint, /Did you mean alpha\?/)
})

test('to show a file of a skill, no file of another one is read', async (t) => {
  const { json } = await skillsHome(t, { 'skills/beta/SKILL.md': skillText('name: beta'), 'skills/beta/notes.md': 'x' })
  const read: string[] = []
  const { open } = fs
  t.mock.method(fs, 'open', (...call: Parameters<typeof open>) => {
    read.push(call[0] as string)
    return open(...call)
  })
  syncBuiltinESMExports()
  t.after(() => {
    t.mock.restoreAll()
    syncBuiltinESMExports()
  })
  const ofBeta = () => read.filter((path) => path.endsWith('/notes.md'))
  assert.equal(
    (await json<{ readonly text: string }>('/api/skills/alpha/file?path=SKILL.md')).text,
    files['skills/alpha/SKILL.md'],
  )
  const { digest } = await json<{ readonly digest: string }>('/api/skills/alpha')
  assert.deepEqual(ofBeta(), [])
  const { skills } = await json<Listed>('/api/skills')
  assert.equal(ofBeta().length, 1, 'the list has the digests of all')
  assert.equal(skills.find(({ name }) => name === 'alpha')!.digest, digest)
})

test('what reaches a model or an agent is what its next call would be sent', async (t) => {
  const many = Object.fromEntries(
    Array.from({ length: 300 }, (_, index) => [
      `skills/skill-${index}/SKILL.md`,
      skillText(`description: Number ${index}. ${'It does a thing and another thing. '.repeat(4)}`),
    ]),
  )
  const { runtime, json, write } = await skillsHome(t, many)
  const reach = await json<Reach>('/api/skills/reach', { body: {} })
  assert.deepEqual([reach.model, reach.form, reach.named], ['rehearsal', 'names', 304])
  assert.match(reach.text, /All 304 skills by name alone/)
  assert.equal(reach.but, undefined)
  const { id } = await runtime.agents.create({ name: 'Chai', layout: 'chai' })
  const { error } = await json<{ readonly error: { readonly code: string; readonly message: string } }>(
    '/api/skills/reach',
    { body: { choices: { agent: id } } },
  )
  assert.equal(error.code, 'context-overflow', 'its layout sends all of them in full')
  assert.match(error.message, /The largest part is the skills/)

  write('tool-access.json', '{"global": {"mode": "denied"}}')
  const denied = await json<Reach>('/api/skills/reach', { body: {} })
  assert.equal(denied.but, 'read_skill may not run')
  assert.match(denied.hint!, /Allow it in tool-access\.json/)
  write('tool-access.json', files['tool-access.json'])

  write('skills/new/SKILL.md', skillText('description: New.'))
  const listed = await json<Listed>('/api/skills')
  assert.deepEqual([listed.total, listed.read], [305, 304], 'the gateway has not read it yet')
  await runtime.reload()
  assert.equal((await json<Listed>('/api/skills')).read, 305)
})

test('a model that does not exist is refused', async (t) => {
  const { request } = await skillsHome(t)
  assert.equal((await request('/api/skills/reach', { body: { model: 'nobody/none' } })).status, 404)
})
