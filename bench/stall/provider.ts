import { createServer } from 'node:http'
import { longText } from './long-text.ts'

/**
 * A model server for long texts in the stream format of OpenAI. It prints its port. It answers `say N` with N characters in
 * pieces of 64, `call N` with a call of the tool `print` for N characters, `use N TOOL INPUT` with N calls of a tool, and
 * everything else with one word.
 */
const PIECE = 64

interface WireMessage {
  readonly role: string
  readonly content: unknown
}

const server = createServer((request, response) => {
  if (request.method !== 'POST') return void response.writeHead(404).end()
  const pieces: Buffer[] = []
  request.on('data', (piece: Buffer) => pieces.push(piece))
  request.on('end', () => {
    const body = JSON.parse(Buffer.concat(pieces).toString()) as { readonly messages: readonly WireMessage[] }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    void answer(body.messages.at(-1)!, (text) => written(response, text)).then(() => response.end())
  })
})

async function answer(last: WireMessage, write: (text: string) => Promise<void>): Promise<void> {
  const text = last.role === 'user' ? lastText(last.content) : ''
  const [, order, count, name, input] = /\b(say|call|use) (\d+)(?: (\w+) (\{.*\}))?$/s.exec(text) ?? []
  await write(chunk({ role: 'assistant', content: '' }, null))
  if (order === 'call') {
    const call = { name: 'print', arguments: `{"characters":${count}}` }
    await write(chunk({ tool_calls: [{ index: 0, id: 'c1', type: 'function', function: call }] }, null))
  } else if (order === 'use') {
    const tool_calls = Array.from({ length: Number(count) }, (_, index) => ({
      index,
      id: `c${index}`,
      type: 'function',
      function: { name, arguments: input },
    }))
    await write(chunk({ tool_calls }, null))
  } else {
    const said = order === 'say' ? longText(Number(count)) : 'Yes.'
    for (let at = 0; at < said.length; at += PIECE) await write(chunk({ content: said.slice(at, at + PIECE) }, null))
  }
  await write(chunk({}, order === 'call' || order === 'use' ? 'tool_calls' : 'stop'))
  await write('data: [DONE]\n\n')
}

function lastText(content: unknown): string {
  const part: unknown = Array.isArray(content) ? content.at(-1) : content
  return typeof part === 'string' ? part : ((part as { text?: string } | undefined)?.text ?? '')
}

function chunk(delta: object, reason: string | null): string {
  const choice = { index: 0, delta, finish_reason: reason }
  return `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 0, model: 'm', choices: [choice] })}\n\n`
}

function written(response: NodeJS.WritableStream, text: string): Promise<void> {
  return new Promise((resolve) => {
    if (response.write(text)) resolve()
    else response.once('drain', resolve)
  })
}

server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (address && typeof address === 'object') process.stdout.write(`${address.port}\n`)
})
process.on('SIGTERM', () => process.exit())
