import { createServer } from 'node:http'

/** A model server that answers twelve words at once in the stream format of OpenAI. It prints its port. */
const words = Array.from({ length: 12 }, (_, index) => `word${index} `)
const chunk = (delta: object, rest: object = {}) =>
  `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 0, model: 'm', choices: [{ index: 0, delta, finish_reason: null }], ...rest })}\n\n`
const first = chunk({ role: 'assistant', content: words[0] })
const middle = words.slice(1).map((content) => chunk({ content }))
const last =
  `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 0, model: 'm', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}\n\n` +
  `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 0, model: 'm', choices: [], usage: { prompt_tokens: 160, completion_tokens: 12, total_tokens: 172 } })}\n\n` +
  'data: [DONE]\n\n'

// A connection that rests while others are measured stays open.
const server = createServer({ keepAliveTimeout: 120_000 }, (request, response) => {
  request.resume()
  request.on('end', () => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(first)
    // The rest follows in a later tick, as in a stream.
    setImmediate(() => {
      response.write(middle.join(''))
      response.end(last)
    })
  })
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (address && typeof address === 'object') process.stdout.write(`${address.port}\n`)
})
