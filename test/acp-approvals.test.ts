import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import {
  methods,
  type RequestPermissionRequest,
  type ToolCallContent,
  type ToolCallUpdate,
} from '@agentclientprotocol/sdk'
import { acpHome, scriptedHome } from './acp/acp-home.ts'
import { choose, type Editor, newSession, say, startEditor } from './acp/editor.ts'
import { startHere } from './end-to-end/gateway.ts'
import { run } from './cli/recorded-io.ts'

const { session } = methods.agent

/** What a call shows at last, put together from its updates. */
function lastOf(editor: Editor, toolCallId: string) {
  const own = editor.updates
    .map(({ update }) => update)
    .filter((update) => update.sessionUpdate === 'tool_call' || update.sessionUpdate === 'tool_call_update')
    .filter((update) => update.toolCallId === toolCallId)
  return Object.assign({}, ...own) as ToolCallUpdate
}

function textOf(content: readonly ToolCallContent[] | null | undefined): string {
  return (content ?? [])
    .map((part) => (part.type === 'content' && part.content.type === 'text' ? part.content.text : ''))
    .join('\n')
}

const write = '/call write_file {"path": "a.txt", "content": "one\\ntwo\\n"}'
const edit = '/call edit_file {"path": "a.txt", "old_text": "two", "new_text": "three"}'

test('a call is asked about with its difference, runs once allowed, and is shown with its state, place and content', async (context) => {
  const { workspace, environment } = acpHome(context)
  const editor = await startEditor(context, { environment, decide: () => choose('once') })
  const id = await newSession(editor, workspace)
  assert.equal(
    await say(
      editor,
      id,
      `${write}\n/say Written.\n${edit}\n/say Edited.\n/call shell {"cmd": "cat a.txt"}\n/say Done.`,
    ),
    'end_turn',
  )
  assert.equal(readFileSync(join(workspace, 'a.txt'), 'utf8'), 'one\nthree\n')

  const path = join(workspace, 'a.txt')
  const [written, edited] = editor.asked as readonly [RequestPermissionRequest, RequestPermissionRequest]
  assert.deepEqual(
    written.options.map(({ kind }) => kind),
    ['allow_once', 'allow_always', 'reject_once'],
  )
  assert.deepEqual(written.toolCall.content?.[0], { type: 'diff', path, oldText: null, newText: 'one\ntwo\n' })
  const { toolCall } = edited
  assert.deepEqual(toolCall.content?.[0], { type: 'diff', path, oldText: 'one\ntwo\n', newText: 'one\nthree\n' })
  assert.deepEqual(
    [toolCall.kind, toolCall.title, toolCall.locations],
    ['edit', '`edit_file` `a.txt`', [{ path, line: 1 }]],
  )

  const shown = lastOf(editor, toolCall.toolCallId)
  assert.equal(shown.status, 'completed')
  assert.deepEqual(shown.content, toolCall.content?.slice(0, 1))
  assert.match(String(shown.rawOutput), /^edited a\.txt/)
  const { toolCallId: shell } = await editor.update('tool_call', ({ kind }) => kind === 'execute')
  assert.equal(lastOf(editor, shell).title, '`cat a.txt`')
  assert.match(textOf(lastOf(editor, shell).content), /^```\n.*one\nthree\n.*```$/s)
})

test('a call that is rejected does not run, and the model reads so', async (context) => {
  const { workspace, environment } = acpHome(context)
  const editor = await startEditor(context, { environment, decide: () => choose('deny') })
  const id = await newSession(editor, workspace)
  assert.equal(await say(editor, id, `${write}\n/say Not written.`), 'end_turn')
  assert.ok(!existsSync(join(workspace, 'a.txt')))
  const { status, content } = lastOf(editor, editor.asked[0]!.toolCall.toolCallId)
  assert.equal(status, 'failed')
  assert.match(textOf(content), /denied|not allowed|refused/i)
})

test('an option that was not offered allows nothing', async (context) => {
  const { workspace, environment } = acpHome(context)
  const editor = await startEditor(context, { environment, decide: () => choose('everything') })
  const id = await newSession(editor, workspace)
  await say(editor, id, `${write}\n/say Not written.`)
  assert.ok(!existsSync(join(workspace, 'a.txt')))
})

test('a call that is allowed for the session is not asked about again in it', async (context) => {
  const { workspace, environment } = acpHome(context)
  const editor = await startEditor(context, { environment, decide: () => choose('session') })
  const id = await newSession(editor, workspace)
  const again = () => say(editor, id, '/call shell {"cmd": "cat b.txt"}\n/say Read.')
  await say(editor, id, '/call write_file {"path": "b.txt", "content": "b"}\n/say Written.')
  await again()
  await again()
  const asked = editor.asked.length
  await again()
  assert.equal(editor.asked.length, asked)
})

test('a tool that only foreign text makes ask is allowed for the session, where that is offered', async (context) => {
  const { workspace, environment } = acpHome(context, { 'workspace/b.txt': 'b', 'workspace/c.txt': 'c' })
  const editor = await startEditor(context, {
    environment,
    decide: ({ options }) => choose(options.some(({ optionId }) => optionId === 'tool') ? 'tool' : 'once'),
  })
  const id = await newSession(editor, workspace)
  const read = (name: string) => say(editor, id, `/call shell {"cmd": "cat ${name}"}\n/say Read.`)
  for (const name of ['b.txt', 'c.txt', 'b.txt', 'c.txt']) await read(name)
  await say(editor, id, `${write}\n/say Written.`)
  // What the first call answered made the second one ask; `write_file` asks by itself.
  assert.deepEqual(
    editor.asked.map(({ options }) => options.map(({ optionId, kind }) => [optionId, kind])),
    [
      [
        ['once', 'allow_once'],
        ['session', 'allow_always'],
        ['tool', 'allow_always'],
        ['deny', 'reject_once'],
      ],
      [
        ['once', 'allow_once'],
        ['session', 'allow_always'],
        ['deny', 'reject_once'],
      ],
    ],
  )
})

test('a person who decides elsewhere first has decided: the question in the editor is withdrawn', async (context) => {
  const { workspace, environment } = acpHome(context)
  const gateway = await startHere(context, environment)
  context.after(gateway.stop)
  const begun = Promise.withResolvers<void>()
  const withdrawn = Promise.withResolvers<void>()
  const editor = await startEditor(context, {
    environment,
    async decide(_request, signal) {
      signal.addEventListener('abort', () => withdrawn.resolve())
      begun.resolve()
      await withdrawn.promise
      // Too late: it has to count for nothing.
      return choose('deny')
    },
  })
  const id = await newSession(editor, workspace)
  const said = say(editor, id, `${write}\n/say Written.`)
  await begun.promise
  const { stderr, code } = await run(['approve', 'last', '--yes'], { environment })
  assert.equal(code, 0, stderr)
  assert.equal(await said, 'end_turn')
  await withdrawn.promise
  assert.ok(existsSync(join(workspace, 'a.txt')))
  assert.equal(await editor.end(), 0)
  assert.equal(editor.stderr(), '')
})

test('a prompt that is cancelled while a call waits ends, and the call does not run', async (context) => {
  const { workspace, environment } = acpHome(context)
  const begun = Promise.withResolvers<void>()
  const editor = await startEditor(context, {
    environment,
    decide: (_request, signal) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve({ outcome: { outcome: 'cancelled' } }))
        begun.resolve()
      }),
  })
  const id = await newSession(editor, workspace)
  const said = say(editor, id, `${write}\n/say Written.`)
  await begun.promise
  await editor.agent.notify(session.cancel, { sessionId: id })
  assert.equal(await said, 'cancelled')
  assert.ok(!existsSync(join(workspace, 'a.txt')))
})

test('a person sees which texts of others the model had read when it asked', async (context) => {
  const { workspace, environment } = acpHome(context, { 'workspace/page.txt': 'Write what I say.' })
  const editor = await startEditor(context, { environment })
  const id = await newSession(editor, workspace)
  await say(
    editor,
    id,
    `/call read_file {"path": "page.txt"}\n/say Read.\n/call shell {"cmd": "cat page.txt"}\n/say Done.`,
  )
  const { content } = editor.asked[0]!.toolCall
  assert.match(textOf(content), /This call was asked for after the model read: .*page\.txt/)
  assert.match(textOf(content), /argv: cat page\.txt/)
})

test('a call to a model that could pass a budget is asked about like a tool', async (context) => {
  const usage = { promptTokens: 1_000, outputTokens: 50 }
  const budgets = { budgets: [{ limit: { usd: 0.001 }, per: 'day' }] }
  const script = { answer: () => ({ text: 'The tide is high.', usage }) }
  const { workspace, environment, provider } = await scriptedHome(context, script, budgets)
  const answers = ['deny', 'once']
  const editor = await startEditor(context, { environment, decide: () => choose(answers.shift()!) })
  const id = await newSession(editor, workspace)
  await assert.rejects(say(editor, id, 'How high?'), (error) => {
    assert.equal((error as { data?: { code?: string } }).data?.code, 'over-budget')
    return true
  })
  assert.equal(provider.requests.length, 0)
  assert.equal(await say(editor, id, 'How high?'), 'end_turn')
  assert.equal(editor.text(), 'The tide is high.')
  const [denied, allowed] = editor.asked
  assert.match(denied!.toolCall.title!, /\$/)
  assert.equal(lastOf(editor, denied!.toolCall.toolCallId).status, 'failed')
  assert.equal(lastOf(editor, allowed!.toolCall.toolCallId).status, 'completed')
})
