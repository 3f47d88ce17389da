import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import test, { type TestContext } from 'node:test'
import { pathToFileURL } from 'node:url'
import {
  type ContentBlock,
  methods,
  type NewSessionResponse,
  RequestError,
  type SetSessionConfigOptionResponse,
} from '@agentclientprotocol/sdk'
import { acpHome, scriptedHome } from './acp/acp-home.ts'
import { newSession, say, startEditor, startProgram } from './acp/editor.ts'
import { startHere } from './end-to-end/gateway.ts'
import { run } from './cli/recorded-io.ts'

const { initialize, session } = methods.agent

test('an editor has a conversation: words as they come, the size of the context, a title, and a clean end', async (context) => {
  const { workspace, environment } = acpHome(context)
  const editor = await startEditor(context, { environment })
  assert.equal(editor.initialized.protocolVersion, 1)
  assert.deepEqual(editor.initialized.authMethods, [])
  assert.equal(editor.initialized.agentInfo?.name, 'foreword')
  const id = await newSession(editor, workspace)
  assert.equal(await say(editor, id, '/say Good day to you.'), 'end_turn')
  assert.equal(editor.text(), 'Good day to you.')
  const kinds = editor.updates.map(({ update }) => update.sessionUpdate)
  assert.equal(kinds.filter((kind) => kind === 'agent_message_chunk').length, 4)
  // The editor shows what it has sent itself.
  assert.ok(!kinds.includes('user_message_chunk'))
  const usage = await editor.update('usage_update')
  assert.ok(usage.used > 0 && usage.used < usage.size, `${usage.used} of ${usage.size}`)
  assert.equal((await editor.update('session_info_update')).title, '/say Good day to you')
  const { availableCommands } = await editor.update('available_commands_update')
  assert.ok(availableCommands.some(({ name }) => name === 'cost'))
  assert.equal(await editor.end(), 0)
  assert.equal(editor.stderr(), '')
})

test('a command of a conversation is run, and no model reads it', async (context) => {
  const { workspace, environment } = acpHome(context)
  const editor = await startEditor(context, { environment })
  const id = await newSession(editor, workspace)
  assert.equal(await say(editor, id, '/cost'), 'end_turn')
  assert.match(editor.text(), /^```\n0 calls: /)
})

test('reasoning, reports of cost and the reason for an end are told as they are', async (context) => {
  const answers = [
    { reasoning: 'Hm, tides.', text: 'High.', usage: { promptTokens: 1_000, outputTokens: 50 } },
    { text: 'The tide', finish: 'length' },
    { text: 'No.', finish: 'content-filter' },
    { status: 401, body: { error: { message: 'no such key' } } },
  ] as const
  const { workspace, environment } = await scriptedHome(context, { answer: (_, n) => answers[n - 1] ?? { text: 'ok' } })
  const editor = await startEditor(context, { environment, capabilities: { session: { notices: {} } } })
  const id = await newSession(editor, workspace)
  assert.equal(await say(editor, id, 'How high?'), 'end_turn')
  const thought = await editor.update('agent_thought_chunk')
  assert.deepEqual(thought.content, { type: 'text', text: 'Hm, ' })
  const { cost, size } = await editor.update('usage_update')
  assert.deepEqual([cost, size], [{ amount: 0.0125, currency: 'USD' }, 16_384])

  assert.equal(await say(editor, id, 'And now?'), 'max_tokens')
  assert.match((await editor.update('notice')).title, /^The answer was cut at its length limit/)
  assert.equal(await say(editor, id, 'And now?'), 'refusal')
  await assert.rejects(say(editor, id, 'And now?'), (error) => {
    assert.ok(error instanceof RequestError)
    assert.deepEqual((error.data as { code: string }).code, 'auth')
    assert.match(error.message, /no such key/)
    return true
  })
  assert.equal(await say(editor, id, 'And now?'), 'end_turn')
})

test('images, linked files and embedded texts reach the model as files of the message', async (context) => {
  const { workspace, environment, provider } = await scriptedHome(context, {})
  const folder = mkdtempSync(join(tmpdir(), 'foreword-acp-'))
  context.after(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'tides.md'), 'High water is at noon.')
  const link = (path: string): ContentBlock => ({ type: 'resource_link', name: path, uri: pathToFileURL(path).href })
  const editor = await startEditor(context, { environment })
  const id = await newSession(editor, workspace)
  await say(
    editor,
    id,
    'Compare ',
    link(join(folder, 'tides.md')),
    ' and ',
    { type: 'resource', resource: { uri: 'file:///elsewhere/moon.txt', text: 'The moon is full.' } },
    ' with ',
    { type: 'image', mimeType: 'image/png', data: PIXEL },
    { type: 'resource_link', name: 'the pier', uri: 'https://pier.example/' },
    ...(process.platform === 'linux' ? [link('/proc/self/limits')] : []),
  )
  const sent = JSON.stringify(provider.requests.at(-1)!.body)
  for (const text of ['High water is at noon.', 'The moon is full.', PIXEL, '[the pier](https://pier.example/)']) {
    assert.ok(sent.includes(text), text)
  }
  assert.ok(!sent.includes('Max open files'), 'files of the system have no size, and nothing of them is read')
  assert.ok(sent.includes('Compare [tides.md] and [moon.txt] with [image-3.png]'), sent)

  const asked = provider.requests.length
  await assert.rejects(
    say(editor, id, 'Read ', link(join(folder, 'none.md'))),
    /none\.md cannot be read: .*Nothing was sent/,
  )
  await assert.rejects(
    say(editor, id, { type: 'audio', mimeType: 'audio/wav', data: '' }),
    /A prompt cannot have audio/,
  )
  assert.equal(provider.requests.length, asked)
})

/** A red pixel. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='

test('a prompt that is cancelled ends as cancelled, and its words are kept', async (context) => {
  const { workspace, environment } = acpHome(context)
  const editor = await startEditor(context, { environment })
  const id = await newSession(editor, workspace)
  const said = say(editor, id, `/slow 99999\n/say One two three.`)
  await editor.update('agent_message_chunk')
  await editor.agent.notify(session.cancel, { sessionId: id })
  assert.equal(await said, 'cancelled')
  await editor.end()
  assert.match((await run(['sessions', 'show', id], { environment })).stdout, /One/)
})

test('a prompt whose request is cancelled, and a session that is closed, end the turn', async (context) => {
  const { workspace, environment } = acpHome(context)
  const editor = await startEditor(context, { environment })
  const id = await newSession(editor, workspace)
  const slow = { sessionId: id, prompt: [{ type: 'text' as const, text: '/slow 99999\n/say One two.' }] }
  const cancelling = new AbortController()
  const said = editor.agent.request(session.prompt, slow, { cancellationSignal: cancelling.signal })
  await editor.update('agent_message_chunk')
  cancelling.abort()
  assert.deepEqual(await said, { stopReason: 'cancelled' })

  const again = say(editor, id, '/slow 99999\n/say Three four.')
  await editor.update(
    'agent_message_chunk',
    ({ content }) => content.type === 'text' && content.text.startsWith('Three'),
  )
  await editor.agent.request(session.close, { sessionId: id })
  assert.equal(await again, 'cancelled')
  await assert.rejects(say(editor, id, 'Hello?'), /is open on this connection/)
  await editor.end()
  const { stdout } = await run(['sessions', '--json'], { environment })
  assert.equal(JSON.parse(stdout).state, 'done')
})

test('two sessions of one editor run side by side, each with its own words', async (context) => {
  const { workspace, environment } = acpHome(context)
  const editor = await startEditor(context, { environment })
  const [one, two] = [await newSession(editor, workspace), await newSession(editor, workspace)]
  const slow = say(editor, one, '/slow 99999\n/say First word.')
  await editor.update('agent_message_chunk')
  assert.equal(await say(editor, two, '/say Second.'), 'end_turn')
  assert.equal(editor.text(two), 'Second.')
  await editor.agent.notify(session.cancel, { sessionId: one })
  assert.equal(await slow, 'cancelled')
})

test('what cannot be done is an error with a sentence, and the next request works', async (context) => {
  const { workspace, environment } = acpHome(context)
  const editor = await startEditor(context, { environment })
  const { agent } = editor
  const failing = async (work: Promise<unknown>) =>
    await work.then(
      () => assert.fail('it was accepted'),
      (error: unknown) => error as RequestError,
    )
  const relative = await failing(newSession(editor, 'somewhere'))
  assert.equal(relative.code, -32_602)
  assert.match(relative.message, /cwd is "somewhere", which is no absolute path/)
  const unknown = await failing(say(editor, 'session_none', 'Hello'))
  assert.equal(unknown.code, -32_002)
  assert.match(unknown.message, /No session "session_none" is open on this connection/)
  const gone = await failing(agent.request(session.load, { sessionId: 'session_none', cwd: workspace, mcpServers: [] }))
  assert.equal(gone.code, -32_002)
  assert.equal((await failing(agent.request('session/nonsense', {}))).code, -32_601)
  assert.equal((await failing(agent.request(session.prompt, { sessionId: 7 } as never))).code, -32_602)
  const id = await newSession(editor, workspace)
  const option = { sessionId: id, configId: 'colour', value: 'red' }
  assert.match((await failing(agent.request(session.setConfigOption, option))).message, /The options are model, /)
  assert.match((await failing(say(editor, id, ' '))).message, /text/)
  assert.equal(await say(editor, id, '/say Still here.'), 'end_turn')
})

test('a configuration that is not valid is an error of the first request, and of the log', async (context) => {
  const { workspace, environment } = acpHome(context, { 'config.json': '{"gateway": {"port": "many"}}' })
  const editor = await startEditor(context, { environment: { ...environment, FOREWORD_GATEWAY_PORT: '' } })
  await assert.rejects(newSession(editor, workspace), /gateway\.port/)
  assert.match(editor.stderr(), /^foreword acp: .*gateway\.port/s)
})

test('the model and the choices of a session are options, and a change elsewhere is shown', async (context) => {
  const files = { 'config.json': JSON.stringify({ models: {} }) }
  const { workspace, environment } = acpHome(context, files)
  const gateway = await startHere(context, environment)
  context.after(gateway.stop)
  const editor = await startEditor(context, { environment })
  const made = await editor.agent.request(session.new, { cwd: workspace, mcpServers: [] })
  assert.deepEqual(
    made.configOptions?.map(({ id, category = '', currentValue }) => [id, category, currentValue]),
    [
      ['model', 'model', '(usual)'],
      ['layout', '', '(usual)'],
    ],
  )
  const set = { sessionId: made.sessionId, configId: 'layout', value: 'onyx' }
  const { configOptions }: SetSessionConfigOptionResponse = await editor.agent.request(session.setConfigOption, set)
  assert.equal(configOptions.find(({ id }) => id === 'layout')?.currentValue, 'onyx')
  const sent = await run(['send', '/say Hello.', '--session', made.sessionId, '--layout', 'chai'], { environment })
  assert.equal(sent.code, 0, sent.stderr)
  await editor.update('config_option_update', (update) =>
    update.configOptions.some(({ id, currentValue }) => id === 'layout' && currentValue === 'chai'),
  )
  // Somebody else has said it, so the editor has not shown it.
  const { content } = await editor.update('user_message_chunk')
  assert.deepEqual(content, { type: 'text', text: '/say Hello.' })
})

test('a person is told where the tools work, and that servers of the editor are not started', async (context) => {
  const { workspace, environment } = acpHome(context)
  const folder = mkdtempSync(join(tmpdir(), 'foreword-acp-'))
  context.after(() => rmSync(folder, { recursive: true, force: true }))
  const editor = await startEditor(context, { environment })
  const server = { name: 'elsewhere', command: 'false', args: [], env: [] }
  const place = { cwd: folder, mcpServers: [server] }
  await editor.agent.request(session.new, place)
  await editor.update('agent_message_chunk', ({ content }) =>
    JSON.stringify(content).includes('are not started here: elsewhere'),
  )
  assert.ok(editor.text().includes(`work in ${workspace}, not in ${folder}`))
  const told = editor.text()
  // Once is enough: a second session shows none of it.
  const next: NewSessionResponse = await editor.agent.request(session.new, place)
  await say(editor, next.sessionId, '/say Hi.')
  assert.equal(editor.text(), `${told}Hi.`)
  assert.equal(await editor.end(), 0)

  const there = await startEditor(context, { environment, folder, args: ['--workspace', '.'] })
  const id = await newSession(there, folder)
  assert.equal(await say(there, id, '/call list_files {}\n/say Looked.'), 'end_turn')
  assert.equal(there.text(), 'Looked.')
})

test('a program of a tool cannot use the agent as an editor', async (context) => {
  const { environment } = acpHome(context)
  const { code, stdout, stderr } = await run(['acp'], { environment: { ...environment, FOREWORD_TOOL: '1' } })
  assert.deepEqual([code, stdout], [1, ''])
  assert.match(stderr, /a model cannot use the agent as an editor/)
})

test('whatever version an editor speaks, it is answered with version 1', async (context: TestContext) => {
  const { environment } = acpHome(context)
  const { agent } = await startEditor(context, { environment })
  const { protocolVersion } = await agent.request(initialize, { protocolVersion: 7 })
  assert.equal(protocolVersion, 1)
})

test('standard output carries only the protocol, whatever the input is', async (context) => {
  const { workspace, environment } = acpHome(context)
  const requests = [
    '{"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": {"cwd": "/", "mcpServers": []}}',
    'Hello?',
    '[]',
    '{"jsonrpc": "2.0", "id": 2, "method": "initialize", "params": {"protocolVersion": 1}}',
  ]
  const unknown =
    '{"jsonrpc": "2.0", "id": 3, "method": "session/prompt", "params": {"sessionId": "none", "prompt": []}}'
  const child = startProgram(context, { environment, folder: workspace })
  child.stdin.write(requests.map((request) => `${request}\n`).join(''))
  const answers: { readonly id: number | null; readonly error?: { readonly code: number } }[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    answers.push(JSON.parse(line))
    if (answers.length === requests.length) child.stdin.write(`${unknown}\n`)
    if (answers.length > requests.length) child.stdin.end()
  }
  assert.equal(await child.ended, 0)
  const codes = new Map(answers.map(({ id, error }) => [id, error?.code]))
  assert.deepEqual([codes.get(1), codes.get(2), codes.get(3)], [-32_600, undefined, -32_002])
  assert.deepEqual(
    new Set(answers.flatMap(({ id, error }) => (id === null ? [error!.code] : []))),
    new Set([-32_600, -32_700]),
  )
})
