import assert from 'node:assert/strict'
import { chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { createToolbox, type PlannedCall, type ToolResult } from '../../../tool.ts'
import { unconfined } from '../../../../test/unconfined.ts'
import { type SkillTools, skillTools, type SkillToolsOptions } from './skill-tools.ts'
import type { Argument, Execution } from './tools-json.ts'
import { systemClock } from '../../../platform.ts'

/** A program that prints its arguments as JSON, one line. */
const PRINT = 'console.log(JSON.stringify(process.argv.slice(1)))'
const node = process.execPath

interface Setting extends Partial<SkillToolsOptions> {
  readonly args?: readonly Argument[]
  readonly execution?: Partial<Execution>
  readonly allowlist?: Readonly<Record<string, readonly string[]>>
  readonly properties?: Readonly<Record<string, unknown>> | null
  /** In the place of all properties. */
  readonly declared?: Readonly<Record<string, unknown>>
  readonly required?: readonly string[]
  readonly scripts?: Readonly<Record<string, string>>
}

interface Bench extends SkillTools {
  /** What was found, with its file. */
  readonly warnings: readonly string[]
  /** Folder of the skill. */
  readonly folder: string
  readonly workspace: string
  plan(input: unknown): Promise<PlannedCall>
  run(input: unknown): Promise<ToolResult>
  /** What arrived at a program that prints its arguments; or the error. */
  arrived(input: unknown): Promise<unknown>
}

/** One skill with one tool, `try`, in a folder of its own. */
async function bench(t: TestContext, setting: Setting = {}): Promise<Bench> {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'foreword-skill-tools-')))
  t.after(() => rm(home, { recursive: true, force: true }))
  const [folder, workspace] = [join(home, 'skills', 'trial'), join(home, 'workspace')]
  await mkdir(join(folder, 'scripts'), { recursive: true })
  await mkdir(workspace)
  for (const [name, text] of Object.entries(setting.scripts ?? {})) {
    await writeFile(join(folder, 'scripts', name), text, { mode: 0o755 })
  }
  const { args = [{ param: 'title' }], properties = {}, allowlist = { [node]: ['-e', '-p', ''] } } = setting
  const named = Object.fromEntries(args.map(({ param }) => [param, {}]))
  const { declared = { ...named, ...properties }, required } = setting
  const parameters = { type: 'object', ...(properties && { properties: declared }), ...(required && { required }) }
  const toolsJson = JSON.stringify({
    tools: [{ name: 'try', parameters }],
    allowlist,
    execution: [{ tool: 'try', binary: node, subcommand: '-e', args, ...setting.execution }],
  })
  const { environment = process.env, allowScripts = false, timeoutMs, maxOutputChars } = setting
  const found = await skillTools(
    { name: 'trial', folder, toolFiles: { 'tools.json': toolsJson } },
    {
      workspace: setting.workspace ?? workspace,
      environment,
      sandbox: unconfined,
      allowScripts,
      ...(setting.findBinary && { findBinary: setting.findBinary }),
      ...(timeoutMs !== undefined && { timeoutMs }),
      ...(maxOutputChars !== undefined && { maxOutputChars }),
    },
  )
  const toolbox = createToolbox(found.tools)
  const turn = { clock: systemClock, session: 's', turn: 't', signal: AbortSignal.timeout(60_000) }
  const call = (input: unknown) => ({ toolCallId: 'c', toolName: 'try', input })
  const run = (input: unknown) => toolbox.run(call(input), turn)
  return {
    ...found,
    warnings: warningsOf(found),
    folder,
    workspace,
    plan: (input) => toolbox.plan(call(input), turn),
    run,
    async arrived(input) {
      const result = await run(input)
      return result.ok ? JSON.parse(result.output) : result.error
    },
  }
}

function warningsOf({ findings }: SkillTools): readonly string[] {
  return findings.map(({ file, message }) => `${file}: ${message}`)
}

/** `node -e PRINT`, whose first argument is fixed: the tool's own follow. */
const printing: Setting = { args: [{ param: 'code' }, { param: 'title' }] }

for (const [what, value] of [
  ['quotes', `it's "so"`],
  ['spaces', '  a  b '],
  ['letters of all kinds', 'é 漢字 👍🏽 \u202e'],
  ['a variable', '$HOME ${HOME} %PATH%'],
  ['a command in it', '$(id) `id`'],
  ['more commands', 'a; id && id || id | id > file & id'],
  ['a pattern', '* ? [a-z] {a,b} ~'],
  ['lines', 'one\ntwo\r\nthree\t'],
  ['backslashes', '\\n \\\\ \\'],
  ['nothing', ''],
] as const) {
  test(`${what} arrive at a program as they were given`, async (t) => {
    const { arrived } = await bench(t, printing)
    assert.deepEqual(await arrived({ code: PRINT, title: value }), [value])
  })
}

test('what a program of the PATH says is the result', async (t) => {
  const { run } = await bench(t, {
    allowlist: { printf: ['%s|'] },
    execution: { binary: 'printf', subcommand: '%s|' },
    args: [{ param: 'a' }, { param: 'b' }],
  })
  assert.deepEqual(await run({ a: '$HOME *', b: 2 }), {
    ok: true,
    output: '$HOME *|2|',
    meta: { exitCode: 0, bytes: 10, truncated: false },
  })
})

test('a program without a subcommand gets none', async (t) => {
  const { run } = await bench(t, {
    allowlist: { echo: [''] },
    execution: { binary: 'echo', subcommand: '' },
    args: [{ param: 'title' }],
  })
  assert.partialDeepStrictEqual(await run({ title: 'hello' }), { ok: true, output: 'hello\n' })
})

test('a plan says program, arguments and folder, and runs nothing', async (t) => {
  const { plan, workspace } = await bench(t, printing)
  assert.partialDeepStrictEqual(await plan({ code: PRINT, title: 'a' }), {
    type: 'allowed',
    call: { tool: 'try', argv: [node, '-e', PRINT, 'a'], folder: workspace, facts: { skill: 'trial' } },
  })
})

test('a program works in the workspace, links resolved, and in its skill where there is none', async (t) => {
  const code = 'process.cwd()'
  const setting = { args: [{ param: 'code' }], execution: { subcommand: '-p' } }
  const first = await bench(t, setting)
  assert.partialDeepStrictEqual(await first.run({ code }), { output: `${first.workspace}\n` })
  await symlink(first.workspace, join(first.folder, 'link'))
  const linked = await bench(t, { ...setting, workspace: join(first.folder, 'link') })
  assert.partialDeepStrictEqual(await linked.run({ code }), { output: `${first.workspace}\n` })
  const homeless = await bench(t, { ...setting, workspace: join(first.folder, 'nowhere') })
  assert.partialDeepStrictEqual(await homeless.run({ code }), { output: `${homeless.folder}\n` })
})

test('no key passes to a program', async (t) => {
  const { run } = await bench(t, {
    args: [{ param: 'code' }],
    execution: { subcommand: '-p' },
    environment: { PATH: process.env['PATH'], OPENAI_API_KEY: 'secret-one', GH_TOKEN: 'secret-two' },
  })
  const result = await run({ code: 'JSON.stringify(process.env)' })
  assert.equal(result.ok && !result.output.includes('secret') && result.output.includes('PATH'), true)
})

test('an exit other than zero is an error with both outputs', async (t) => {
  const { run } = await bench(t, { args: [{ param: 'code' }] })
  assert.partialDeepStrictEqual(await run({ code: 'console.log("out"); console.error("err"); process.exitCode = 3' }), {
    ok: false,
    error: 'exit 3: out\n\nerr\n',
    meta: { exitCode: 3 },
  })
})

test('a tool that takes too long is ended', async (t) => {
  const { run } = await bench(t, { args: [{ param: 'code' }], timeoutMs: 400 })
  assert.partialDeepStrictEqual(await run({ code: 'setInterval(() => {}, 1000)' }), {
    ok: false,
    error: 'timed out after 400 ms',
    meta: { failure: 'timeout' },
  })
})

test('a long output is cut where it has to be', async (t) => {
  const { run } = await bench(t, { args: [{ param: 'code' }], maxOutputChars: 10 })
  assert.partialDeepStrictEqual(await run({ code: 'process.stdout.write("a".repeat(99))' }), {
    ok: true,
    output: 'aaaaaaaaaa\n...[truncated: 10 of 99 characters shown]',
    meta: { truncated: true },
  })
})

for (const [rule, input, expected] of [
  ['an input that is no object', 'milk', 'arguments must be an object'],
  ['an input that is an array', ['milk'], 'arguments must be an object'],
  ['a missing parameter', {}, 'missing parameter: title'],
  ['a parameter that is null', { title: null }, 'parameter title must be a string, number, or boolean'],
  [
    'a parameter that starts with -',
    { title: '-x' },
    'parameter title starts with "-", which the program would take for a flag',
  ],
  ['a NUL byte', { title: '\0' }, 'parameter title holds a NUL byte, which no program can be given'],
  ['a parameter that there is not', { title: 'a', x: 1 }, 'unknown parameter x: the tool takes title, size'],
  ['what breaks the schema', { title: 'abcd' }, 'invalid input for try: title must NOT have more than 3 characters'],
  ['a parameter that reaches no argument', { title: 'a', size: 1 }, 'unknown parameter size: the tool takes title'],
] as const) {
  test(`the model reads what is wrong with ${rule}, and nothing runs`, async (t) => {
    const { arrived, warnings } = await bench(t, { properties: { title: { maxLength: 3 }, size: {} } })
    assert.equal(await arrived(input), expected)
    assert.deepEqual(warnings, [
      'tools.json: try: no argument takes the parameter size; a call that gives it is refused',
    ])
  })
}

test('an argument that the schema does not list cannot be passed', async (t) => {
  const { arrived } = await bench(t, { args: [{ param: 'title', kind: 'flag' }], properties: null })
  assert.match(String(await arrived({ other: 1 })), /^unknown parameter other/)
  const toolsJson = JSON.stringify({
    tools: [{ name: 'try', parameters: { type: 'object', properties: {} } }],
    allowlist: { echo: ['a'] },
    execution: [{ tool: 'try', binary: 'echo', subcommand: 'a', args: [{ param: 'hidden', kind: 'flag' }] }],
  })
  const found = await skillTools(
    { name: 'trial', folder: tmpdir(), toolFiles: { 'tools.json': toolsJson } },
    { workspace: tmpdir(), environment: {}, sandbox: unconfined, allowScripts: false },
  )
  assert.deepEqual(warningsOf(found), [
    'tools.json: try: its schema does not declare the parameter hidden, so no call can give it',
  ])
  assert.equal(found.tools[0]!.inputError!({ hidden: 1 }), 'unknown parameter hidden: the tool takes none')
})

for (const [rule, setting, expected] of [
  [
    'program outside the allowlist',
    { execution: { binary: 'rm' }, allowlist: { echo: ['-e'] } },
    'binary not allowlisted: rm',
  ],
  [
    'subcommand outside the allowlist',
    { execution: { binary: 'rm', subcommand: '-r' }, allowlist: { rm: ['-f'] } },
    'subcommand not allowlisted: rm -r',
  ],
  [
    'program that is not installed',
    { execution: { binary: 'rm' }, allowlist: { rm: ['-e'] }, findBinary: async () => false },
    'the program rm is not on PATH',
  ],
  [
    'program that is not where its path leads',
    { execution: { binary: '/no/where' }, allowlist: { '/no/where': ['-e'] }, findBinary: async () => true },
    'the program /no/where is not there',
  ],
  [
    'positional argument that its schema does not declare',
    { args: [{ param: 'title' }, { param: 'hidden' }], declared: { title: {} } },
    'its schema does not declare the parameter hidden, so no call can give it',
  ],
  [
    'required parameter that no argument takes',
    { properties: { size: {} }, required: ['size'] },
    'its schema requires the parameter size, which no argument takes',
  ],
  [
    'script that is not there',
    { args: [{ param: 'title', resolveCommand: { script: 'find' } }], allowScripts: true },
    'the resolveCommand of title: the script "find" is not in its skill\'s scripts folder, with or without .sh',
  ],
  [
    'value from a program outside the allowlist',
    { args: [{ param: 'title', resolveCommand: { binary: 'rm', subcommand: 'x' } }] },
    'the resolveCommand of title: binary not allowlisted: rm',
  ],
] as const) {
  test(`a tool with a ${rule} is not offered, and a finding says why`, async (t) => {
    const { tools, idle, warnings } = await bench(t, setting)
    assert.deepEqual([...idle], ['try'])
    assert.deepEqual(await tools[0]!.offeredWhile!.isSo(), false)
    assert.equal(tools[0]!.offeredWhile!.what, `a call of it can run (${expected})`)
    assert.deepEqual(warnings, [`tools.json: try is not offered, since no call of it can run: ${expected}`])
  })
}

test('a call of a tool that is not offered runs nothing and gets the reason', async (t) => {
  const { arrived } = await bench(t, { execution: { binary: 'rm' }, allowlist: { echo: ['-e'] } })
  assert.equal(await arrived({ title: 'a' }), 'binary not allowlisted: rm')
})

test('a broken tools.json gives no tools and a finding for each fault', async () => {
  const options = { workspace: tmpdir(), environment: {}, sandbox: unconfined, allowScripts: false }
  const skill = { name: 'trial', folder: tmpdir() }
  const broken = '{"tools":[],"allowlist":{},"execution":[],"x":1,"y":2}'
  const found = await skillTools({ ...skill, toolFiles: { 'tools.json': broken } }, options)
  assert.deepEqual(found.tools, [])
  assert.deepEqual(warningsOf(found), [
    'tools.json: x: unknown field (the fields are tools, allowlist, execution); none of its tools is used',
    'tools.json: y: unknown field (the fields are tools, allowlist, execution); none of its tools is used',
  ])
  assert.deepEqual(await skillTools({ ...skill, toolFiles: undefined }, options), {
    tools: [],
    idle: new Set(),
    findings: [],
  })
})

const FIND = `#!${node}\nconst [word] = process.argv.slice(2)\nconsole.log('  id of ' + word + '\\n')\n`
const resolving: Setting = {
  args: [{ param: 'code' }, { param: 'title', resolveCommand: { script: 'find.js', args: ['$param', 'x=$param'] } }],
  scripts: { 'find.js': FIND },
  allowScripts: true,
}

test("a script's trimmed output becomes the value, and the audit records what ran", async (t) => {
  const { run } = await bench(t, resolving)
  const result = await run({ code: PRINT, title: '$(id) "a"' })
  assert.partialDeepStrictEqual(result, {
    ok: true,
    output: '["id of $(id) \\"a\\""]\n',
    meta: { argv: [node, '-e', PRINT, 'id of $(id) "a"'] },
  })
})

test('a plan with a value that nobody knows yet says what runs first', async (t) => {
  const { plan, folder } = await bench(t, resolving)
  const planned = await plan({ code: PRINT, title: 'milk' })
  assert.equal(planned.type, 'allowed')
  const { argv, facts } = planned.call
  assert.deepEqual(argv, [node, '-e', PRINT, '$(find.js milk x=milk)'])
  const [step] = facts!['resolve'] as Record<string, unknown>[]
  assert.match(String(step!['program']), /scripts\/find\.js sha256:[0-9a-f]{64}$/)
  assert.match(String(facts!['program']), /node sha256:[0-9a-f]{64}$/)
  assert.deepEqual(step, {
    param: 'title',
    runsFirst: [join(folder, 'scripts', 'find.js'), 'milk', 'x=milk'],
    standsAs: '$(find.js milk x=milk)',
    program: step!['program'],
    interpreter: step!['interpreter'],
  })
})

test('a script that has changed since the plan does not run', async (t) => {
  const { plan, folder } = await bench(t, resolving)
  const planned = await plan({ code: PRINT, title: 'milk' })
  await writeFile(join(folder, 'scripts', 'find.js'), FIND.replace('id', 'ID'))
  const result = planned.type === 'allowed' && (await planned.run())
  assert.match(
    JSON.stringify(result),
    /the resolveCommand of title failed: the program \S+find\.js has changed since the command was planned/,
  )
})

test('a program that has changed since the plan does not run', async (t) => {
  const place = await mkdtemp(join(tmpdir(), 'skill-program-'))
  t.after(() => rm(place, { recursive: true, force: true }))
  const program = join(place, 'note')
  await writeFile(program, '#!/bin/sh\necho as planned\n', { mode: 0o755 })
  const { plan } = await bench(t, {
    args: [],
    allowlist: { [program]: [''] },
    execution: { binary: program, subcommand: '' },
  })
  const planned = await plan({})
  assert.ok(planned.type === 'allowed')
  await writeFile(program, '#!/bin/sh\necho another\n')
  const result = await planned.run()
  assert.ok(!result.ok && result.error.startsWith(`the program ${program} has changed since`))
})

test('a program of the allowlist may give the value too', async (t) => {
  const command = { binary: node, subcommand: '-p', args: ['process.argv[1].toUpperCase()', '$param'] }
  const { arrived, warnings } = await bench(t, {
    args: [{ param: 'code' }, { param: 'title', resolveCommand: command }],
  })
  assert.deepEqual(warnings, [])
  assert.deepEqual(await arrived({ code: PRINT, title: 'milk' }), ['MILK'])
})

for (const [rule, answer, expected] of [
  ['fails', 'console.log("no"); process.exit(4)', 'the resolveCommand of title failed: exit 4: no\n\n'],
  [
    'answers what passes for a flag',
    'console.log("--all")',
    'the answer to the resolveCommand of title starts with "-", which the program would take for a flag',
  ],
  [
    'answers no text',
    'process.stdout.write(Buffer.from([1, 0, 2]))',
    'the resolveCommand of title failed: its output is no text: [binary output: 3 bytes]',
  ],
  [
    'answers without end',
    'process.stdout.write("a".repeat(5000))',
    'the resolveCommand of title failed: its output is longer than 1000 characters',
  ],
  ['takes too long', 'setInterval(() => {}, 1000)', 'the resolveCommand of title failed: timed out after 800 ms'],
] as const) {
  test(`a script that ${rule} fails the call`, async (t) => {
    const { arrived } = await bench(t, {
      ...resolving,
      scripts: { 'find.js': `#!${node}\n${answer}\n` },
      maxOutputChars: 1000,
      ...(rule === 'takes too long' && { timeoutMs: 800 }),
    })
    assert.equal(await arrived({ code: PRINT, title: 'milk' }), expected)
  })
}

test('a value that starts with - reaches no script as if it were a flag', async (t) => {
  const { arrived } = await bench(t, { ...resolving, execution: { separator: '--' } })
  assert.equal(
    await arrived({ code: PRINT, title: '-x' }),
    'the resolveCommand of title: the value starts with "-", which the program would take for a flag; "--" in its args allows that',
  )
})

test('scripts run only once the owner has allowed them', async (t) => {
  const { idle, warnings } = await bench(t, { ...resolving, allowScripts: false })
  assert.deepEqual([...idle], ['try'])
  assert.deepEqual(warnings, [
    'tools.json: try is not offered, since no call of it can run: the resolveCommand of title: the script "find.js" runs only once skills.allowScripts is on',
  ])
  const flag = await bench(t, {
    args: [{ param: 'code' }, { param: 'title', kind: 'flag', resolveCommand: { script: 'find.js' } }],
    scripts: { 'find.js': FIND },
  })
  assert.equal(
    await flag.arrived({ code: PRINT, title: 'milk' }),
    'the resolveCommand of title: the script "find.js" does not run, since scripts of skills are off; skills.allowScripts allows them',
  )
  assert.deepEqual(await flag.arrived({ code: PRINT }), [])
})

test('sh runs a script that is named without its ending, whatever its permissions', async (t) => {
  const script = 'printf \' id of %s \\n\' "$1"\n'
  for (const name of ['find', 'find.sh']) {
    const { run, plan, folder } = await bench(t, {
      args: [{ param: 'code' }, { param: 'title', resolveCommand: { script: name, args: ['$param'] } }],
      scripts: { 'find.sh': script },
      allowScripts: true,
    })
    await chmod(join(folder, 'scripts', 'find.sh'), 0o644)
    assert.partialDeepStrictEqual(await run({ code: PRINT, title: 'a b' }), { ok: true, output: '["id of a b"]\n' })
    const planned = await plan({ code: PRINT, title: 'milk' })
    const [step] = (planned.type === 'allowed' ? planned.call.facts!['resolve'] : []) as Record<string, unknown>[]
    assert.deepEqual(step!['runsFirst'], ['sh', join(folder, 'scripts', 'find.sh'), 'milk'])
    await writeFile(join(folder, 'scripts', 'find.sh'), 'echo changed')
    assert.match(
      JSON.stringify(planned.type === 'allowed' && (await planned.run())),
      /the file \S+find\.sh has changed/,
    )
  }
})

test('a script of the very name comes before one with .sh', async (t) => {
  const { arrived } = await bench(t, {
    args: [{ param: 'code' }, { param: 'title', resolveCommand: { script: 'find', args: ['$param'] } }],
    scripts: { find: FIND, 'find.sh': 'echo wrong' },
    allowScripts: true,
  })
  assert.deepEqual(await arrived({ code: PRINT, title: 'milk' }), ['id of milk'])
})

test('a value that is left out is looked up nowhere', async (t) => {
  const { run } = await bench(t, {
    args: [{ param: 'code' }, { param: 'title', kind: 'flag', resolveCommand: { script: 'missing' } }],
    allowScripts: true,
  })
  assert.partialDeepStrictEqual(await run({ code: PRINT }), { ok: true, output: '[]\n' })
})

for (const [rule, script, expected] of [
  ['a path', 'sub/find', 'holds "/", "\\" or "..", which none may'],
  ['a path of another system', 'sub\\find', 'holds "/", "\\" or "..", which none may'],
  ['a way out', '..', 'holds "/", "\\" or "..", which none may'],
  ['dots within a name', 'a..b', 'holds "/", "\\" or "..", which none may'],
  ['a name that is not there', 'missing', "is not in its skill's scripts folder, with or without .sh"],
  ['a folder', '.', 'is no regular file'],
  ['a link out of the skill', 'outside', "leads out of its skill's folder"],
  ['a file that may not be run', 'plain', 'may not be read and run: make it readable and executable (chmod +rx)'],
  ['a link in a circle', 'circle', 'is a link that leads in a circle'],
] as const) {
  test(`a script is never ${rule}`, async (t) => {
    const { folder, arrived } = await bench(t, {
      args: [{ param: 'title', kind: 'flag', resolveCommand: { script } }],
      scripts: { plain: FIND },
      allowScripts: true,
    })
    await chmod(join(folder, 'scripts', 'plain'), 0o644)
    await symlink(node, join(folder, 'scripts', 'outside'))
    await symlink('circle', join(folder, 'scripts', 'circle'))
    const shown = JSON.stringify(script)
    const why = expected.startsWith('holds')
      ? `the script name ${shown} ${expected}`
      : `the script ${shown} ${expected}`
    assert.equal(await arrived({ title: 'milk' }), `the resolveCommand of title: ${why}`)
  })
}

test('a flag that is null is missing, whatever type the schema has', async (t) => {
  const properties = { title: { type: 'string' } }
  const { arrived } = await bench(t, { args: [{ param: 'title', kind: 'flag' }], properties })
  assert.deepEqual(await arrived({ title: null }), await arrived({}))
})
