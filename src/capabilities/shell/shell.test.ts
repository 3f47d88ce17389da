import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import {
  type AccessRead,
  createToolbox,
  readAccess,
  type RunContext,
  type ShellAccess,
  type ToolResult,
} from '../../tool.ts'
import { runPastTimeout } from '../../../test/run-past-timeout.ts'
import { unconfined } from '../../../test/unconfined.ts'
import { shellBlock } from './shell-tool.ts'
import { systemClock } from '../../platform.ts'

const context: RunContext = { clock: systemClock, session: 's1', turn: 't1', signal: new AbortController().signal }

interface Shell {
  /** Resolved path of the workspace. */
  readonly workspace: string
  run(input: object): Promise<ToolResult>
  plan(input: object): ReturnType<ReturnType<typeof createToolbox>['plan']>
  set(settings: Partial<ShellAccess>): void
  break(problem: string): void
}

async function shell(t: TestContext, settings: Partial<ShellAccess>): Promise<Shell> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'shell-')))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const workspace = join(folder, 'workspace')
  await mkdir(join(workspace, 'inner'), { recursive: true })
  await mkdir(join(folder, 'workspace-evil'))
  let read = reading(settings)
  const environment = { PATH: process.env['PATH'], PROVIDER_API_KEY: 'canary' }
  const { tools } = shellBlock({ workspace, access: async () => read, environment, sandbox: unconfined })
  const box = createToolbox(tools)
  const call = (input: object) => ({ toolCallId: 'c1', toolName: 'shell', input })
  return {
    workspace,
    run: (input) => box.run(call(input), context),
    plan: (input) => box.plan(call(input), context),
    set: (next) => (read = reading(next)),
    break: (problem) => (read = { type: 'faulty', problems: [problem] }),
  }
}

function reading(settings: Partial<ShellAccess>): AccessRead {
  const global = { enabled: true, mode: 'full', allowedTools: [] } as const
  const usual: ShellAccess = {
    enabled: true,
    mode: 'allowlist',
    approval: 'never',
    presets: [],
    allowedPrefixes: [],
    timeoutMs: 15_000,
    maxOutputChars: 20_000,
    allowAnyCwd: false,
  }
  const defaults = readAccess('', {})
  assert.ok(defaults.type === 'access')
  return { type: 'access', access: { ...defaults.access, global, shell: { ...usual, ...settings } } }
}

test('an allowed command runs as the argv that was planned', async (t) => {
  const { plan, workspace } = await shell(t, { allowedPrefixes: ['printf'] })
  const planned = await plan({ cmd: `printf '%s|' "a b" 'c;d' e\\ f` })
  assert.ok(planned.type === 'allowed')
  assert.deepEqual(planned.call.argv, ['printf', '%s|', 'a b', 'c;d', 'e f'])
  assert.deepEqual([planned.call.command, planned.call.folder], [undefined, workspace])
  const result = await planned.run()
  assert.ok(result.ok)
  assert.deepEqual([result.output, result.meta?.exitCode, result.meta?.bytes], ['a b|c;d|e f|', 0, 12])
})

test('the plan names the program by its real path and its digest, and the script that an interpreter is given', async (t) => {
  const { plan, workspace } = await shell(t, { allowedPrefixes: ['sh job.sh', './job.sh', 'printf'] })
  await writeFile(join(workspace, 'job.sh'), '#!/bin/sh\necho as planned\n')
  await chmod(join(workspace, 'job.sh'), 0o755)
  const facts = async (cmd: string) => {
    const planned = await plan({ cmd })
    assert.ok(planned.type === 'allowed')
    return planned.call.facts!
  }
  const digest = /sha256:[0-9a-f]{64}$/
  const script = new RegExp(`^${workspace}/job\\.sh ${digest.source}`)
  assert.match(String((await facts('printf x'))['program']), new RegExp(`^/.*printf ${digest.source}`))
  assert.match(String((await facts('./job.sh'))['program']), script)
  assert.match(String((await facts('./job.sh'))['interpreter']), new RegExp(`^/.*sh ${digest.source}`))
  assert.match(String((await facts('sh job.sh'))['scripts']), script)
})

test('a program or a script that changed since the plan is not run, and a sentence says so', async (t) => {
  const { plan, workspace } = await shell(t, { allowedPrefixes: ['sh job.sh', './job.sh'] })
  const file = join(workspace, 'job.sh')
  for (const cmd of ['sh job.sh', './job.sh']) {
    await writeFile(file, '#!/bin/sh\necho as planned\n')
    await chmod(file, 0o755)
    const planned = await plan({ cmd })
    assert.ok(planned.type === 'allowed')
    await writeFile(file, '#!/bin/sh\necho something else\n')
    const result = await planned.run()
    assert.ok(
      !result.ok && /^the (?:file|program) .*job\.sh has changed since the command was planned/.test(result.error),
    )
    const again = await plan({ cmd })
    assert.ok(again.type === 'allowed' && again.digest !== planned.digest)
    assert.deepEqual(await again.run().then(({ ok }) => ok), true)
  }
})

test('a file of the workspace never stands for a bare name, though the PATH leads there, also through a link', async (t) => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'shell-path-')))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const workspace = join(folder, 'workspace')
  await mkdir(join(workspace, 'bin'), { recursive: true })
  await mkdir(join(folder, 'bin'))
  for (const name of ['printf', 'mine']) {
    await writeFile(join(workspace, 'bin', name), '#!/bin/sh\necho from the workspace\n')
    await chmod(join(workspace, 'bin', name), 0o755)
  }
  await symlink(join(workspace, 'bin', 'mine'), join(folder, 'bin', 'mine'))
  const environment = { PATH: `${workspace}/bin:${folder}/bin:${process.env['PATH']}` }
  const access = async () => reading({ allowedPrefixes: ['printf', 'mine', 'env'] })
  const box = createToolbox(shellBlock({ workspace, access, environment, sandbox: unconfined }).tools)
  const run = (cmd: string) => box.run({ toolCallId: 'c', toolName: 'shell', input: { cmd } }, context)
  assert.deepEqual(await run('printf x').then((result) => result.ok && result.output), 'x')
  const mine = await run('mine')
  assert.ok(!mine.ok && /"mine" on the PATH is .*a file of the workspace/.test(mine.error))
  const passed = await run('env')
  assert.ok(passed.ok && !passed.output.includes(`${workspace}/bin`))
})

test('what no prefix allows is refused, and the refusal says what is allowed', async (t) => {
  const { run } = await shell(t, { allowedPrefixes: ['git status', 'ls'] })
  assert.deepEqual(await run({ cmd: 'git stash' }), {
    ok: false,
    error: 'the command is not allowed: "git" "stash"; allowed are commands that begin with: git status, ls',
  })
})

test('what only a shell would understand is refused even where its beginning is allowed', async (t) => {
  const { run } = await shell(t, { allowedPrefixes: ['echo'] })
  const result = await run({ cmd: 'echo a && echo b' })
  assert.ok(!result.ok && result.error.includes('&& (one command after another)'))
})

test('in full mode a shell reads the command, and the plan shows its text', async (t) => {
  const { plan } = await shell(t, { mode: 'full' })
  const planned = await plan({ cmd: 'echo a && echo "$((1 + 1))" | cat' })
  assert.ok(planned.type === 'allowed')
  assert.equal(planned.call.command, 'echo a && echo "$((1 + 1))" | cat')
  assert.deepEqual(planned.call.argv, ['/bin/sh', '-c', 'echo a && echo "$((1 + 1))" | cat'])
  const result = await planned.run()
  assert.ok(result.ok && result.output === 'a\n2\n')
})

test('the settings are those of the moment of the call', async (t) => {
  const { run, set, break: damage } = await shell(t, { enabled: false, mode: 'full' })
  assert.deepEqual(await run({ cmd: 'echo a' }), { ok: false, error: 'Tool disabled in config: shell' })
  set({ mode: 'off' })
  assert.deepEqual(await run({ cmd: 'echo a' }), { ok: false, error: 'Tool disabled in config: shell' })
  set({ mode: 'full' })
  assert.equal((await run({ cmd: 'echo a' })).ok, true)
  damage('tools.shell.mode: "all" is no mode')
  assert.deepEqual(await run({ cmd: 'echo a' }), {
    ok: false,
    error: 'Tools are disabled (tool-access.json is faulty: tools.shell.mode: "all" is no mode)',
  })
})

test('an input with an unknown field, and an empty command, run nothing', async (t) => {
  const { run } = await shell(t, { mode: 'full' })
  const unknown = await run({ cmd: 'echo a', shell: true })
  assert.ok(!unknown.ok && unknown.error.includes('there is no field shell'))
  assert.deepEqual(await run({ cmd: ' ' }), { ok: false, error: 'the command (cmd) is empty' })
  assert.deepEqual(await run({ cmd: 'a\0b' }), { ok: false, error: 'a command cannot hold a NUL byte' })
})

test('a command works in the workspace, or in a folder of it', async (t) => {
  const { run, workspace } = await shell(t, { allowedPrefixes: ['pwd'] })
  const folder = async (cwd?: string) => {
    const result = await run({ cmd: 'pwd', ...(cwd !== undefined && { cwd }) })
    return result.ok ? result.output.trim() : result.error
  }
  await symlink(join(workspace, 'inner'), join(workspace, 'link'))
  assert.equal(await folder(), workspace)
  assert.equal(await folder('.'), workspace)
  assert.equal(await folder('inner'), join(workspace, 'inner'))
  assert.equal(await folder('link'), join(workspace, 'inner'))
  assert.equal(await folder(join(workspace, 'inner')), join(workspace, 'inner'))
})

test('a folder outside the workspace is refused however it is written, and a missing one is named', async (t) => {
  const { run, workspace } = await shell(t, { allowedPrefixes: ['pwd'] })
  await symlink('/', join(workspace, 'out'))
  for (const cwd of [
    '..',
    '/',
    '../workspace-evil',
    'inner/../../workspace-evil',
    'out',
    'out/tmp',
    `${workspace}-evil`,
  ]) {
    const result = await run({ cmd: 'pwd', cwd })
    assert.ok(!result.ok && result.error.includes('outside the workspace'), `${cwd}: ${JSON.stringify(result)}`)
  }
  const missing = await run({ cmd: 'pwd', cwd: 'nowhere' })
  assert.ok(!missing.ok && missing.error.includes('"nowhere" does not exist'))
  await writeFile(join(workspace, 'file'), '')
  const file = await run({ cmd: 'pwd', cwd: 'file' })
  assert.ok(!file.ok && file.error.includes('is not a folder'))
})

test('with allowAnyCwd a command works anywhere', async (t) => {
  const { run, workspace } = await shell(t, { allowedPrefixes: ['pwd'], allowAnyCwd: true })
  const result = await run({ cmd: 'pwd', cwd: '../workspace-evil' })
  assert.ok(result.ok && result.output.trim() === `${workspace}-evil`)
  const missing = await run({ cmd: 'pwd', cwd: '../nowhere' })
  assert.ok(!missing.ok && missing.error.includes('does not exist'))
})

test('a folder that was replaced after the plan was made is not entered', async (t) => {
  const { plan, workspace } = await shell(t, { allowedPrefixes: ['pwd'] })
  const planned = await plan({ cmd: 'pwd', cwd: 'inner' })
  assert.ok(planned.type === 'allowed')
  await rename(join(workspace, 'inner'), join(workspace, 'moved'))
  await symlink('/', join(workspace, 'inner'))
  const result = await planned.run()
  assert.ok(!result.ok && result.error.includes('has changed since'))
})

test('a prefix that names a relative path means the program in the workspace', async (t) => {
  const { run, workspace } = await shell(t, { allowedPrefixes: ['./check'] })
  await writeFile(join(workspace, 'check'), '#!/bin/sh\necho checked\n', { mode: 0o755 })
  await writeFile(join(workspace, 'inner/check'), '#!/bin/sh\necho other\n', { mode: 0o755 })
  const right = await run({ cmd: './check' })
  assert.ok(right.ok && right.output === 'checked\n')
  const other = await run({ cmd: './check', cwd: 'inner' })
  assert.ok(!other.ok && other.error.includes('leave cwd out'))
})

test('a program that fails keeps both its outputs and its exit code', async (t) => {
  const { run } = await shell(t, { mode: 'full' })
  const result = await run({ cmd: 'echo said; echo complained >&2; exit 3' })
  assert.ok(!result.ok)
  assert.equal(result.error, 'exit 3: said\n\ncomplained\n')
  assert.equal(result.meta?.exitCode, 3)
})

test('a program that takes too long is ended, and what it had said is kept', async (t) => {
  const { run, workspace } = await shell(t, { mode: 'full', timeoutMs: 300 })
  const result = await runPastTimeout(t, 300, {
    run: () => run({ cmd: 'echo begun; echo > said; sleep 60' }),
    isReady: () => existsSync(join(workspace, 'said')),
  })
  assert.ok(!result.ok)
  assert.deepEqual([result.error, result.output], ['timed out after 300 ms', 'begun\n'])
})

test('a call may ask for another time and another length than the settings', async (t) => {
  const { run } = await shell(t, { mode: 'full', maxOutputChars: 4 })
  const short = await run({ cmd: 'sleep 60', timeoutMs: 200 })
  assert.ok(!short.ok && short.error === 'timed out after 200 ms')
  const usual = await run({ cmd: 'printf 123456789' })
  assert.ok(usual.ok)
  assert.equal(usual.output, '1234\n...[truncated: 4 of 9 characters shown]')
  assert.deepEqual([usual.meta?.truncated, usual.meta?.bytes], [true, 9])
  const more = await run({ cmd: 'printf 123456789', maxOutputChars: 9 })
  assert.ok(more.ok && more.output === '123456789')
})

test('no call gets more output than the hard limit', async (t) => {
  const { run } = await shell(t, { mode: 'full' })
  const result = await run({ cmd: 'yes | head -c 300000', maxOutputChars: 10_000_000 })
  assert.ok(result.ok && result.output.endsWith('\n...[truncated: 200000 of 300000 characters shown]'))
})

test('a program is given no keys', async (t) => {
  const { run } = await shell(t, { allowedPrefixes: ['env'] })
  const result = await run({ cmd: 'env' })
  assert.ok(result.ok && result.output.includes('PATH=') && !result.output.includes('canary'))
})

test('a cancelled call ends its program', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'shell-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const access = async () => reading({ mode: 'full' })
  const { tools } = shellBlock({
    workspace: folder,
    access,
    environment: { PATH: process.env['PATH'] },
    sandbox: unconfined,
  })
  const cancel = new AbortController()
  const box = createToolbox(tools)
  const call = { toolCallId: 'c1', toolName: 'shell', input: { cmd: 'sleep 60' } }
  const running = box.run(call, { ...context, signal: cancel.signal })
  setTimeout(() => cancel.abort(), 100)
  const result = await running
  assert.ok(!result.ok && result.error === 'cancelled')
})

test('a command of a preset with a path outside is refused before anybody is asked about it', async (t) => {
  const { plan } = await shell(t, { presets: ['files-read'] })
  const planned = await plan({ cmd: 'cat ../b.txt' })
  assert.notEqual(planned.type, 'allowed')
  assert.match(JSON.stringify(planned), /outside the workspace/)
})

test('a folder that contains a place out of reach is not read, named or not', async (t) => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'shell-closed-')))
  t.after(() => rm(folder, { recursive: true, force: true }))
  await mkdir(join(folder, 'home/data'), { recursive: true })
  await mkdir(join(folder, 'free'))
  const access = async () => reading({ presets: ['files-read', 'search'] })
  const places = () => ({ outOfReach: [join(folder, 'home/data')], readOnly: [] })
  const environment = { PATH: process.env['PATH'] }
  const box = createToolbox(shellBlock({ workspace: folder, access, environment, sandbox: unconfined, places }).tools)
  const run = (cmd: string) => box.run({ toolCallId: 'c', toolName: 'shell', input: { cmd } }, context)
  for (const cmd of ['ls -R', 'grep -r x', 'find . -type f', 'grep -r x home', 'cat home/data/token']) {
    const result = await run(cmd)
    assert.ok(!result.ok && /kept from tools|out of reach/.test(result.error), cmd)
  }
  assert.ok((await run('ls free')).ok)
})

test('a path that leads outside only after the plan of a preset was made is not read', async (t) => {
  const { plan, workspace } = await shell(t, { presets: ['files-read'] })
  await writeFile(join(workspace, 'a.txt'), 'inside')
  await writeFile(join(workspace, '..', 'b.txt'), 'outside')
  const planned = await plan({ cmd: 'cat a.txt' })
  assert.ok(planned.type === 'allowed')
  await rm(join(workspace, 'a.txt'))
  await symlink('../b.txt', join(workspace, 'a.txt'))
  const result = await planned.run()
  assert.ok(!result.ok && result.error.includes('outside the workspace'))
})
