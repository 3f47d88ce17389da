import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { methods, type SessionUpdate } from '@agentclientprotocol/sdk'
import { acpHome } from './acp/acp-home.ts'
import { choose, type Editor, newSession, say, startEditor } from './acp/editor.ts'
import { spawnForeword } from './cli/gateway-process.ts'
import { run } from './cli/recorded-io.ts'

const { session } = methods.agent

/** The conversation as an editor shows it. */
function conversation(editor: Editor): readonly string[] {
  const lines: { kind: string; text: string }[] = []
  for (const { update } of editor.updates) {
    const text = textOf(update)
    if (text === undefined) continue
    const last = lines.at(-1)
    if (last?.kind === update.sessionUpdate) last.text += text
    else lines.push({ kind: update.sessionUpdate, text })
  }
  return lines.map(({ kind, text }) => `${kind}: ${text}`)
}

function textOf(update: SessionUpdate): string | undefined {
  switch (update.sessionUpdate) {
    case 'user_message_chunk':
    case 'agent_message_chunk':
      return update.content.type === 'text' ? update.content.text : update.content.type
    case 'tool_call':
      return update.title
    case 'tool_call_update':
      return update.status ?? ''
    default:
      return undefined
  }
}

const write = '/call write_file {"path": "a.txt", "content": "one\\n"}'

test('an editor that is killed while a call waits loads the session again, decides, and the turn goes on', async (context) => {
  const { workspace, environment } = acpHome(context)
  const begun = Promise.withResolvers<void>()
  const first = await startEditor(context, {
    environment,
    apart: true,
    decide() {
      begun.resolve()
      return new Promise(() => {})
    },
  })
  const id = await newSession(first, workspace)
  await say(first, id, '/say Good day.')
  void say(first, id, `/say Writing.\n${write}\n/say Written.`).catch(() => {})
  await begun.promise
  first.kill()
  await first.ended

  const second = await startEditor(context, { environment, decide: () => choose('once') })
  const loaded = await second.agent.request(session.load, { sessionId: id, cwd: workspace, mcpServers: [] })
  // The answer comes behind the whole conversation.
  assert.deepEqual(conversation(second), [
    'user_message_chunk: /say Good day.',
    'agent_message_chunk: Good day.',
    `user_message_chunk: /say Writing.\n${write}\n/say Written.`,
    'agent_message_chunk: Writing.',
    'tool_call: `write_file` `a.txt`',
    'tool_call_update: ',
  ])
  assert.equal(loaded.configOptions?.[0]?.id, 'model')
  await second.update('agent_message_chunk', ({ content }) => content.type === 'text' && content.text === 'Written.')
  assert.equal(readFileSync(join(workspace, 'a.txt'), 'utf8'), 'one\n')
  assert.equal(second.asked.length, 1)
  assert.equal(await say(second, id, '/say And on.'), 'end_turn')
  assert.equal(await second.end(), 0)
})

test('the end of the input in the middle of an answer loses nothing: the turn goes on in the next process', async (context) => {
  const { workspace, environment } = acpHome(context)
  const first = await startEditor(context, { environment })
  const id = await newSession(first, workspace)
  void say(first, id, '/slow 99999\n/say One two.').catch(() => {})
  await first.update('agent_message_chunk')
  assert.equal(await first.end(), 0)

  const second = await startEditor(context, { environment })
  await second.agent.request(session.resume, { sessionId: id, cwd: workspace })
  assert.deepEqual(conversation(second), [])
  await second.update('agent_message_chunk')
  await second.agent.notify(session.cancel, { sessionId: id })
  assert.equal(await say(second, id, '/say Still here.'), 'end_turn')
})

test('sessions are listed by their titles, those without a word are removed, and undone turns are not shown again', async (context) => {
  const { workspace, environment } = acpHome(context)
  const first = await startEditor(context, { environment })
  const id = await newSession(first, workspace)
  const empty = await newSession(first, workspace)
  await say(first, id, '/say One.')
  await say(first, id, '/say Two.')
  await say(first, id, '/undo')
  assert.equal(await first.end(), 0)
  assert.ok(!(await run(['sessions', '--json'], { environment })).stdout.includes(empty))

  const second = await startEditor(context, { environment })
  const { sessions, nextCursor } = await second.agent.request(session.list, { cwd: workspace })
  assert.deepEqual(
    sessions.map(({ sessionId, cwd, title }) => [sessionId, cwd, title]),
    [[id, workspace, '/say One']],
  )
  assert.equal(nextCursor, undefined)
  await second.agent.request(session.load, { sessionId: id, cwd: workspace, mcpServers: [] })
  assert.deepEqual(conversation(second), ['user_message_chunk: /say One.', 'agent_message_chunk: One.'])
  await assert.rejects(
    second.agent.request(session.list, { cursor: 'far' }),
    /no list of sessions has the cursor "far"/i,
  )
})

test('an editor goes on where the gateway that it used stops: it opens the home itself', async (context) => {
  const { workspace, environment } = acpHome(context)
  const gateway = spawnForeword(context, ['start', '--json'], environment)
  await gateway.line(/address/)
  const editor = await startEditor(context, { environment })
  const id = await newSession(editor, workspace)
  assert.equal(await say(editor, id, '/say One.'), 'end_turn')
  const said = say(editor, id, '/slow 300\n/say Two three.')
  await editor.update('agent_message_chunk', ({ content }) => content.type === 'text' && content.text.startsWith('Two'))
  gateway.child.kill('SIGTERM')
  assert.equal(await gateway.ended, 0)
  assert.equal(await said, 'end_turn')
  assert.match(editor.text(), /Two three\.$/)
})

test('Ctrl-C ends it cleanly', async (context) => {
  const { workspace, environment } = acpHome(context)
  const editor = await startEditor(context, { environment, apart: true })
  await newSession(editor, workspace)
  editor.kill('SIGINT')
  assert.equal(await editor.ended, 0)
  assert.equal(editor.stderr(), '')
  assert.equal((await run(['sessions', '--json'], { environment })).stdout, '')
})
