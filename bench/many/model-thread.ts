import { createServer } from 'node:http'
import { parentPort } from 'node:worker_threads'

const WORD = /m-[\w-]+/g
const chunk = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 0, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
const words = Array.from({ length: 12 }, (_, index) => chunk({ content: `word${index} ` })).join('')
const usage = { prompt_tokens: 160, completion_tokens: 12, total_tokens: 172 }
const end = `${chunk({}, 'stop')}data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 0, model: 'm', choices: [], usage })}\n\ndata: [DONE]\n\n`

const server = createServer({ keepAliveTimeout: 120_000 }, (request, response) => {
  const arrived = Number(process.hrtime.bigint()) / 1e6
  let body = ''
  request.on('data', (bytes: Buffer) => (body += bytes.toString('latin1')))
  request.on('end', () => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(`${chunk({ role: 'assistant' })}${words}${end}`)
    // The newest message is the last.
    const word = body.match(WORD)?.at(-1)
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port of a thread has no origin
    if (word !== undefined) parentPort!.postMessage({ word, arrived })
  })
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- as above
  if (address && typeof address === 'object') parentPort!.postMessage(address.port)
})
