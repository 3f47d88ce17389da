import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { linkSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { type HostedRuntime, openGatewayTokens } from '../src/runtime.ts'
import { createServer as gatewayServer, hostedOptions } from '../src/server.ts'
import { exportSession, importSession } from '../src/session.ts'
import { run } from './cli/recorded-io.ts'
import { openedHome, type OpenedHome } from './home/opened-home.ts'
import { openMcpHome } from './mcp/mcp-home.ts'
import { systemClock } from '../src/platform.ts'

const KEY = 'sk-proj-canary7Fq2Zx9Lw4Tn8Vb3Kd6Hs1Rj5'
const QUOTED = 'canary/9f8e+7d6c"5b4a\\3z2y&1x'
const BOT = '7712345678:AAcanaryBotTokenQwErTy-uIoP12'
const TOKEN = 'canaryGatewayTokenAbCdEfGh0123456789xyzXYZ_'
const IN_FILE = 'canary-key-of-a-file-0p9o8i7u6y5t4r3e'
const MCP = 'Bearer canaryMcpHeaderValue5t6y7u8i9o'
const COLLECTOR = 'canaryCollectorKey0a9b8c7d6e5f'
const ALL = [KEY, QUOTED, BOT, TOKEN, IN_FILE, MCP.slice(7), COLLECTOR]

/** Nothing of any secret: not in the forms that a program could write it in, and no half of it. */
function assertClean(text: string, where: string): void {
  for (const secret of ALL) {
    const bytes = Buffer.from(secret)
    const base64 = [0, 1, 2].map((before) =>
      Buffer.concat([Buffer.alloc(before), bytes])
        .toString('base64')
        .slice(4, -4),
    )
    const json = JSON.stringify(secret).slice(1, -1)
    const halves = [secret.slice(0, secret.length / 2), secret.slice(secret.length / 2)]
    for (const form of [...halves, json, encodeURIComponent(secret), bytes.toString('hex'), ...base64]) {
      assert.ok(!text.includes(form), `${where} contains ${form}: ${text.slice(0, 500)}`)
    }
  }
}

const SECOND = { kind: 'openai-compatible', baseURL: 'http://127.0.0.1:9/v1', apiKeyFile: 'key.txt' }

/** The whole of a home: a model that calls any tool, programs without a sandbox, and secrets everywhere. */
async function home(t: TestContext, more: object = {}): Promise<OpenedHome> {
  const servers = openMcpHome()
  t.after(() => servers.close())
  const content = [{ type: 'text', text: `cannot sign in with ${KEY}, ${BOT} or ${MCP}` }]
  const leak = { name: 'leak', inputSchema: { type: 'object' }, result: { isError: true, content } }
  const property = { [KEY]: { type: 'string', description: `as ${BOT}` } }
  const boast = {
    name: 'boast',
    description: `signs in with ${KEY}`,
    inputSchema: { type: 'object', properties: property },
  }
  const leaks = { tools: [leak, boast], says: `started with ${KEY}` }
  const { configured } = servers.scripted('chatty', leaks)
  return openedHome(
    t,
    {
      'tool-access.json': JSON.stringify({
        global: { mode: 'full' },
        sandbox: { enabled: false },
        tools: { shell: { enabled: true, mode: 'full', maxOutputChars: 100_000 } },
      }),
      'data/token': `${TOKEN}\n`,
      'key.txt': `${IN_FILE}\n`,
      'workspace/secrets.txt': `first line\nkey=${KEY}\nquoted=${QUOTED}\nbot=${BOT}\nfile=${IN_FILE}\ncollector=${COLLECTOR}\nlast line\n`,
      'workspace/AGENTS.md': `Use the key ${KEY} for all you do.`,
      'workspace/long.txt': `${'x'.repeat(1_988)}${BOT}\n`,
    },
    {
      agent: { workspace: './workspace' },
      providers: { second: SECOND },
      mcp: { servers: { chatty: { ...configured, environment: { AUTH: 'CANARY_MCP' } } } },
      ...more,
    },
    {
      CANARY_KEY: KEY,
      CANARY_PASSWORD: QUOTED,
      CANARY_BOT_TOKEN: BOT,
      CANARY_MCP: MCP,
      OTEL_EXPORTER_OTLP_HEADERS: `Authorization=Bearer%20${COLLECTOR},x-team=of-the-harbour-and-the-sea`,
    },
  )
}

const call = (tool: string, input: object): string => `/call ${tool} ${JSON.stringify(input)}\n/say Done.`
const shell = (cmd: string, rest: object = {}): string => call('shell', { cmd, ...rest })

test('no secret reaches a result, whichever way a program, a file or a server gives it', async (t) => {
  const here = await home(t)
  const gateway = spawn('sleep', ['60'], { env: { PATH: process.env['PATH'], KEY, BOT, QUOTED, MCP } })
  t.after(async () => {
    gateway.kill()
    await once(gateway, 'exit')
  })
  const ways: Readonly<Record<string, string>> = {
    'a program prints a file': shell('cat secrets.txt'),
    'in base64': shell('base64 secrets.txt'),
    'in base64 without line breaks': shell('base64 -w0 secrets.txt'),
    'in hexadecimal': shell(`node -p 'fs.readFileSync("secrets.txt").toString("hex")'`),
    'as JSON': shell(`node -p 'JSON.stringify(fs.readFileSync("secrets.txt","utf8"))'`),
    'as a part of a URL': shell(`node -p 'encodeURIComponent(fs.readFileSync("secrets.txt","utf8"))'`),
    'the beginning alone': shell(`grep -o 'key=.*' secrets.txt | head -c 26`),
    'the end alone': shell(`grep -o 'key=.*' secrets.txt | tail -c 24`),
    'cut by the limit of the output': shell('cat secrets.txt', { maxOutputChars: 30 }),
    'a stack': shell(`node -e 'throw new Error(fs.readFileSync("secrets.txt","utf8"))'`),
    'an error and its exit code': shell('cat secrets.txt >&2; exit 3'),
    'the token of the gateway': shell('cat ../data/token'),
    'the file of a key': shell('cat ../key.txt'),
    'the environment of a process': shell(`tr '\\0' '\\n' < /proc/${gateway.pid}/environ`),
    'a file that is read': call('read_file', { path: 'secrets.txt' }),
    'a line that is cut': call('read_file', { path: 'long.txt' }),
    'a file that is searched': call('search_files', { pattern: 'key' }),
    'an MCP server': call('chatty__leak', {}),
  }
  const sessions: string[] = []
  for (const [way, script] of Object.entries(ways)) {
    const { results, session, entries } = await here.say(script)
    sessions.push(session)
    assert.equal(results.length, 1, way)
    assertClean(JSON.stringify(entries), way)
    assertClean(results[0]!, way)
    if (!/cut|alone/.test(way)) assert.match(results[0]!, /\[(?:CANARY_|token|key of)/, way)
  }
  for (const id of sessions) {
    for await (const line of exportSession(here.runtime.store, id)) assertClean(line, 'an export')
  }
})

test('no secret is in a prompt, an error of a provider, a warning, the settings, or anywhere on the disk but in its file', async (t) => {
  const provider = createServer((request, response) => {
    const key = request.headers.authorization ?? ''
    response.writeHead(401, { 'content-type': 'application/json' })
    response.end(
      JSON.stringify({ error: { message: `${key} is wrong: ${BOT} ${Buffer.from(KEY).toString('base64')}` } }),
    )
  }).listen(0, '127.0.0.1')
  await once(provider, 'listening')
  t.after(() => provider.close())
  const { port } = provider.address() as AddressInfo
  const baseURL = `http://me:${encodeURIComponent(QUOTED)}@127.0.0.1:${port}/v1?token=${MCP.slice(7)}`
  const plain = `http://127.0.0.1:${port}/v1`
  const here = await home(t, {
    agent: { workspace: './workspace', retryForMs: 0 },
    providers: {
      second: SECOND,
      local: { kind: 'openai-compatible', baseURL: plain, apiKeyEnv: 'CANARY_KEY' },
      odd: { kind: 'openai-compatible', baseURL, apiKeyEnv: 'CANARY_KEY' },
    },
  })
  for (const [model, says] of [
    ['local/any', /refused the key.*\[CANARY_BOT_TOKEN\]/],
    ['odd/any', /cannot be reached/],
  ] as const) {
    const { session, turn } = await here.runtime.submit({ text: 'Hello', model })
    const events = here.runtime.events(session, { turn })
    for (let next = await events.next(); !next.done; next = await events.next()) {
      assertClean(JSON.stringify(next.value), 'an event')
    }
    const entries = JSON.stringify(await here.runtime.store.entries(session, { turn }))
    assert.match(entries, says)
    assertClean(entries, 'the log')
  }
  const said = await here.say('Who are you?')
  assert.match(
    JSON.stringify(said.system) + JSON.stringify(await requestOf(here, said.session)),
    /Use the key \[CANARY_KEY\]/,
  )
  assertClean(JSON.stringify(await requestOf(here, said.session)), 'a request')
  assertClean(JSON.stringify(await here.runtime.status()), 'the status')
  assertClean(JSON.stringify(await here.runtime.models()), 'the models')
  await here.say(shell('cat secrets.txt ../data/token'))
  await here.runtime.close()
  const environment = { FOREWORD_HOME: here.home, CANARY_KEY: KEY, CANARY_BOT_TOKEN: BOT, CANARY_MCP: MCP }
  for (const words of [['config', 'show'], ['models'], ['doctor'], ['audit'], ['sessions', 'export', said.session]]) {
    const { stdout, stderr } = await run(words, { environment })
    assertClean(stdout + stderr, words.join(' '))
  }
  const files = readdirSync(join(here.home, 'data'), { recursive: true, withFileTypes: true })
  for (const file of files.filter((each) => each.isFile() && each.name !== 'token')) {
    assertClean(readFileSync(join(file.parentPath, file.name), 'latin1'), file.name)
  }
})

async function requestOf(here: OpenedHome, session: string): Promise<unknown> {
  const [first] = await here.runtime.store.calls(session)
  return (await here.runtime.request(first!.id)).request
}

test('a difference that a person is asked about shows no secret of the file', async (t) => {
  const here = await home(t)
  const plan = await here.runtime.planTool('edit_file', {
    path: 'secrets.txt',
    old_text: 'last line',
    new_text: 'the end',
  })
  assert.notEqual(plan.type, 'refused', JSON.stringify(plan))
  assertClean(JSON.stringify(plan), 'the plan')
  assert.match(JSON.stringify(plan), /\+the end/)
})

test('what a person wrote with a secret in it is exported without it, and can be imported', async (t) => {
  const here = await home(t)
  const { session } = await here.say(`My key is ${KEY}`)
  const { secrets } = here.runtime as unknown as { readonly secrets: { redact(text: string): string } }
  const lines: string[] = []
  for await (const line of exportSession(here.runtime.store, session, secrets)) lines.push(line)
  assertClean(lines.join('\n'), 'the export')
  assert.match(lines.join('\n'), /My key is \[CANARY_KEY\]/)
  const imported = await importSession(here.runtime.store, lines, { as: 'again' })
  assert.equal(imported, 'again')
})

test('a hard link in the workspace to a file that is kept from tools is not read; another hard link is', async (t) => {
  const here = await home(t)
  const inside = (name: string) => join(here.home, 'workspace', name)
  here.write('workspace/one.txt', 'needle in one\n')
  linkSync(inside('one.txt'), inside('two.txt'))
  linkSync(join(here.home, 'data', 'token'), inside('notes.txt'))
  linkSync(join(here.home, 'config.json'), inside('settings.txt'))
  for (const path of ['notes.txt', 'settings.txt']) {
    const { results } = await here.say(call('read_file', { path }))
    assert.match(results[0]!, /is out of reach for tools: it is another name of a file/, path)
  }
  const { results: found } = await here.say(call('search_files', { pattern: 'needle' }))
  assert.match(found[0]!, /one\.txt:1/)
  assert.match(found[0]!, /two\.txt:1/)
  const { results: changed } = await here.say(call('write_file', { path: 'settings.txt', content: '{}' }))
  assert.match(changed[0]!, /out of reach/)
})

test('no failure over HTTP repeats a secret, and a token is known from the moment it is made', async (t) => {
  const here = await home(t)
  const runtime = here.runtime as unknown as HostedRuntime
  const tokens = openGatewayTokens({
    clock: systemClock,
    home: here.home,
    configured: undefined,
    store: runtime.store,
    random: randomBytes,
  })
  const options = { ...(await hostedOptions(runtime)), token: TOKEN, tokens, bind: '127.0.0.1', version: '0' }
  const server = gatewayServer(runtime, options)
  const ask = async (path: string, body?: object) => {
    const headers = { authorization: `Bearer ${TOKEN}`, host: '127.0.0.1', 'content-type': 'application/json' }
    const sent = body ? { method: 'POST', body: JSON.stringify(body) } : {}
    return (await server.fetch(new Request(`http://127.0.0.1${path}`, { headers, ...sent }))).text()
  }
  const missing = await ask(`/api/sessions/${encodeURIComponent(BOT)}`)
  assert.match(missing, /\[CANARY_BOT_TOKEN\]/)
  assertClean(missing, 'a failure')
  const { token } = JSON.parse(await ask('/api/tokens', { name: 'laptop', scope: 'read' })) as {
    readonly token: string
  }
  here.write('workspace/stolen.txt', `${token}\n`)
  const { results } = await here.say(call('read_file', { path: 'stolen.txt' }))
  assert.match(results[0]!, /\[token laptop\]$/)
})
