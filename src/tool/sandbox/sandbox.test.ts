import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { mkdir, mkdtemp, readlink, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { systemTemporaryFolder } from '../../../test/tool/system-temporary-folder.ts'
import { obeyedNames, obeyedPath } from '../access/owners-names.ts'
import { readAccess } from '../access/read-access.ts'
import { cleanEnvironment } from '../process/clean-environment.ts'
import { programResult } from '../process/program.ts'
import type { ToolResult } from '../tool.ts'
import { isWithin } from '../../platform.ts'
import { bubblewrapArgv } from './bubblewrap.ts'
import { findSandbox } from './find-bubblewrap.ts'
import { hiddenPlaces, programFolders } from './hidden-places.ts'
import { type ConfinedProgram, createSandbox, type SandboxPlan } from './sandbox.ts'

const found = await findSandbox()
const skip = found.type === 'none' ? `no sandbox on this machine: ${found.why}` : false

const environment = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: homedir() }
const LIMITS = { timeoutMs: 60_000, maxOutputChars: 20_000 }

interface Box {
  /** Folder that holds the home and whatever else a test lays beside the workspace. */
  readonly top: string
  readonly workspace: string
  readonly setAside: string
  plan(argv: readonly string[]): Promise<SandboxPlan>
  run(...argv: string[]): Promise<ToolResult>
  /** Confines a program that is not started. */
  enter(): Promise<ConfinedProgram>
  /** Runs lines of `sh`. */
  sh(lines: string, timeoutMs?: number): Promise<ToolResult>
}

async function box(
  t: TestContext,
  policy: object | ((top: string) => object) = {},
  readOnly: readonly string[] = [],
  PATH = environment.PATH,
  /** A script of `sh` that is run in the workspace after a sandbox was prepared, just before bubblewrap. */
  meanwhile?: string,
): Promise<Box> {
  const top = await realpath(await mkdtemp(join(systemTemporaryFolder, 'sandbox-')))
  t.after(() => rm(top, { recursive: true, force: true }))
  const home = join(top, 'home')
  const workspace = join(home, 'workspace')
  const setAside = join(home, 'data', 'set-aside')
  await mkdir(workspace, { recursive: true })
  await mkdir(join(home, 'data'))
  await writeFile(join(home, 'data', 'token'), 'canary-token')
  await writeFile(join(home, 'tool-access.json'), '{}')
  const delayed = join(top, 'bubblewrap')
  if (found.type === 'bubblewrap' && meanwhile !== undefined) {
    const script = `#!/bin/sh\n(cd '${workspace}'; ${meanwhile}) >/dev/null 2>&1\nexec ${found.path} "$@"`
    await writeFile(delayed, script, { mode: 0o700 })
  }
  const sandbox = createSandbox({
    workspace,
    setAside,
    ...(meanwhile !== undefined && { find: async () => ({ ...found, path: delayed }) as typeof found }),
    environment: { ...environment, PATH },
    access: async () =>
      readAccess(JSON.stringify(typeof policy === 'function' ? (policy as (top: string) => object)(top) : policy), {}),
    places: () => ({
      outOfReach: [home, join(workspace, 'part/home')],
      readOnly,
      readable: [],
      programs: [],
    }),
  })
  const plan = (argv: readonly string[]) => sandbox.plan({ argv })
  const runFor = async (limits: typeof LIMITS, argv: readonly string[]) => {
    const planned = await plan(argv)
    assert.ok(planned.type === 'planned')
    const program = { argv, folder: workspace, environment: cleanEnvironment({ ...environment, PATH }) }
    return programResult(await planned.run(program, limits), limits)
  }
  const run = (...argv: string[]) => runFor(LIMITS, argv)
  const enter = () => sandbox.enter({ argv: ['true'], folder: workspace }, false)
  return {
    top,
    workspace,
    setAside,
    plan,
    run,
    enter,
    sh: (lines, timeoutMs = LIMITS.timeoutMs) => runFor({ ...LIMITS, timeoutMs }, ['sh', '-c', lines]),
  }
}

function output(result: ToolResult): string {
  assert.ok(result.ok, JSON.stringify(result))
  return result.output
}

test('a program works in the workspace: it reads, writes and has a temporary folder', { skip }, async (t) => {
  const { sh, workspace } = await box(t)
  await writeFile(join(workspace, 'in.txt'), 'in')
  assert.equal(
    output(await sh('pwd; cat in.txt; echo out > out.txt; echo x > /tmp/x; cat /tmp/x')),
    `${workspace}\ninx\n`,
  )
  assert.equal(readFileSync(join(workspace, 'out.txt'), 'utf8'), 'out\n')
})

test('nothing outside the workspace can be written', { skip }, async (t) => {
  const { sh, top, workspace } = await box(t)
  await writeFile(join(top, 'beside.txt'), 'mine')
  const outside = ['/', '/etc', '/usr'].map((folder) => join(folder, `foreword-${randomUUID()}`))
  const tries = [...outside, join(top, 'beside.txt'), join(top, 'home/tool-access.json')]
  await sh(tries.map((path) => `echo taken > ${path}`).join('\n'))
  await sh(`ln -s ${top}/beside.txt link; echo taken > link; rm -rf ${top}/beside.txt ../data`)
  assert.equal(readFileSync(join(top, 'beside.txt'), 'utf8'), 'mine')
  assert.equal(readFileSync(join(top, 'home/tool-access.json'), 'utf8'), '{}')
  assert.equal(readFileSync(join(top, 'home/data/token'), 'utf8'), 'canary-token')
  assert.deepEqual([...outside, workspace].filter(existsSync), [workspace])
})

test('no file gets the bits that make it run as its owner', { skip }, async (t) => {
  const { sh, run, workspace } = await box(t)
  await sh(
    'echo x > file; chmod 4755 file; chmod u+s,g+s file; cp /bin/true run; chmod 6777 run; install -m 4755 run other; true',
  )
  // A file that had no name while it was made, and is given one.
  const nameless = `const { execFileSync } = require('node:child_process')
    const { constants, openSync } = require('node:fs')
    const file = openSync('.', 0o20000000 | constants.O_DIRECTORY | constants.O_RDWR, 0o6755)
    execFileSync('ln', ['-L', '/proc/self/fd/3', 'nameless'], { stdio: ['ignore', 1, 2, file] })`
  await run(process.execPath, '-e', nameless)
  await run(process.execPath, '-e', nameless.replace('0o6755', '0o755').replace("'nameless'", "'usual'"))
  assert.ok(readdirSync(workspace).includes('usual'))
  for (const name of readdirSync(workspace)) assert.equal(statSync(join(workspace, name)).mode & 0o6000, 0, name)
  assert.equal(output(await sh('echo "#!/bin/sh" > file; chmod 755 file && ./file && echo fine')), 'fine\n')
})

test('the home, homes of people and scratch files of others are not there', { skip }, async (t) => {
  const { sh, top } = await box(t)
  const said = JSON.stringify(
    await sh(`cat ../data/token ${top}/home/data/token; ls -A ${homedir()} ${top} /run; cat /etc/shadow`),
  )
  assert.doesNotMatch(said, /canary/)
  assert.equal(output(await sh(`ls -A ${homedir()} | wc -l`)).trim(), '0')
})

test(
  "a program of a gateway that runs as root cannot change the settings of the kernel, which are everybody's",
  { skip },
  async (t) => {
    const { sh } = await box(t)
    // Opened to append nothing: where this succeeds, a program of its choice runs outside when another one crashes.
    const files = ['kernel/core_pattern', 'kernel/modprobe', 'vm/drop_caches', 'fs/binfmt_misc/register']
    assert.equal(
      output(await sh(files.map((file) => `(: >> /proc/sys/${file}) 2>/dev/null && echo opened; true`).join('\n'))),
      '',
    )
  },
)

test('no other process is seen, and so no environment of one', { skip }, async (t) => {
  const { sh } = await box(t)
  const secret = spawn('sleep', ['60'], { env: { CANARY: 'canary-environment' }, stdio: 'ignore' })
  t.after(() => secret.kill('SIGKILL'))
  await once(secret, 'spawn')
  assert.doesNotMatch(output(await sh('cat /proc/[0-9]*/environ | tr "\\0" "\\n"; true')), /canary/)
  assert.equal((await sh(`kill -9 ${secret.pid}`)).ok, false)
  assert.deepEqual([secret.exitCode, secret.signalCode], [null, null])
})

test('there is no network, and with sandbox.network there is one, which asks', { skip }, async (t) => {
  const server = createServer((socket) => socket.end('answered'))
  t.after(() => server.close())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const connect = `require("node:net").connect(${port},"127.0.0.1").on("error",()=>console.log("refused")).on("data",(d)=>console.log(String(d)))`
  const closed = await box(t)
  assert.equal(output(await closed.run(process.execPath, '-e', connect)), 'refused\n')
  const open = await box(t, { sandbox: { network: [`${process.execPath} -e`] } })
  const planned = await open.plan([process.execPath, '-e', connect])
  assert.ok(planned.type === 'planned')
  assert.deepEqual([planned.text, planned.asks], ['workspace, with network', true])
  assert.equal(output(await open.run(process.execPath, '-e', connect)), 'answered\n')
})

/** A folder that no sandbox hides, where this account may make one. */
async function folderOfSockets(t: TestContext, otherwise: string): Promise<string> {
  const made = await mkdtemp('/var/lib/sandbox-socket-').catch(() => mkdtemp(join(otherwise, 's-')))
  t.after(() => rm(made, { recursive: true, force: true }))
  return realpath(made)
}

test('no socket of another process is reached by its path, in the workspace or beside it', { skip }, async (t) => {
  const { run, workspace } = await box(t)
  const outside = await folderOfSockets(t, workspace)
  const reached: string[] = []
  for (const path of [join(workspace, 'agent.sock'), join(outside, 'database.sock')]) {
    const server = createServer((socket) => socket.end(String(reached.push(path)))).listen(path)
    t.after(() => server.close())
    await once(server, 'listening')
    const connect = `require("net").connect(${JSON.stringify(path)}).pipe(process.stdout)`
    assert.equal((await run('node', '-e', connect)).ok, false)
  }
  assert.deepEqual(reached, [])
})

test('a socket that is gone with its folder before it is hidden keeps no program from running', { skip }, async (t) => {
  for (const isFolderGone of [false, true]) {
    const outside = await folderOfSockets(t, systemTemporaryFolder)
    const path = join(outside, 'ended.sock')
    const server = createServer().listen(path)
    t.after(() => server.close())
    await once(server, 'listening')
    const { sh } = await box(t, {}, [], environment.PATH, `rm -r ${isFolderGone ? outside : path}`)
    assert.equal(output(await sh('echo once >> runs; cat runs')), 'once\n')
    assert.equal(existsSync(path), false)
  }
})

test('a folder of the PATH shows no hidden folder whole', { skip }, async (t) => {
  const { top } = await box(t)
  const home = join(top, 'person')
  for (const name of ['.docker/bin', '.tool/bin', 'bin']) await mkdir(join(home, name), { recursive: true })
  const places = ['.docker/bin', '.tool/bin', 'bin', ''].map((name) => join(home, name))
  const env = { HOME: home, PATH: [...places, '/tmp', '/usr/bin'].join(':') }
  const shown = await programFolders(env, await hiddenPlaces(env, []))
  assert.deepEqual(
    shown.filter((path) => isWithin(top, path)),
    ['.docker/bin', '.tool', 'bin'].map((name) => join(home, name)),
  )
  assert.ok(!shown.includes('/tmp'))
})

test('a pipe or a socket in the workspace leads to no other process, with a network neither', { skip }, async (t) => {
  for (const sandbox of [{}, { network: ['sh'] }]) {
    const { sh, workspace } = await box(t, { sandbox })
    await mkdir(join(workspace, 'sub'))
    execFileSync('mkfifo', [join(workspace, 'sub/pipe')])
    const server = createServer((socket) => socket.end('reached')).listen(join(workspace, 'sub/socket'))
    t.after(() => server.close())
    await once(server, 'listening')
    const kinds = 'cd sub; for each in pipe socket; do (echo x > $each) 2>/dev/null; test -c $each && echo none; done'
    assert.equal(output(await sh(kinds)), 'none\nnone\n')
  }
})

test('usual programs work behind the filter of calls', { skip }, async (t) => {
  const { sh, run } = await box(t, {}, [], process.env['PATH'])
  const { stdout } = await promisify(execFile)('npm', ['--version'])
  assert.equal(output(await run('npm', '--version')), stdout)
  assert.match(output(await sh('git --version; printf "b\\na\\n" | sort | head -1')), /^git version .*\na\n$/)
  const server =
    'const s = require("net").createServer((c) => c.end("answered")).listen(0, "127.0.0.1", () => require("net").connect(s.address().port, "127.0.0.1").on("data", (d) => { console.log(String(d)); s.close() }))'
  assert.equal(output(await run('node', '-e', server)), 'answered\n')
  const worker =
    'new (require("worker_threads").Worker)("require(`child_process`).execFileSync(`true`); console.log(require(`fs`).readdirSync(`/`).length > 0)", { eval: true })'
  assert.equal(output(await run('node', '-e', worker)), 'true\n')
})

test('no socket is reached that was bound by a name in a folder', { skip }, async (t) => {
  const { run, workspace } = await box(t)
  const outside = await folderOfSockets(t, workspace)
  const serve = 'require("net").createServer((c) => c.end("reached")).listen("own.sock", () => console.log("ready"))'
  const server = spawn(process.execPath, ['-e', serve], { cwd: outside, stdio: ['ignore', 'pipe', 'ignore'] })
  t.after(() => server.kill('SIGKILL'))
  await once(server.stdout, 'data')
  const connect = `require("net").connect(${JSON.stringify(join(outside, 'own.sock'))}).pipe(process.stdout)`
  const result = await run('node', '-e', connect)
  assert.equal(result.ok, false)
  assert.doesNotMatch(JSON.stringify(result), /reached/)
})

test('no socket is reached of a process that has another network and another view of the disk', { skip }, async (t) => {
  const { run, workspace } = await box(t)
  const outside = await folderOfSockets(t, workspace)
  const serve =
    'require("net").createServer((c) => c.end("reached")).listen("/tmp/shared/own.sock", () => console.log("ready"))'
  const mounts = ['--ro-bind', '/', '/', '--dev', '/dev', '--tmpfs', '/tmp', '--bind', outside, '/tmp/shared']
  const container = [...mounts, '--unshare-net', '--die-with-parent', process.execPath, '-e', serve]
  assert.ok(found.type === 'bubblewrap')
  const server = spawn(found.path, container, { stdio: ['ignore', 'pipe', 'ignore'] })
  t.after(() => server.kill('SIGKILL'))
  await once(server.stdout, 'data')
  const connect = `require("net").connect(${JSON.stringify(join(outside, 'own.sock'))}).pipe(process.stdout)`
  const result = await run('node', '-e', connect)
  assert.equal(result.ok, false)
  assert.doesNotMatch(JSON.stringify(result), /reached/)
})

/** A gateway of an account that is not root, for which modes of files count: two programs, one after the other. */
const ACCOUNT = `
import { createSandbox, findSandbox, readAccess } from ${JSON.stringify(new URL('../../tool.ts', import.meta.url).href)}
const [workspace, setAside] = process.argv.slice(1)
const environment = { PATH: '/usr/bin:/bin', HOME: '/' }
if ((await findSandbox()).type === 'none') process.exit(9)
const sandbox = createSandbox({
  workspace, setAside, environment,
  access: async () => readAccess('{}', {}),
  places: () => ({ outOfReach: [], readOnly: [], readable: [], programs: [] }),
})
for (const lines of ['chmod 0 sub', 'chmod 700 sub; echo taken > sub/AGENTS.md; ls sub/pipe']) {
  const argv = ['sh', '-c', lines]
  const plan = await sandbox.plan({ argv })
  const { stdout } = await plan.run({ argv, folder: workspace, environment }, { timeoutMs: 60_000, maxOutputChars: 1_000 })
  process.stdout.write(stdout.text)
}
`

test('a folder that a program closes to its own account shows the next one nothing', { skip }, async (t) => {
  const { workspace, setAside } = await box(t)
  await mkdir(join(workspace, 'sub'))
  await writeFile(join(workspace, 'sub/AGENTS.md'), 'owner')
  execFileSync('mkfifo', [join(workspace, 'sub/pipe')])
  assert.ok(found.type === 'bubblewrap')
  const account = ['--unshare-user', '--uid', '1000', '--gid', '1000', '--cap-drop', 'ALL']
  const disk = ['--bind', '/', '/', '--dev', '/dev', '--bind', '/proc', '/proc']
  const gateway = [process.execPath, '--conditions=foreword-source', '--input-type=module', '--eval', ACCOUNT, '--']
  const words = [...disk, ...account, ...gateway, workspace, setAside]
  const ran = await promisify(execFile)(found.path, words).catch((error: { readonly code?: number }) => error)
  if ('code' in ran && ran.code === 9) return t.skip('no sandbox in a sandbox on this machine')
  assert.equal((ran as { readonly stdout?: string }).stdout, '', JSON.stringify(ran))
  assert.equal(statSync(join(workspace, 'sub')).mode & 0o777, 0)
  execFileSync('chmod', ['700', join(workspace, 'sub')])
  assert.equal(readFileSync(join(workspace, 'sub/AGENTS.md'), 'utf8'), 'owner')
})

test('what agents and Git obey is read and not changed, at any depth and through links', { skip }, async (t) => {
  const { sh, workspace } = await box(t, {}, [])
  await mkdir(join(workspace, '.git/hooks'), { recursive: true })
  await mkdir(join(workspace, 'sub/.vscode'), { recursive: true })
  await writeFile(join(workspace, '.git/config'), '[core]\n')
  await writeFile(join(workspace, 'rules.md'), 'rules')
  await writeFile(join(workspace, 'sub/AGENTS.md'), 'obey')
  await symlink('rules.md', join(workspace, 'AGENTS.md'))
  await sh('echo fsmonitor >> .git/config; echo x > .git/hooks/pre-commit; rm -rf .git; mv .git git')
  await sh('echo taken > sub/AGENTS.md; rm sub/AGENTS.md; echo taken > AGENTS.md; echo x > sub/.vscode/tasks.json')
  assert.equal(output(await sh('cat .git/config AGENTS.md sub/AGENTS.md')), '[core]\nrulesobey')
  assert.deepEqual(readdirSync(join(workspace, '.git/hooks')), [])
  assert.deepEqual(readdirSync(join(workspace, 'sub/.vscode')), [])
})

test('what a program makes of the kind is moved away, and the model reads which', { skip }, async (t) => {
  const { sh, workspace, setAside } = await box(t)
  const result = await sh('mkdir -p sub/.git; echo x > sub/.git/config; echo obey > AGENTS.md; echo fine > notes.md')
  assert.ok(result.ok)
  assert.match(result.output, /moved out of the workspace, since only its owner may make such files: .*AGENTS\.md/)
  assert.deepEqual([...(result.meta!['setAside'] as string[])].toSorted(), ['AGENTS.md', 'sub/.git'])
  assert.deepEqual(readdirSync(workspace).toSorted(), ['notes.md', 'sub'])
  assert.deepEqual(readdirSync(join(workspace, 'sub')), [])
  const [run = ''] = readdirSync(setAside)
  assert.equal(readFileSync(join(setAside, run, '0/AGENTS.md'), 'utf8'), 'obey\n')
  assert.equal(readFileSync(join(setAside, run, '0/sub/.git/config'), 'utf8'), 'x\n')
})

test('what a program changes of files that decide what others run stays, and is named', { skip }, async (t) => {
  const { sh, run, workspace } = await box(t, {}, [], process.env['PATH'])
  await mkdir(join(workspace, 'build'))
  await writeFile(join(workspace, 'package.json'), '{"name": "one", "version": "1.0.0"}')
  await writeFile(join(workspace, 'Makefile'), 'all:')
  await mkdir(join(workspace, '.github'))
  const lines = 'echo x > build/notes.md; echo A=1 > .env; mkdir .github/workflows; cat Makefile > read.txt'
  const result = await sh(lines)
  assert.match(output(result), /\[changed, and decides what other programs run: \.env\]/)
  assert.ok(result.ok)
  assert.deepEqual(result.meta!['obeyed'], ['.env'])
  assert.deepEqual(result.meta!['setAside'], ['.github/workflows'])
  const installed = await run('npm', 'install', '--offline', '--no-audit', '--no-fund')
  assert.match(output(installed), /decides what other programs run: package-lock\.json/)
  assert.equal(existsSync(join(workspace, 'package-lock.json')), true)
})

test('no name of the owner is written by a program', { skip }, async (t) => {
  const { run, workspace } = await box(t)
  const names = obeyedNames.flatMap(({ level, names: all }) => (level === 'never' ? all.split(' ') : []))
  const files = names.map((name) => name.replace('*', 'any'))
  const script =
    'for (const file of process.argv.slice(1)) { try { fs.mkdirSync(path.dirname(file), { recursive: true }); fs.writeFileSync(file, "x") } catch {} }'
  assert.ok((await run(process.execPath, '-e', script, ...files)).ok)
  assert.deepEqual(
    readdirSync(workspace, { recursive: true, encoding: 'utf8' }).filter((path) => obeyedPath(path.split('/'))),
    [],
  )
})

test(
  'a program makes no folder that Git takes for a repository, and changes the settings of none',
  { skip },
  async (t) => {
    const { sh, workspace } = await box(t)
    const evil = "'[core]\n\tbare = false\n\tworktree = .\n\tfsmonitor = touch pwned\n'"
    execFileSync('git', ['init', '-q', '--bare', join(workspace, 'own')])
    const settings = readFileSync(join(workspace, 'own/config'), 'utf8')
    await mkdir(join(workspace, 'half/objects'), { recursive: true })
    await writeFile(join(workspace, 'half/config'), evil.slice(1, -1).replaceAll('\\n', '\n').replaceAll('\\t', '\t'))
    await sh(`printf ${evil} > own/config; echo 'touch pwned' > own/hooks/post-checkout; mv own/hooks elsewhere`)
    await sh('git init -q --bare made; mkdir -p half/refs; cp own/HEAD half/HEAD')
    await sh(`mkdir -p tree; cp own/HEAD tree; echo ../own > tree/commondir; printf ${evil} > own/config.worktree`)
    for (const folder of ['made', 'half', 'tree']) {
      const from = join(workspace, folder)
      assert.throws(() => execFileSync('git', ['status'], { cwd: from, stdio: 'pipe' }), folder)
      assert.equal(existsSync(join(from, 'pwned')), false)
    }
    assert.equal(readFileSync(join(workspace, 'own/config'), 'utf8'), settings)
    assert.equal(existsSync(join(workspace, 'own/config.worktree')), false)
    assert.equal(existsSync(join(workspace, 'own/hooks/post-checkout')), false)
    assert.match(
      output(await sh('git --git-dir=own fetch -q ./own; git --git-dir=own rev-parse --is-bare-repository')),
      /true/,
    )
  },
)

test('what cannot be moved away is named with the reason, and the output of the run is kept', { skip }, async (t) => {
  const { sh, workspace, setAside } = await box(t)
  await writeFile(setAside, 'a file where the folder should be')
  const result = await sh('echo written; echo obey > AGENTS.md; mkdir .git')
  assert.ok(result.ok, JSON.stringify(result))
  assert.match(result.output, /^written\n\[only its owner may make such files: /)
  for (const name of ['AGENTS.md', '.git']) {
    assert.ok(result.output.includes(`${name} is still in the workspace, since it could not be moved to ${setAside}/`))
  }
  assert.equal(readFileSync(join(workspace, 'AGENTS.md'), 'utf8'), 'obey\n')
})

test('a link of the owner that a program replaces is made again', { skip }, async (t) => {
  const { sh, workspace, setAside } = await box(t)
  await writeFile(join(workspace, 'rules.md'), 'rules')
  await symlink('rules.md', join(workspace, 'CLAUDE.md'))
  await sh('rm CLAUDE.md; echo obey > CLAUDE.md')
  assert.equal(await readlink(join(workspace, 'CLAUDE.md')), 'rules.md')
  assert.equal(readFileSync(join(setAside, readdirSync(setAside)[0]!, '0/CLAUDE.md'), 'utf8'), 'obey\n')
})

/** Runs lines while a program lives that has done others, and lets it do its last ones then. */
async function whileMoved({ sh, workspace }: Box, before: string, lines: string, after: string): Promise<void> {
  const moving = sh(`${before}; touch moved; while ! test -e over; do sleep 0.05; done; rm moved over; ${after}`)
  while (!existsSync(join(workspace, 'moved'))) await setTimeout(20)
  await sh(lines)
  await writeFile(join(workspace, 'over'), '')
  await moving
}

test('what another program has moved stays covered for each that begins meanwhile', { skip }, async (t) => {
  const taken = 'echo taken >'
  for (const [before, lines, after] of [
    ['mv .github gh', `${taken} gh/workflows/ci.yml`, 'mv gh .github'],
    ['mkdir node_modules; mv sub node_modules', `${taken} node_modules/sub/.git/config`, 'mv node_modules/sub .'],
    ['rm AGENTS.md', `${taken} rules.md`, 'true'],
    ['mkdir node_modules; mv sub node_modules', 'test -p node_modules/sub/pipe && echo taken > shown', 'true'],
    ['mkdir -p a/b; mv sub a/b', `for name in a/b/sub/*; do ${taken} $name; done`, 'mv a/b/sub .'],
  ] as const) {
    const own = await box(t)
    const { workspace } = own
    for (const name of ['.github/workflows', 'sub/.git']) await mkdir(join(workspace, name), { recursive: true })
    await writeFile(join(workspace, 'rules.md'), 'owner')
    await symlink('rules.md', join(workspace, 'AGENTS.md'))
    await writeFile(join(workspace, 'sub/CLAUDE.md'), 'owner')
    execFileSync('mkfifo', [join(workspace, 'sub/pipe')])
    await whileMoved(own, before, lines, after)
    assert.doesNotMatch(textsIn(workspace), /taken/, before)
    assert.equal(readFileSync(join(workspace, 'AGENTS.md'), 'utf8'), 'owner')
  }
})

test('what a program moves to where nothing is searched stays covered for the next one', { skip }, async (t) => {
  const { sh, workspace } = await box(t)
  await mkdir(join(workspace, 'sub/.git'), { recursive: true })
  execFileSync('mkfifo', [join(workspace, 'sub/pipe')])
  await sh('mkdir node_modules; mv sub node_modules')
  await sh('echo taken > node_modules/sub/.git/config; test -p node_modules/sub/pipe && echo taken > shown')
  assert.doesNotMatch(textsIn(workspace), /taken/)
  await sh('mv node_modules/sub .')
  assert.equal(output(await sh('test -p sub/pipe || echo none')), 'none\n')
})

test('a folder that a program moves all the time is missed by no search', { skip }, async (t) => {
  const { run, sh, workspace } = await box(t)
  for (const name of ['a', 'z', 'a/sub/.git']) await mkdir(join(workspace, name), { recursive: true })
  execFileSync('mkfifo', [join(workspace, 'a/sub/pipe')])
  await writeFile(join(workspace, 'a/sub/own'), '')
  const moving = run('node', '-e', MOVE)
  while (!existsSync(join(workspace, 'moved'))) await setTimeout(20)
  const lines =
    'for at in a z a z; do echo taken > $at/sub/.git/config; test -p $at/sub/pipe && echo taken > shown; done'
  for (let round = 0; round < 8; round++) {
    // Bubblewrap waits for a pipe that appears while it makes the place of its cover: the time limit of the call ends it.
    const said = await sh(`(${lines}) 2>/dev/null; true`, 4_000)
    if (!said.ok) assert.match(said.error, /^(?:the sandbox could not be (?:made|prepared): |timed out)/)
  }
  await writeFile(join(workspace, 'over'), '')
  await moving
  assert.doesNotMatch(textsIn(workspace), /taken/)
})

/** Moves a folder there and back. What bubblewrap makes where it was is no longer in the way. */
const MOVE = `
const { existsSync, renameSync, rmSync, writeFileSync } = require('node:fs')
const attempt = (work) => { try { work() } catch {} }
writeFileSync('moved', '')
while (!existsSync('over')) {
  for (const [from, to] of [['a/sub', 'z/sub'], ['z/sub', 'a/sub']]) {
    attempt(() => existsSync(from + '/own') && rmSync(to, { recursive: true }))
    attempt(() => renameSync(from, to))
  }
}
`

function textsIn(folder: string): string {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return entries.map((each) => (each.isFile() ? readFileSync(join(each.parentPath, each.name), 'utf8') : '')).join('\n')
}

test("what an entry of the owner leads to is as much the owner's", { skip }, async (t) => {
  const inside =
    (path: string, target: string) =>
    async ({ workspace }: Box) => {
      await mkdir(dirname(join(workspace, path)), { recursive: true })
      await symlink(target, join(workspace, path))
    }
  const git =
    (file: string, text: string) =>
    async ({ workspace }: Box) => {
      if (file !== '.git') await mkdir(join(workspace, '.git'))
      await mkdir(join(workspace, 'docs/hooks'), { recursive: true })
      await writeFile(join(workspace, file), text)
      await writeFile(join(workspace, 'docs/more'), 'owner')
    }
  for (const [make, lines, setAside] of [
    [inside('AGENTS.md', 'rules.md'), 'echo taken > rules.md', ['rules.md']],
    [inside('AGENTS.md', 'docs/rules.md'), 'mv docs docs2; mkdir docs; echo taken > docs/rules.md', ['docs/rules.md']],
    [inside('AGENTS.md', 'middle'), 'rm middle; echo taken > middle', ['middle']],
    [git('.git', 'gitdir: ./docs\n'), 'echo taken > docs/config; rm -rf docs; mkdir -p docs/hooks', undefined],
    [git('.git', 'gitdir: sub/../docs\n'), 'echo taken > docs/config', undefined],
    [git('.git/config', '[core]\n\thooksPath = "docs/hooks"\n'), 'echo taken > docs/hooks/pre-commit', undefined],
    [git('.git/config', '[include]\n\tpath = ../docs/more\n'), 'echo taken > docs/more', undefined],
    [git('.git/config', '[core]\n\thooksPath = new'), 'mkdir new; echo taken > new/pre-commit', ['new']],
    [inside('.git/hooks/pre-commit', '../../docs/rules.md'), 'echo taken > docs/rules.md', undefined],
    [inside('.claude/skills/one', '../../docs'), 'echo taken > docs/SKILL.md', undefined],
  ] as const) {
    const own = await box(t)
    for (const name of ['docs', 'sub']) await mkdir(join(own.workspace, name))
    for (const name of ['docs/rules.md', 'end']) await writeFile(join(own.workspace, name), 'owner')
    await symlink('end', join(own.workspace, 'middle'))
    await make(own)
    const said = await own.sh(`${lines}; true`)
    assert.deepEqual(said.meta!['setAside'], setAside, lines)
    assert.doesNotMatch(textsIn(own.workspace), /taken/, lines)
  }
})

test('a folder that is moved with what it holds stays, and what takes its place is moved away', { skip }, async (t) => {
  const { sh, workspace } = await box(t)
  await mkdir(join(workspace, 'sub'))
  await writeFile(join(workspace, 'sub/AGENTS.md'), 'owner')
  await sh('mv sub other; mkdir sub; echo obey > sub/AGENTS.md')
  assert.equal(readFileSync(join(workspace, 'other/AGENTS.md'), 'utf8'), 'owner')
  assert.deepEqual(readdirSync(join(workspace, 'sub')), [])
})

test('a folder that a program replaces by a link to the home gets nothing of the owner', { skip }, async (t) => {
  const { run, top, workspace, setAside } = await box(t, {}, [], process.env['PATH'])
  const person = await homeOfPerson(top)
  await mkdir(join(workspace, 'fixtures'))
  await symlink('../taken', join(workspace, 'fixtures/.gitconfig'))
  await writeFile(join(workspace, 'taken'), '[core]\n\tfsmonitor = anything\n')
  const script = `mv fixtures moved && rm moved/.gitconfig && ln -s ${person} fixtures`
  await writeFile(join(workspace, 'package.json'), JSON.stringify({ scripts: { test: script } }))
  const result = await run('npm', 'test')
  assert.deepEqual(filesOfPerson(person), PERSON)
  assert.equal(existsSync(setAside), false)
  assert.match(
    output(result),
    /\[only its owner may make such files: fixtures\/\.gitconfig, a link to \.\.\/taken, could not be made again: .*fixtures/,
  )
})

test('a program that swaps folders all the time gets nothing of the home moved or read', { skip }, async (t) => {
  const { run, enter, top, workspace, setAside } = await box(t)
  const person = await homeOfPerson(top)
  await mkdir(join(workspace, 'fixtures'))
  await symlink('../taken', join(workspace, 'fixtures/.gitconfig'))
  const ends = Date.now() + 3_000
  const swapping = run('node', '-e', SWAP, person, String(ends))
  while (Date.now() < ends) await (await enter()).leave()
  assert.equal(output(await swapping), '')
  assert.deepEqual(filesOfPerson(person), PERSON)
  const kept = existsSync(setAside) ? readdirSync(setAside, { recursive: true, encoding: 'utf8' }) : []
  assert.deepEqual(
    kept.filter((path) => /settings\.json|\.claude|\.npmrc/.test(path)),
    [],
  )
})

test(
  'a folder that is a link by the time it is covered makes, changes and shows nothing outside',
  { skip },
  async (t) => {
    const { top, workspace } = await box(t)
    const person = await homeOfPerson(top)
    await writeFile(join(workspace, '.npmrc'), 'own')
    for (const [index, above] of ['oldroot', 'newroot'].entries()) {
      const link = join(workspace, `link-${index}`)
      await symlink(`${'../'.repeat(workspace.split('/').length + 3)}${above}${person}`, link)
      for (const name of ['.npmrc', 'AGENTS.md']) {
        assert.ok(found.type === 'bubblewrap')
        const [program, ...words] = bubblewrapArgv(found, ['cat', join(link, name), join(workspace, '.npmrc')], {
          writable: [workspace],
          readable: [],
          hidden: [{ path: top, kind: 'folder' }],
          readOnly: [join(link, name)],
          network: false,
          folder: '/',
          memoryKiB: 1_048_576,
        }).map((word, at, all) =>
          all[at - 1] === '--ro-bind' && word === join(link, name) ? join(workspace, '.npmrc') : word,
        )
        const said = await promisify(execFile)(program!, words).then(JSON.stringify, JSON.stringify)
        assert.doesNotMatch(said, /token/)
      }
    }
    assert.deepEqual(filesOfPerson(person), PERSON)
  },
)

/** What the home of the person holds in these tests. */
const PERSON = ['.claude', '.claude/settings.json', '.npmrc']

async function homeOfPerson(top: string): Promise<string> {
  const person = join(top, 'person')
  await mkdir(join(person, '.claude'), { recursive: true })
  await writeFile(join(person, '.claude/settings.json'), '{}')
  await writeFile(join(person, '.npmrc'), 'token')
  return person
}

function filesOfPerson(person: string): readonly string[] {
  return readdirSync(person, { recursive: true, encoding: 'utf8' }).toSorted()
}

/** Puts a link to a folder in the place of a folder and back, until a time. */
const SWAP = `
const { renameSync, symlinkSync, unlinkSync } = require('node:fs')
const [, person, ends] = process.argv
const attempt = (work) => { try { work() } catch {} }
while (Date.now() < Number(ends)) {
  attempt(() => renameSync('fixtures', 'other'))
  attempt(() => symlinkSync(person, 'fixtures'))
  attempt(() => unlinkSync('fixtures'))
  attempt(() => renameSync('other', 'fixtures'))
}
`

test(
  'a program starts only where each cover lies on what it was meant for, and is tried once more',
  { skip },
  async (t) => {
    const exchange = 'mv sub other$$ && mkdir -m 700 sub && echo new > sub/AGENTS.md && mkfifo sub/pipe'
    for (const [name, lines] of [
      ['AGENTS.md', 'for file in */AGENTS.md; do (echo taken > $file) 2>/dev/null; done; cat other*/AGENTS.md'],
      ['pipe', 'for pipe in */pipe; do test -p $pipe && echo shown; done; echo fine'],
    ] as const) {
      const make = async ({ workspace }: Box) => {
        await mkdir(join(workspace, 'sub'))
        if (name === 'pipe') execFileSync('mkfifo', [join(workspace, 'sub/pipe')])
        else await writeFile(join(workspace, 'sub', name), 'owner\n')
      }
      const single = await box(t, {}, [], environment.PATH, `test -e other* || { ${exchange}; }`)
      await make(single)
      assert.match(
        output(await single.sh(lines)),
        name === 'pipe' ? /^fine\n/ : /^owner\n\[moved out of the workspace.*: sub\/AGENTS\.md/,
      )
      const always = await box(t, {}, [], environment.PATH, exchange)
      await make(always)
      const refused = await always.sh('echo started > started')
      assert.ok(!refused.ok)
      assert.match(refused.error, /another program exchanges folders of the workspace/)
      assert.equal(existsSync(join(always.workspace, 'started')), false)
    }
  },
)

test('a hidden place in the workspace stays hidden when a folder above it is renamed', { skip }, async (t) => {
  for (const meanwhile of [undefined, 'mv part other; mkdir -p part/home']) {
    const { sh, workspace } = await box(t, {}, [], environment.PATH, meanwhile)
    await mkdir(join(workspace, 'part/home'), { recursive: true })
    await writeFile(join(workspace, 'part/home/token'), 'canary')
    const first = await sh('cat */home/token; mv part other; mkdir -p part/home')
    assert.equal(existsSync(join(workspace, 'other/home/token')), true)
    const second = await sh('cat other/home/token')
    for (const said of [first, second]) assert.doesNotMatch(JSON.stringify(said), /canary/)
    assert.ok(!second.ok)
    assert.match(second.error, /part is not the folder that held .*part\/home, which no program may see/)
  }
})

test('what is hidden stays so where it is a file of the owner too', { skip }, async (t) => {
  const { sh, workspace } = await box(t)
  execFileSync('mkfifo', [join(workspace, 'AGENTS.md')])
  await mkdir(join(workspace, 'part/home/.git'), { recursive: true })
  await writeFile(join(workspace, 'part/home/AGENTS.md'), 'canary')
  assert.equal(output(await sh('test -p AGENTS.md || echo none; ls -A part/home')), 'none\n')
})

test('covers of all kinds are found at their places, whatever their names', { skip }, async (t) => {
  const { sh, workspace } = await box(t)
  for (const name of ['-n $(x)', "it's\n", 'part/home', 'a', 'b', 'c', 'd', 'e']) {
    await mkdir(join(workspace, name, '.git'), { recursive: true })
    await writeFile(join(workspace, name, 'CLAUDE.md'), 'owner')
    execFileSync('mkfifo', [join(workspace, name, 'a pipe')])
  }
  await symlink("it's\n/CLAUDE.md", join(workspace, 'AGENTS.md'))
  await writeFile(join(workspace, '.npmrc'), '', { mode: 0 })
  assert.equal(output(await sh('cat AGENTS.md; (echo taken > AGENTS.md) 2>/dev/null; pwd')), `owner${workspace}\n`)
})

test('a file of the owner that its capability names is not written', { skip }, async (t) => {
  const { top } = await box(t)
  const prompt = join(top, 'home/workspace/prompt.md')
  const { sh } = await box(t, { sandbox: { writable: [join(top, 'home/workspace')] } }, [prompt])
  await writeFile(prompt, 'owner')
  await sh(`echo taken > ${prompt}; rm -f ${prompt}; echo fine > ${top}/home/workspace/fine.txt`)
  assert.equal(readFileSync(prompt, 'utf8'), 'owner')
  assert.equal(readFileSync(join(top, 'home/workspace/fine.txt'), 'utf8'), 'fine\n')
})

test('sandbox.readable shows a folder of a hidden place, and nothing beside it', { skip }, async (t) => {
  const { top } = await box(t)
  await mkdir(join(top, 'models'))
  await writeFile(join(top, 'models/one'), 'weights')
  await writeFile(join(top, 'other'), 'hidden')
  const { sh } = await box(t, { sandbox: { readable: [join(top, 'models')] } })
  assert.equal(
    output(await sh(`cat ${top}/models/one; echo x > ${top}/models/two || true; cat ${top}/other || true`)).split(
      '\n',
    )[0],
    'weights',
  )
  assert.deepEqual(readdirSync(join(top, 'models')), ['one'])
})

test('an owner who shows the whole home shows nothing that is secret in it', { skip }, async (t) => {
  for (const grant of ['readable', 'writable']) {
    for (const place of ['home', '.']) {
      const { sh, top } = await box(t, (folder) => ({ sandbox: { [grant]: [join(folder, place)] } }))
      assert.doesNotMatch(JSON.stringify(await sh(`cat ${top}/home/data/token`)), /canary/)
    }
  }
})

test('exit codes, missing programs and time limits are told as without a sandbox', { skip }, async (t) => {
  const { run, sh, workspace, plan } = await box(t)
  assert.deepEqual(await sh('echo said; exit 3'), {
    ok: false,
    error: 'exit 3: said\n\n',
    meta: { exitCode: 3, bytes: 5, truncated: false },
  })
  const missing = await run('no-such-program')
  assert.ok(!missing.ok)
  assert.match(missing.error, /^no-such-program: there is no such program in the sandbox/)
  const argv = ['sh', '-c', 'echo begun; (sleep 60 & sleep 60)']
  const planned = await plan(argv)
  assert.ok(planned.type === 'planned')
  const limits = { timeoutMs: 4_000, maxOutputChars: 100 }
  const program = { argv, folder: workspace, environment: cleanEnvironment(environment) }
  const end = await planned.run(program, limits)
  assert.deepEqual([end.end, end.stdout.text], [{ type: 'timeout' }, 'begun\n'])
})

test(
  'the system itself bounds how many processes and threads a program has, and they come after the gateway',
  { skip },
  async (t) => {
    const { sh } = await box(t)
    assert.match(output(await sh('sh -c "cat /proc/self/limits"')), /^Max processes +1024 +1024 /m)
    assert.ok(Number(output(await sh('sh -c nice'))) >= 10)
  },
)

test('one process cannot fill the memory of the machine', { skip }, async (t) => {
  const { run } = await box(t, { sandbox: { memoryMiB: 256 } })
  const result = await run('sh', '-c', 'x=0123456789; while :; do x="$x$x"; done')
  assert.equal(result.ok, false)
})

test('without its switch there is none, and the plan says so', async (t) => {
  const { plan, top, sh } = await box(t, { sandbox: { enabled: false } })
  const planned = await plan(['ls'])
  assert.deepEqual(planned.type === 'planned' && [planned.text, planned.asks], ['none', false])
  assert.match(output(await sh(`cat ${top}/home/data/token`)), /canary/)
})

test('a policy that cannot be read plans nothing', async (t) => {
  const { plan } = await box(t, { sandbox: { enabled: 'yes' } })
  const planned = await plan(['ls'])
  assert.equal(planned.type, 'refused')
})

test('where no sandbox can be made, the policy decides; where a busy machine could not try one, a person is asked', async () => {
  const none = { type: 'none', why: 'bubblewrap is not installed', hint: 'Install it.' } as const
  for (const [withoutIt, isUnsure, expected] of [
    ['run', false, 'planned false'],
    ['run', true, 'planned true'],
    ['ask', false, 'planned true'],
    ['ask', true, 'planned true'],
    ['refuse', false, 'refused'],
    ['refuse', true, 'refused'],
  ] as const) {
    const sandbox = createSandbox({
      workspace: '/',
      setAside: '/',
      environment,
      access: async () => readAccess(JSON.stringify({ sandbox: { withoutIt } }), {}),
      find: async () => ({ ...none, ...(isUnsure && { isUnsure }) }),
      places: () => ({ outOfReach: [], readOnly: [], readable: [], programs: [] }),
    })
    const plan = await sandbox.plan({ argv: ['true'] })
    assert.equal(plan.type === 'planned' ? `planned ${plan.asks}` : plan.type, expected, `${withoutIt} ${isUnsure}`)
  }
})
