import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { answerMessages, startVendor } from '../through/vendor.ts'
import { onceClaude, onceCodex, patientProgram, type WrappedHome, wrappedHome } from './wrapped-home.ts'

/** Temporary files of runs. Node keeps compiled modules there, too. */
function temporaryFiles({ temporary }: WrappedHome): readonly string[] {
  return readdirSync(temporary).filter((name) => name !== 'node-compile-cache')
}

/** What a run may leave: nothing but its calls. */
function assertNothingLeft(wrapped: WrappedHome): void {
  const { home, person } = wrapped
  assert.deepEqual(temporaryFiles(wrapped), [])
  assert.deepEqual(readdirSync(person), [])
  assert.deepEqual(JSON.parse(readFileSync(join(home, 'data/tokens.json'), 'utf8')), [])
  assert.ok(!existsSync(join(home, 'gateway.json')))
}

test('a program runs as it is, its calls go through the gateway, and nothing is left behind', async (t) => {
  const vendor = await startVendor(t, answerMessages('Hello.', { input: 1_200, output: 8 }))
  const wrapped = wrappedHome(t, vendor.url, {
    ANTHROPIC_CUSTOM_HEADERS: 'x-extra: kept',
    NO_PROXY: 'example.org',
    HTTP_PROXY: 'http://127.0.0.1:1',
  })
  wrapped.install('claude', onceClaude)
  const run = wrapped.foreword('wrap', 'claude', '--', '-p', 'say hello', '--json')
  assert.equal(await run.ended, 7, run.stderr())
  assert.deepEqual(JSON.parse(run.stdout()), {
    args: ['-p', 'say hello', '--json'],
    status: 200,
    isWhole: true,
    NO_PROXY: 'example.org,127.0.0.1,localhost,::1',
    extra: 'kept',
  })
  const [call] = vendor.received
  assert.equal(call?.url, '/v1/messages')
  assert.match(call.body.toString(), /Hello {2}there/)
  const headers = call.rawHeaders.join('\n').toLowerCase()
  assert.ok(!headers.includes('x-foreword-token'), 'the token of the gateway stays here')
  assert.ok(headers.includes('own-key'))
  const [, session] = /^foreword: 1 call · .* · foreword calls (session_\w+)$/m.exec(run.stderr()) ?? []
  assert.ok(session, run.stderr())
  assertNothingLeft(wrapped)

  const calls = wrapped.foreword('calls', session, '--json')
  assert.equal(await calls.ended, 0)
  assert.equal(JSON.parse(calls.stdout()).token, 'wrap-claude')
})

test('a gateway that runs is used, and goes on', async (t) => {
  const vendor = await startVendor(t, answerMessages())
  const wrapped = wrappedHome(t, vendor.url)
  wrapped.install('claude', onceClaude)
  const gateway = wrapped.foreword('start')
  await gateway.line(/Address/)
  const run = wrapped.foreword('wrap', 'claude', '--json')
  assert.equal(await run.ended, 7, run.stderr())
  const summary = JSON.parse(run.stderr().trim().split('\n').at(-1)!)
  assert.deepEqual([summary.calls, summary.failed, summary.sessions.length], [1, 0, 1])
  assert.equal(gateway.child.exitCode, null)
  assert.deepEqual(JSON.parse(readFileSync(join(wrapped.home, 'data/tokens.json'), 'utf8')), [])
})

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  test(`${signal} reaches the program, whose exit code counts, and nothing is left behind`, async (t) => {
    const vendor = await startVendor(t, answerMessages())
    const wrapped = wrappedHome(t, vendor.url)
    wrapped.install('pi', patientProgram)
    const run = wrapped.foreword('wrap', 'pi')
    await run.line(/^ready/)
    assert.match(temporaryFiles(wrapped).join(), /^foreword-wrap-\d+-\w+$/)
    run.child.kill(signal)
    assert.equal(await run.ended, 3, run.stderr())
    assert.match(run.stdout(), new RegExp(`got ${signal}`))
    assert.match(run.stderr(), /no call of pi came through/)
    assertNothingLeft(wrapped)
  })
}

test('of a program that is killed the exit code is that of the signal, and nothing is left behind', async (t) => {
  const vendor = await startVendor(t, answerMessages())
  const wrapped = wrappedHome(t, vendor.url)
  wrapped.install('pi', patientProgram)
  const run = wrapped.foreword('wrap', 'pi')
  const [, pid] = (await run.line(/^ready/)).split(' ')
  process.kill(Number(pid), 'SIGKILL')
  assert.equal(await run.ended, 137, run.stderr())
  assertNothingLeft(wrapped)
})

test('of a program that outlives its gateway the exit code counts, and nothing is left behind', async (t) => {
  const vendor = await startVendor(t, answerMessages())
  const wrapped = wrappedHome(t, vendor.url)
  wrapped.install('pi', patientProgram)
  const gateway = wrapped.foreword('start')
  await gateway.line(/Address/)
  const run = wrapped.foreword('wrap', 'pi')
  await run.line(/^ready/)
  gateway.child.kill('SIGKILL')
  await gateway.ended
  run.child.kill('SIGTERM')
  assert.equal(await run.ended, 3, run.stderr())
  assert.match(run.stderr(), /cannot be added up: the gateway has ended\. `foreword sessions` lists/)
  assert.deepEqual(temporaryFiles(wrapped), [])
  assert.deepEqual(JSON.parse(readFileSync(join(wrapped.home, 'data/tokens.json'), 'utf8')), [])
})

test('what a killed run left is removed by the next one', async (t) => {
  const vendor = await startVendor(t, answerMessages())
  const wrapped = wrappedHome(t, vendor.url)
  wrapped.install('pi', patientProgram)
  const run = wrapped.foreword('wrap', 'pi')
  const [, pid] = (await run.line(/^ready/)).split(' ')
  run.child.kill('SIGKILL')
  // The program has the pipes of the run.
  process.kill(Number(pid), 'SIGKILL')
  await run.ended
  assert.match(temporaryFiles(wrapped).join(), /^foreword-wrap-\d+-\w+$/)
  const file = join(wrapped.home, 'data/tokens.json')
  const [left] = JSON.parse(readFileSync(file, 'utf8'))
  assert.ok(Date.parse(left.expires) <= Date.now() + 180_000, 'nobody renews it any more')
  writeFileSync(file, JSON.stringify([{ ...left, expires: left.made }]))
  wrapped.install('pi', 'process.exitCode = 0')
  const next = wrapped.foreword('wrap', 'pi')
  assert.equal(await next.ended, 0, next.stderr())
  assertNothingLeft(wrapped)
})

test('the configuration of a run of OpenClaw is beside that of the person, has no token, and is gone afterwards', async (t) => {
  const vendor = await startVendor(t, answerMessages())
  const wrapped = wrappedHome(t, vendor.url)
  const place = join(wrapped.person, '.openclaw')
  mkdirSync(place)
  writeFileSync(join(place, 'openclaw.json'), '{}')
  wrapped.install(
    'openclaw',
    `import { copyFileSync, readFileSync } from 'node:fs'
const path = process.env.OPENCLAW_CONFIG_PATH
const text = readFileSync(path, 'utf8')
copyFileSync(path, path + '.bak')
const { baseUrl, api } = JSON.parse(text).models.providers.anthropic
const response = await fetch(baseUrl + '/v1/messages', {
  method: 'POST',
  headers: { 'x-foreword-token': process.env.FOREWORD_WRAP_TOKEN, 'x-api-key': 'own-key', 'content-type': 'application/json' },
  body: '{"model":"claude-sonnet-4-5","max_tokens":9,"messages":[{"role":"user","content":"Hello"}],"stream":true}',
})
await response.text()
console.log(JSON.stringify({ path, include: JSON.parse(text).$include, api, status: response.status, hasToken: text.includes(process.env.FOREWORD_WRAP_TOKEN) }))`,
  )
  const run = wrapped.foreword('wrap', 'openclaw')
  assert.equal(await run.ended, 0, run.stderr())
  const { path, ...seen } = JSON.parse(run.stdout())
  assert.deepEqual(seen, { include: './openclaw.json', api: 'anthropic-messages', status: 200, hasToken: false })
  assert.match(path, /\/\.openclaw\/foreword-wrap-\d+\.json$/)
  assert.deepEqual(readdirSync(place), ['openclaw.json'])
  assert.deepEqual(temporaryFiles(wrapped), [])
})

test('the token of a run of Codex is in no argument, no file and no address, and its commands do not see it', async (t) => {
  const vendor = await startVendor(t, (_, outgoing) => void outgoing.end('{}'))
  const wrapped = wrappedHome(t, vendor.url, { OPENAI_PROJECT: 'proj_own' })
  wrapped.install('codex', onceCodex)
  const run = wrapped.foreword('wrap', 'codex', '--', 'exec', 'say hello')
  assert.equal(await run.ended, 0, run.stderr())
  const { args, project, status } = JSON.parse(run.stdout())
  const token = /^foreword:([\w-]{43}):proj_own$/.exec(project)?.[1]
  assert.ok(token, project)
  assert.equal(status, 200)
  assert.ok(!JSON.stringify(args).includes(token))
  assert.match(args[1], /^openai_base_url="http:\/\/127\.0\.0\.1:\d+\/through\/openai\/v1"$/)
  assert.deepEqual(args.slice(2), ['-c', 'shell_environment_policy.set.OPENAI_PROJECT="proj_own"', 'exec', 'say hello'])
  const [call] = vendor.received
  assert.ok(!JSON.stringify(call?.rawHeaders).includes(token), 'the token stays here')
  assert.ok(call?.rawHeaders.includes('proj_own'), 'the project goes on')
  for (const name of readdirSync(wrapped.home, { recursive: true, withFileTypes: true })) {
    if (name.isFile()) assert.ok(!readFileSync(join(name.parentPath, name.name)).includes(token), name.name)
  }
  assertNothingLeft(wrapped)
})

test('a process that goes on after Codex keeps its gateway until it ends, and a person is told', async (t) => {
  if (process.platform !== 'linux') return t.skip('processes of a run are found on Linux')
  const vendor = await startVendor(t, answerMessages())
  const wrapped = wrappedHome(t, vendor.url)
  const daemon = `'setInterval(() => {}, 1000); console.log("up")', 'codex', 'app-server'`
  wrapped.install(
    'codex',
    `import { spawn } from 'node:child_process'
const child = spawn(process.execPath, ['-e', ${daemon}], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] })
child.stdout.once('data', () => {
  child.unref()
  child.stdout.destroy()
  console.log('left ' + child.pid)
})`,
  )
  const run = wrapped.foreword('wrap', 'codex')
  const [, pid] = (await run.line(/^left/)).split(' ')
  t.after(() => {
    try {
      process.kill(Number(pid), 'SIGKILL')
    } catch {
      // It has ended.
    }
  })
  await new Promise<void>((resolve) => {
    const look = () => run.stderr().includes('Press Ctrl-C') && resolve()
    run.child.stderr!.on('data', look)
    look()
  })
  assert.match(run.stderr(), new RegExp(`Codex left a process that goes on \\(${pid}\\), and this gateway with it`))
  const { address } = JSON.parse(readFileSync(join(wrapped.home, 'gateway.json'), 'utf8'))
  assert.equal((await fetch(new URL('/health', address))).status, 200)
  process.kill(Number(pid), 'SIGKILL')
  assert.equal(await run.ended, 0, run.stderr())
  assert.deepEqual(JSON.parse(readFileSync(join(wrapped.home, 'data/tokens.json'), 'utf8')), [])
})

test('settings of Claude Code that would win over the run do not, and are left as they are', async (t) => {
  const vendor = await startVendor(t, answerMessages())
  const wrapped = wrappedHome(t, vendor.url)
  const file = join(wrapped.person, '.claude/settings.json')
  mkdirSync(join(wrapped.person, '.claude'))
  const settings = JSON.stringify({
    env: { ANTHROPIC_BASE_URL: 'http://elsewhere.test', ANTHROPIC_CUSTOM_HEADERS: 'x-team: blue' },
  })
  writeFileSync(file, settings)
  wrapped.install(
    'claude',
    `import { readFileSync, statSync } from 'node:fs'
const [option, path, ...rest] = process.argv.slice(2)
const { env } = JSON.parse(readFileSync(path, 'utf8'))
console.log(JSON.stringify({ option, rest, mode: statSync(path).mode & 0o777, url: env.ANTHROPIC_BASE_URL, headers: env.ANTHROPIC_CUSTOM_HEADERS }))`,
  )
  const run = wrapped.foreword('wrap', 'claude', '--', '-p', 'x')
  assert.equal(await run.ended, 0, run.stderr())
  const seen = JSON.parse(run.stdout())
  assert.deepEqual([seen.option, seen.rest, seen.mode], ['--settings', ['-p', 'x'], 0o600])
  assert.match(seen.url, /^http:\/\/127\.0\.0\.1:\d+\/through\/anthropic$/)
  assert.match(seen.headers, /^x-team: blue\nx-foreword-token: [\w-]{43}$/)
  assert.match(
    run.stderr(),
    /settings set ANTHROPIC_BASE_URL, ANTHROPIC_CUSTOM_HEADERS; for this run they do not count/,
  )
  assert.equal(readFileSync(file, 'utf8'), settings)
  assert.deepEqual(temporaryFiles(wrapped), [])
})
