import assert from 'node:assert/strict'
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { systemClock } from '../../../platform.ts'
import { createToolbox } from '../../../tool.ts'
import { unconfined } from '../../../../test/unconfined.ts'
import { patternFault } from './call-values.ts'
import { skillTools } from './skill-tools.ts'

const node = process.execPath
/** Prints its arguments, its input and its folder as JSON. */
const PRINT =
  'let said="";process.stdin.on("data",(d)=>said+=d).on("end",()=>console.log(JSON.stringify({args:process.argv.slice(1),said,folder:process.cwd()})))'

interface Setting {
  readonly entries: readonly object[]
  readonly properties?: object
  readonly required?: readonly string[]
  readonly scripts?: Readonly<Record<string, string>>
  readonly allowScripts?: boolean
  readonly readOnly?: readonly string[]
}

/** A skill of three files with one tool, `try`, which runs `node -e CODE` with what its entries add. */
async function skill(t: TestContext, { entries, properties = {}, required, scripts = {}, ...setting }: Setting) {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'foreword-call-fields-')))
  t.after(() => rm(home, { recursive: true, force: true }))
  const [folder, workspace] = [join(home, 'skill'), join(home, 'workspace')]
  await mkdir(join(folder, 'scripts'), { recursive: true })
  await mkdir(join(workspace, 'sub'), { recursive: true })
  for (const [name, text] of Object.entries(scripts)) await writeFile(join(folder, 'scripts', name), text)
  const execution = entries.map(
    ({ code = PRINT, args = [], ...entry }: { code?: string; args?: readonly object[] }) => {
      const literals = [code, '--'].map((value) => ({ kind: 'literal', value }))
      return { tool: 'try', binary: node, subcommand: '-e', ...entry, args: [...literals, ...args] }
    },
  )
  const names = entries.flatMap(({ args = [] }: { args?: readonly { param?: string }[] }) =>
    args.map(({ param }) => param),
  )
  const known = Object.fromEntries(names.flatMap((name) => (name === undefined ? [] : [[name, {}]])))
  const parameters = { type: 'object', properties: { ...known, ...properties }, ...(required && { required }) }
  const found = await skillTools(
    {
      name: 'trial',
      folder,
      toolFiles: {
        'tools.json': JSON.stringify([{ name: 'try', parameters }]),
        'allowlist.json': JSON.stringify({ [node]: ['-e', '-p'] }),
        'execution.json': JSON.stringify(execution),
      },
    },
    {
      workspace,
      environment: process.env,
      sandbox: unconfined,
      allowScripts: setting.allowScripts ?? false,
      places: () => ({
        outOfReach: [join(workspace, 'closed')],
        readOnly: (setting.readOnly ?? []).map((each) => join(workspace, each)),
      }),
    },
  )
  const toolbox = createToolbox(found.tools)
  const turn = { clock: systemClock, session: 's', turn: 't', signal: AbortSignal.timeout(60_000) }
  const call = (input: object) => ({ toolCallId: 'c', toolName: 'try', input })
  return {
    ...found,
    workspace,
    plan: (input: object) => toolbox.plan(call(input), turn),
    run: (input: object) => toolbox.run(call(input), turn),
    async output(input: object) {
      const result = await toolbox.run(call(input), turn)
      return result.ok ? result.output : `failed: ${result.error}`
    },
    /** Why a call does not run. */
    async refused(input: object) {
      const result = await toolbox.run(call(input), turn)
      return result.ok ? 'it ran' : result.error
    },
    /** What arrived at the program; or why nothing did. */
    async arrived(input: object) {
      const result = await toolbox.run(call(input), turn)
      return result.ok ? (JSON.parse(result.output) as { args: string[]; said: string; folder: string }) : result.error
    },
  }
}

const argumentCases: readonly (readonly [
  what: string,
  args: readonly object[],
  input: object,
  expected: readonly string[] | string,
])[] = [
  ['an optional positional that is missing is no word', [{ param: 'a', optional: true }], {}, []],
  ['an optional positional that is null is no word', [{ param: 'a', optional: true }], { a: null }, []],
  ['a required positional is asked for', [{ param: 'a' }], {}, 'missing parameter: a'],
  [
    'a literal is added as it is',
    [{ kind: 'literal', value: '--abort' }, { param: 'a' }],
    { a: 'x' },
    ['--abort', 'x'],
  ],
  ['a default takes the place of what is missing', [{ param: 'n', kind: 'flag', absentDefault: 10 }], {}, ['-n', '10']],
  ['a default gives way to a value', [{ param: 'n', kind: 'flag', absentDefault: 10 }], { n: 2 }, ['-n', '2']],
  ['a default of a positional', [{ param: 'a', absentDefault: 'HEAD' }], { a: null }, ['HEAD']],
  [
    'a default of a boolean',
    [{ param: 'b', kind: 'flagifboolean', flagIfTrue: '-b', absentDefault: true }],
    {},
    ['-b'],
  ],
  ['a value of several words is split', [{ param: 'a', split: true }], { a: ' x  y\nz ' }, ['x', 'y', 'z']],
  [
    'no word of several may be a flag',
    [{ param: 'a', split: true }],
    { a: 'x --force' },
    'parameter a starts with "-", which the program would take for a flag',
  ],
  [
    'a path after a missing one is told apart',
    [
      { param: 'a', optional: true },
      { param: 'b', optional: true, disambiguateAfterSkippedPositionals: true },
    ],
    { b: 'x' },
    ['--', 'x'],
  ],
  [
    'a path after one that is there needs no such sign',
    [
      { param: 'a', optional: true },
      { param: 'b', optional: true, disambiguateAfterSkippedPositionals: true },
    ],
    { a: 'x', b: 'y' },
    ['x', 'y'],
  ],
]

for (const [what, args, input, expected] of argumentCases) {
  test(what, async (t) => {
    const { arrived } = await skill(t, { entries: [{ args }] })
    const found = await arrived(input)
    assert.deepEqual(typeof found === 'string' ? found : found.args, expected)
  })
}

test('a stdin is the input of the program, and a person sees it before', async (t) => {
  const { arrived, plan } = await skill(t, { entries: [{ args: [{ param: 'text', kind: 'stdin' }] }] })
  const found = await arrived({ text: '-x\ny' })
  assert.partialDeepStrictEqual(found, { args: [], said: '-x\ny' })
  assert.partialDeepStrictEqual(await plan({ text: '-x\ny' }), { call: { facts: { stdin: '-x\ny' } } })
  assert.equal(await arrived({}), 'missing parameter: text')
})

test('a workingdir is the folder of the program, within the workspace', async (t) => {
  const { arrived, plan, workspace, refused } = await skill(t, {
    entries: [
      {
        args: [
          { param: 'repo', kind: 'workingdir', optional: true },
          { param: 'file', optional: true, readPath: true },
        ],
      },
    ],
  })
  const inside = { args: [join(workspace, 'sub', 'a.txt')], folder: join(workspace, 'sub') }
  assert.partialDeepStrictEqual(await arrived({ repo: 'sub', file: 'a.txt' }), inside)
  assert.partialDeepStrictEqual(await plan({ repo: 'sub' }), { call: { folder: join(workspace, 'sub') } })
  assert.partialDeepStrictEqual(await arrived({}), { folder: workspace })
  await symlink('/', join(workspace, 'out'))
  for (const repo of ['..', '/', 'out', 'closed', 'out/tmp']) {
    assert.match(await refused({ repo }), /^parameter repo: .*(outside the workspace|out of reach)/, repo)
  }
})

test('a path that is read or written stays within the workspace, with its links followed', async (t) => {
  const { arrived, workspace, refused } = await skill(t, {
    entries: [
      {
        args: [
          { param: 'from', kind: 'flag', readPath: true },
          { param: 'to', kind: 'flag', writePath: true },
        ],
      },
    ],
    readOnly: ['kept'],
  })
  await symlink('/etc', join(workspace, 'etc'))
  const here = (name: string) => join(workspace, name)
  assert.partialDeepStrictEqual(await arrived({ from: './sub/../a', to: 'new/b' }), {
    args: ['--from', here('a'), '--to', here('new/b')],
  })
  assert.partialDeepStrictEqual(await arrived({ from: 'kept/a' }), { args: ['--from', here('kept/a')] })
  for (const input of [
    { from: '../x' },
    { from: '/etc/passwd' },
    { from: 'etc/passwd' },
    { to: 'etc/x' },
    { to: 'kept/a' },
    { to: 'closed/a' },
    { from: 'closed/a' },
  ]) {
    assert.match(
      await refused(input),
      /^parameter (from|to): .*(outside the workspace|out of reach)/,
      JSON.stringify(input),
    )
  }
})

test('a path that a program gives is checked like one of the model', async (t) => {
  const resolveCommand = { binary: node, subcommand: '-p', args: ['process.argv[1]', '$param'] }
  const { arrived, workspace, refused } = await skill(t, {
    entries: [{ args: [{ param: 'repo', kind: 'workingdir', optional: true, resolveCommand }] }],
  })
  assert.partialDeepStrictEqual(await arrived({ repo: 'sub' }), { folder: join(workspace, 'sub') })
  assert.match(await refused({ repo: '/' }), /outside the workspace/)
})

test('what a skill denies does not run, also where a program finds it out', async (t) => {
  const branch = {
    binary: node,
    subcommand: '-p',
    args: ['require("fs").readFileSync(process.argv[1]+"/branch","utf8")', '$workingDir'],
  }
  const { arrived, workspace, refused } = await skill(t, {
    entries: [
      {
        args: [
          { param: 'name', optional: true, denyPattern: '^(main|release/.+)$' },
          {
            param: 'repo',
            kind: 'workingdir',
            optional: true,
            denyPattern: '^main$',
            denyAlwaysResolve: true,
            denyResolveCommand: branch,
          },
        ],
      },
    ],
  })
  await writeFile(join(workspace, 'branch'), 'other\n')
  await writeFile(join(workspace, 'sub', 'branch'), 'main\n')
  assert.partialDeepStrictEqual(await arrived({ name: 'mine' }), { args: ['mine'] })
  assert.match(await refused({ name: 'release/1' }), /^parameter name has a value that the skill denies/)
  assert.match(await refused({ name: 'x'.repeat(1_001) }), /denies/)
  assert.match(await refused({ name: 'mine', repo: 'sub' }), /^parameter repo has a value that the skill denies/)
  await writeFile(join(workspace, 'branch'), '')
  assert.match(await refused({ name: 'mine' }), /^the denyResolveCommand of repo failed: it wrote nothing/)
})

test('a denied path is found whatever it is written like', async (t) => {
  const { refused } = await skill(t, { entries: [{ args: [{ param: 'file', readPath: true, denyPattern: '^sub/' }] }] })
  for (const file of ['sub/a', './sub/a', 'x/../sub/a']) assert.match(await refused({ file }), /denies/, file)
})

test('a pattern is used only where a comparison ends soon', () => {
  for (const fine of ['^release/.+$', '^(main|release/.+)$', '^[a-z]*-\\d+$', 'a\\+\\+b'])
    assert.equal(patternFault(fine), undefined)
  for (const slow of ['(a+)+$', '(a|b)*', '(?:x){2,}', 'a*b*c*d*', '(a)\\1'])
    assert.match(patternFault(slow)!, /too long/)
  assert.equal(patternFault('('), 'is no regular expression')
})

test('a flag can choose another subcommand of the allowlist', async (t) => {
  const code = 'JSON.stringify({args:process.argv.slice(1)})'
  const args = [{ param: 'print', kind: 'flagifboolean', subcommandOverride: '-p' }]
  const { arrived, output } = await skill(t, { entries: [{ code, args }] })
  assert.deepEqual(await arrived({ print: true }), { args: [] })
  assert.equal(await output({ print: false }), '')
  const not = await skill(t, { entries: [{ code, args: [{ ...args[0], subcommandOverride: '-x' }] }] })
  assert.match(not.findings.map(({ message }) => message).join(), /subcommand not allowlisted/)
})

test('the parameters of a call choose among several entries', async (t) => {
  const entry = (value: string, paramCondition?: object) => ({
    args: [
      { kind: 'literal', value },
      { param: 'to', optional: true },
    ],
    ...(paramCondition && { paramCondition }),
  })
  const { arrived, refused } = await skill(t, {
    entries: [
      entry('go', { present: ['continue'] }),
      entry('stop', { present: ['abort'], absent: ['to'] }),
      entry('begin'),
    ],
    properties: { continue: {}, abort: {} },
  })
  const argsOf = async (input: object) =>
    ((found) => (typeof found === 'string' ? found : found.args))(await arrived(input))
  assert.deepEqual(await argsOf({ continue: true }), ['go'])
  assert.deepEqual(await argsOf({ abort: true }), ['stop'])
  assert.deepEqual(await argsOf({ to: 'x', abort: true }), ['begin', 'x'])
  assert.deepEqual(await argsOf({ to: 'x', continue: null }), ['begin', 'x'])
  assert.match(await refused({ abort: true, continue: true }), /do not go together/)
  const without = await skill(t, { entries: [entry('go', { present: ['continue'] })], properties: { continue: {} } })
  assert.equal(await without.arrived({ to: 'x' }), 'one of these is needed: continue')
})

test('of entries for other programs, the first that can run is used', async (t) => {
  const { arrived, findings } = await skill(t, {
    entries: [
      { condition: { binGroup: 0 }, binaryWrapper: ['env'], args: [{ kind: 'literal', value: 'one' }] },
      { condition: { binGroup: 1 }, args: [{ kind: 'literal', value: 'other' }] },
    ],
  })
  assert.partialDeepStrictEqual(await arrived({}), { args: ['other'] })
  assert.deepEqual(findings, [])
})

test('an exit code that a skill expects is no failure, and hints are added to the output', async (t) => {
  const code = 'const [c="0",s=""]=process.argv.slice(1);if(s)console.log(s);process.exitCode=Number(c)'
  const { output, run } = await skill(t, {
    entries: [
      {
        code,
        args: [{ param: 'c' }, { param: 's', optional: true }],
        successExitCodes: [1, 128],
        hintConditions: [
          { match: 'CONFLICT', hint: 'solve it' },
          { exitCode: 'nonzero', hint: 'nothing found' },
          { exitCode: 128, notEmpty: true, hint: 'no {s} and {other}' },
          { whenArg: { s: 'main' }, hint: 'shows main' },
        ],
      },
    ],
  })
  assert.equal(await output({ c: '0' }), '')
  assert.equal(await output({ c: '0', s: 'a CONFLICT' }), 'a CONFLICT\n\nhint: solve it\n')
  assert.equal(await output({ c: '1' }), '\nhint: nothing found\n')
  assert.equal(await output({ c: '128', s: 'x' }), 'x\n\nhint: nothing found\n\nhint: no x and {other}\n')
  assert.equal(await output({ c: '0', s: 'main' }), 'main\n\nhint: shows main\n')
  assert.equal(await output({ c: '2', s: 'CONFLICT' }), 'failed: exit 2: CONFLICT\n\n')
  assert.partialDeepStrictEqual(await run({ c: '1' }), { ok: true, meta: { exitCode: 1 } })
})

test('an output has no more lines than its skill wants, hints apart', async (t) => {
  const lines = {
    code: 'for(let i=1;i<=9;i++)console.log((process.argv[1]??"")+(process.argv[1]?i+10+"\\t":"")+"l"+i)',
    args: [{ param: 'p', optional: true, absentDefault: '' }],
  }
  const plain = await skill(t, {
    entries: [{ ...lines, maxOutputLines: 2, hintConditions: [{ match: 'l9', hint: 'the end' }] }],
  })
  assert.equal(
    await plain.output({}),
    'l1\nl2\n[the first 2 of 9 lines; ask for less to see the others]\n\nhint: the end\n',
  )
  assert.partialDeepStrictEqual(await plain.run({}), { meta: { truncated: true } })
  const truncationHint = '{kept}/{total}, {omitted} more: start at {next_start}, {x}'
  const numbered = await skill(t, {
    entries: [{ ...lines, code: 'for(let i=11;i<20;i++)console.log(i+"\\tl")', maxOutputLines: 3, truncationHint }],
  })
  assert.equal(await numbered.output({}), '11\tl\n12\tl\n13\tl\n[3/9, 6 more: start at 14, {x}]\n')
  const whole = await skill(t, { entries: [{ ...lines, maxOutputLines: 9 }] })
  assert.equal((await whole.output({})).split('\n').length, 10)
})

test('a postProcess is given the output, and its own takes its place', async (t) => {
  const scripts = {
    'count.sh': 'printf "%s %s code %s\\n" "$1" "$(wc -l | tr -d " ")" "$CHAI_EXIT_CODE"',
    'silent.sh': 'cat >/dev/null',
    'broken.sh': 'echo half; exit 3',
  }
  const entry = {
    code: 'console.log("a\\nb");console.error("c");process.exitCode=1',
    successExitCodes: [1],
    args: [{ param: 'p' }],
  }
  const processed = async (postProcess: object, allowScripts = true) =>
    skill(t, { entries: [{ ...entry, postProcess }], scripts, allowScripts })
  const counted = await processed({ script: 'count', args: ['$p'] })
  assert.equal(await counted.output({ p: 'x y' }), 'x y 3 code 1\n')
  assert.match(await counted.output({ p: '-x' }), /^failed: /)
  assert.equal(await (await processed({ script: 'silent' })).output({ p: 'x' }), 'a\nb\n[stderr]\nc\n')
  assert.equal(await (await processed({ script: 'silent', emptyIsResult: true })).output({ p: 'x' }), '')
  assert.equal(await (await processed({ script: 'broken' })).output({ p: 'x' }), 'a\nb\n[stderr]\nc\n')
  const off = await processed({ script: 'count' }, false)
  assert.deepEqual([...off.idle], ['try'])
  assert.match(off.findings[0]!.message, /its postProcess: the script "count" runs only once skills.allowScripts is on/)
})

test('what cannot be honoured safely is refused by name, and what only adds is left out', async (t) => {
  for (const [entry, why] of [
    [{ binaryWrapper: ['env'] }, /binaryWrapper/],
    [{ args: [{ param: 'a', kind: 'tempfile' }] }, /tempfile/],
    [{ args: [{ param: 'a', unsafePath: true }] }, /unsafePath/],
    [{ args: [{ param: 'a', denyPattern: '(a+)+' }] }, /denyPattern of a could take too long/],
  ] as const) {
    const { idle, findings } = await skill(t, { entries: [entry] })
    assert.deepEqual([...idle], ['try'])
    assert.match(findings[0]!.message, why)
  }
  const { idle, findings, arrived } = await skill(t, { entries: [{ sideRead: { pathParam: 'a', filename: 'x' } }] })
  assert.deepEqual([[...idle], findings.length], [[], 1])
  assert.partialDeepStrictEqual(await arrived({}), { args: [] })
})
