import assert from 'node:assert/strict'
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import { test, type TestContext } from 'node:test'
import { serveMcpOverStdio } from '../../src/server/mcp.ts'
import { subjects } from '../../src/capabilities/subjects/subjects.ts'
import { collectContributions } from '../../src/server/contributions.ts'
import type { HostedRuntime } from '../../src/runtime.ts'
import type { AuditReport } from '../../src/session.ts'
import { spawnForeword } from '../cli/gateway-process.ts'
import { temporaryHome } from '../cli/home.ts'
import { run } from '../cli/recorded-io.ts'
import { foreword, memoryFlags, sourceForeword, startEnvironment } from '../kit/started-program.ts'
import { connected } from './clients.ts'
import { mcpHome, oneSubject } from './mcp-home.ts'
import { systemClock } from '../../src/platform.ts'

interface Talk {
  readonly child: ChildProcessWithoutNullStreams
  readonly lines: readonly string[]
  readonly errors: () => string
  send(message: object): void
  /** The answer to a request of this id. */
  answer(id: number): Promise<Answer>
  readonly ended: Promise<number | null>
}

interface Answer {
  readonly id: number
  readonly result?: {
    readonly serverInfo?: { readonly name: string }
    readonly tools?: readonly object[]
    readonly prompts?: readonly object[]
    readonly structuredContent?: {
      readonly success: boolean
      readonly error: { readonly code: string; readonly message: string } | null
    }
  }
  readonly error?: { readonly code: number; readonly message: string }
}

function talk(t: TestContext, home: string, printed?: Printed): Talk {
  const { command, args, env } = printed ?? {
    command: process.execPath,
    args: [...memoryFlags, foreword, 'mcp', '--home', home],
    env: startEnvironment,
  }
  const child = spawn(command, args, { env: { PATH: process.env.PATH, NO_COLOR: '1', ...env }, stdio: 'pipe' })
  const lines: string[] = []
  const waiting = new Map<number, (answer: Answer) => void>()
  let rest = ''
  let errors = ''
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()))
  child.stdout.on('data', (chunk: Buffer) => {
    const parts = (rest + chunk.toString()).split('\n')
    rest = parts.pop()!
    for (const line of parts) {
      lines.push(line)
      const answer = JSON.parse(line) as Answer
      waiting.get(answer.id)?.(answer)
    }
  })
  const ended = once(child, 'close').then(([code]) => code as number | null)
  t.after(async () => {
    child.kill('SIGKILL')
    await ended
  })
  return {
    child,
    lines,
    errors: () => errors,
    ended,
    send: (message) => void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`),
    answer: (id) => new Promise((resolve) => waiting.set(id, resolve)),
  }
}

const initialize = {
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'by hand', version: '1' } },
}

async function greeted(conversation: Talk): Promise<Answer> {
  const answer = conversation.answer(1)
  conversation.send(initialize)
  return answer
}

test('in a fresh home the command speaks the protocol and nothing else, and ends with its input', async (t) => {
  const { home } = temporaryHome(t)
  const conversation = talk(t, home)
  assert.equal((await greeted(conversation)).result!.serverInfo!.name, 'foreword')
  const listed = conversation.answer(2)
  conversation.send({ method: 'notifications/initialized' })
  conversation.send({ id: 2, method: 'tools/list' })
  assert.equal((await listed).result!.tools!.length, 10)
  conversation.child.stdin.end()
  assert.equal(await conversation.ended, 0)
  assert.deepEqual(
    conversation.lines.map((line) => (JSON.parse(line) as { jsonrpc: string }).jsonrpc),
    ['2.0', '2.0'],
  )
})

test('without a gateway, a checkpoint of the audit is taken at the end, as a gateway does', async (t) => {
  const { home, environment } = temporaryHome(t)
  assert.equal((await run(['tools', 'allow', 'list_files'], { environment })).code, 0)
  const conversation = talk(t, home)
  await greeted(conversation)
  conversation.send({ method: 'notifications/initialized' })
  await asked(conversation, 2, 'tools/call', { name: 'read_context', arguments: {} })
  conversation.child.stdin.end()
  assert.equal(await conversation.ended, 0)
  const { stdout } = await run(['audit', 'verify', '--json'], { environment })
  const { type, head, checkpoints } = JSON.parse(stdout) as AuditReport
  assert.deepEqual([type, checkpoints.newest?.hash], ['whole', head!.hash])
})

test('what a file asks is answered to its last line, though nobody is there any more to be asked', async (t) => {
  const home = await mcpHome(t, { files: oneSubject })
  for (const endsAfter of ['the last request', 'a question to a person'] as const) {
    const stdin = new PassThrough()
    const stdout = new PassThrough()
    const { promise: opened, resolve } = Promise.withResolvers<void>()
    const said: { readonly id?: number; readonly method?: string; readonly result?: object }[] = []
    const { promise: questioned, resolve: question } = Promise.withResolvers<void>()
    createInterface(stdout).on('line', (line) => {
      const message = JSON.parse(line) as (typeof said)[number]
      said.push(message)
      if (message.method === 'elicitation/create') question()
    })
    const connection = serveMcpOverStdio({
      clock: systemClock,
      home: home.home,
      definitions: [await subjects.mcp!.definitions()],
      open: async () => {
        await opened
        return { runtime: home.runtime, additions: await additionsOf(home.runtime) }
      },
      stdin,
      stdout,
      version: '0.1.0',
      asksPersons: true,
      unexpected: (error) => assert.fail(String(error)),
    })
    const call = (name: string, input: object) => ({
      method: 'tools/call',
      params: { name, arguments: { image_id: 'one', ...input } },
    })
    const requests = [
      { ...initialize, params: { ...initialize.params, capabilities: { elicitation: {} } } },
      { method: 'notifications/initialized' },
      { id: 2, ...call('log_operation', { op: 'crop' }) },
      { id: 3, ...call('propose_notes_update', { content: endsAfter }) },
      { id: 4, method: 'nothing/of-the-kind' },
      { id: 5, method: 'resources/list' },
      { id: 6, ...call('read_context', {}) },
      { method: 'notifications/cancelled', params: { requestId: 6 } },
      { id: 7, method: 'prompts/list' },
    ]
    stdin.write(requests.map((request) => JSON.stringify({ jsonrpc: '2.0', ...request })).join('\n'))
    if (endsAfter === 'a question to a person') stdin.write('\n')
    if (endsAfter === 'a question to a person') {
      resolve()
      await questioned
      stdin.end()
    } else {
      stdin.end()
      await once(stdin, 'end')
      resolve()
    }
    await connection.ended
    assert.deepEqual(
      new Set(said.flatMap(({ id, method }) => (method === undefined ? [id] : []))),
      new Set([1, 2, 3, 4, 5, 7]),
    )
    const { structuredContent } = said.find(({ id, method }) => id === 3 && method === undefined)!.result as {
      structuredContent: { data: { status: string } }
    }
    assert.equal(structuredContent.data.status, 'waiting for a person')
  }
})

function asked(conversation: Talk, id: number, method: string, params: object = {}): Promise<Answer> {
  const answer = conversation.answer(id)
  conversation.send({ id, method, params })
  return answer
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  test(`${signal} ends the command at once, with its store closed`, async (t) => {
    const { home } = temporaryHome(t)
    const conversation = talk(t, home)
    await greeted(conversation)
    conversation.child.kill(signal)
    assert.equal(await conversation.ended, 0)
    assert.ok(!existsSync(join(home, 'data/foreword.sqlite-wal')))
  })
}

test('lines that are no protocol harm nobody', async (t) => {
  const { home } = temporaryHome(t)
  const conversation = talk(t, home)
  conversation.child.stdin.write('hello\n{"jsonrpc":"2.0"}\n\n[]\n{"jsonrpc":"1.0","id":3,"method":"x"}\n')
  assert.equal((await greeted(conversation)).result!.serverInfo!.name, 'foreword')
  conversation.child.stdin.end()
  assert.equal(await conversation.ended, 0)
  const told = conversation.errors().trimEnd().split('\n')
  assert.ok(
    told.every((line) => line.startsWith('foreword mcp: Skipped a line from the client that is not an MCP message')),
    told.join('\n'),
  )
})

test('with a home that cannot be opened, the server still lists its tools, each call gets the reason, and calls work after the repair', async (t) => {
  const home = await mcpHome(t, { files: oneSubject })
  home.write('config.json', '{"gatewy": {}}')
  const conversation = talk(t, home.home)
  await greeted(conversation)
  assert.equal((await asked(conversation, 2, 'tools/list')).result!.tools!.length, 10)
  const read = { name: 'read_context', arguments: { image_id: 'one' } }
  const { success, error } = (await asked(conversation, 3, 'tools/call', read)).result!.structuredContent!
  assert.deepEqual([success, error!.code], [false, 'unavailable'])
  assert.match(error!.message, /^The home cannot be opened: .*gatewy/s)
  const prompt = { name: 'work_on_subject', arguments: { subject_id: 'one' } }
  for (const [method, params] of [
    ['resources/list', {}],
    ['prompts/get', prompt],
  ] as const) {
    assert.match((await asked(conversation, 4, method, params)).error!.message, /gatewy/)
  }
  assert.match(conversation.errors(), /gatewy/)

  home.write('config.json', '{}')
  assert.equal((await asked(conversation, 5, 'tools/call', read)).result!.structuredContent!.success, true)
  conversation.child.stdin.end()
  assert.equal(await conversation.ended, 0)
})

test('on a terminal a configuration with a mistake ends the command with what is wrong', async (t) => {
  const { home, environment } = temporaryHome(t)
  mkdirSync(home, { recursive: true })
  writeFileSync(join(home, 'config.json'), '{"gatewy": {}}')
  const { code, stdout, stderr } = await run(['mcp', '--home', home], { environment, person: 'silent' })
  assert.deepEqual([code, stdout], [1, ''])
  assert.match(stderr, /gatewy/)
})

test('a client is greeted and listed to before its home is open, a call that comes early waits for it, and a proposal is kept', async (t) => {
  const { home, environment } = temporaryHome(t)
  const store = join(home, 'data/foreword.sqlite')
  mkdirSync(join(home, 'subjects/one'), { recursive: true })
  const conversation = talk(t, home)
  await greeted(conversation)
  assert.ok(!existsSync(store))
  assert.equal((await asked(conversation, 2, 'prompts/list')).result!.prompts!.length, 2)
  assert.ok(!existsSync(store))
  const read = { name: 'read_context', arguments: { image_id: 'one' } }
  const write = { name: 'propose_notes_update', arguments: { image_id: 'one', content: 'Level.' } }
  const early = [asked(conversation, 3, 'tools/call', read), asked(conversation, 4, 'tools/call', write)]
  for (const answer of await Promise.all(early)) assert.equal(answer.result!.structuredContent!.success, true)
  assert.ok(existsSync(store))
  conversation.child.stdin.end()
  assert.equal(await conversation.ended, 0)
  const { stdout } = await run(['subjects', 'proposals', '--json'], { environment })
  assert.match(stdout, /Level\./)
})

test('after a process was killed during its work, everything in its home continues', async (t) => {
  const home = await mcpHome(t, { files: oneSubject })
  const conversation = talk(t, home.home)
  await greeted(conversation)
  const written = conversation.answer(100)
  for (let id = 100; id < 160; id++) {
    const args = { image_id: 'one', op: `op-${id}` }
    conversation.send({ id, method: 'tools/call', params: { name: 'log_operation', arguments: args } })
    const proposal = { image_id: 'one', content: `note ${id}` }
    conversation.send({
      id: id + 100,
      method: 'tools/call',
      params: { name: 'propose_notes_update', arguments: proposal },
    })
  }
  await written
  conversation.child.kill('SIGKILL')
  await conversation.ended

  const { call } = await connected(t, home, 'v2 2026-07-28', 'stdio')
  const { data, texts } = await call('read_context', { image_id: 'one' })
  assert.match(data.recent_log![0]!.op, /^op-/)
  assert.equal(texts.length, 1)
  assert.equal((await call('propose_notes_update', { image_id: 'one', content: 'note 100' })).isError, false)
  assert.equal((await home.runtime.verifyAudit()).type, 'whole')
})

test('on a terminal the command says in a line or two what it waits for', async (t) => {
  const { home, environment } = temporaryHome(t)
  const { code, stdout, stderr } = await run(['mcp', '--home', home], {
    environment,
    person: 'silent',
    onInterrupt(listener) {
      setImmediate(listener)
      return () => {}
    },
  })
  assert.deepEqual([code, stdout], [0, ''])
  assert.match(stderr, /^foreword mcp: waiting for an MCP client on this terminal\.[^]*\n$/)
  assert.ok(stderr.split('\n').length <= 3, stderr)
})

test('what config prints is JSON that starts exactly this home', async (t) => {
  const { home, environment } = temporaryHome(t)
  mkdirSync(join(home, 'subjects/mine'), { recursive: true })
  let printed: Printed | undefined
  for (const client of ['claude-desktop', 'claude-code', 'cursor', 'vscode', 'windsurf', 'zed', 'gemini-cli']) {
    const { code, stdout } = await run(['mcp', 'config', client], { environment })
    assert.equal(code, 0)
    const [servers] = Object.values(JSON.parse(stdout) as Record<string, Record<string, Printed>>)
    printed = servers!['foreword']!
    const { command, args, env } = printed
    assert.deepEqual([command, args, env], [process.execPath, [sourceForeword, 'mcp'], { FOREWORD_HOME: home }], client)
  }
  const conversation = talk(t, home, printed)
  await greeted(conversation)
  const read = conversation.answer(2)
  const params = { name: 'read_context', arguments: { image_id: 'mine' } }
  conversation.send({ id: 2, method: 'tools/call', params })
  assert.equal((await read).result!.structuredContent!.success, true)
})

test('Codex gets its settings in TOML, the default home needs no environment variable, and an invalid word is reported', async (t) => {
  const { home, environment } = temporaryHome(t)
  const codex = await run(['mcp', 'config', 'codex'], { environment })
  assert.equal(
    codex.stdout,
    `[mcp_servers.foreword]\ncommand = ${JSON.stringify(process.execPath)}\nargs = [${JSON.stringify(sourceForeword)}, "mcp"]\nrequired = true\n` +
      `env = { "FOREWORD_HOME" = ${JSON.stringify(home)} }\n`,
  )
  const plain = await run(['mcp', 'config', 'cursor', '--json'], { environment: { HOME: home } })
  const { client, file, text } = JSON.parse(plain.stdout) as Record<string, string>
  assert.deepEqual([client, file?.includes('.cursor/mcp.json')], ['cursor', true])
  assert.deepEqual((JSON.parse(text!) as { mcpServers: Record<string, Printed> }).mcpServers['foreword']!.env, {})
  const moved = { CHEMIGRAM_TASTES_DIR: '/photos/tastes', FOREWORD_GATEWAY_TOKEN: 'secret' }
  const codexMoved = await run(['mcp', 'config', 'codex'], { environment: { HOME: home, ...moved } })
  assert.match(codexMoved.stdout, /^env = \{ "CHEMIGRAM_TASTES_DIR" = "\/photos\/tastes" \}$/m)
  const strange = await run(['mcp', 'config', 'cursr'], { environment })
  assert.equal(strange.code, 2)
  assert.match(strange.stderr, /Did you mean `cursor`/)
})

test('with --http it is the address of the gateway and a new token for this client alone, for persons alone', async (t) => {
  const { home, environment } = temporaryHome(t)
  const none = await run(['mcp', 'config', 'vscode', '--http'], { environment })
  assert.equal(none.code, 1)
  assert.match(none.stderr, /No gateway was ever started/)

  const gateway = spawnForeword(t, ['start', '--json'], environment)
  const { address } = JSON.parse(await gateway.line(/address/)) as { address: string }
  const { stdout } = await run(['mcp', 'config', 'vscode', '--http'], { environment })
  const { servers } = JSON.parse(stdout) as { servers: { foreword: { url: string; headers: Record<string, string> } } }
  assert.equal(servers.foreword.url, `${address}/mcp`)
  const response = await fetch(servers.foreword.url, {
    method: 'POST',
    headers: {
      ...servers.foreword.headers,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', ...initialize }),
  })
  assert.equal(response.status, 200)
  await response.body?.cancel()

  const claude = await run(['mcp', 'config', 'claude-code', '--http'], { environment })
  const { mcpServers } = JSON.parse(claude.stdout) as { mcpServers: typeof servers }
  const token = mcpServers.foreword.headers['Authorization']!.split(' ')[1]!
  assert.match(claude.stderr, /Or, with the token in place of THE-TOKEN: claude mcp add-json .*Bearer THE-TOKEN/)
  assert.ok(!claude.stderr.includes(token))
  assert.match(claude.stderr, /new token mcp-claude-code, which opens \/mcp and nothing else/)
  const owner = readFileSync(join(home, 'data', 'token'), 'utf8').trim()
  assert.ok(![claude.stdout, claude.stderr, stdout].some((text) => text.includes(owner)))
  const elsewhere = await fetch(`${address}/api/sessions`, { headers: { authorization: `Bearer ${token}` } })
  assert.equal(elsewhere.status, 403)
  const again = JSON.parse((await run(['mcp', 'config', 'codex', '--http', '--json'], { environment })).stdout)
  const twice = JSON.parse((await run(['mcp', 'config', 'codex', '--http', '--json'], { environment })).stdout)
  assert.deepEqual([again.token, twice.token], ['mcp-codex', 'mcp-codex-2'])
  for (const client of ['claude-code', 'codex', 'vscode']) {
    const printed = await run(['mcp', 'config', client], { environment })
    assert.ok(!`${printed.stdout}${printed.stderr}`.includes(token), client)
  }

  const tool = await run(['mcp', 'config', 'vscode', '--http'], { environment: { ...environment, FOREWORD_TOOL: '1' } })
  assert.deepEqual([tool.code, tool.stdout], [1, ''])
  const desktop = await run(['mcp', 'config', 'claude-desktop', '--http'], { environment })
  assert.match(desktop.stderr, /accepts no address/)

  // Both at once: the command works beside the gateway.
  const beside = talk(t, home)
  await greeted(beside)
  beside.child.stdin.end()
  assert.equal(await beside.ended, 0)
  assert.equal((await fetch(`${address}/health`)).status, 200)
})

interface Printed {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

async function additionsOf(runtime: object) {
  const contributions = await collectContributions((runtime as HostedRuntime).contributed)
  return contributions.flatMap(({ mcp }) => mcp ?? [])
}
