/** Answers every request with a stream of the Messages API, once its body is there. Prints its address. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const events = [
  {
    type: 'message_start',
    message: { id: 'msg_1', role: 'assistant', model: 'm', content: [], usage: { input_tokens: 9, output_tokens: 1 } },
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  ...Array.from({ length: 40 }, () => ({
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'text_delta', text: 'Some words of an answer. ' },
  })),
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 200 } },
  { type: 'message_stop' },
].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)

const server = createServer({ keepAliveTimeout: 60_000 }, (incoming, outgoing) => {
  incoming.resume()
  incoming.on('end', () => {
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const event of events) outgoing.write(event)
    outgoing.end()
  })
})
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
