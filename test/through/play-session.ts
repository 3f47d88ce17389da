import type { ServerResponse } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import { codingSession, nextMessages, withMovedMark } from '../foreign/coding-session.ts'
import { send } from './gateway.ts'
import { messagesEvents } from './vendor.ts'

const { messages } = codingSession
const body = { ...codingSession, model: 'claude-opus-5-5', max_tokens: 32_000, stream: true }
const long = 'It does much. '.repeat(60)

/**
 * A session of Claude Code in seven calls of four turns, as it sends them: the mark of the cache moves along. The sixth reads
 * a file again, and the seventh offers its tools in another order.
 */
export const playedBodies: readonly object[] = [
  ...[1, 3, 5, 7, 9].map((count) => ({ ...body, messages: messages.slice(0, count) })),
  { ...body, messages: [...messages, ...nextMessages('src/parser.ts')] },
  {
    ...body,
    tools: body.tools.toReversed(),
    messages: [
      ...messages,
      ...nextMessages('src/parser.ts'),
      said('assistant', 'It runs.'),
      said('user', 'Once more.'),
    ],
  },
].map((each) => withMovedMark({ ...each, tools: each.tools.map((tool) => ({ ...tool, description: long })) }))

function said(role: string, content: string) {
  return { role, content }
}

interface Played {
  readonly url: string
  readonly token: string
}

/** Sends calls of the session through a gateway: all of them unless `from` and `to` say which. */
export async function playSession({ url, token }: Played, from = 0, to = playedBodies.length): Promise<void> {
  for (const each of playedBodies.slice(from, to)) {
    await send(`${url}/through/anthropic/v1/messages?beta=true`, {
      headers: [
        'x-foreword-token',
        token,
        'x-api-key',
        'own',
        'user-agent',
        'claude-cli/2.1.330 (external, cli)',
        'x-claude-code-session-id',
        'played',
      ],
      body: JSON.stringify(each),
    })
  }
  await recorded({ url, token })
}

/** Waits until each call is on record with its end. */
async function recorded({ url, token }: Played): Promise<void> {
  for (;;) {
    const answer = await fetch(`${url}/api/status`, { headers: { authorization: `Bearer ${token}` } })
    const { through } = (await answer.json()) as { readonly through: { readonly open: number } }
    if (through.open === 0) return
    await setImmediate()
  }
}

/** A vendor that calls a tool where a turn begins, and answers a result in words. */
export function answerPlayed({ body: sent }: { readonly body: Buffer }, outgoing: ServerResponse): void {
  const { messages: all } = JSON.parse(sent.toString()) as typeof codingSession
  const { content } = all.at(-1)!
  const isResult = typeof content !== 'string' && content.some(({ type }) => type === 'tool_result')
  outgoing.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
  outgoing.end(
    isResult ? messagesEvents('It **parses** lines.', { input: 2_400, output: 40 }) : toolEvents('src/parser.ts'),
  )
}

function toolEvents(path: string): string {
  const usage = { input_tokens: 2_000, cache_read_input_tokens: 300, cache_creation_input_tokens: 0, output_tokens: 1 }
  const block = { type: 'tool_use', id: 'c1', name: 'Read', input: {} }
  const delta = { type: 'input_json_delta', partial_json: JSON.stringify({ file_path: path }) }
  const events = [
    {
      type: 'message_start',
      message: { id: 'msg_2', role: 'assistant', model: 'claude-opus-5-5', content: [], usage },
    },
    { type: 'content_block_start', index: 0, content_block: block },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 30 } },
    { type: 'message_stop' },
  ]
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
}
