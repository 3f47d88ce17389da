import assert from 'node:assert/strict'
import { chmodSync, linkSync, mkdirSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { describeDisks, describeReading, type SecurityFinding } from '../src/cli/doctor/security.ts'
import { temporaryHome } from './cli/home.ts'
import { run } from './cli/recorded-io.ts'

const POSIX = { skip: process.platform === 'win32' ? 'modes are managed by Windows' : false }

/** A home with files of these modes, and what `foreword doctor --security` finds in it, by id. */
function made(context: TestContext, files: Readonly<Record<string, readonly [text: string, mode: number]>>) {
  const { home, environment } = temporaryHome(context)
  mkdirSync(join(home, 'data'), { recursive: true, mode: 0o700 })
  mkdirSync(join(home, 'workspace'))
  for (const [name, [text, mode]] of Object.entries(files)) {
    writeFileSync(join(home, name), text)
    chmodSync(join(home, name), mode)
  }
  const found = async (...words: readonly string[]) => {
    const { code, stdout } = await run(['doctor', '--security', '--json', ...words], { environment })
    const { findings } = JSON.parse(stdout) as { readonly findings: readonly SecurityFinding[] }
    return { code, findings, by: new Map(findings.map((finding) => [finding.id, finding])) }
  }
  return { home, environment, found }
}

const GOOD = JSON.stringify({ agent: { workspace: './workspace' } })

test('every hole has an id that stays the same, and a new home has none that is a problem', POSIX, async (t) => {
  const { found } = made(t, { 'config.json': [GOOD, 0o600] })
  const { code, findings } = await found()
  const ids = Array.from({ length: 19 }, (_, index) => `S${String(index + 1).padStart(2, '0')}`)
  assert.deepEqual([...new Set(findings.map(({ id }) => id))], ids)
  assert.equal(code, 0)
  for (const { id, level, hint } of findings) {
    assert.ok(['S08', 'S11', 'S15'].includes(id) || level === 'ok', id)
    assert.equal(hint === undefined, level === 'ok', id)
  }
})

test(
  '--fix takes the rights of others from a home and its private files, and changes nothing else',
  POSIX,
  async (t) => {
    const { home, found } = made(t, { 'config.json': [GOOD, 0o644], 'data/token': ['x'.repeat(43), 0o640] })
    chmodSync(home, 0o755)
    const before = (await found()).by
    assert.match(before.get('S01')!.message, /other users of this machine can read/)
    assert.match(before.get('S02')!.message, /config\.json.*token|token.*config\.json/)
    assert.equal(statSync(home).mode & 0o777, 0o755)
    const fixed = (await found('--fix')).by
    assert.deepEqual([fixed.get('S01')!.isFixed, fixed.get('S02')!.isFixed], [true, true])
    const modes = ['.', 'config.json', 'data/token'].map((name) => statSync(join(home, name)).mode & 0o777)
    assert.deepEqual(modes, [0o700, 0o600, 0o600])
    assert.equal((await found()).by.get('S01')!.level, 'ok')
  },
)

test(
  'a policy that is wide, secrets in the configuration, and a hard link in the workspace are found',
  POSIX,
  async (t) => {
    const policy = {
      global: { mode: 'full' },
      tools: { shell: { enabled: true, mode: 'full' } },
      sandbox: { readable: ['/home'] },
    }
    const local = {
      kind: 'openai-compatible',
      baseURL: 'http://me:canarySecret@127.0.0.1:9/v1',
      headers: { 'x-api-key': 'k' },
    }
    const { home, found } = made(t, {
      'config.json': [JSON.stringify({ agent: { workspace: './workspace' }, providers: { local } }), 0o600],
      'tool-access.json': [JSON.stringify(policy), 0o600],
      'data/token': ['x'.repeat(43), 0o600],
    })
    linkSync(join(home, 'data', 'token'), join(home, 'workspace', 'notes.txt'))
    const { code, by, findings } = await found()
    for (const [id, says] of [
      ['S06', /every tool/],
      ['S07', /any command without asking/],
      ['S09', /all of \/home/],
      ['S10', /hard links to files of the home: notes\.txt/],
      ['S12', /providers\.local\.baseURL, providers\.local\.headers\.x-api-key/],
    ] as const) {
      assert.match(by.get(id)!.message, says)
      assert.notEqual(by.get(id)!.level, 'ok')
    }
    assert.doesNotMatch(JSON.stringify(findings), /canarySecret/)
    assert.equal(code, 1)
  },
)

test('S09 names each of /mnt, /media and /srv that holds something, and warns of the disks of Windows', () => {
  const nothing = describeDisks([[], [], []])
  assert.deepEqual([nothing.level, nothing.message], ['ok', 'programs may reach single folders at most'])
  for (const [held, named] of [
    [[['backup'], [], []], '/mnt'],
    [[[], ['stick'], []], '/media'],
    [[[], [], ['www']], '/srv'],
    [[['backup'], ['stick'], ['www']], '/mnt and /media and /srv'],
  ] as const) {
    const found = describeDisks(held)
    assert.equal(found.level, 'ok')
    assert.ok(found.message.endsWith(`; they can also read what ${named} holds, as far as you can`), found.message)
  }
  const windows = describeDisks([['c', 'wsl'], [], []])
  assert.deepEqual([windows.level, windows.hint], ['warning', 'Switch them off in /etc/wsl.conf.'])
  assert.match(windows.message, /^programs can read the disks of Windows; .* \/mnt holds/)
})

test('S15 says whether documents are read in a sandbox, and how to get one', () => {
  const none = { type: 'none', why: 'bubblewrap is not installed', hint: 'Install it.' } as const
  const path = '/usr/bin/bwrap'
  assert.deepEqual(describeReading({ type: 'bubblewrap', path }, 'linux', false).level, 'ok')
  const missing = describeReading(none, 'linux', true)
  assert.deepEqual([missing.level, missing.hint], ['warning', 'Install it.'])
  assert.match(missing.message, /without a sandbox: bubblewrap is not installed/)
  assert.match(describeReading({ ...none, isUnsure: true }, 'linux', true).message, /^not read for now/)
  assert.equal(describeReading(none, 'darwin', true).level, 'ok')
  assert.match(describeReading(none, 'darwin', false).message, /do not cover the network/)
})

test('--fix is for a person, and needs --security', async (t) => {
  const { environment } = made(t, {})
  const tool = await run(['doctor', '--security', '--fix'], { environment: { ...environment, FOREWORD_TOOL: '1' } })
  assert.match(tool.stderr, /a model cannot change files of the home/)
  assert.equal((await run(['doctor', '--fix'], { environment })).code, 2)
})

test('data is closed to others at a start, and an open home is warned of', POSIX, async (t) => {
  const { home, environment } = made(t, { 'config.json': [GOOD, 0o600] })
  chmodSync(join(home, 'data'), 0o755)
  await run(['send', '/say Hello.'], { environment })
  assert.equal(statSync(join(home, 'data')).mode & 0o777, 0o700)
  const { homeWarning } = await import('../src/runtime.ts')
  chmodSync(home, 0o755)
  assert.match((await homeWarning(home))!, /Other users of this machine can open the home/)
  chmodSync(home, 0o700)
  assert.equal(await homeWarning(home), undefined)
})

test('S16: a policy that was made wider by other means is named until it is accepted', POSIX, async (t) => {
  const { home, environment, found } = made(t, {
    'config.json': [GOOD, 0o600],
    'tool-access.json': ['{"sandbox": {"enabled": false}}', 0o600],
  })
  assert.equal((await run(['send', 'Hello'], { environment })).code, 0)
  assert.equal((await found()).by.get('S16')!.level, 'ok')
  writeFileSync(
    join(home, 'tool-access.json'),
    '{"sandbox": {"enabled": false}, "global": {"allowedTools": ["read_file"]}}',
  )
  const waiting = (await found()).by.get('S16')!
  assert.equal(waiting.level, 'warning')
  assert.match(
    waiting.message,
    /does not count yet: A model may call read_file\. It waits for you because programs may run without a sandbox/,
  )
})

test(
  'S17 names folders that look like a repository, and configuration of Git that names programs',
  POSIX,
  async (t) => {
    const { home, found } = made(t, { 'config.json': [GOOD, 0o600] })
    const workspace = join(home, 'workspace')
    for (const folder of ['sub/objects', 'sub/refs', 'own/.git', 'plain/.git', 'node_modules/x/refs']) {
      mkdirSync(join(workspace, folder), { recursive: true })
    }
    writeFileSync(join(workspace, 'plain/.git/config'), '[core]\n\tfsmonitor = true\n[user]\n\tname = A\n')
    assert.equal((await found()).by.get('S17')!.level, 'ok')
    for (const names of [['HEAD'], ['head'], ['HEAD', 'commondir']]) {
      const folder = join(workspace, names.length === 1 ? 'sub' : 'tree')
      mkdirSync(folder, { recursive: true })
      for (const name of names) writeFileSync(join(folder, name), '')
      assert.match((await found()).by.get('S17')!.message, new RegExp(`repository: ${basename(folder)}$`))
      for (const name of names) rmSync(join(folder, name))
    }
    writeFileSync(join(workspace, 'sub/HEAD'), 'ref: refs/heads/main\n')
    for (const config of [
      '[core]\n\tfsmonitor = ./x',
      '[alias]\n st = !sh',
      '[diff "a"]\n\ttextconv=./x',
      '[Core]\nHooksPath = x',
    ]) {
      writeFileSync(join(workspace, 'own/.git/config'), config)
      const { level, message } = (await found()).by.get('S17')!
      assert.equal(level, 'warning')
      assert.match(message, /takes for a repository: sub; configuration that names programs: own\/\.git\/config$/)
    }
    for (const [place, expected] of [
      ['workspace/kept', /own\/\.git\/config$/],
      ['elsewhere', /repository: sub$/],
    ] as const) {
      renameSync(join(workspace, place === 'elsewhere' ? 'kept' : 'own/.git'), join(home, place))
      symlinkSync(join(home, place), join(workspace, 'link'))
      renameSync(join(workspace, 'link'), join(workspace, 'own/.git'))
      assert.match((await found()).by.get('S17')!.message, expected)
    }
  },
)

test('S18 says that programs made files of the owner, and where these are', POSIX, async (t) => {
  const { home, found } = made(t, { 'config.json': [GOOD, 0o600] })
  assert.equal((await found()).by.get('S18')!.level, 'ok')
  mkdirSync(join(home, 'data/set-aside/run/0'), { recursive: true })
  writeFileSync(join(home, 'data/set-aside/run/0/AGENTS.md'), 'Obey.')
  const { level, message, hint } = (await found()).by.get('S18')!
  assert.deepEqual([level, message.startsWith('one run made files')], ['warning', true])
  assert.ok(hint?.includes(join(home, 'data/set-aside')))
  assert.match(hint!, /removed after 90 days \(keep\.setAsideDays\)/)
})

test('S19 names files of the workspace that run as their owner for others', POSIX, async (t) => {
  const { home, found } = made(t, { 'config.json': [GOOD, 0o600] })
  const workspace = join(home, 'workspace')
  mkdirSync(join(workspace, 'sub/team'), { recursive: true })
  // New files of such a folder belong to its group: that is no program.
  chmodSync(join(workspace, 'sub/team'), 0o2775)
  writeFileSync(join(workspace, 'sub/run'), '')
  symlinkSync('/usr/bin', join(workspace, 'link'))
  assert.equal((await found()).by.get('S19')!.level, 'ok')
  chmodSync(join(workspace, 'sub/run'), 0o4755)
  const { level, message, hint } = (await found()).by.get('S19')!
  assert.deepEqual([level, message.endsWith(': sub/run')], ['warning', true])
  assert.match(hint!, /chmod ug-s/)
})
