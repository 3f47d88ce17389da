import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import test from 'node:test'
import { setImmediate as immediately } from 'node:timers/promises'
import { costText } from '../src/capability.ts'
import { fetchSessionCost } from '../src/cli/chat/session-actions.ts'
import { nearestModelHint } from '../src/cli/model-table.ts'
import { temporaryHome } from './cli/home.ts'
import { run } from './cli/recorded-io.ts'
import { freePort } from './kit/free-port.ts'
import { scriptedConnection, turnStream } from './cli/scripted-connection.ts'

const submitted = { session: 's1', turn: 't1', seq: 1, repeated: false }
const totals = { calls: 1, promptTokensBilled: 12, outputTokensBilled: 3 }
const events = 'GET /api/sessions/s1/events?turn=t1'
const view = 'GET /api/sessions/s1/turns/t1'

function talking(stream: string) {
  return scriptedConnection({
    'POST /api/messages': submitted,
    [events]: stream,
    [view]: { session: 's1', turn: 't1', text: 'Good day.', calls: ['c1'], totals, warnings: [] },
    'GET /api/status': { model: { id: 'rehearsal', why: 'nothing else' } },
    'GET /api/sessions/s1': { id: 's1', model: null },
  })
}

test('send prints the text of the answer and nothing else', async () => {
  const connection = talking(turnStream('Good day.'))
  assert.deepEqual(await run(['send', 'Hello', 'there', '--session', 's1'], { connection }), {
    code: 0,
    stdout: 'Good day.\n',
    stderr: '',
  })
  assert.deepEqual(connection.asked, [
    'POST /api/messages {"text":"Hello there","session":"s1","whenRefused":"fail"}',
    events,
  ])
})

test('send takes the message from a pipe, with a model and a key of its own', async () => {
  const connection = talking(turnStream('Good day.'))
  await run(['send', '-', '--model', 'ollama/x', '--key=k1'], { connection, input: 'Two\nlines' })
  assert.equal(
    connection.asked[0],
    'POST /api/messages {"text":"Two\\nlines","model":"ollama/x","idempotencyKey":"k1","whenRefused":"fail"}',
  )
})

test('piped input is added below the text, and a silent pipe is not waited for', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const sent = async (words: readonly string[], options: Parameters<typeof run>[1]) => {
    const connection = talking(turnStream('Good day.'))
    const { code, stderr } = await run(['send', ...words], { connection, ...options })
    const [line = ''] = connection.asked
    return [code, line === '' ? undefined : JSON.parse(line.replace('POST /api/messages ', '')).text, stderr]
  }
  async function* slowly() {
    yield 'diff --git'
    for (let turns = 0; turns < 20; turns++) await immediately()
    // What has begun is waited for, however long it takes.
    context.mock.timers.tick(3_600_000)
    for (let turns = 0; turns < 20; turns++) await immediately()
    yield ' a b\n+ß\n\n'
  }
  const review = 'review this'
  assert.deepEqual(await sent([review], { input: slowly() }), [0, 'review this\n\ndiff --git a b\n+ß', ''])
  assert.deepEqual(await sent(['review', 'this', '-'], { input: 'x\r\n' }), [0, 'review this\n\nx', ''])
  assert.deepEqual(await sent([], { input: 'All of it.' }), [0, 'All of it.', ''])
  assert.deepEqual(await sent([review], { input: ' \n' }), [0, review, ''])
  context.mock.timers.reset()
  const [code, text, told] = await sent([review], { idle: true })
  assert.deepEqual([code, text], [0, review])
  assert.match(String(told), /^Standard input sent nothing, .* `-` .*wait/)
  assert.deepEqual((await sent([], { idle: true })).slice(0, 2), [2, undefined])
  const binary = Readable.from([Buffer.from([0x50, 0x4b, 0xff, 0xfe])]) as AsyncIterable<string>
  const [refused, , why] = await sent([review], { input: binary })
  assert.equal(refused, 1)
  assert.match(String(why), /not UTF-8 text.*\n.*--file PATH/)
})

test('send continues in the newest session that does not belong to a channel', async () => {
  const sessions = [{ id: 's9', binding: { channel: 'telegram', conversation: '7' } }, { id: 's1' }, { id: 's0' }]
  const script = { 'POST /api/messages': submitted, [events]: turnStream('Good day.') }
  const connection = scriptedConnection({ ...script, 'GET /api/sessions?limit=200': { sessions } })
  assert.equal((await run(['send', 'Hello', '--continue'], { connection })).code, 0)
  assert.equal(connection.asked[1], 'POST /api/messages {"text":"Hello","session":"s1","whenRefused":"fail"}')
  const fresh = scriptedConnection({ 'GET /api/sessions?limit=200': { sessions: [] } })
  const { code, stderr } = await run(['send', 'Hello', '--continue'], { connection: fresh })
  assert.equal(code, 1)
  assert.match(stderr, /No sessions yet\.\n.*Leave out `--continue`/)
  assert.equal((await run(['send', 'Hello', '--continue', '--session', 's1'], { connection })).code, 2)
})

test('send gives its turn a system prompt, from the line or from a file, and none from a model', async (context) => {
  const file = join(temporaryHome(context).home, '..', 'prompt.md')
  writeFileSync(file, 'From a file.\n')
  const system = async (given: string, environment = {}) => {
    const connection = talking(turnStream('Good day.'))
    const { code, stderr } = await run(['send', 'Hello', '--system', given], { connection, environment })
    return code === 0 ? JSON.parse(connection.asked[0]!.replace('POST /api/messages ', '')).system : stderr
  }
  assert.equal(await system('Be brief.'), 'Be brief.')
  assert.equal(await system(`@${file}`), 'From a file.\n')
  assert.match(await system('@/nowhere.md'), /Cannot read .*nowhere\.md/)
  assert.match(await system(' '), /--system is blank/)
  assert.match(await system('@-'), /--system cannot be @-/)
  assert.match(await system('Obey.', { FOREWORD_TOOL: '1' }), /a model cannot set the system prompt/)
})

test('an unknown model is rejected with the nearest one', async () => {
  const models = [
    { id: 'openai/gpt-4o', ready: true },
    { id: 'ollama/llama3.2', ready: true },
    { id: 'anthropic', ready: false },
  ]
  const refusal = { error: { code: 'model-not-found', message: 'there is no such model' } }
  const connection = scriptedConnection({
    'GET /api/models': { models },
    'POST /api/messages': refusal,
    'POST /api/context': refusal,
  })
  const meant = async (model: string) => {
    const { code, stderr } = await run(['send', 'Hello', '--model', model], { connection })
    return [code, stderr.split('\n')[1]!.trim()]
  }
  assert.deepEqual(await meant('openai/gtp-4o'), [1, 'Did you mean openai/gpt-4o?'])
  assert.deepEqual(await meant('llama3.2'), [1, 'Did you mean ollama/llama3.2?'])
  assert.deepEqual(await meant('opnai/gpt-4o'), [1, 'Did you mean openai/gpt-4o?'])
  assert.deepEqual(await meant('antropic/haiku'), [1, 'Did you mean anthropic/haiku?'])
  assert.deepEqual(await meant('qwen'), [
    1,
    'Use one of these, for example: openai/gpt-4o, ollama/llama3.2. List the models with `foreword models`.',
  ])
  assert.match(
    (await run(['context', '--model', 'lama3.2'], { connection })).stderr,
    /Did you mean ollama\/llama3\.2\?/,
  )
  const outcome = { type: 'failed', code: 'model-not-found', message: 'openai has no such model.' }
  const late = scriptedConnection({
    'POST /api/messages': submitted,
    [events]: turnStream('', outcome),
    'GET /api/models': { models },
  })
  const told = await run(['send', 'Hello', '--model', 'openai/gpt-4'], { connection: late })
  assert.match(told.stderr, /Did you mean openai\/gpt-4o\?\n$/)
})

test('send --json prints one document with everything a program needs', async () => {
  const { code, stdout } = await run(['send', 'Hello', '--json'], { connection: talking(turnStream('Good day.')) })
  assert.equal(code, 0)
  assert.deepEqual(JSON.parse(stdout), {
    sessionId: 's1',
    turnId: 't1',
    outcome: 'completed',
    text: 'Good day.',
    calls: ['c1'],
    usage: totals,
  })
})

test('a failed turn ends send with its code and says that the message is kept', async () => {
  const outcome = { type: 'failed', code: 'auth', message: 'The key is not valid. Set OPENAI_API_KEY.' }
  const plain = await run(['send', 'Hello'], { connection: talking(turnStream('Par', outcome)) })
  assert.deepEqual(plain, {
    code: 1,
    stdout: 'Par\n',
    stderr:
      'foreword send: auth: The key is not valid. Set OPENAI_API_KEY.\n' +
      '  The message is kept in session s1. To have it answered: foreword send --session s1 "go on"\n',
  })
  const json = await run(['send', 'Hello', '--json'], { connection: talking(turnStream('Par', outcome)) })
  assert.equal(json.code, 1)
  assert.deepEqual(JSON.parse(json.stdout).error, { code: 'auth', message: outcome.message })
})

test('a message that does not fit is kept, and nobody is led to send it once more with the next one', async () => {
  const outcome = { type: 'failed', code: 'context-overflow', message: 'It needs 182,093 tokens.' }
  const { stderr } = await run(['send', 'Hello'], { connection: talking(turnStream('', outcome)) })
  assert.match(stderr, /\n {2}The message is kept in session s1\.\n$/)
  const chat = await run(['chat'], { connection: talking(turnStream('', outcome)), input: 'Hello\n' })
  assert.doesNotMatch(chat.stderr, /go on/)
})

test('send ends with 0 only where there is an answer, and says on the error output how it ended', async () => {
  const words: [object, string, number, RegExp][] = [
    [{ type: 'length', limit: 'tokens' }, 'Half', 0, /length: The answer was cut at its length limit/],
    [{ type: 'other' }, 'Half', 0, /other: The answer may be incomplete/],
    [{ type: 'empty' }, '', 1, /empty: There is no answer: the model said nothing/],
    [{ type: 'reasoning-only', limit: 'tokens' }, '', 1, /reasoning-only: .*Raise context\.reserve/],
    [{ type: 'content-filter' }, 'You take', 1, /content-filter: .*content rules/],
  ]
  for (const [outcome, text, code, told] of words) {
    const ended = await run(['send', 'Hello'], { connection: talking(turnStream(text, outcome)) })
    assert.deepEqual([ended.code, ended.stdout], [code, text === '' ? '' : `${text}\n`])
    assert.match(ended.stderr, told)
    const json = await run(['send', 'Hello', '--json'], { connection: talking(turnStream(text, outcome)) })
    assert.equal(json.code, code)
    const document = JSON.parse(json.stdout)
    assert.deepEqual([document.outcome, 'error' in document], [(outcome as { type: string }).type, code !== 0])
  }
})

test('a call that waits for its provider is shown on stderr, and the reason once', async () => {
  const retry = (attempt: number, waitMs: number) =>
    `data: ${JSON.stringify({ id: `1.${attempt}`, type: 'retry', turn: 't1', call: 'c1', attempt, waitMs, code: 'network', message: 'local/x cannot be reached' })}\n\n`
  const connection = talking(`${retry(2, 500)}${retry(3, 8_000)}${turnStream('Good day.')}`)
  assert.deepEqual(await run(['send', 'Hello'], { connection }), {
    code: 0,
    stdout: 'Good day.\n',
    stderr: 'local/x cannot be reached. Trying again in 1 s. Ctrl-C stops.\nTrying again in 8 s.\n',
  })
})

test('in a pipe a model server that does not run ends send at once; on a terminal it is waited for', async (t) => {
  const { home, environment: quiet } = temporaryHome(t)
  const environment = { ...quiet, FOREWORD_MODEL: 'local/x' }
  const waits = (printed: string) => printed.split('Trying again').length - 1
  const port = await freePort()
  const providers = { local: { kind: 'openai-compatible', baseURL: `http://127.0.0.1:${port}/v1` } }
  // Ten waits of a second and more would follow; the rule allows one of them here, so that the test need not sit through all.
  const config = { providers, agent: { retryForMs: 1_500 } }
  mkdirSync(home, { recursive: true })
  writeFileSync(join(home, 'config.json'), JSON.stringify(config))
  const piped = await run(['send', 'Hello'], { environment })
  assert.equal(piped.code, 1, JSON.stringify(piped))
  assert.match(piped.stderr, /foreword send: network: local\/x cannot be reached/)
  assert.equal(waits(piped.stderr), 0, piped.stderr)
  const seen = await run(['send', 'Hello'], { environment, terminal: true })
  assert.equal(seen.code, 1)
  assert.equal(waits(seen.stdout + seen.stderr), 1, JSON.stringify(seen))
})

test('send does not wait for a turn that a full disk stopped', async () => {
  const message = 'The turn stopped: the disk is full.'
  const stopped = JSON.stringify({ id: '1.1', type: 'interrupted', turn: 't1', code: 'storage-full', message })
  const said = turnStream('Par').split('\n\n').slice(0, 2).join('\n\n')
  const connection = talking(`${said}\n\nid: 1.1\nevent: interrupted\ndata: ${stopped}\n\n`)
  assert.deepEqual(await run(['send', 'Hello'], { connection }), {
    code: 1,
    stdout: 'Par\n',
    stderr: `foreword send: ${message}\n  Your message is kept. Show the answer later with \`foreword sessions show s1\`.\n`,
  })
})

test('a refused message is reported with the code and the message of the gateway', async () => {
  const connection = scriptedConnection({
    'POST /api/messages': { error: { code: 'not-found', message: 'There is no session s9.' } },
  })
  const { code, stdout, stderr } = await run(['send', 'Hello', '--session', 's9', '--json'], { connection })
  assert.equal(code, 1)
  assert.deepEqual(JSON.parse(stdout), { error: { code: 'not-found', message: 'There is no session s9.' } })
  assert.equal(stderr, 'foreword send: There is no session s9.\n')
})

test('Ctrl-C cancels the turn that send is waiting for', async () => {
  const connection = talking(turnStream('Par', { type: 'cancelled' }))
  const { code, stderr } = await run(['send', 'Hello'], {
    connection,
    onInterrupt(listener) {
      listener()
      return () => {}
    },
  })
  assert.equal(code, 130)
  assert.match(stderr, /^Cancelled\. The message is kept in session s1\./)
  assert.ok(connection.asked.includes('POST /api/sessions/s1/turns/t1/cancel'))
})

test('a chat by lines ends with the first request to end', async () => {
  let listener: (signal?: NodeJS.Signals) => void = () => {}
  const left = Promise.withResolvers<number>()
  async function* typed() {
    await immediately()
    listener('SIGTERM')
    yield `/say ${await left.promise}`
  }
  await run(['chat'], {
    connection: talking(turnStream('Good day.')),
    input: typed(),
    exit: left.resolve,
    onInterrupt(given) {
      listener = given
      return () => {}
    },
  })
  assert.equal(await left.promise, 143)
})

test('a text that is too long for a message is refused with the hint to send it as a file', async () => {
  const error = { code: 'body-too-large', message: 'The body is larger than 1048576 bytes.' }
  const { code, stderr } = await run(['send', 'sum up'], {
    connection: scriptedConnection({ 'POST /api/messages': { error } }),
    input: 'long',
  })
  assert.equal(code, 1)
  assert.match(stderr, /larger than 1048576 bytes.*\n.*`--file PATH`/)
})

test('an empty message is not sent', async () => {
  const connection = scriptedConnection({})
  assert.equal((await run(['send', ' '], { connection })).code, 2)
  assert.deepEqual(connection.asked, [])
})

test('chat answers each line of a pipe in one session', async () => {
  const connection = talking(turnStream('Good day.'))
  const { code, stdout } = await run(['chat'], { connection, input: 'Hello\n\nAgain\n/quit\nnever sent\n' })
  assert.deepEqual({ code, stdout }, { code: 0, stdout: 'Good day.\nGood day.\n' })
  assert.deepEqual(
    connection.asked.filter((line) => line.startsWith('POST')),
    ['POST /api/messages {"text":"Hello"}', 'POST /api/messages {"text":"Again","session":"s1"}'],
  )
})

test('a chat says what to do where a message failed', async () => {
  const error = { code: 'storage-full', message: 'The disk is full.', hint: 'Make room on it.' }
  const connection = scriptedConnection({ 'POST /api/messages': { error } })
  const { stderr } = await run(['chat'], { connection, input: 'Hello\n' })
  assert.match(stderr, /storage-full: The disk is full\.\n {2}Make room on it\./)
})

test('a chat outlives its gateway: a message that none takes is said to be unsent, and the next one is answered', async () => {
  const connection = talking(turnStream('Good day.'))
  let isGone = true
  const { stdout, stderr, code } = await run(['chat'], {
    connection: {
      ...connection,
      fetch(path, init) {
        if (!isGone || !path.endsWith('/api/messages')) return connection.fetch(path, init)
        isGone = false
        return Promise.reject(
          new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED 127.0.0.1:4141') }),
        )
      },
    },
    input: 'Hello\nAgain\n',
  })
  assert.match(stderr, /^network: The gateway does not answer: .*\n {2}Start it with `foreword start`/)
  assert.deepEqual([stdout, code], ['Good day.\n', 1])
})

test('a chat says how a message that failed is answered after all', async () => {
  const failed = { type: 'failed', code: 'auth', message: 'The key is not valid.' }
  const { stderr } = await run(['chat'], { connection: talking(turnStream('', failed)), input: 'Hello\n' })
  assert.match(stderr, /auth: The key is not valid\.\n {2}The message is kept\. Write `go on` to have it answered\.\n/)
  const broke = { ...failed, message: 'It broke off. The partial answer is kept. Say `go on` to continue it.' }
  const partial = await run(['chat'], { connection: talking(turnStream('Par', broke)), input: 'Hello\n' })
  assert.equal(partial.stderr.match(/`go on`/g)?.length, 1)
})

test('/model proposes the model that was meant', async () => {
  const error = { code: 'model-not-found', message: 'Unknown model "other".' }
  const models = { models: [{ id: 'ollama/other', provider: 'ollama', ready: true, current: false }] }
  const connection = scriptedConnection({
    'PATCH /api/sessions/s1': { error },
    'GET /api/models': models,
    'GET /api/models/other': { error },
    'POST /api/sessions': { error },
  })
  const { stderr } = await run(['chat'], { connection, input: '/model other\n' })
  assert.match(stderr, /Did you mean ollama\/other\?/)
})

test('a line of a pipe that is not UTF-8 is refused, and nothing of it is sent', async () => {
  const connection = talking(turnStream('Good day.'))
  const input = Buffer.concat([Buffer.from('Grüße\n'), Buffer.from([0x62, 0xff, 0x0a]), Buffer.from('after\n')])
  const { code, stderr } = await run(['chat'], { connection, input })
  assert.equal(code, 1)
  assert.match(stderr, /A line of the standard input is not UTF-8 text\. It was not sent\.\n.*`\/file PATH`/)
  assert.deepEqual(
    connection.asked.filter((line) => line.startsWith('POST')),
    ['POST /api/messages {"text":"Grüße"}'],
  )
})

test('Ctrl-C that cancelled a turn of the chat is not the first of two that leave', async () => {
  let press = () => {}
  const left: number[] = []
  const connection = talking(turnStream('Par', { type: 'cancelled' }))
  const { code } = await run(['chat'], {
    connection: {
      ...connection,
      fetch(path, init) {
        if (path.endsWith('/cancel')) return connection.fetch(path, init)
        if (path.includes('/events')) press()
        return connection.fetch(path, init)
      },
    },
    input: (async function* () {
      yield 'Hello\n'
      while (!connection.asked.includes('POST /api/sessions/s1/turns/t1/cancel')) await immediately()
      for (let turns = 0; turns < 20; turns++) await immediately()
      press()
    })(),
    onInterrupt(listener) {
      press = listener
      return () => {}
    },
    exit: (status) => void left.push(status),
  })
  assert.deepEqual([code, left], [0, []])
})

test('chat chooses a model, starts a new session and does not send a mistyped command', async () => {
  const connection = scriptedConnection({
    'POST /api/sessions': { id: 's2' },
    'PATCH /api/sessions/s2': { id: 's2' },
  })
  const { stderr } = await run(['chat', '--model', 'ollama/a'], {
    connection,
    input: '/model ollama/b\n/new\n/model ollama/c\n/modle\n',
  })
  assert.deepEqual(connection.asked, [
    'POST /api/sessions {"model":"ollama/a"}',
    'PATCH /api/sessions/s2 {"model":"ollama/b"}',
    'POST /api/sessions {"model":"ollama/c","after":"s2"}',
  ])
  assert.match(stderr, /Did you mean \/model\?/)
})

test('/new with words sends them as the first message of a new session', async () => {
  const connection = talking(turnStream('Good day.'))
  await run(['chat'], { connection, input: 'Hello\n/new What about the mast?\n' })
  const said = connection.asked.filter((line) => line.startsWith('POST /api/messages'))
  assert.deepEqual(
    said.map((line) => JSON.parse(line.replace('POST /api/messages ', '')).text),
    ['Hello', 'What about the mast?'],
  )
  assert.match(said.at(-1)!, /"after":"s1"/)
  assert.ok(said.every((line) => !line.includes('session')))
})

test('lines for the rehearsal model go to the model', async () => {
  const connection = talking(turnStream('Good day.'))
  await run(['chat'], { connection, input: '/say Hello\n/fail auth\n/call clock {}\n' })
  assert.equal(connection.asked.filter((line) => line.startsWith('POST /api/messages')).length, 3)
})

test('a command that is not known is refused with the nearest, and never sent', async () => {
  const connection = talking(turnStream('Good day.'))
  const { code, stderr } = await run(['chat'], {
    connection,
    input: '/contxt of what\n/xyzzy\n/usr/bin is a folder\n /new is a word\n/exit\nnever sent\n',
  })
  assert.equal(code, 1)
  assert.match(stderr, /Unknown command "\/contxt"\. The line was not sent\.\n {2}Did you mean \/context\?/)
  assert.match(
    stderr,
    /Unknown command "\/xyzzy"\. .*\n {2}List the commands with \/help\. To send the line as a message, begin it with a space/,
  )
  assert.deepEqual(
    connection.asked
      .filter((line) => line.startsWith('POST'))
      .map((line) => JSON.parse(line.replace(/^\S+ \S+ /, '')).text),
    ['/usr/bin is a folder', ' /new is a word'],
  )
})

test('a failed turn does not end the chat, but a piped chat exits with an error', async () => {
  const connection = talking(turnStream('', { type: 'failed', code: 'server', message: 'It broke.' }))
  const { code, stderr } = await run(['chat'], { connection, input: 'one\ntwo\n' })
  const failure = 'server: It broke.\n  The message is kept. Write `go on` to have it answered.\n'
  assert.deepEqual({ code, stderr }, { code: 1, stderr: failure.repeat(2) })
})

test('a backslash at the end of a line joins the next one to the message', async () => {
  const connection = talking(turnStream('Good day.'))
  await run(['chat'], { connection, input: 'one\\\ntwo\\\nthree\nfour\n' })
  assert.deepEqual(
    connection.asked.filter((line) => line.startsWith('POST')).map((line) => line.replace(/^\S+ \S+ /, '')),
    ['{"text":"one\\ntwo\\nthree"}', '{"text":"four","session":"s1"}'],
  )
})

test('what a session cost is not known where a provider was silent, or a price is', async () => {
  const used = { outcome: { usage: { promptTokens: 1_000, cachedTokens: 0, outputTokens: 100 } } }
  const costOf = async (...calls: readonly object[]) => {
    const connection = scriptedConnection({ 'GET /api/sessions/s1/calls?limit=1000&after=': { calls } })
    return costText(await fetchSessionCost(connection, 's1')).split('\n')
  }
  const paid = { model: 'lab/paid', ...used, cost: 0.003 }
  assert.equal((await costOf(paid, paid)).at(-1), '$0.0060')
  assert.equal(
    (await costOf(paid, { model: 'lab/other', ...used })).at(-1),
    'The cost is unknown, because a model has no price.',
  )
  assert.deepEqual((await costOf(paid, { model: 'lab/paid', outcome: {} })).slice(1), [
    'The provider did not report the usage of 1 of them.',
    'The cost is unknown.',
  ])
})

test('a model name without a provider is no name of a provider; where none is near, models are proposed', async (t) => {
  const { environment } = temporaryHome(t)
  const { code, stderr } = await run(['send', 'Hello', '--model', 'gpt-9'], { environment })
  assert.equal(code, 1)
  assert.match(stderr, /Unknown model "gpt-9"\. The providers are: [^]*Use one of these, for example: rehearsal/)
  assert.doesNotMatch(stderr, /"providers"/)
})

test('a model of another provider is meant before one that is only spelled alike', async () => {
  const models = ['openai/m2', 'lab/m1'].map((id) => ({ id, ready: true }))
  const connection = scriptedConnection({ 'GET /api/models': { models } })
  assert.equal(await nearestModelHint(connection, 'openai/m1'), 'Did you mean lab/m1?')
  assert.equal(await nearestModelHint(connection, 'm3'), 'Did you mean openai/m2?')
})
