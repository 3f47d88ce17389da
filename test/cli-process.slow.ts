import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import test from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { addTo, skillText } from './skills/folder-with.ts'
import { claimHome } from '../src/session.ts'
import { spawnForeword } from './cli/gateway-process.ts'
import { temporaryHome } from './cli/home.ts'
import { run } from './cli/recorded-io.ts'
import { foreword, memoryFlags, startEnvironment } from './kit/started-program.ts'
import type { Accepted } from './server/served.ts'

test('from the start of a gateway to its end, every command finds what the others did', async (context) => {
  const { home, environment } = temporaryHome(context)
  const gateway = spawnForeword(context, ['start'], environment)
  const [line, window] = await Promise.all([gateway.line(/Address/), gateway.line(/Window/)])
  assert.match(window, /^ {2}Window {3}[\d,]+ tokens, answers of up to [\d,]+$/)
  const { origin: address, searchParams } = new URL(line.trim().split(/\s+/)[1]!)
  const ask = (...words: readonly string[]) => run(words, { environment })

  const told = JSON.parse(readFileSync(join(home, 'gateway.json'), 'utf8'))
  assert.deepEqual([told.pid, told.address], [gateway.pid, address])
  const token = await ask('token', '--json')
  assert.deepEqual(JSON.parse(token.stdout), { address, token: searchParams.get('token') })

  const sent = await ask('send', 'Hello', '--json')
  assert.equal(sent.code, 0, sent.stderr)
  const { sessionId, calls } = JSON.parse(sent.stdout)
  assert.equal(calls.length, 1)
  const again = JSON.parse((await ask('send', 'And again', '--session', sessionId, '--json')).stdout)
  assert.equal(again.sessionId, sessionId)

  assert.deepEqual(
    (await ask('sessions', '--json')).stdout
      .trim()
      .split('\n')
      .map((row) => JSON.parse(row).id),
    [sessionId],
  )
  assert.match((await ask('sessions')).stdout, /And again/)
  assert.match((await ask('sessions', 'show', sessionId)).stdout, /> And again\n/)
  assert.match((await ask('context', sessionId, '--input', 'And now?')).stdout, /^input .* included$/m)
  assert.match((await ask('calls', sessionId)).stdout, new RegExp(calls[0]))

  const request = await ask('request', calls[0])
  assert.equal(request.code, 0, request.stderr)
  assert.ok(request.stderr.includes(createHash('sha256').update(request.stdout).digest('hex')))
  assert.match((await ask('diff', calls[0], again.calls[0])).stdout, /common beginning: [\d,]+ tokens/)
  assert.equal((await ask('replay', sessionId)).stdout, '2 of 2 identical\n')
  assert.match((await ask('models')).stdout, /\* +rehearsal/)
  assert.match((await ask('doctor')).stdout, /ok +port +a gateway runs at/)

  addTo(home, { 'skills/knots/SKILL.md': skillText('description: Ties knots.') })
  const unread = await ask('skills')
  assert.match(unread.stdout, /No skill is sent: none is loaded .*; but the gateway has read 0, and 1 would load/)
  assert.match(unread.stderr, /Read them again with `foreword reload`\./)
  assert.equal((await ask('reload')).code, 0)
  assert.match((await ask('doctor')).stdout, /ok +skills +The one skill in full, for \d+ tokens/)
  addTo(home, { 'skills/knots/SKILL.md': skillText('description: Ties other knots.') })
  assert.match((await ask('skills')).stdout, /The one skill in full, .*; but knots changed after the gateway read it\./)
  assert.equal((await ask('reload')).code, 0)
  assert.match((await ask('reload', sessionId)).stderr, /foreword reload --now SESSION/)
  const folded = `Reloaded\\.\n${sessionId}: \\d+ tokens sent again.* at the next call\\.\n`
  assert.match((await ask('reload', '--now', sessionId)).stdout, new RegExp(folded))
  assert.match((await ask('reload', '--now', 'last')).stdout, /nothing is sent again|tokens sent again|composed/)

  const second = spawnForeword(context, ['start'], environment)
  assert.equal(await second.ended, 1)
  assert.match(
    second.stderr(),
    new RegExp(`already used by process ${gateway.pid} at ${address}\\.\n  Stop that gateway first`),
  )

  gateway.child.kill('SIGINT')
  assert.equal(await gateway.ended, 0, gateway.stderr())
  assert.ok(!existsSync(join(home, 'gateway.json')))
  assert.equal((await ask('replay', sessionId)).stdout, '2 of 2 identical\n')
})

test('the start, doctor and the status report a channel that cannot be created, and the gateway runs', async (context) => {
  const { home, environment } = temporaryHome(context)
  mkdirSync(home, { recursive: true, mode: 0o700 })
  writeFileSync(join(home, 'config.json'), '{"channels": {"telegram": {"tokenEnv": "NO_TOKEN_HERE"}}}')
  const gateway = spawnForeword(context, ['start', '--json'], environment)
  const { address, warnings } = JSON.parse(await gateway.line(/address/)) as { address: string; warnings: string[] }
  const why = 'Telegram is not available: the environment variable NO_TOKEN_HERE is not set.'
  assert.deepEqual(warnings, [why])
  const authorization = `Bearer ${readFileSync(join(home, 'data', 'token'), 'utf8').trim()}`
  const status = await fetch(`${address}/api/status`, { headers: { authorization } })
  assert.deepEqual(((await status.json()) as { warnings: string[] }).warnings, [why])
})

test('the token is printed by start and token alone', async (context) => {
  const { home, environment } = temporaryHome(context)
  const gateway = spawnForeword(context, ['start', '--json'], environment)
  await gateway.line(/address/)
  const token = readFileSync(join(home, 'data', 'token'), 'utf8').trim()
  assert.ok(!gateway.stdout().includes(token))
  for (const words of [['doctor'], ['config', 'get'], ['models'], ['send', 'Hello', '--json'], ['sessions']]) {
    const { stdout, stderr } = await run(words, { environment })
    assert.ok(!`${stdout}${stderr}`.includes(token), words.join(' '))
  }
})

test('a home on a read-only file system can be read, and a message to it is refused at once', async (context) => {
  const { home, environment } = temporaryHome(context)
  assert.equal((await run(['send', '/say Good day.'], { environment })).code, 0)
  const words = (line: string) => [
    '--dev-bind',
    '/',
    '/',
    '--ro-bind',
    home,
    home,
    process.execPath,
    ...memoryFlags,
    foreword,
    ...line.split(' '),
  ]
  const inside = (line: string) =>
    spawnSync('bwrap', words(line), {
      env: { PATH: process.env.PATH, ...startEnvironment, ...environment },
      encoding: 'utf8',
    })
  if (inside('--version').status !== 0) return context.skip('no bwrap here')
  for (const line of [
    'sessions',
    'sessions show last',
    'context',
    'calls last',
    'costs',
    'search --history day',
    'replay last',
    'audit',
  ]) {
    const { status, stderr } = inside(line)
    assert.equal(status, 0, `${line}: ${stderr}`)
  }
  assert.match(inside('send Hello').stderr, /the store cannot be written: give this user write access/)
})

test('send works in a process of its own without a gateway, and ends', async (context) => {
  const { environment } = temporaryHome(context)
  const sent = spawnForeword(context, ['send', '/say Good day.'], environment)
  assert.equal(await sent.ended, 0, sent.stderr())
  assert.deepEqual([sent.stdout(), sent.stderr()], ['Good day.\n', ''])
})

test('a reader that goes away ends send quietly, and the next command does not ask again', async (context) => {
  const { environment } = temporaryHome(context)
  const sent = spawnForeword(context, ['send', '/slow 50\n/say one two three four five six seven eight'], environment)
  await once(sent.child.stdout!, 'data')
  sent.child.stdout!.destroy()
  assert.deepEqual([await sent.ended, sent.stderr()], [0, ''])
  const list = spawnForeword(context, ['--help'], environment)
  list.child.stdout!.destroy()
  assert.deepEqual([await list.ended, list.stderr()], [0, ''])
  const { id } = JSON.parse((await run(['sessions', '--json'], { environment })).stdout) as { id: string }
  await run(['send', '/say Good day.'], { environment })
  assert.equal((await run(['calls', id, '--json'], { environment })).stdout.split('\n').length, 2)
})

test('a failed turn has its code, its message and exit code 1, and is kept', async (context) => {
  const { environment } = temporaryHome(context)
  const { code, stdout } = await run(['send', '/fail auth', '--json'], { environment })
  const { error, sessionId } = JSON.parse(stdout)
  assert.deepEqual([code, error.code], [1, 'auth'])
  assert.match((await run(['sessions', 'show', sessionId], { environment })).stdout, /> \/fail auth\n/)
})

test('two commands at once take turns on a home without a gateway', async (context) => {
  const { environment } = temporaryHome(context)
  const sent = ['one', 'two'].map((word) => spawnForeword(context, ['send', `/say ${word}`], environment))
  assert.deepEqual(await Promise.all(sent.map(({ ended }) => ended)), [0, 0])
  assert.deepEqual(
    sent.map(({ stdout }) => stdout()),
    ['one\n', 'two\n'],
  )
})

test('a command waits for another process that works on the home, and reports it', async (context) => {
  const { home, environment } = temporaryHome(context)
  const claim = await claimHome(home, { pid: process.pid, started: new Date().toISOString() })
  context.after(() => claim.release())
  const sending = spawnForeword(context, ['send', '/say Hello.'], environment)
  await once(sending.child.stderr!, 'data')
  assert.equal(sending.stderr(), `Waiting for process ${process.pid}, which uses this home. Press Ctrl-C to give up.\n`)
  claim.release()
  assert.deepEqual([await sending.ended, sending.stdout()], [0, 'Hello.\n'])
})

test('Ctrl-C ends a command that waits for another process', async (context) => {
  const { home, environment } = temporaryHome(context)
  const claim = await claimHome(home, { pid: process.pid, started: new Date().toISOString() })
  context.after(() => claim.release())
  const sending = spawnForeword(context, ['send', '/say Hello.'], environment)
  await once(sending.child.stderr!, 'data')
  sending.child.kill('SIGINT')
  await sending.ended
  assert.equal(sending.child.signalCode, 'SIGINT')
})

test('start makes the workspace, and names one that cannot be made without refusing to run', async (context) => {
  const { home, environment } = temporaryHome(context)
  const first = spawnForeword(context, ['start'], environment)
  await first.line(/Address/)
  assert.equal(statSync(join(home, 'workspace')).mode & 0o777, 0o700)
  first.child.kill('SIGINT')
  await first.ended
  writeFileSync(join(home, 'file'), '')
  const second = spawnForeword(context, ['start'], { ...environment, FOREWORD_AGENT_WORKSPACE: 'file/below' })
  assert.match(await second.line(/workspace/), /Cannot create the workspace .*below: .*agent\.workspace/)
})

test('a taken port is named with the way to choose another, and the home is free again', async (context) => {
  const { environment } = temporaryHome(context)
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  context.after(() => other.close())
  const { port } = other.address() as { port: number }
  const ways = [
    await run(['start'], { environment: { ...environment, FOREWORD_GATEWAY_PORT: String(port) } }),
    await run(['start', '--port', String(port)], { environment }),
  ]
  for (const taken of ways) {
    assert.equal(taken.code, 1)
    assert.match(taken.stderr, new RegExp(`127\\.0\\.0\\.1:${port}.*--port PORT.*FOREWORD_GATEWAY_PORT`))
  }
  const word = await run(['start', '--port', 'http'], { environment })
  assert.equal(word.code, 2)
  assert.match(word.stderr, /--port needs a number, and not "http"/)
  assert.equal((await run(['send', 'Hello'], { environment })).code, 0)
})

test('start names every mistake of the configuration at once and does not start', async (context) => {
  const { home, environment } = temporaryHome(context)
  mkdirSync(home)
  writeFileSync(join(home, 'config.json'), '{\n  "gatway": {},\n  "agent": { "maxSteps": "many" }\n}\n')
  const { code, stdout, stderr } = await run(['start'], { environment })
  assert.deepEqual([code, stdout], [1, ''])
  assert.match(stderr, /2 problems/)
  assert.match(stderr, /config\.json:2:3: gatway is not a key\. Did you mean gateway\?/)
  assert.match(stderr, /config\.json:3:\d+: agent\.maxSteps must be a( whole)? number/)
})

test('Ctrl-C while a turn runs keeps it for the next start', async (context) => {
  const { environment } = temporaryHome(context)
  const gateway = spawnForeword(context, ['start'], environment)
  await gateway.line(/Address/)
  const sent = spawnForeword(context, ['send', '/slow 60000\n/say one two', '--json'], environment)
  let session: string | undefined
  while (session === undefined) {
    const { stdout } = await run(['sessions', '--json'], { environment })
    if (stdout !== '') session = JSON.parse(stdout).id
  }
  sent.child.kill('SIGKILL')
  gateway.child.kill('SIGINT')
  assert.equal(await gateway.ended, 0, gateway.stderr())
  assert.match((await run(['sessions', 'show', session], { environment })).stdout, /> \/slow 60000\n\/say one two\n/)
  const next = spawnForeword(context, ['start'], environment)
  await next.line(/Resumed +1 turn of the last run/)
})

test('a home that cannot be made is named with the way to choose another', async (context) => {
  const { home, environment } = temporaryHome(context)
  writeFileSync(home, 'a file')
  for (const words of [['start'], ['send', 'Hello'], ['context']]) {
    const { code, stderr } = await run(words, { environment })
    assert.equal(code, 1)
    assert.match(stderr, /Cannot create the home .*FOREWORD_HOME/s, words.join(' '))
  }
})

test('the start screen says at once when the configured model cannot be used', async (context) => {
  const { environment } = temporaryHome(context)
  const gateway = spawnForeword(context, ['start'], {
    ...environment,
    FOREWORD_GATEWAY_PORT: '0',
    FOREWORD_MODEL: 'nobody/knows',
  })
  const warning = await gateway.line(/cannot be used/)
  assert.match(warning, /nobody\/knows cannot be used: Unknown provider "nobody"/)
  gateway.child.kill('SIGTERM')
  assert.equal(await gateway.ended, 0)
})

test('a gateway that is told to end says that it is not ready until it is gone, and its turn goes on at the next start', async (context) => {
  const { home, environment } = temporaryHome(context)
  const settings = { ...environment, FOREWORD_GATEWAY_PORT: '0' }
  const start = async () => {
    const gateway = spawnForeword(context, ['start', '--json'], settings)
    return { gateway, url: (JSON.parse(await gateway.line(/address/)) as { address: string }).address }
  }
  const first = await start()
  const authorization = `Bearer ${readFileSync(join(home, 'data', 'token'), 'utf8').trim()}`
  const post = (path: string, body: object) =>
    fetch(`${first.url}${path}`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const health = async (url: string, path: string) => {
    const response = await fetch(`${url}/health/${path}`)
    return [response.status, ((await response.json()) as { error?: { code: string } }).error?.code]
  }
  assert.deepEqual(await health(first.url, 'ready'), [200, undefined])
  const slow = `/slow 250\n/say ${'word '.repeat(400)}`
  const { turn, session } = (await (await post('/api/messages', { text: slow })).json()) as Accepted
  const answer = await post('/v1/chat/completions', { stream: true, messages: [{ role: 'user', content: slow }] })
  const words = answer.body!.getReader()
  await words.read()
  const draining = pollUntil(async () => (await health(first.url, 'ready'))[0] === 503)
  first.gateway.child.kill('SIGTERM')
  await draining
  assert.deepEqual(await health(first.url, 'ready'), [503, 'closing'])
  assert.deepEqual(await health(first.url, 'live'), [200, undefined])
  const refused = await post('/api/messages', { text: 'late' })
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '5'])
  await words.cancel()
  assert.equal(await first.gateway.ended, 0, first.gateway.stderr())
  await assert.rejects(health(first.url, 'live'))

  const second = await start()
  assert.deepEqual(await health(second.url, 'ready'), [200, undefined])
  const view = await fetch(`${second.url}/api/sessions/${session}/turns/${turn}`, { headers: { authorization } })
  assert.equal(((await view.json()) as { outcome?: unknown }).outcome, undefined)
  const status = await fetch(`${second.url}/api/status`, { headers: { authorization } })
  assert.equal(((await status.json()) as { recovered: number }).recovered, 1)
})

/** Asks again and again: no event of another process can be awaited here. */
async function pollUntil(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(20)
}
