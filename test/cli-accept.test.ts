import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import type { WaitingChange } from '../src/capability.ts'
import { temporaryHome } from './cli/home.ts'
import { run } from './cli/recorded-io.ts'
import { servedConnection } from './cli/served-connection.ts'
import { spawnForeword } from './cli/gateway-process.ts'
import { scriptedRuntime } from './server/scripted-runtime.ts'

const WIDER = '{"sandbox": {"enabled": false}, "global": {"allowedTools": ["list_files"]}}\n'

/** A home that was used once, and whose policy an editor made wider since then. */
async function widened(t: TestContext) {
  const { home, environment } = temporaryHome(t)
  mkdirSync(home, { recursive: true })
  const file = join(home, 'tool-access.json')
  writeFileSync(file, '{"sandbox": {"enabled": false}}\n')
  assert.equal((await run(['send', 'Hello'], { environment: { ...environment, FOREWORD_MODEL: 'rehearsal' } })).code, 0)
  writeFileSync(file, WIDER)
  const access = async () => /list_files +workspace +(\w+)/.exec((await run(['tools'], { environment })).stdout)?.[1]
  return { environment, file, access }
}

test('what waits is shown in words and as a difference, and is accepted after a yes', async () => {
  const connection = () => servedConnection(runtime, 'running')
  const runtime = scriptedRuntime()
  const shown = await run(['accept'], { connection: connection() })
  assert.deepEqual([shown.code, shown.stderr.includes('foreword accept NAME')], [0, true])
  assert.match(shown.stdout, /^tool-access\.json\n {2}A model may call shell\.\n\n {2}--- a\/tool-access\.json\n/)
  assert.match(shown.stdout, /\n {2}-\{\}\n {2}\+\{"global": \{\}\}/)
  const no = await run(['accept', 'tool-access.json'], { connection: connection(), person: true, input: 'n\n' })
  assert.deepEqual([no.code, no.stderr.includes('Nothing was accepted.')], [1, true])
  const yes = await run(['accept', '--all'], { connection: connection(), person: true, input: 'y\n' })
  assert.equal(yes.code, 0)
  assert.match(yes.stderr, /Accepted tool-access\.json/)
  assert.match((await run(['accept'], { connection: connection() })).stderr, /Nothing waits\./)
})

test('without a terminal, and as JSON, nothing is accepted without --yes', async () => {
  const connection = servedConnection(scriptedRuntime(), 'running')
  for (const words of [['tool-access.json'], ['--all'], ['--all', '--json']]) {
    const { code, stderr } = await run(['accept', ...words], { connection })
    assert.deepEqual([code, stderr.includes('`--yes`')], [2, true], stderr)
  }
  for (const words of [['--yes'], ['tool-access.json', '--all']]) {
    assert.equal((await run(['accept', ...words], { connection })).code, 2)
  }
  const unknown = await run(['accept', 'tool-acess.json', '--yes'], { connection })
  assert.equal(unknown.code, 1)
  const json = await run(['accept', 'tool-access.json', '--yes', '--json'], { connection })
  assert.deepEqual(JSON.parse(json.stdout), { accepted: 'tool-access.json', digest: 'd-policy' })
})

test('a command that a tool started may list, and not accept', async () => {
  const connection = servedConnection(scriptedRuntime(), 'running')
  const environment = { FOREWORD_TOOL: '1' }
  assert.equal((await run(['accept', '--json'], { connection, environment })).code, 0)
  const { code, stderr } = await run(['accept', '--all', '--yes'], { connection, environment })
  assert.equal(code, 1)
  assert.match(stderr, /accept changes/)
})

test('a policy that is wider between two commands waits, in the doctor too, until it is accepted without a gateway', async (t) => {
  const { environment, access } = await widened(t)
  assert.equal(await access(), 'refused')
  const doctor = await run(['doctor'], { environment })
  assert.match(doctor.stdout, /tool-access\.json was changed by other means.*foreword accept/s)
  const [change] = (await run(['accept', '--json'], { environment })).stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as WaitingChange)
  assert.deepEqual(
    [change!.kind, change!.words],
    [
      'policy',
      [
        'A model may call list_files.',
        'It waits for you because programs may run without a sandbox (sandbox.enabled).',
      ],
    ],
  )
  const accepted = await run(['accept', 'tool-access.json', '--yes'], { environment })
  assert.equal(accepted.code, 0, accepted.stderr)
  assert.equal(await access(), 'allowed')
  assert.match((await run(['audit'], { environment })).stdout, /tool-access\.json/)
})

test('a tool that is allowed by command counts at once, unless something else waits, which is then named', async (t) => {
  const { environment, file, access } = await widened(t)
  const refused = await run(['tools', 'allow', 'read_file'], { environment })
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /waits until you accept it.*foreword accept/s)
  assert.equal(readFileSync(file, 'utf8'), WIDER)
  writeFileSync(file, '{"sandbox": {"enabled": false}}\n')
  assert.equal((await run(['tools', 'allow', 'list_files'], { environment })).code, 0)
  assert.deepEqual([await access(), (await run(['accept'], { environment })).stdout], ['allowed', ''])
})

test('beside a running gateway: what another process writes waits, what a command allows counts, and a restart changes neither', async (t) => {
  const { environment, file, access } = await widened(t)
  const start = async () => {
    const gateway = spawnForeword(t, ['start', '--json'], {
      ...environment,
      FOREWORD_MODEL: 'rehearsal',
      FOREWORD_GATEWAY_PORT: '0',
    })
    const line = await gateway.line(/"address"/)
    return { gateway, started: JSON.parse(line) as { readonly warnings: readonly string[] } }
  }
  const first = await start()
  assert.match(first.started.warnings.join('\n'), /foreword accept/)
  assert.equal(await access(), 'refused')
  assert.equal((await run(['accept', '--all', '--yes'], { environment })).code, 0)
  assert.equal(await access(), 'allowed')
  writeFileSync(file, '{"global": {"mode": "full"}, "tools": {"list_files": {"enabled": false}}}')
  assert.equal(await access(), 'refused')
  writeFileSync(file, WIDER)
  assert.equal(await access(), 'refused')
  first.gateway.child.kill('SIGTERM')
  await first.gateway.ended
  const second = await start()
  assert.equal(await access(), 'refused')
  assert.equal((await run(['accept', 'tool-access.json', '--yes'], { environment })).code, 0)
  assert.equal((await run(['tools', 'allow', 'read_file'], { environment })).code, 0)
  assert.equal(await access(), 'allowed')
  assert.equal((await run(['accept'], { environment })).stdout, '')
  second.gateway.child.kill('SIGTERM')
  await second.gateway.ended
})
