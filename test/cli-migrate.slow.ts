import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test as register, type TestContext } from 'node:test'
import { spawnForeword } from './cli/gateway-process.ts'
import { temporaryHome } from './cli/home.ts'
import { run } from './cli/recorded-io.ts'
import { addTo } from './skills/folder-with.ts'
import { postgresForTests } from './session/postgres-for-tests.ts'

const PASSWORD = 'correct-horse-9-battery'
const { options, server } = postgresForTests({ password: PASSWORD })

const test = (name: string, body: (context: TestContext) => Promise<void>) => void register(name, options, body)

/** A home with a session of two turns, and a way to run commands on it. */
async function homeWithTalk(context: TestContext) {
  const { home, environment } = temporaryHome(context)
  addTo(home, {
    'config.json':
      '{\n  // A comment.\n  "gateway": { "port": 0 },\n  "budgets": [{ "limit": { "tokens": 1000000 }, "per": "month" }]\n}\n',
  })
  const given = { ...environment, FOREWORD_STORE_PASSWORD: PASSWORD }
  const attempt = (...words: readonly string[]) => run(words, { environment: given })
  const ask = async (...words: readonly string[]) => {
    const answer = await attempt(...words)
    assert.equal(answer.code, 0, `${words.join(' ')}: ${answer.stderr}`)
    return answer.stdout
  }
  const { sessionId } = JSON.parse(await ask('send', 'How deep is the Mariana trench?', '--json'))
  await ask('send', 'And how cold?', '--session', sessionId)
  await ask('token', 'new', 'phone', '--scope', 'talk')
  return { home, environment: given, attempt, ask, sessionId: String(sessionId) }
}

test('a home moves to PostgreSQL and back, and everything in it is as it was', async (context) => {
  const { home, environment, attempt, ask, sessionId } = await homeWithTalk(context)
  const address = await server().database()
  const shown = async () => [
    await ask('sessions', 'show', sessionId),
    await ask('audit', 'verify'),
    await ask('audit', '--json'),
    await ask('budgets', '--json'),
  ]
  const former = await shown()

  const copied = JSON.parse(await ask('migrate', '--to', address, '--schema', 'trial', '--json'))
  assert.equal(copied.to, `${address} (schema trial)`)
  assert.deepEqual([copied.calls, copied.sessions, copied.isWritten], [2, 1, false])
  assert.deepEqual(copied.store, { address, schema: 'trial' })
  assert.ok(copied.rows > 10 && copied.audit > 0)
  assert.deepEqual(await shown(), former)
  assert.match(await ask('doctor'), /store .*foreword\.sqlite/)
  const again = await attempt('migrate', '--to', address, '--schema', 'trial')
  assert.deepEqual(
    [again.code, /There is a store at .*schema trial.* already: nothing was copied/.test(again.stderr)],
    [1, true],
  )

  const there = await attempt('migrate', '--to', address, '--schema', 'team', '--write')
  assert.equal(there.code, 0, there.stderr)
  assert.match(there.stdout, /Copied \d+ rows to postgres:.*schema team\): 1 session, \d+ entries, 2 calls/)
  assert.match(
    there.stdout,
    /Every row is the same\. The audit is whole \(\d+ records?\)\. Rebuilt alike: 2 calls of 1 session\./,
  )
  assert.match(there.stdout, /foreword\.sqlite is as it was/)
  assert.match(readFileSync(join(home, 'config.json'), 'utf8'), /\/\/ A comment\.[^]*"schema": "team"/)
  assert.match(await ask('audit'), /store set with foreword migrate/)
  assert.equal(await ask('replay', sessionId), '2 of 2 identical\n')
  assert.equal(await ask('budgets', '--json'), former.at(-1), 'what was spent, and of nothing that it was there before')
  assert.match(await ask('doctor'), /\(schema team\) is PostgreSQL/)
  const gateway = spawnForeword(context, ['start'], environment)
  await gateway.line(/Sessions +postgres:/)
  await ask('send', 'And how far from land?', '--session', sessionId)
  const busy = await attempt('migrate', '--to', 'sqlite')
  assert.match(busy.stderr, /is in use by process \d+/)
  gateway.child.kill('SIGTERM')
  assert.equal(await gateway.ended, 0)

  const refused = await attempt('migrate', '--to', 'sqlite', '--write')
  assert.match(
    refused.stderr,
    /There is a store at .*foreword\.sqlite already: nothing was copied\.\n +Move that file away/,
  )
  const file = join(home, 'data', 'foreword.sqlite')
  renameSync(file, join(home, 'former.sqlite'))
  for (const end of ['-wal', '-shm'])
    if (existsSync(file + end)) renameSync(file + end, join(home, `former.sqlite${end}`))
  const back = await attempt('migrate', '--to', 'sqlite', '--write', '--all')
  assert.match(back.stdout, /Rebuilt alike: 3 calls of 1 session\./)
  assert.doesNotMatch(readFileSync(join(home, 'config.json'), 'utf8'), /store/)
  assert.equal(await ask('replay', sessionId), '3 of 3 identical\n')
  assert.match(await ask('audit', 'verify'), /whole/i)
  // No note says any more that it is in a database.
  await ask('backup', `${home}.tar.gz`)
})

test('Ctrl-C in the middle leaves nothing behind, and the next attempt begins at its beginning', async (context) => {
  const { home, environment, ask } = await homeWithTalk(context)
  const address = await server().database()
  const former = readFileSync(join(home, 'config.json'), 'utf8')
  const words = ['migrate', '--to', address, '--schema', 'trial', '--write']
  let interrupt = () => {}
  const stopped = await run(words, {
    environment,
    terminal: true,
    onInterrupt(listener) {
      interrupt = listener
      return () => {}
    },
    onOutput: (piece) => piece.includes('comparing:') && interrupt(),
  })
  assert.equal(stopped.code, 130)
  assert.match(stopped.stderr, /copying: \d+ of \d+ rows[^]*comparing:[^]*Stopped\. Nothing was changed/)
  assert.equal(readFileSync(join(home, 'config.json'), 'utf8'), former)
  assert.match(await ask(...words), /Every row is the same/)
})

test('what cannot be a new store is refused with what to do, and without the password', async (context) => {
  const { environment, attempt, sessionId, ask } = await homeWithTalk(context)
  const address = await server().database()
  const refused = async (...words: readonly string[]) => {
    const { code, stderr } = await attempt('migrate', ...words)
    assert.notEqual(code, 0)
    assert.ok(!stderr.includes(PASSWORD), stderr)
    return stderr
  }
  assert.match(await refused(), /Name the new store: --to postgres/)
  assert.match(
    await refused('--to', address.replace('foreword@', `foreword:${PASSWORD}@`)),
    /holds a password.*\n +Leave it out/,
  )
  assert.match(await refused('--to', 'sqlite', '--schema', 'x'), /--schema needs a database/)
  assert.match(await refused('--to', 'sqlite'), /is .*foreword\.sqlite already/)
  assert.match(await refused('--to', address, '--schema', 'Team'), /store\.schema must have up to 50 lower case/)
  assert.match(await refused('--to', 'mysql://me@host/home'), /must be an address such as postgres:/)
  assert.match(await refused('--to', '{"address":'), /--to is not JSON/)
  assert.match(await refused('--to', address.replace(/store_\d+/, 'nothing_here')), /no such database/)
  const ofTool = await run(['migrate', '--to', address], { environment: { ...environment, FOREWORD_TOOL: '1' } })
  assert.match(ofTool.stderr, /a model cannot move the store/)

  // A gateway of another home works on the database.
  const other = temporaryHome(context)
  addTo(other.home, { 'config.json': JSON.stringify({ store: { address }, gateway: { port: 0 } }) })
  const gateway = spawnForeword(context, ['start'], { ...other.environment, FOREWORD_STORE_PASSWORD: PASSWORD })
  await gateway.line(/Sessions +postgres:/)
  assert.match(await refused('--to', address), /is used by foreword \d+ .*\n +Stop every gateway/)
  assert.match(await ask('sessions'), new RegExp(sessionId))
})

test('the homes of people move with the home that they lie in', async (context) => {
  const { home, environment, ask } = await homeWithTalk(context)
  await ask('people', 'add', 'ann')
  const ann = { ...environment, FOREWORD_HOME: join(home, 'people', 'ann') }
  const said = await run(['send', 'Where is the key?', '--json'], { environment: ann })
  assert.equal(said.code, 0, said.stderr)
  const address = await server().database()
  const copied = JSON.parse(await ask('migrate', '--to', address, '--write', '--json'))
  assert.deepEqual(
    copied.people.map(({ person, calls, sessions }: Record<string, unknown>) => [person, calls, sessions]),
    [['ann', 1, 1]],
  )
  const people = (await ask('people', '--json'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.deepEqual(
    people.map(({ name, usage }: { name: string; usage: { sessions: number } }) => [name, usage.sessions]),
    [['ann', 1]],
  )
  // On another machine, where ann never was.
  rmSync(join(home, 'people'), { recursive: true })
  rmSync(join(home, 'data', 'foreword.sqlite'))
  const back = JSON.parse(await ask('migrate', '--to', 'sqlite', '--write', '--json'))
  assert.deepEqual(
    back.people.map(({ person, calls, sessions }: Record<string, unknown>) => [person, calls, sessions]),
    [['ann', 1, 1]],
  )
  const shown = await run(['sessions', '--json'], { environment: ann })
  assert.match(shown.stdout, /Where is the key/)
})

test('the bytes of files come back with a home, also those that this machine never had', async (context) => {
  const { home, ask } = await homeWithTalk(context)
  await ask('migrate', '--to', await server().database(), '--write')
  addTo(home, { 'note.txt': 'A note for everybody.' })
  await ask('files', 'add', join(home, 'note.txt'))
  rmSync(join(home, 'data', 'files'), { recursive: true })
  rmSync(join(home, 'data', 'foreword.sqlite'))
  await ask('migrate', '--to', 'sqlite', '--write')
  const found = readdirSync(join(home, 'data', 'files'), { recursive: true, withFileTypes: true }).filter((each) =>
    each.isFile(),
  )
  assert.deepEqual(
    found.map((each) => readFileSync(join(each.parentPath, each.name), 'utf8')),
    ['A note for everybody.'],
  )
})
