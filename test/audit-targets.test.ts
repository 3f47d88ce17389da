import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createSocket } from 'node:net'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import type { Finding } from '../src/capability.ts'
import type { AuditCheckpoint, AuditFacts, AuditReport } from '../src/session.ts'
import { temporaryHome } from './cli/home.ts'
import { run } from './cli/recorded-io.ts'

/** A home whose checkpoints go to these targets. */
function homeWith(context: TestContext, targets: (folder: string) => readonly string[]) {
  const { home, environment } = temporaryHome(context)
  mkdirSync(home, { recursive: true })
  const folder = join(home, '..')
  const configure = (checkpoints: readonly string[]) =>
    writeFileSync(join(home, 'config.json'), JSON.stringify({ audit: { checkpoints } }))
  configure(targets(folder))
  const foreword = (words: readonly string[]) =>
    run(words, { environment: { ...environment, PATH: process.env['PATH'] ?? '' } })
  let tools = 0
  /** Writes a record, then starts and stops a gateway. */
  const recordOne = async () => {
    tools += 1
    assert.equal((await foreword(['tools', 'allow', `tool_${tools}*`])).code, 0)
    const { code, stderr } = await foreword(['send', '--json', 'Hello'])
    assert.equal(code, 0, stderr)
  }
  const verified = async () => JSON.parse((await foreword(['audit', 'verify', '--json'])).stdout) as AuditReport
  const reasons = async () => {
    const { stdout } = await foreword(['audit', 'list', '--json', '--last', '100'])
    const records = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as AuditFacts)
    return records.filter(({ rule }) => rule === 'audit.checkpoints').map(({ ok, reason }) => [ok, reason])
  }
  const findings = async () => {
    const { stdout } = await foreword(['doctor', '--json'])
    return (JSON.parse(stdout) as { findings: readonly Finding[] }).findings.filter(({ check }) => check === 'audit')
  }
  return { home, folder, foreword, configure, recordOne, verified, reasons, findings }
}

for (const kind of ['bare', 'normal'] as const) {
  test(`a ${kind} repository has a commit for each checkpoint, and they are compared with the chain`, async (context) => {
    const here = homeWith(context, (folder) => [`git:${join(folder, 'audit.git')}`])
    const repository = join(here.folder, 'audit.git')
    const git = (...words: string[]) => execFileSync('git', ['-C', repository, ...words], { encoding: 'utf8' })
    mkdirSync(repository)
    git('init', '--quiet', ...(kind === 'bare' ? ['--bare'] : []))
    await here.recordOne()
    await here.recordOne()
    assert.equal(git('rev-list', '--count', 'refs/foreword/audit').trim(), '2')
    const line = git('show', 'refs/foreword/audit:checkpoint.json')
    const report = await here.verified()
    assert.ok(report.type === 'whole')
    assert.equal((JSON.parse(line) as AuditCheckpoint).hash, report.head!.hash)
    assert.equal(report.checkpoints.targets[0]!.checkpoints, 2)
    if (kind === 'normal') assert.equal(git('status', '--porcelain'), '', 'the work tree is left alone')

    git('update-ref', 'refs/foreword/audit', 'refs/foreword/audit~1')
    const cut = await here.verified()
    assert.match(cut.type === 'broken' ? cut.why : '', /^the end of git:.*audit\.git was cut off/)
    renameSync(repository, `${repository}.away`)
    const gone = await here.verified()
    assert.match(gone.type === 'broken' ? gone.why : '', /^git:.*audit\.git is gone or empty/)
    renameSync(`${repository}.away`, repository)
    rmSync(join(here.home, 'data'), { recursive: true })
    const emptied = await here.verified()
    assert.match(emptied.type === 'broken' ? emptied.why : '', /^the audit was emptied: line 1 of git:/)
  })
}

test('hooks of a repository are not run', async (context) => {
  const here = homeWith(context, (folder) => [`git:${join(folder, 'audit')}`])
  const repository = join(here.folder, 'audit')
  mkdirSync(repository)
  execFileSync('git', ['-C', repository, 'init', '--quiet'])
  const ran = join(here.folder, 'ran')
  writeFileSync(join(repository, '.git/hooks/reference-transaction'), `#!/bin/sh\ntouch '${ran}'\n`, { mode: 0o755 })
  await here.recordOne()
  assert.equal((await here.verified()).checkpoints.targets[0]!.checkpoints, 1)
  assert.equal(existsSync(ran), false)
})

test(
  'the log of the system receives each checkpoint as one message',
  { skip: !existsSync('/usr/bin/logger') },
  async (context) => {
    const here = homeWith(context, (folder) => [`syslog:${join(folder, 'log.sock')}`])
    const received = Promise.withResolvers<string>()
    const server = createSocket((socket) => {
      let text = ''
      socket.on('data', (chunk) => (text += chunk.toString()))
      socket.on('end', () => received.resolve(text))
    })
    await new Promise<void>((resolve) => server.listen(join(here.folder, 'log.sock'), resolve))
    context.after(() => server.close())
    await here.recordOne()
    const message = await received.promise
    const report = await here.verified()
    assert.ok(message.includes('foreword-audit'))
    assert.ok(message.includes(`"hash":"${report.head!.hash}"`))
    assert.equal(report.checkpoints.targets[0]!.newest!.hash, report.head!.hash)
    assert.equal(report.checkpoints.targets[0]!.checkpoints, undefined, 'only the system can read it back')
  },
)

/** An address that answers each POST with this status, and keeps what it accepted. */
async function receiver(context: TestContext) {
  const bodies: string[] = []
  const answer = { status: 204 }
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      if (answer.status === 204) bodies.push(`${request.method} ${request.headers.authorization ?? ''} ${body}`)
      response.writeHead(answer.status, { location: '/elsewhere' }).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  context.after(() => server.close())
  return { bodies, answer, port: (server.address() as AddressInfo).port }
}

test('an address receives each checkpoint, and a failure is shown, recorded, and made good', async (context) => {
  const { bodies, answer, port } = await receiver(context)
  answer.status = 302
  const here = homeWith(context, () => [`http://me:se%20cret@127.0.0.1:${port}/audit?token=hidden`])
  const name = `http://127.0.0.1:${port}/audit?…`
  await here.recordOne()
  assert.equal(bodies.length, 0)
  const failed = `A checkpoint of the audit could not be written to ${name}: `
  assert.deepEqual(await here.reasons(), [[false, `${failed}127.0.0.1:${port} answered 302. It is tried again.`]])
  const [whole, warning] = await here.findings()
  assert.equal(whole!.level, 'ok')
  assert.equal(warning!.level, 'warning')
  assert.match(warning!.message, /^checkpoints cannot be written to http.* since 20.*: .* answered 302$/)
  assert.match((await here.foreword(['audit', 'verify'])).stdout, /\n {2}http:.*: nothing written yet; failing since/)

  answer.status = 204
  await here.recordOne()
  assert.match(bodies[0]!, /^POST Basic bWU6c2UgY3JldA== \{/)
  const { head } = await here.verified()
  const newest = bodies.at(-1)!
  assert.equal((JSON.parse(newest.slice(newest.indexOf('{'))) as AuditCheckpoint).hash, head!.hash)
  assert.deepEqual(
    (await here.reasons()).map(([ok]) => ok),
    [false, true],
  )
  const report = await here.verified()
  assert.equal((await here.findings()).length, 1)
  assert.equal(report.type, 'whole')
  for (const secret of ['hidden', 'cret']) assert.ok(!JSON.stringify(report).includes(secret))
  const noted = readFileSync(join(here.home, 'data', 'audit-checkpoints.json'), 'utf8')
  assert.ok(!noted.includes('hidden') && !noted.includes('cret'))
})

test('a place that cannot be written delays no answer and keeps no other place from its checkpoint', async (context) => {
  const here = homeWith(context, (folder) => [
    `git:${join(folder, 'none')}`,
    'syslog:/none',
    'http://127.0.0.1:1/',
    'kept.jsonl',
  ])
  await here.recordOne()
  const report = await here.verified()
  assert.equal(report.type, 'whole')
  const [git, syslog, address, kept] = report.checkpoints.targets
  for (const target of [git!, syslog!, address!]) assert.ok(target.failure, target.target)
  assert.equal(syslog!.failure!.message, 'there is no /none')
  assert.equal(kept!.failure, undefined)
  assert.ok(kept!.checkpoints! >= 1)
  assert.equal((await here.reasons()).length, 3)
})

test('without a place for them no checkpoint is taken', async (context) => {
  const here = homeWith(context, () => [])
  await here.recordOne()
  const report = await here.verified()
  assert.equal(report.type, 'whole')
  assert.deepEqual([report.checkpoints.newest, report.checkpoints.targets], [undefined, []])
})
