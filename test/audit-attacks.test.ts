import assert from 'node:assert/strict'
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import test, { type TestContext } from 'node:test'
import { type AuditFacts, auditKey, type AuditRecord, type AuditReport } from '../src/session.ts'
import { CHAIN_START, nextAuditRecord } from '../src/session/audit.ts'
import { temporaryHome } from './cli/home.ts'
import { run } from './cli/recorded-io.ts'
import { storePath } from './cli/store-path.ts'

/** A stopped gateway that has taken checkpoints of six records: of four at one stop, of all at the next. */
async function stopped(context: TestContext, configuration: object = {}) {
  const { home, environment } = temporaryHome(context)
  mkdirSync(home, { recursive: true })
  writeFileSync(join(home, 'config.json'), JSON.stringify(configuration))
  const foreword = (words: readonly string[]) => run(words, { environment })
  const works = async (words: readonly string[]) => {
    const { code, stdout, stderr } = await foreword(words)
    assert.equal(code, 0, stderr)
    return stdout
  }
  const startAndStop = () => works(['send', '--json', 'Hello'])
  for (const name of ['read_file', 'list_files']) await works(['tools', 'allow', name])
  await startAndStop()
  await works(['tools', 'allow', 'search_files'])
  await startAndStop()
  const verified = async () => {
    const { code, stdout } = await foreword(['audit', 'verify', '--json'])
    const report = JSON.parse(stdout) as AuditReport
    assert.equal(code, report.type === 'whole' ? 0 : 1)
    return report
  }
  const whyBroken = async () => {
    const report = await verified()
    assert.ok(report.type === 'broken', JSON.stringify(report))
    assert.ok(report.hint && report.hint.length > 20, 'it says what to do')
    return report.why
  }
  const file = join(home, 'audit-checkpoints.jsonl')
  const lines = () => readFileSync(file, 'utf8').trimEnd().split('\n')
  const tamper = (change: (database: DatabaseSync) => void) => {
    const database = new DatabaseSync(storePath(home))
    change(database)
    database.close()
  }
  return { home, environment, foreword, works, startAndStop, verified, whyBroken, file, lines, tamper }
}

function cutOff(database: DatabaseSync, last: number): void {
  database.prepare('delete from audit where number > ?').run(last)
  const { number, hash } = database.prepare('select number, hash from audit where number = ?').get(last)!
  setHead(database, Number(number), String(hash))
}

function setHead(database: DatabaseSync, number: number, hash: string): void {
  database.prepare(`update named_values set value = ? where key = 'audit.head'`).run(JSON.stringify({ number, hash }))
}

/** Writes the whole chain again with one fact changed: every hash is right. */
function rewrite(database: DatabaseSync): void {
  let previous = CHAIN_START
  for (const row of database.prepare('select number, time, record from audit order by number').all()) {
    const { previous: _before, ...facts } = JSON.parse(String(row['record'])) as AuditFacts & { previous: string }
    const changed = { ...facts, reason: `${facts.reason ?? ''} by somebody else` }
    const record = nextAuditRecord(previous, Number(row['number']), String(row['time']), changed)
    database
      .prepare('update audit set record = ?, hash = ? where number = ?')
      .run(JSON.stringify({ ...changed, previous }), record.hash, Number(row['number']))
    previous = record.hash
    setHead(database, Number(row['number']), record.hash)
  }
}

function removeStore(home: string): void {
  for (const name of readdirSync(join(home, 'data'))) {
    if (name.startsWith('foreword.sqlite')) rmSync(join(home, 'data', name))
  }
}

test('an audit that nobody touched is whole, with its head and its newest checkpoint', async (context) => {
  const { foreword, verified, lines, file, home } = await stopped(context)
  const report = await verified()
  assert.ok(report.type === 'whole')
  const { head, records, checkpoints } = report
  assert.equal(head!.number, records)
  assert.equal(checkpoints.newest!.hash, head!.hash)
  assert.deepEqual(checkpoints.targets, [
    { target: 'audit-checkpoints.jsonl', checkpoints: 2, newest: checkpoints.newest },
  ])
  const { stdout } = await foreword(['audit', 'verify'])
  assert.ok(
    stdout.startsWith(`whole: ${records} records\nhead: ${head!.number}:${head!.hash}\nnewest checkpoint: record`),
  )
  assert.equal(lines().length, 2)
  for (const path of [file, join(home, 'data', 'audit-key.pem')]) assert.equal(statSync(path).mode & 0o777, 0o600)
})

test('a start without new records takes no checkpoint', async (context) => {
  const { startAndStop, lines } = await stopped(context)
  await startAndStop()
  assert.equal(lines().length, 2)
})

test('a chain that was cut off with its head set back is broken', async (context) => {
  const { whyBroken, tamper, startAndStop, works } = await stopped(context)
  tamper((database) => cutOff(database, 1))
  const cut =
    /^the end was cut off: line 1 of audit-checkpoints.jsonl says that at .* the audit had \d records, and it has 1 record now/
  assert.match(await whyBroken(), cut)
  await startAndStop()
  assert.match(await whyBroken(), /line 1 of audit-checkpoints/, 'a start does not cover it up')
  for (const name of ['a', 'b', 'c', 'd', 'e']) await works(['tools', 'allow', `${name}_tool*`])
  await startAndStop()
  assert.match(await whyBroken(), /^the audit was rewritten: line 1 /, 'nor do new records')
})

test('a start after a chain was cut off warns, and records it', async (context) => {
  const { tamper, startAndStop, foreword } = await stopped(context)
  tamper((database) => cutOff(database, 1))
  await startAndStop()
  const { stdout } = await foreword(['audit', 'list', '--json'])
  const reasons = stdout
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as AuditFacts).reason ?? '')
  assert.ok(reasons.some((reason) => reason.includes('does not match its checkpoints: the end was cut off')))
})

test('a chain that was rewritten whole, with every hash right, is broken', async (context) => {
  const { whyBroken, tamper } = await stopped(context)
  tamper(rewrite)
  assert.match(await whyBroken(), /^the audit was rewritten: line 1 .* says that record \d had another hash at /)
})

test('an audit that was emptied with its store is broken, also after a start', async (context) => {
  const { home, whyBroken, startAndStop, works } = await stopped(context)
  removeStore(home)
  assert.match(await whyBroken(), /^the audit was emptied: line 1 .*, and there is none now$/)
  await works(['tools', 'allow', 'read_file'])
  await startAndStop()
  const begunAnew = /^the audit was emptied: line 1 .* now it is another audit with \d+ records?$/
  assert.match(await whyBroken(), begunAnew)
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) await works(['tools', 'allow', `${name}_tool*`])
  await startAndStop()
  assert.match(await whyBroken(), begunAnew, 'nor do more new records than there were cover it up')
})

test('an audit that was emptied with everything in `data`, its key included, is broken, also after a start', async (context) => {
  const { home, whyBroken, startAndStop, works } = await stopped(context)
  rmSync(join(home, 'data'), { recursive: true })
  assert.match(await whyBroken(), /^the audit was emptied/)
  await works(['tools', 'allow', 'read_file'])
  await startAndStop()
  assert.match(await whyBroken(), /is signed with the key ed25519-\w+, and this home has the key ed25519-/)
})

test('one record that was changed is named', async (context) => {
  const { verified, tamper } = await stopped(context)
  tamper((database) => database.exec(`update audit set time = '2020-01-01T00:00:00.000Z' where number = 2`))
  const report = await verified()
  assert.ok(report.type === 'broken')
  assert.deepEqual([report.number, report.why], [2, 'record 2 was changed: its content does not match its hash'])
})

test('a checkpoint file that was cut off, emptied or removed is missed, also together with the chain', async (context) => {
  const { whyBroken, file, lines, tamper } = await stopped(context)
  const before = readFileSync(file)
  const first = Buffer.byteLength(`${lines()[0]!}\n`)
  for (const length of [first, first + 40, before.length - 20]) {
    truncateSync(file, length)
    assert.match(await whyBroken(), /^the end of audit-checkpoints.jsonl was cut off: the checkpoint of record /)
    writeFileSync(file, before)
  }
  rmSync(file)
  assert.match(await whyBroken(), /^audit-checkpoints.jsonl is gone or empty: /)
  tamper((database) => cutOff(database, 1))
  assert.match(await whyBroken(), /^the end was cut off: the note of checkpoints for audit-checkpoints.jsonl says/)
})

test('a forged line of a checkpoint file is named', async (context) => {
  const { whyBroken, file, lines, tamper } = await stopped(context)
  const before = readFileSync(file, 'utf8')
  const [first = '', second = ''] = lines()
  const hash = 'f'.repeat(64)
  const forged: readonly (readonly [string, RegExp])[] = [
    [`${before}hello\n`, /^line 3 of audit-checkpoints.jsonl is not a checkpoint$/],
    [`${before}${JSON.stringify({ ...JSON.parse(second), hash })}\n`, /^line 3 .* was changed or forged/],
    [`${JSON.stringify({ ...JSON.parse(first), number: 1 })}\n${second}\n`, /^line 1 .* was changed or forged/],
    [
      `${before}${JSON.stringify({ ...JSON.parse(second), restore: { saved: '2026-01-01T00:00:00.000Z' } })}\n`,
      /^line 3 .* was changed or forged/,
    ],
  ]
  for (const [text, why] of forged) {
    writeFileSync(file, text)
    assert.match(await whyBroken(), why)
  }
  tamper((database) => cutOff(database, 1))
  assert.match(await whyBroken(), /^the end was cut off: line 1 /, 'a forged restore sets nothing aside')
})

test('a note or a key that was removed is missed', async (context) => {
  const { home, whyBroken } = await stopped(context)
  const note = join(home, 'data', 'audit-checkpoints.json')
  const noted = readFileSync(note)
  rmSync(note)
  assert.match(await whyBroken(), /^the note of the checkpoints, .*audit-checkpoints.json, is gone$/)
  writeFileSync(note, noted)
  rmSync(join(home, 'data', 'audit-key.pem'))
  assert.match(await whyBroken(), /the key of this home is gone$/)
})

test('a note that was changed is missed, with its signature and without it, and a start records it', async (context) => {
  const { home, whyBroken, startAndStop, foreword, file } = await stopped(context)
  const path = join(home, 'data', 'audit-checkpoints.json')
  const noted = readFileSync(path, 'utf8')
  const { signature } = JSON.parse(noted) as { readonly signature: string }
  rmSync(file)
  writeFileSync(path, JSON.stringify({ targets: {}, signature }))
  assert.match(await whyBroken(), /^the note of the checkpoints, .*, was changed: its signature does not match$/)
  writeFileSync(path, JSON.stringify({ targets: {} }))
  assert.match(await whyBroken(), /^the note of the checkpoints, .*, was changed: its signature is gone$/)
  await startAndStop()
  const { stdout } = await foreword(['audit', 'list', '--json'])
  assert.match(stdout, /The note of the checkpoints was changed: its signature is gone at the start/)
})

test('a note from before there were signatures goes on, and is signed at the next start', async (context) => {
  const { home, verified, startAndStop, tamper } = await stopped(context)
  const path = join(home, 'data', 'audit-checkpoints.json')
  const { targets } = JSON.parse(readFileSync(path, 'utf8')) as { readonly targets: object }
  writeFileSync(path, JSON.stringify({ targets }))
  tamper((database) => database.exec(`delete from named_values where key = 'audit.noteIsSigned'`))
  assert.equal((await verified()).type, 'whole')
  await startAndStop()
  assert.equal((await verified()).type, 'whole')
  assert.match(readFileSync(path, 'utf8'), /"signature": /)
})

test('a home with a key, more records than a checkpoint may wait for, and no checkpoint is not taken for a new one', async (context) => {
  const { home, whyBroken, verified, file } = await stopped(context, { audit: { checkpointRecords: 1 } })
  const path = join(home, 'data', 'audit-checkpoints.json')
  // The note that was signed before the first checkpoint, kept and put back.
  const key = auditKey(readFileSync(join(home, 'data', 'audit-key.pem'), 'utf8'))
  const signature = key.sign({ purpose: 'audit-checkpoints', targets: {} })
  const noted = readFileSync(path)
  writeFileSync(path, JSON.stringify({ targets: {}, signature }))
  assert.equal((await verified()).type, 'whole')
  rmSync(file)
  assert.match(await whyBroken(), /^the audit has \d records and no checkpoint, though one is taken after every 1/)
  writeFileSync(path, noted)
  assert.match(await whyBroken(), /is gone or empty/)
})

test('a whole checkpoint that somebody marked as cut off is named', async (context) => {
  const { whyBroken, file, lines } = await stopped(context)
  const [first = '', second = ''] = lines()
  writeFileSync(file, `${first} (cut off)\n${second}\n`)
  assert.match(await whyBroken(), /^line 1 of audit-checkpoints.jsonl is not a checkpoint$/)
  writeFileSync(file, `${first}\n${second} (cut off)\n`)
  assert.match(await whyBroken(), /^line 2 of audit-checkpoints.jsonl is not a checkpoint$/)
})

test('a line that a crash cut off is completed, not taken for a forgery', async (context) => {
  const { file, lines, verified, works, startAndStop } = await stopped(context)
  appendFileSync(file, lines()[1]!.slice(0, 90))
  assert.equal((await verified()).type, 'whole')
  await works(['tools', 'allow', 'edit_file'])
  await startAndStop()
  const report = await verified()
  assert.equal(report.type, 'whole', JSON.stringify(report))
  assert.equal(lines().length, 4)
})

test('a restored backup is no attack: it is recorded, signed, and told apart', async (context) => {
  const { home, works, verified, startAndStop, whyBroken, tamper, lines } = await stopped(context)
  const archive = join(home, '..', 'saved.tar.gz')
  await works(['backup', archive])
  for (const name of ['a', 'b', 'c']) await works(['tools', 'allow', `${name}_tool*`])
  await startAndStop()
  const before = await verified()
  assert.ok(before.type === 'whole')
  await works(['restore', archive, '--replace', '--yes'])
  const restored = await verified()
  assert.ok(restored.type === 'whole', JSON.stringify(restored))
  assert.ok(restored.records < before.records)
  assert.deepEqual(
    restored.checkpoints.restores.map((each) => each.before),
    [before.head],
  )
  assert.match(await works(['audit', 'verify']), new RegExp(`restored at .*, in place of ${before.records} records`))
  assert.equal(lines().length, 4, 'the file goes on')
  await works(['tools', 'allow', 'read_file'])
  await startAndStop()
  assert.equal((await verified()).type, 'whole')
  tamper((database) => cutOff(database, 1))
  assert.match(await whyBroken(), /^the end was cut off: line 4 /, 'what was signed before the restore is set aside')
})

test('a backup that is restored after everything was removed has its key, and the checkpoints go on', async (context) => {
  const { home, works, verified, lines } = await stopped(context)
  const archive = join(home, '..', 'saved.tar.gz')
  await works(['backup', archive])
  rmSync(join(home, 'data'), { recursive: true })
  await works(['restore', archive, '--replace', '--yes'])
  assert.equal((await verified()).type, 'whole')
  assert.equal(lines().length, 3)
})

test('a restore reaches the places outside of the home at the next start, and is told apart until then', async (context) => {
  const outside = join(temporaryHome(context).home, '..', 'outside.jsonl')
  const { home, works, startAndStop, verified } = await stopped(context, {
    audit: { checkpoints: [outside, 'git:none'] },
  })
  const archive = join(home, '..', 'saved.tar.gz')
  await works(['backup', archive])
  await works(['tools', 'allow', 'edit_file'])
  await startAndStop()
  const written = () => readFileSync(outside, 'utf8').trimEnd().split('\n')
  const before = written().length
  await works(['restore', archive, '--replace', '--yes'])
  assert.equal(written().length, before)
  const restored = await verified()
  assert.ok(restored.type === 'whole', JSON.stringify(restored))
  assert.equal(restored.checkpoints.restores.length, 1)
  await startAndStop()
  assert.ok(written().some((line) => line.includes('"restore":')))
  assert.equal((await verified()).type, 'whole')
})

test('an old copy in the place of the whole home is found by the checkpoints outside of it', async (context) => {
  const outside = join(temporaryHome(context).home, '..', 'outside.jsonl')
  const { home, whyBroken, works, startAndStop } = await stopped(context, { audit: { checkpoints: [outside] } })
  assert.ok(existsSync(outside))
  const copy = join(home, '..', 'copy')
  cpSync(home, copy, { recursive: true })
  await works(['tools', 'allow', 'edit_file'])
  await startAndStop()
  rmSync(home, { recursive: true })
  cpSync(copy, home, { recursive: true })
  assert.match(await whyBroken(), new RegExp(`^the end was cut off: line 3 of ${outside} says`))
})

test('a home without checkpoints is verified as before, and says so', async (context) => {
  const { home, environment } = temporaryHome(context)
  const foreword = (words: readonly string[]) => run(words, { environment })
  await foreword(['tools', 'allow', 'read_file'])
  const { code, stdout } = await foreword(['audit', 'verify'])
  assert.equal(code, 0)
  assert.match(stdout, /^whole: \d records?\nhead: \d:[0-9a-f]{64}\nno checkpoint yet\n$/)
  assert.equal(existsSync(join(home, 'data', 'audit-key.pem')), false, 'looking makes no key')
})

test('an expected record proves that it is still there', async (context) => {
  const { foreword, verified, tamper } = await stopped(context)
  const { head } = await verified()
  const asked = (expect: string) => foreword(['audit', 'verify', '--expect', expect])
  assert.equal((await asked(`${head!.number}:${head!.hash}`)).code, 0)
  assert.equal((await asked(`${head!.number}:${head!.hash.toUpperCase()}`)).code, 0)
  assert.equal((await asked(`${head!.number}:${'0'.repeat(64)}`)).code, 1)
  assert.equal((await asked(`${head!.number + 1}:${head!.hash}`)).code, 1)
  for (const odd of ['12', '12:abc', `0:${head!.hash}`]) assert.equal((await asked(odd)).code, 2, odd)
  assert.equal((await foreword(['audit', 'list', '--expect', '1:x'])).code, 2)
  tamper(rewrite)
  const { code, stdout } = await asked(`${head!.number}:${head!.hash}`)
  assert.equal(code, 1)
  assert.match(stdout, /^broken at record \d: record \d has the hash \w+, not the expected one/)
})

test('the public key is printed, and verifies a checkpoint without Foreword', async (context) => {
  const { foreword, home, lines } = await stopped(context)
  const { stdout } = await foreword(['audit', 'key', '--json'])
  const { id, publicKey } = JSON.parse(stdout) as { id: string; publicKey: string }
  const { signature, ...unsigned } = JSON.parse(lines()[1]!) as Record<string, string>
  assert.equal(unsigned['key'], id)
  const { verify } = await import('node:crypto')
  const keys = Object.entries(unsigned).toSorted(([one], [other]) => (one < other ? -1 : 1))
  const bytes = Buffer.from(JSON.stringify(Object.fromEntries(keys)))
  assert.ok(verify(null, bytes, publicKey, Buffer.from(signature!, 'base64')))
  assert.equal((await foreword(['audit', 'key', '--home', join(home, 'none')])).code, 1)
})

test('checkpoints are not kept beside what they prove, nor where a model can write', async (context) => {
  const { home, environment } = temporaryHome(context)
  mkdirSync(home, { recursive: true })
  for (const [target, why] of [
    ['data/checkpoints.jsonl', /is inside `data`/],
    ['workspace/checkpoints.jsonl', /is inside the workspace/],
    ['git:workspace', /is inside the workspace/],
    ['ftp://example.com', /must be a file/],
  ] as const) {
    writeFileSync(join(home, 'config.json'), JSON.stringify({ audit: { checkpoints: [target] } }))
    const { code, stderr } = await run(['send', 'Hello'], { environment })
    assert.notEqual(code, 0, target)
    assert.match(stderr, why)
  }
})

/** The records that checkpoints prove are in an archive, and others follow. */
async function archived(context: TestContext) {
  const home = await stopped(context)
  const archive = join(home.home, 'audit-of-last-year.jsonl')
  const before = await home.verified()
  await home.works(['tools', 'allow', 'write_file'])
  const command = ['audit', 'archive', '--before', '0s', '--output', archive]
  const said = JSON.parse(await home.works([...command, '--json'])) as { archived: { number: number; hash: string } }
  return { ...home, archive, before, command, position: said.archived }
}

test('the oldest records go into a file as far as checkpoints prove them, and both it and what follows can be verified', async (context) => {
  const { archive, before, command, position, foreword, works, verified, startAndStop } = await archived(context)
  assert.deepEqual(position.number, before.checkpoints.newest?.number)
  assert.equal(statSync(archive).mode & 0o777, 0o600)
  const listed = (await works(['audit', 'list', '--json']))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as AuditRecord)
  assert.equal(listed[0]?.number, position.number + 1)
  const archiving = new RegExp(`up to ${position.number}, with the hash ${position.hash}, were archived`)
  assert.match(listed.at(-1)!.reason!, archiving)
  const after = await verified()
  assert.deepEqual([after.type, after.archived?.number], ['whole', position.number])
  assert.match(await works(['audit', 'verify', '--archive', archive]), /^whole: \d+ records\nup to record \d+:/)
  assert.match((await foreword(command)).stderr, /it exists already/)
  await startAndStop()
  assert.match(await works(['audit', 'verify']), /^whole: .*\narchived: up to record/)

  const old = await foreword(['audit', 'verify', '--expect', `2:${'0'.repeat(64)}`])
  assert.deepEqual([old.code, /the expected record 2 was archived/.test(old.stdout)], [1, true])
  const own = await foreword(['audit', 'verify', '--expect', `${position.number}:${position.hash}`])
  assert.equal(own.code, 0)
  const text = readFileSync(archive, 'utf8')
  const lines = text.trimEnd().split('\n')
  for (const [changed, why] of [
    [text.replace('read_file', 'read_fine'), /record \d+ was changed/],
    [lines.slice(0, -1).join('\n'), /its end is missing/],
    [lines.toSpliced(-2, 1).join('\n'), /is not the one that was archived last/],
    [text.replace(/"time":"[^"]+"(,"signature")/, '"time":"2020-01-01T00:00:00.000Z"$1'), /not signed with the key/],
  ] as const) {
    writeFileSync(archive, changed)
    const { code, stdout } = await foreword(['audit', 'verify', '--archive', archive])
    assert.deepEqual([code, why.test(stdout)], [1, true], stdout)
  }
})

test('nobody takes the beginning of the audit away without the key', async (context) => {
  const { tamper, whyBroken, lines, position } = await archived(context)
  const put = (database: DatabaseSync, value: object) =>
    database.prepare(`insert or replace into named_values values ('audit.archived', ?)`).run(JSON.stringify(value))
  tamper((database) => database.prepare(`delete from named_values where key = 'audit.archived'`).run())
  assert.match(await whyBroken(), /records 1 to \d+ are missing/)
  const checkpoint = JSON.parse(lines().at(-1)!) as { number: number; hash: string }
  for (const forged of [checkpoint, { ...position, time: '2020-01-01T00:00:00.000Z' }, { number: 'x' }]) {
    tamper((database) => put(database, forged))
    assert.match(await whyBroken(), /what the store says was archived was changed or forged/)
  }
  tamper((database) => put(database, position))
  tamper((database) => database.prepare('delete from audit where number = ?').run(position.number + 1))
  assert.match(await whyBroken(), /record \d+ is missing/)
})

test('an audit that is broken is not archived, and a restored one goes on in a home with another key', async (context) => {
  const { home, works, foreword, command, archive, tamper, position } = await archived(context)
  const saved = join(home, 'saved.tar.gz')
  await works(['backup', saved])
  const other = await stopped(context)
  await other.works(['restore', saved, '--replace', '--yes'])
  const report = await other.verified()
  assert.deepEqual([report.type, report.archived?.number], ['whole', position.number], JSON.stringify(report))
  rmSync(archive)
  tamper((database) => database.prepare('update audit set hash = ? where number = ?').run('0', position.number + 1))
  const { code, stderr } = await foreword(command)
  assert.deepEqual([code, existsSync(archive)], [1, false])
  assert.match(stderr, /Only an audit that is whole.*archived\. It is broken at record/)
})
