import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { isOurs, type ServicePlan, serviceText } from '../src/cli/service/service-file.ts'
import {
  installService,
  removeService,
  type ServiceMachine,
  serviceStatus,
} from '../src/cli/service/service-manager.ts'
import { temporaryHome } from './cli/home.ts'
import { run } from './cli/recorded-io.ts'

const plan: ServicePlan = {
  manager: 'systemd',
  node: '/usr/bin/node',
  program: '/opt/foreword/bin/foreword.js',
  home: '/srv/foreword',
}

function folderOf(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'foreword-service-'))
  context.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A machine whose service manager writes down what it is told. */
function machineOf(context: TestContext, manager: ServicePlan['manager'] = 'systemd') {
  const folder = folderOf(context)
  const told: string[] = []
  const machine: ServiceMachine = {
    manager,
    systemFolder: join(folder, 'system'),
    userFolder: join(folder, 'user'),
    uid: 501,
    answers: true,
    async run(program, words) {
      told.push([program, ...words].join(' '))
      return { ok: true, output: words.includes('is-active') ? 'active' : 'enabled' }
    },
  }
  return { machine, told }
}

test('a service is installed, installed again without a change, updated, and removed', async (context) => {
  const { machine, told } = machineOf(context)
  const first = await installService(plan, machine, false)
  assert.deepEqual([first.action, first.started], ['installed', true])
  assert.deepEqual(told.splice(0), [
    'systemctl --user daemon-reload',
    'systemctl --user enable foreword',
    'systemctl --user start foreword',
  ])
  assert.equal(readFileSync(first.file, 'utf8'), serviceText(plan))
  assert.equal((await installService(plan, machine, false)).action, 'unchanged')
  assert.equal((await installService({ ...plan, home: '/srv/other' }, machine, false)).action, 'updated')
  assert.equal(told.at(-1), 'systemctl --user restart foreword')
  assert.deepEqual(await serviceStatus({ machine }), {
    file: first.file,
    state: 'installed',
    active: 'active',
    enabled: 'enabled',
  })
  assert.equal((await removeService({ machine }, false)).action, 'removed')
  assert.ok(!existsSync(first.file))
  assert.equal((await removeService({ machine }, false)).action, 'absent')
})

test('a file that somebody has changed, or that another program wrote, is kept unless it is forced', async (context) => {
  const { machine, told } = machineOf(context)
  const { file } = await installService(plan, machine, false)
  told.length = 0
  for (const change of [
    () => appendFileSync(file, 'Nice=5\n'),
    () => writeFileSync(file, '[Service]\nExecStart=/bin/true\n'),
  ]) {
    change()
    const text = readFileSync(file, 'utf8')
    await assert.rejects(installService(plan, machine, false), {
      code: 'changed',
      message: /somebody has changed it/,
      hint: /--force/,
    })
    await assert.rejects(removeService({ machine }, false), { code: 'changed' })
    assert.equal(readFileSync(file, 'utf8'), text)
    assert.equal((await serviceStatus({ machine })).state, 'changed')
  }
  assert.deepEqual(
    told.filter((line) => !line.includes('is-')),
    [],
  )
  assert.equal((await installService(plan, machine, true)).action, 'updated')
  assert.ok(isOurs(readFileSync(file, 'utf8')))
})

test('where no service manager answers, the file is written and the reason is told', async (context) => {
  const { machine, told } = machineOf(context)
  const done = await installService(plan, { ...machine, answers: false }, false)
  assert.deepEqual(
    [done.action, done.started, done.why],
    ['installed', false, 'No service manager runs on this machine.'],
  )
  assert.deepEqual(told, [])
})

const odd = { node: '/opt/my node/50%/node', program: '/opt/a "b" $c\\d/foreword.js', home: '/home/<me> & you' }

test('a property list of launchd is XML with the words as they are', async (context) => {
  const { machine, told } = machineOf(context, 'launchd')
  const { file } = await installService({ ...plan, ...odd, manager: 'launchd' }, machine, false)
  assert.match(file, /user\/dev\.foreword\.gateway\.plist$/)
  assert.deepEqual(told, [`launchctl bootstrap gui/501 ${file}`])
  const text = readFileSync(file, 'utf8')
  assert.ok(isOurs(text))
  const script = 'import json, plistlib, sys; print(json.dumps(plistlib.load(open(sys.argv[1], "rb"))))'
  const read = spawnSync('python3', ['-c', script, file], { encoding: 'utf8' })
  if (read.error) return context.skip('no python3 here to read it')
  assert.equal(read.status, 0, read.stderr)
  const facts = JSON.parse(read.stdout) as Readonly<Record<string, unknown>>
  assert.deepEqual(facts['ProgramArguments'], [odd.node, odd.program, 'start', '--json'])
  assert.deepEqual(facts['EnvironmentVariables'], { FOREWORD_HOME: odd.home })
  assert.deepEqual([facts['KeepAlive'], facts['Umask'], facts['UserName']], [{ SuccessfulExit: false }, 63, undefined])
})

test('no name in a unit can become a specifier, a variable or another word', () => {
  const text = serviceText({ ...plan, ...odd })
  const line = '"/opt/my node/50%%/node" "/opt/a \\"b\\" $$c\\\\d/foreword.js" "start" "--json"'
  assert.ok(text.includes(`\nExecStart=/usr/bin/env ${line}\n`), text)
  assert.ok(text.includes('\nEnvironment="FOREWORD_HOME=/home/<me> & you"\n'))
  assert.ok(text.includes('\nEnvironment=MALLOC_ARENA_MAX=1\n'))
})

test('systemd accepts the units, also with odd names in them', (context) => {
  if (spawnSync('systemd-analyze', ['--version']).status !== 0) return context.skip('no systemd-analyze here')
  const folder = folderOf(context)
  const program = join(folder, 'with %n "b" $c', 'node')
  mkdirSync(join(program, '..'), { recursive: true })
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 })
  for (const user of [undefined, 'root']) {
    const unit = join(folder, 'foreword.service')
    writeFileSync(
      unit,
      serviceText({
        ...plan,
        ...odd,
        node: program,
        home: '/var/lib/foreword',
        ...(user === undefined ? {} : { user }),
      }),
    )
    const scope = user === undefined ? ['--user'] : []
    const env = { ...process.env, XDG_RUNTIME_DIR: folder }
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', ...scope, '--man=no', unit], {
      encoding: 'utf8',
      env,
    })
    const ours = stderr.split('\n').filter((line) => line.includes('foreword.service'))
    assert.deepEqual([status, ours], [0, []], stderr)
  }
})

test('the sandbox of tools works with what the unit of the machine takes away', (context) => {
  const inner = [
    'bwrap',
    '--unshare-all',
    '--die-with-parent',
    '--ro-bind',
    '/',
    '/',
    '--proc',
    '/proc',
    '--dev',
    '/dev',
    'true',
  ]
  if (
    process.getuid?.() !== 0 ||
    spawnSync('setpriv', ['--version']).status !== 0 ||
    spawnSync(inner[0]!, inner.slice(1)).status !== 0
  )
    return context.skip('no root, setpriv or bwrap here')
  const { status, stderr } = spawnSync(
    'setpriv',
    [
      '--reuid',
      '65534',
      '--regid',
      '65534',
      '--clear-groups',
      '--no-new-privs',
      '--bounding-set',
      '-all',
      '--inh-caps',
      '-all',
      ...inner,
    ],
    { encoding: 'utf8' },
  )
  assert.equal(status, 0, stderr)
})

test('`service install --dry-run` prints the file and writes nothing', async (context) => {
  if (process.platform !== 'linux') return context.skip('the unit of systemd')
  const { home, environment } = temporaryHome(context)
  const settings = { ...environment, HOME: join(home, '..'), XDG_CONFIG_HOME: join(home, '..', 'config') }
  const mine = await run(['service', 'install', '--dry-run'], { environment: settings })
  assert.equal(mine.code, 0, mine.stderr)
  assert.match(mine.stdout, /^# Written by "foreword service install".* Seal: [0-9a-f]{64}\n\[Unit\]/)
  assert.ok(mine.stdout.includes(`Environment="FOREWORD_HOME=${home}"`))
  assert.match(mine.stderr, /Would write .*config\/systemd\/user\/foreword\.service/)
  const system = JSON.parse(
    (
      await run(['service', 'install', '--system', '--as', 'somebody', '--dry-run', '--json'], {
        environment: settings,
      })
    ).stdout,
  ) as {
    readonly file: string
    readonly text: string
  }
  assert.equal(system.file, '/etc/systemd/system/foreword.service')
  assert.match(system.text, /^User=somebody$/m)
  assert.match(system.text, /^CapabilityBoundingSet=$/m)
  assert.doesNotMatch(
    system.text,
    /^(RestrictNamespaces|PrivateUsers|SystemCallFilter|ProtectKernelTunables|MemoryDenyWriteExecute)/m,
  )
  assert.ok(!existsSync(join(home, '..', 'config')))
  const status = JSON.parse((await run(['service', 'status', '--json'], { environment: settings })).stdout) as {
    readonly state: string
    readonly gateway: unknown
  }
  assert.deepEqual([status.state, status.gateway], ['absent', null])
  assert.match(
    (await run(['service', 'install', '--as', 'x'], { environment: settings })).stderr,
    /--as needs --system/,
  )
})
