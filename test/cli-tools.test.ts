import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test, { type TestContext } from 'node:test'
import type { ToolStatus } from '../src/runtime.ts'
import type { AuditRecord } from '../src/session.ts'
import { temporaryHome } from './cli/home.ts'
import { run } from './cli/recorded-io.ts'
import { scriptedConnection } from './cli/scripted-connection.ts'
import { servedConnection } from './cli/served-connection.ts'
import { storePath } from './cli/store-path.ts'
import { scriptedRuntime } from './server/scripted-runtime.ts'

const connection = servedConnection(scriptedRuntime(), 'running')

// oxlint-disable-next-line no-control-regex -- what a terminal draws with
const drawn = (text: string) => text.replaceAll(/\u001B\[[\d;]*[A-Za-z]/g, '')

test('tools are listed with what decided about each, and what each costs', async () => {
  const { code, stdout } = await run(['tools'], { connection })
  assert.equal(code, 0)
  const [head, shell, files, withheld] = stdout.split('\n').map((line) => line.split(/ {2,}/))
  assert.deepEqual(head, ['tool', 'from', 'access', 'rule', 'tokens'])
  assert.deepEqual(shell!.slice(0, 4), ['shell', 'shell', 'asks', 'tools.shell.approval=ask'])
  assert.ok(Number(shell![4]) > 5)
  assert.deepEqual(files!.slice(0, 4), ['files__read', 'mcp', 'withheld', 'global.mode=allowlist'])
  assert.match(
    withheld![0]!,
    /^files__read has changed since it was accepted\. Show how with `foreword tools accept files__read`/,
  )
  const json = await run(['tools', 'list', '--json'], { connection })
  const names = json.stdout
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as ToolStatus).name)
  assert.deepEqual(names, ['shell', 'files__read'])
})

test('the list says why nothing may run, and which servers gave no tools yet', async (context) => {
  const { home, environment } = temporaryHome(context)
  mkdirSync(home, { recursive: true })
  writeFileSync(join(home, 'config.json'), '{"mcp": {"servers": {"far": {"command": "no-such-program"}}}}')
  writeFileSync(join(home, 'tool-access.json'), '{"global": {"mode": "ful"}}')
  const { code, stdout, stderr } = await run(['tools'], { environment })
  assert.equal(code, 0)
  assert.match(stdout, /read_file +workspace +refused +tool-access\.json/)
  assert.match(stderr, /tool-access\.json: line 1: global\.mode must be one of .*Fix it: no tool may run until then\./)
  assert.match(stderr, /mcp: far was never reached/)
})

test('one tool is shown as the model reads it', async () => {
  const { code, stdout } = await run(['tools', 'show', 'shell'], { connection })
  assert.equal(code, 0)
  assert.match(stdout, /^shell\nfrom +shell\naccess +asks \(tools\.shell\.approval=ask\)\n\nRuns a command\.\n\n\{/)
  const missing = await run(['tools', 'show', 'shel'], { connection })
  assert.deepEqual([missing.code, missing.stderr], [1, 'foreword tools: Unknown tool "shel".\n  Did you mean shell?\n'])
})

test('a test shows the arguments before it runs, and runs when the person confirms', async () => {
  const words = ['tools', 'test', 'shell', '{"cmd": "git status"}']
  const yes = await run(words, { connection, person: true, input: 'y\n' })
  assert.equal(yes.code, 0)
  const screen = drawn(yes.stdout)
  assert.match(screen, /argv +git status\n +folder +\/work\n +a call of a model needs your approval/)
  assert.ok(screen.indexOf('git status') < screen.indexOf('clean'))
  const no = await run(words, { connection, person: true, input: 'n\n' })
  assert.equal(no.code, 1)
  assert.ok(!no.stdout.includes('clean'))
  assert.match(drawn(no.stderr), /Nothing was run/)
})

test('without a terminal a test runs only where that is said', async () => {
  const words = ['tools', 'test', 'shell', '{"cmd": "git status"}']
  assert.equal((await run(words, { connection })).code, 2)
  const { code, stdout } = await run([...words, '--yes'], { connection })
  assert.equal(code, 0)
  assert.match(stdout, /argv +git status\n[^]*\nclean\n$/)
  const json = await run([...words, '--yes', '--json'], { connection })
  const { plan, result } = JSON.parse(json.stdout) as { plan: { digest: string }; result: unknown }
  assert.deepEqual(result, { ok: true, output: 'clean', meta: { exitCode: 0 } })
  assert.ok(plan.digest)
})

test('a plan alone runs nothing', async () => {
  const call = { tool: 'shell', input: {}, argv: ['rm', '-r', 'a b'], folder: '/work' }
  const scripted = scriptedConnection({
    'POST /api/tools/shell/plan': { type: 'allowed', rule: 'global.allowedTools', call, digest: 'd' },
  })
  const { code, stdout } = await run(['tools', 'test', 'shell', '--plan'], { connection: scripted })
  assert.equal(code, 0)
  assert.match(stdout, /argv +rm -r "a b"/)
  assert.deepEqual(scripted.asked, ['POST /api/tools/shell/plan {"input":{}}'])
})

test('a refused test says why and ends with code 1', async () => {
  const { code, stderr } = await run(['tools', 'test', 'files__read', '{}', '--yes'], { connection })
  assert.deepEqual([code, stderr], [1, 'refused (not-allowed): Tool is not in allowlist: files__read\n'])
  assert.equal((await run(['tools', 'test', 'shell', '{cmd}', '--yes'], { connection })).code, 2)
})

test('a failed run shows what it put out and ends with code 1', async () => {
  const call = { tool: 'shell', input: {}, argv: ['false'] }
  const scripted = scriptedConnection({
    'POST /api/tools/shell/plan': { type: 'allowed', rule: 'r', call, digest: 'd' },
    'POST /api/tools/shell/run': { ok: false, error: 'exit 1', output: 'half' },
  })
  const { code, stdout, stderr } = await run(['tools', 'test', 'shell', '{}', '--yes'], { connection: scripted })
  assert.equal(code, 1)
  assert.match(stdout, /\nhalf\n$/)
  assert.equal(stderr, 'failed: exit 1\n')
})

test('allow and deny write tool-access.json, for the owner alone, and leave comments in it', async (context) => {
  const { home, environment } = temporaryHome(context)
  const file = join(home, 'tool-access.json')
  const first = await run(['tools', 'allow', 'shell', 'files__*'], { environment })
  assert.equal(first.code, 0, first.stderr)
  assert.match(first.stderr, /It takes effect at the next step[^]*`foreword reload --now`/)
  assert.match(
    first.stderr,
    /the shell may run no command yet\. Name presets in tools\.shell\.presets .*`foreword tools presets`/,
  )
  const written = JSON.parse(readFileSync(file, 'utf8')) as { global: { allowedTools: string[] } }
  assert.deepEqual(written.global.allowedTools, ['shell', 'files__*'])
  if (process.platform !== 'win32') assert.equal(statSync(file).mode & 0o777, 0o600)
  writeFileSync(file, '// mine\n{"global": {"allowedTools": ["shell"]}}\n')
  assert.equal((await run(['tools', 'deny', 'shell'], { environment })).code, 0)
  const denied = readFileSync(file, 'utf8')
  assert.match(denied, /^\/\/ mine\n/)
  assert.match(denied, /"allowedTools": \[\]/)
  assert.match(denied, /"enabled": false/)
  const again = await run(['tools', 'deny', 'shell'], { environment })
  assert.match(again.stderr, /already has this setting\. Nothing was written/)

  assert.deepEqual(await changes(environment), [
    ['shell', undefined, 'tool-access.json', 'allowed'],
    ['files__*', undefined, 'tool-access.json', 'allowed'],
    ['shell', 'allowed', 'global.allowedTools', 'after tools allow shell files__*'],
    ['shell', undefined, 'tool-access.json', 'no longer allowed'],
    ['shell', 'refused', 'global.allowedTools', 'after tools deny shell'],
  ])
})

test('the last name of a list on one line is denied, and the file still holds', async (context) => {
  const { environment, file } = homeWith(context, '{"global": {"allowedTools": ["list_files", "read_file"]}}')
  const { code, stdout } = await run(['tools', 'deny', 'read_file'], { environment })
  assert.equal(code, 0)
  assert.match(stdout, /^read_file +workspace +refused +global\.allowedTools/m)
  assert.equal(
    readFileSync(file, 'utf8'),
    '{"global": {"allowedTools": ["list_files"]}, "tools": { "read_file": { "enabled": false } }}',
  )
  const { stdout: all } = await run(['tools'], { environment })
  assert.match(all, /^list_files +workspace +allowed/m)
})

for (const policy of [
  '{"global": {"mode": "full"}}',
  '{"global": {"allowedTools": ["read_file", "edit_file"]}}',
  '{"global": {"mode": "full"}, "tools": {"read_file": {"enabled": true}, "read_*": {"approval": "ask"}}}',
]) {
  test(`deny 'read_*' denies all that begin so, and says of each what holds: ${policy}`, async (context) => {
    const { environment } = homeWith(context, policy)
    const before = await run(['tools', '--json'], { environment })
    const { code, stdout } = await run(['tools', 'deny', 'read_*', '--json'], { environment })
    assert.equal(code, 0)
    const meant = toolsIn(stdout)
    const names = toolsIn(before.stdout).flatMap(({ name }) => (name.startsWith('read_') ? [name] : []))
    assert.deepEqual(
      meant.map(({ name }) => name),
      names,
    )
    assert.ok(names.includes('read_file') && names.includes('read_history') && names.includes('read_attachment'))
    assert.deepEqual(new Set(meant.map(({ access }) => access)), new Set(['refused']))
    const others = toolsIn((await run(['tools', '--json'], { environment })).stdout)
    assert.deepEqual(
      others.filter(({ name }) => !name.startsWith('read_')),
      toolsIn(before.stdout).filter(({ name }) => !name.startsWith('read_')),
    )
    const [word, ...each] = await changes(environment)
    assert.deepEqual(word, ['read_*', undefined, 'tool-access.json', 'no longer allowed'])
    assert.deepEqual(
      each.map(([name, decision]) => [name, decision]),
      names.map((name) => [name, 'refused']),
    )
  })
}

test('a tool that is still denied after it was allowed is reported with the rule that denies it', async (context) => {
  const { environment } = homeWith(
    context,
    '{"global": {"mode": "off"}, "tools": {"read_file": {"enabled": false}, "shell": {"enabled": false}}}',
  )
  const off = await run(['tools', 'allow', 'list_*'], { environment })
  assert.equal(off.code, 0)
  assert.match(
    off.stderr,
    /warning: list_files is still refused \(global\.mode\): Tools are disabled \(mode=off\)\. See/,
  )
  const { environment: other } = homeWith(context, '{"tools": {"read_file": {"enabled": false}}}')
  const { stderr } = await run(['tools', 'allow', '*'], { environment: other })
  assert.match(stderr, /read_file is still refused .* Allow it by its own name with `foreword tools allow read_file`/)
  assert.match(stderr, /shell is still refused \(tools\.shell\.enabled\).*`foreword tools allow shell`/)
})

test('a tool that is still allowed after it was denied is reported, and the command fails', async (context) => {
  const { environment } = homeWith(context, '{"global": {"allowedTools": ["*"]}}')
  const shell = { SHELL_TOOL_ENABLED: 'true', SHELL_TOOL_ALLOWED_PREFIXES: 'ls' }
  const { code, stderr } = await run(['tools', 'deny', 'shell'], { environment: { ...environment, ...shell } })
  assert.equal(code, 1)
  assert.match(stderr, /shell may still be called .*an environment variable of the gateway overrides/)
})

test('a shell whose prefixes lead to other programs is allowed with a warning for each', async (context) => {
  const { environment } = homeWith(context, '{"tools": {"shell": {"allowedPrefixes": ["ls", "git status", "find ."]}}}')
  const { code, stderr } = await run(['tools', 'allow', 'shell'], { environment })
  assert.equal(code, 0)
  assert.match(stderr, /The prefix "git status" allows more than it seems to: its options and/)
  assert.match(stderr, /The prefix "find \." .*-exec/)
  assert.doesNotMatch(stderr, /The prefix "ls"/)
})

test('to allow a name that no tool has is refused with the nearest one, and nothing is written', async (context) => {
  const { environment, file } = homeWith(context, '{}')
  const { code, stderr } = await run(['tools', 'allow', 'list_files', 'red_file'], { environment })
  assert.equal(code, 1)
  assert.match(stderr, /Unknown tool "red_file"\.[^]*Did you mean read_file\?/)
  assert.equal(readFileSync(file, 'utf8'), '{}')
  const later = await run(['tools', 'allow', 'github__*'], { environment })
  assert.equal(later.code, 0)
})

test('names and patterns that match no tool are written, with a warning that names the nearest tool', async (context) => {
  const { environment } = temporaryHome(context)
  const words = ['shel', 'other', 'raed_*', 'files__*']
  const { code, stdout, stderr } = await run(['tools', 'deny', ...words], { environment })
  assert.deepEqual([code, stdout], [0, ''])
  assert.match(stderr, /warning: Unknown tool "shel"\. Did you mean shell\?/)
  assert.match(stderr, /warning: Unknown tool "other"\. The rule applies once there is one/)
  assert.match(stderr, /begins with "raed_"\. Did you mean read_\*\? It matches .*read_file/)
  assert.match(stderr, /begins with "files__"\. The rule applies once there is one/)
})

test('a name that is no name is refused, and nothing is written', async (context) => {
  const { environment, file } = homeWith(context, '{}')
  const { code, stderr } = await run(['tools', 'deny', 'read*file'], { environment })
  assert.equal(code, 1)
  assert.match(stderr, /"read\*file" needs at least one character, and may contain \* only at its end/)
  assert.equal(readFileSync(file, 'utf8'), '{}')
})

test("Ayati's own file in context/ counts, with its help, and is changed in its place", async (context) => {
  const { home, environment } = temporaryHome(context)
  const file = join(home, 'context', 'tool-access.json')
  mkdirSync(join(home, 'context'), { recursive: true })
  const shipped = `{
  "_help": { "mode": "off | allowlist | full", "_": ["for people"] },
  "global": { "_note": "all tools", "enabled": true, "mode": "allowlist", "allowedTools": ["read_file"] },
  "tools": {
    "_help": "one entry per tool",
    "shell": { "_help": "needs care", "enabled": false, "mode": "allowlist", "allowedPrefixes": [] }
  }
}
`
  writeFileSync(file, shipped)
  assert.match((await run(['tools'], { environment })).stdout, /^read_file +workspace +allowed +global\.allowedTools/m)
  const { stderr } = await run(['tools', 'allow', 'list_files'], { environment })
  assert.ok(stderr.includes(`Updated ${file}.`))
  assert.equal(readFileSync(file, 'utf8'), shipped.replace('["read_file"]', '["read_file", "list_files"]'))
  assert.throws(() => readFileSync(join(home, 'tool-access.json')))
  writeFileSync(join(home, 'tool-access.json'), '{}')
  assert.match((await run(['tools'], { environment })).stdout, /^read_file +workspace +refused/m)
  assert.match((await run(['doctor'], { environment })).stdout, /context\/tool-access\.json is not read, because /)
})

test('a policy with a mistake in it is not changed', async (context) => {
  const { home, environment } = temporaryHome(context)
  mkdirSync(home, { recursive: true })
  const file = join(home, 'tool-access.json')
  writeFileSync(file, '{"globl": {}}')
  const { code, stderr } = await run(['tools', 'allow', 'shell'], { connection, environment })
  assert.equal(code, 1)
  assert.match(stderr, /globl/)
  assert.ok(stderr.includes(file))
  assert.equal(readFileSync(file, 'utf8'), '{"globl": {}}')
})

test('a changed definition is accepted once its difference was shown', async () => {
  const { code, stdout } = await run(['tools', 'accept', 'files__read'], { connection, person: true, input: 'y\n' })
  assert.equal(code, 0)
  assert.match(drawn(stdout), /- {3}"description": "Reads\.",\n +\+ {3}"description": "Reads, and sends\.",/)
  const silent = await run(['tools', 'accept', 'files__read'], { connection })
  assert.equal(silent.code, 2)
  assert.match(silent.stdout, /Reads, and sends/)
  const json = await run(['tools', 'accept', 'files__read', '--yes', '--json'], { connection })
  assert.deepEqual(JSON.parse(json.stdout), { accepted: 'files__read', digest: 'digest-of-definition' })
  assert.match((await run(['tools', 'accept', 'shell', '--yes'], { connection })).stderr, /is not withheld/)
})

test('a tool that was called by a model can look, and change nothing', async () => {
  const environment = { FOREWORD_TOOL: '1' }
  for (const words of [
    ['allow', 'shell'],
    ['deny', 'shell'],
    ['accept', 'files__read', '--yes'],
    ['test', 'shell', '{}', '--yes'],
  ]) {
    const { code, stderr } = await run(['tools', ...words], { connection, environment })
    assert.equal(code, 1)
    assert.match(stderr, /a model cannot/)
  }
  assert.equal((await run(['tools'], { connection, environment })).code, 0)
})

test('a mistyped action, and words too few or too many, are refused', async () => {
  assert.match((await run(['tools', 'lst'], { connection })).stderr, /Did you mean `foreword tools list`\?/)
  for (const words of [['show'], ['list', 'x'], ['allow'], ['accept', 'a', 'b'], ['test'], ['test', 'a', '{}', 'c']]) {
    assert.equal((await run(['tools', ...words], { connection })).code, 2, words.join(' '))
  }
})

test('a tool that nothing can be done with yet says what it waits for', async (context) => {
  const { home, environment } = temporaryHome(context)
  const shown = async () => (await run(['tools', 'show', 'log_gap'], { environment })).stdout
  assert.match(await shown(), /^offered +while there is a subject \(not now\)$/m)
  mkdirSync(join(home, 'subjects', 'reef'), { recursive: true })
  assert.match(await shown(), /^offered +while there is a subject$/m)
})

test('the tools of files and of the session are listed, in which sessions they are offered, and can be denied', async (context) => {
  const { environment } = temporaryHome(context)
  const { stdout } = await run(['tools'], { environment })
  for (const name of SESSION_TOOLS) assert.match(stdout, new RegExp(`^${name} +foreword +allowed +reads-context`, 'm'))
  const shown = await run(['tools', 'show', 'read_attachment'], { environment })
  assert.match(shown.stdout, /^offered +in sessions that have a file with text$/m)
  const denied = await run(['tools', 'deny', ...SESSION_TOOLS, '--json'], { environment })
  assert.deepEqual(
    toolsIn(denied.stdout).map(({ name, access }) => [name, access]),
    toolsIn(denied.stdout).map(({ name }) => [name, 'refused']),
  )
  assert.deepEqual(
    toolsIn(denied.stdout)
      .map(({ name }) => name)
      .toSorted(),
    SESSION_TOOLS.toSorted(),
  )
})

test('a change that cannot be recorded is not made', async (context) => {
  const { home, environment, file } = homeWith(context, '{}')
  // In its place is something that is no store.
  mkdirSync(storePath(home), { recursive: true })
  const { code, stderr } = await run(['tools', 'allow', 'read_file'], { environment })
  assert.equal(code, 1)
  assert.match(
    stderr,
    /The change cannot be recorded, so nothing was written: .*\n +See what is wrong .*foreword doctor/,
  )
  assert.equal(readFileSync(file, 'utf8'), '{}')
})

const SESSION_TOOLS = [
  'search_project',
  'search_files_of_agent',
  'read_attachment',
  'search_attachment',
  'read_result',
  'read_history',
]

function homeWith(context: TestContext, policy: string) {
  const { home, environment } = temporaryHome(context)
  mkdirSync(home, { recursive: true })
  const file = join(home, 'tool-access.json')
  writeFileSync(file, policy)
  return { home, environment, file }
}

function toolsIn(stdout: string): readonly ToolStatus[] {
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as ToolStatus)
}

/** What the audit says of changes: tool, decision, rule and reason. */
async function changes(environment: Readonly<Record<string, string>>) {
  const { stdout } = await run(['audit', '--json'], { environment })
  const records = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as AuditRecord)
  return records
    .filter(({ kind }) => kind === 'change')
    .map(({ tool, decision, rule, reason }) => [tool, decision, rule, reason])
}

test('presets are listed with what each allows and does not stop, and one is explained with its flags', async (context) => {
  const { environment } = homeWith(context, '{"tools": {"shell": {"presets": ["git-read"]}}}')
  const all = await run(['tools', 'presets'], { environment })
  assert.equal(all.code, 0)
  assert.match(all.stdout, /^git-read \(allowed\)\n {2}Shows the state/m)
  assert.match(all.stdout, /^node-test \(not in tool-access\.json\)\n[^]*What it does not stop: The code of the/m)
  const one = await run(['tools', 'presets', 'git-read'], { environment })
  assert.match(one.stdout, /Compared with the manuals of the programs on \d{4}-\d\d-\d\d/)
  assert.match(one.stdout, /^ {2}git log, 0 or more × a revision or a path\n {4}-n NUMBER, -NUMBER, --oneline/m)
  const json = JSON.parse((await run(['tools', 'presets', 'search', '--json'], { environment })).stdout) as {
    readonly name: string
    readonly isAllowed: boolean
    readonly commands: readonly { readonly begins: readonly string[] }[]
  }
  assert.deepEqual([json.name, json.isAllowed, json.commands[0]!.begins[0]], ['search', false, 'grep'])
  const missing = await run(['tools', 'presets', 'git-reed'], { environment })
  assert.deepEqual(
    [missing.code, missing.stderr],
    [1, 'foreword tools: Unknown preset "git-reed".\n  Did you mean git-read?\n'],
  )
})

test('a command is tried without running: what decides is named, a free prefix as what it is, and a refusal with its reason', async (context) => {
  const policy = {
    global: { allowedTools: ['shell'] },
    sandbox: { enabled: false },
    tools: { shell: { enabled: true, presets: ['git-read', 'files-read'], allowedPrefixes: ['env'] } },
  }
  const { environment, file } = homeWith(context, JSON.stringify(policy))
  mkdirSync(join(dirname(file), 'workspace'))
  const tried = async (...words: readonly string[]) => {
    const { code, stdout } = await run(['tools', 'try', ...words], { environment })
    return [code, stdout]
  }
  assert.deepEqual(await tried('--', 'git', 'log', '--format=%h %s', '-5'), [
    0,
    'allowed (tools.shell.presets "git-read")\n',
  ])
  assert.deepEqual(await tried('env A=1 sh'), [
    0,
    'allowed (tools.shell.allowedPrefixes "env")\n  Any argument may follow this prefix.\n',
  ])
  const [code, refused] = await tried('--', 'git', 'log', '--output=x')
  assert.equal(code, 1)
  assert.match(
    String(refused),
    /^refused \(tools\.shell\.presets\)\n {2}the flag "--output" is not allowed in `git log`/,
  )
  const [, outside] = await tried('cat ../tool-access.json')
  assert.match(String(outside), /^refused \(.*\)\n {2}"\.\.\/tool-access\.json" is outside the workspace/)
  const { stderr } = await run(['tools'], { environment })
  assert.match(stderr, /Any argument may follow "env" in shell\. Presets know their arguments/)
})
