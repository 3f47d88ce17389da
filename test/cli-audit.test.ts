import assert from 'node:assert/strict'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import test, { type TestContext } from 'node:test'
import { storePath } from './cli/store-path.ts'
import { type AuditFacts, openStore, type Write } from '../src/session.ts'
import { chainHash } from '../src/session/audit.ts'
import { temporaryHome } from './cli/home.ts'
import { run, type RunOptions } from './cli/recorded-io.ts'
import { systemClock } from '../src/platform.ts'

const refused: AuditFacts = {
  kind: 'decision',
  session: 's1',
  turn: 't1',
  tool: 'shell',
  argv: ['rm', '-rf', '/'],
  decision: 'refused',
  rule: 'tools.shell.mode=allowlist',
  reason: 'no allowed prefix',
}
const ran: AuditFacts = {
  kind: 'call',
  session: 's2',
  turn: 't2',
  tool: 'shell',
  argv: ['git', 'status', '-s'],
  decision: 'allowed',
  rule: 'tools.shell.allowedPrefixes',
  ok: true,
  exitCode: 0,
  durationMs: 12.4,
}
const failed: AuditFacts = { kind: 'call', session: 's2', tool: 'read_file', input: '{"path":"a"}', ok: false }
const changed: AuditFacts = { kind: 'change', rule: 'global.mode=full', reason: 'by the owner' }

async function audited(context: TestContext, facts: readonly AuditFacts[] = [refused, ran, failed, changed]) {
  const { home, environment } = temporaryHome(context)
  const store = await openStore({ clock: systemClock, path: storePath(home) })
  const time = (minute: number) => `2026-01-01T00:${String(minute).padStart(2, '0')}:00.000Z`
  await store.transaction(facts.map((each, index): Write => ({ type: 'audit', facts: each, time: time(index + 1) })))
  await store.close()
  const tamper = (sql: string) => {
    const database = new DatabaseSync(storePath(home))
    database.exec(sql)
    database.close()
  }
  const ask = (words: readonly string[], options: RunOptions = {}) =>
    run(['audit', ...words], { environment, ...options })
  return { home, ask, tamper }
}

test('an empty home has an empty audit, and looking makes none', async (context) => {
  const { home, environment } = temporaryHome(context)
  const ask = (words: readonly string[]) => run(['audit', ...words], { environment })
  assert.deepEqual(await ask([]), { code: 0, stdout: '', stderr: 'No matching records.\n' })
  assert.deepEqual(await ask(['--json']), { code: 0, stdout: '', stderr: '' })
  assert.deepEqual(await ask(['verify']), { code: 0, stdout: 'whole: 0 records\nno checkpoint yet\n', stderr: '' })
  assert.deepEqual(await ask(['export']), { code: 0, stdout: '', stderr: '' })
  assert.equal(existsSync(home), false)
})

test('the list says when what was decided or done, by which rule, and how it went', async (context) => {
  const { ask } = await audited(context)
  const listed = await ask([])
  assert.equal(listed.code, 0)
  const lines = listed.stdout.trimEnd().split('\n')
  assert.deepEqual(
    lines.map((line) => line.trim().split(/ {2,}/)),
    [
      ['record', 'time', 'outcome', 'tool', 'call', 'rule', 'by', 'exit', 'ms', 'session'],
      ['1', '2026-01-01 00:01 UTC', 'refused', 'shell', 'rm -rf /', 'tools.shell.mode=allowlist', 's1'],
      ['2', '2026-01-01 00:02 UTC', 'ran', 'shell', 'git status -s', 'tools.shell.allowedPrefixes', '0', '12', 's2'],
      ['3', '2026-01-01 00:03 UTC', 'failed', 'read_file', '{"path":"a"}', 's2'],
      ['4', '2026-01-01 00:04 UTC', 'changed', 'by the owner', 'global.mode=full'],
    ],
  )
  assert.equal((await ask(['list'])).stdout, listed.stdout)
})

test('a change that was only asked for, or denied, or that failed, is not said to have happened', async (context) => {
  const about = { kind: 'change', tool: 'propose_notes_update' } as const
  const { ask } = await audited(context, [
    { ...about, decision: 'asked' },
    { ...about, decision: 'approved' },
    { ...about, ok: false },
    { ...about, decision: 'denied' },
  ])
  const lines = (await ask([])).stdout.trimEnd().split('\n').slice(1)
  assert.deepEqual(
    lines.map((line) => line.trim().split(/ {2,}/)[2]),
    ['asked', 'changed', 'failed', 'denied'],
  )
})

test('records are found by what they say, and the newest of them', async (context) => {
  const { ask } = await audited(context)
  const asked: readonly [words: readonly string[], found: readonly number[]][] = [
    [
      ['--session', 's2'],
      [2, 3],
    ],
    [['--turn', 't1'], [1]],
    [
      ['--tool', 'shell'],
      [1, 2],
    ],
    [['--tool', 'shell', '--session', 's2'], [2]],
    [['--decision', 'refused'], [1]],
    [
      ['--since', '2026-01-01T00:03Z'],
      [3, 4],
    ],
    [['--since', '1s'], []],
    [
      ['--last', '2'],
      [3, 4],
    ],
    [['--last', '1', '--tool', 'shell'], [2]],
  ]
  for (const [words, found] of asked) {
    for (const action of ['list', 'export']) {
      const { stdout } = await ask([action, ...words, '--json'])
      const records = stdout
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line).number)
      assert.deepEqual(records, found, [action, ...words].join(' '))
    }
  }
})

test('a list shows the newest fifty, an export everything', async (context) => {
  const { ask } = await audited(
    context,
    Array.from({ length: 1_234 }, () => failed),
  )
  const listed = (await ask(['--json'])).stdout.trimEnd().split('\n')
  assert.deepEqual([listed.length, JSON.parse(listed[0]!).number], [50, 1_185])
  const exported = (await ask(['export'])).stdout.trimEnd().split('\n')
  assert.deepEqual(
    exported.map((line) => JSON.parse(line).number),
    exported.map((_, index) => index + 1),
  )
  assert.equal(exported.length, 1_234)
  assert.match((await ask(['verify'])).stdout, /^whole: 1,234 records\nhead: 1234:/)
})

test('an export holds complete records, so that anybody can follow the chain', async (context) => {
  const { home, ask } = await audited(context)
  const { stdout } = await ask(['export'])
  const file = join(home, 'audit.jsonl')
  const told = await ask(['export', '--output', file])
  assert.deepEqual(told, { code: 0, stdout: '', stderr: `Exported the audit to ${file}.\n` })
  assert.equal(readFileSync(file, 'utf8'), stdout)
  assert.equal(statSync(file).mode & 0o777, 0o600)
  let previous = '0'.repeat(64)
  for (const [index, facts] of [refused, ran, failed, changed].entries()) {
    const record = JSON.parse(stdout.split('\n')[index]!)
    const { number, time, hash, previous: before, ...said } = record
    assert.deepEqual([number, before, said], [index + 1, previous, facts])
    assert.match(time, /^2026-01-01T/)
    assert.equal(chainHash(record), hash)
    previous = hash
  }
  const nowhere = await ask(['export', '--output', join(home, 'no', 'folder.jsonl')])
  assert.equal(nowhere.code, 1)
  assert.match(nowhere.stderr, /no such file or folder/)
})

for (const [what, sql, told] of [
  [
    'changed',
    `update audit set record = replace(record, 'rm', 'ls') where number = 1`,
    /^broken at record 1: .*changed/,
  ],
  ['missing', 'delete from audit where number = 2', /^broken at record 2: record 2 is missing/],
  ['cut off', 'delete from audit where number > 2', /^broken at record 3: the end is missing/],
  [
    'swapped',
    'update audit set number = 9 where number = 2; update audit set number = 2 where number = 3; update audit set number = 3 where number = 9',
    /^broken at record 2: .*moved here/,
  ],
  ['unreadable', `update audit set record = 'x' where number = 4`, /^broken at record 4: .*not a record any more/],
] as const) {
  test(`a record that is ${what} is named, with exit code 1, and the rest can still be read`, async (context) => {
    const { ask, tamper } = await audited(context)
    const whole = await ask(['verify'])
    assert.deepEqual([whole.code, whole.stderr, whole.stdout.split('\n')[0]], [0, '', 'whole: 4 records'])
    tamper(sql)
    const verified = await ask(['verify'])
    assert.deepEqual([verified.code, verified.stderr], [1, ''])
    assert.match(verified.stdout, told)
    const asJson = await ask(['verify', '--json'])
    assert.deepEqual([asJson.code, JSON.parse(asJson.stdout).type], [1, 'broken'])
    assert.equal((await ask([])).code, 0)
    assert.equal((await ask(['export'])).code, 0)
  })
}

test('what a hostile call says cannot move a terminal, and takes one line', async (context) => {
  const hostile = '\u001b[2J\u001b]52;c;eA==\u0007\r\n\u009b31m\u202e'
  const facts: AuditFacts = { ...ran, argv: ['echo', hostile], tool: `x${hostile}`, rule: hostile, session: hostile }
  const { ask } = await audited(context, [
    facts,
    { kind: 'call', command: hostile, ok: true },
    { ...failed, input: hostile },
  ])
  for (const words of [[], ['--json'], ['export'], ['verify']]) {
    const { code, stdout } = await ask(words, { terminal: true })
    assert.equal(code, 0)
    // oxlint-disable-next-line no-control-regex -- control characters are what must not be there
    assert.doesNotMatch(stdout, /[\u0000-\u0009\u000B-\u001F\u007F-\u009F]/)
  }
  const { stdout } = await ask([])
  assert.equal(stdout.trimEnd().split('\n').length, 4)
  assert.ok(!stdout.includes('\u202e') && stdout.includes(String.raw`\u{1b}`))
  assert.equal(JSON.parse((await ask(['export'])).stdout.split('\n')[0]!).rule, hostile)
})

test('words and options that do not go together are refused', async (context) => {
  const { ask } = await audited(context)
  for (const words of [
    ['lsit'],
    ['verify', '--session', 's1'],
    ['verify', 'x'],
    ['list', '--output', 'file'],
    ['--decision', 'maybe'],
    ['--since', 'yesterday'],
    ['--last', '0'],
    ['--last', 'many'],
  ]) {
    assert.equal((await ask(words)).code, 2, words.join(' '))
  }
  assert.match((await ask(['verfy'])).stderr, /Did you mean `foreword audit verify`\?/)
})
