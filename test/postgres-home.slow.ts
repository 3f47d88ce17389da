import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test as register, type TestContext } from 'node:test'
import { spawnForeword } from './cli/gateway-process.ts'
import { temporaryHome } from './cli/home.ts'
import { run } from './cli/recorded-io.ts'
import { addTo } from './skills/folder-with.ts'
import { postgresForTests } from './session/postgres-for-tests.ts'

const PASSWORD = 'correct-horse-9-battery'
const { options, server } = postgresForTests({ password: PASSWORD })

const test = (name: string, body: (context: TestContext) => Promise<void>) => void register(name, options, body)

test('a gateway keeps its sessions in PostgreSQL, and every command finds them with it and without it', async (context) => {
  const { home, environment } = temporaryHome(context)
  const address = await server().database()
  const settings = { store: { address, passwordEnv: 'TEAM_DATABASE' }, gateway: { port: 0 } }
  addTo(home, { 'config.json': JSON.stringify(settings) })
  const withPassword = { ...environment, TEAM_DATABASE: PASSWORD }
  const said: string[] = []
  const ask = async (...words: readonly string[]) => {
    const answer = await run(words, { environment: withPassword })
    said.push(answer.stdout, answer.stderr)
    assert.equal(answer.code, 0, `${words.join(' ')}: ${answer.stderr}`)
    return answer.stdout
  }

  const gateway = spawnForeword(context, ['start', '--json'], withPassword)
  const started = JSON.parse(await gateway.line(/^\{/))
  assert.equal(started.store, address)
  const { sessionId } = JSON.parse(await ask('send', 'How deep is the Mariana trench?', '--json'))
  assert.match(await ask('doctor'), /ok +database +.* is PostgreSQL \d+.*, in use by foreword \d+ of this machine/)
  assert.match(await ask('config', 'get', 'store'), /passwordEnv/)
  // Beside the gateway.
  await ask('token', 'new', 'phone', '--scope', 'talk')
  assert.match(await ask('audit'), /token phone made/)

  gateway.child.kill('SIGKILL')
  await gateway.ended
  assert.match(await ask('sessions'), new RegExp(sessionId))
  assert.match(await ask('sessions', 'show', sessionId), /Mariana/)
  assert.match(await ask('search', '--history', 'Mariana trench'), /Mariana/)
  assert.match(await ask('sessions', 'export', sessionId), /Mariana/)
  assert.equal(await ask('replay', sessionId), '1 of 1 identical\n')
  assert.match(await ask('audit', 'verify'), /whole/i)
  assert.match(await ask('doctor'), /is PostgreSQL \d+.*, no gateway uses it now/)

  const again = spawnForeword(context, ['start'], withPassword)
  await again.line(/Sessions +postgres:/)
  await ask('send', 'And how cold?', '--session', sessionId)
  again.child.kill('SIGTERM')
  assert.equal(await again.ended, 0)
  assert.equal(await ask('replay', sessionId), '2 of 2 identical\n')

  for (const words of [['backup', `${home}.tar.gz`], ['compact']]) {
    // Also where the variable with the address is not set.
    const refused = await run(words, { environment })
    assert.equal(refused.code, 1)
    assert.match(refused.stderr, /are in postgres:.*nothing was changed.*pg_dump/s)
  }

  said.push(gateway.stdout(), gateway.stderr(), again.stdout(), again.stderr())
  assert.ok(!said.join('\n').includes(PASSWORD), 'the password was printed')
})

test('two gateways work at once on the schemas of one database, and neither sees what the other has', async (context) => {
  const address = await server().database()
  const homes = ['anna', 'ben'].map((schema) => {
    const { home, environment } = temporaryHome(context)
    addTo(home, { 'config.json': JSON.stringify({ store: { address, schema, readers: 2 }, gateway: { port: 0 } }) })
    return { schema, environment: { ...environment, FOREWORD_STORE_PASSWORD: PASSWORD } }
  })
  const [anna, ben] = homes as [(typeof homes)[0], (typeof homes)[0]]
  const ask = async (environment: Readonly<Record<string, string>>, ...words: readonly string[]) => {
    const answer = await run(words, { environment })
    assert.equal(answer.code, 0, `${words.join(' ')}: ${answer.stderr}`)
    return answer.stdout
  }
  const gateways = homes.map(({ environment }) => spawnForeword(context, ['start', '--json'], environment))
  for (const [index, gateway] of gateways.entries()) {
    const started = JSON.parse(await gateway.line(/^\{/))
    assert.equal(started.store, `${address} (schema ${homes[index]!.schema})`)
  }
  const { sessionId } = JSON.parse(await ask(anna.environment, 'send', 'How deep is the Mariana trench?', '--json'))
  assert.doesNotMatch(await ask(ben.environment, 'sessions'), new RegExp(sessionId))
  assert.doesNotMatch(await ask(ben.environment, 'audit'), new RegExp(sessionId))
  assert.match(await ask(ben.environment, 'doctor'), /\(schema ben\) is PostgreSQL .*, in use by foreword/)
  gateways[0]!.child.kill('SIGKILL')
  await gateways[0]!.ended
  assert.match(await ask(anna.environment, 'doctor'), /\(schema anna\) is PostgreSQL .*, no gateway uses it now/)
  assert.match(await ask(anna.environment, 'search', '--history', 'Mariana trench'), /Mariana/)
  assert.doesNotMatch(await ask(ben.environment, 'search', '--history', 'Mariana trench'), /Mariana/)
  await ask(ben.environment, 'send', 'And how cold?')
  gateways[1]!.child.kill('SIGTERM')
  assert.equal(await gateways[1]!.ended, 0)
})

test('a gateway that would stand by ends where its port is taken, and one that took over ends when it is asked to', async (context) => {
  const address = await server().database()
  const start = (port: string) => {
    const { home, environment } = temporaryHome(context)
    addTo(home, { 'config.json': JSON.stringify({ store: { address } }) })
    const given = { ...environment, FOREWORD_STORE_PASSWORD: PASSWORD }
    return spawnForeword(context, ['start', '--json', '--port', port], given)
  }
  const first = start('0')
  const { port } = JSON.parse(await first.line(/^\{/))
  const refused = start(String(port))
  assert.equal(await refused.ended, 1)
  assert.match(refused.stderr(), /Another program listens on .*Stop it, or choose another port/)

  const second = start('0')
  while (!second.stderr().includes('Stands by at')) await once(second.child.stderr!, 'data')
  first.child.kill('SIGTERM')
  assert.equal(await first.ended, 0)
  await second.line(/^\{/)
  second.child.kill('SIGTERM')
  assert.equal(await second.ended, 0)
})

test('what keeps a gateway from its database is said with what to do, and without the password', async (context) => {
  const { environment } = temporaryHome(context)
  const address = await server().database()
  const start = async (store: string, more: Readonly<Record<string, string>> = {}) => {
    const { code, stderr } = await run(['start'], { environment: { ...environment, ...more, FOREWORD_STORE: store } })
    assert.notEqual(code, 0)
    assert.ok(!stderr.includes('wrong-word-1234') && !stderr.includes(PASSWORD), stderr)
    return stderr
  }
  const given = { FOREWORD_STORE_PASSWORD: PASSWORD }
  assert.match(await start(address), /it asks for a password\.\n +Set FOREWORD_STORE_PASSWORD/)
  assert.match(await start(address, { FOREWORD_STORE_PASSWORD: 'wrong-word-1234' }), /user or the password is wrong/)
  assert.match(await start(`${address}&password=wrong-word-1234`), /password=\*\*\*: the user or the password is wrong/)
  assert.match(await start(address.replace(/store_\d+/, 'nothing_here'), given), /no such database\.\n +Make it/)
  assert.match(await start('postgres://me:wrong-word-1234@127.0.0.1:1/home'), /nothing accepts connections there/)
  assert.match(await start('postgres://me@/home?host=/nowhere'), /no such socket/)
  assert.match(await start('mysql://me@host/home'), /FOREWORD_STORE: store must be an address such as postgres:/)
  assert.match(await start(JSON.stringify({ address, passwordFile: 'gone' })), /store\.passwordFile names .*gone/)
  assert.match(await start(JSON.stringify({ address, schema: 'Anna' })), /store\.schema must have up to 50 lower case/)

  await server().execute("create role visitor login password 'wrong-word-1234'")
  const visitor = address.replace('foreword@', 'visitor@')
  assert.match(await start(visitor, { FOREWORD_STORE_PASSWORD: 'wrong-word-1234' }), /lacks a right\.\n +Run `grant/)
})

test('config set takes no password, and the doctor names one that is written into the file', async (context) => {
  const { home, environment } = temporaryHome(context)
  const refused = await run(['config', 'set', 'store', 'postgres://me:wrong-word-1234@127.0.0.1:1/home'], {
    environment,
  })
  assert.match(refused.stderr, /store holds a secret/)
  addTo(home, { 'config.json': JSON.stringify({ store: 'postgres://me:wrong-word-1234@127.0.0.1:1/home' }) })
  const shown = await run(['config', 'get', 'store'], { environment })
  assert.match(shown.stdout, /^postgres:\/\/me:\*\*\*@127/)
  const found = await run(['doctor', '--security'], { environment })
  assert.match(found.stdout, /holds secrets: store/)
  assert.ok(!`${refused.stderr}${shown.stdout}${found.stdout}${found.stderr}`.includes('wrong-word'))
  // What is wrong can be corrected though the database cannot record it.
  const unset = await run(['config', 'unset', 'store'], { environment })
  assert.equal(unset.code, 0, unset.stderr)
  assert.match(unset.stderr, /Not recorded in the audit: Cannot use the database/)
})
