import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

/** A request as a scripted vendor received it. */
export interface ReceivedRequest {
  readonly method: string
  readonly url: string
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[]
  readonly body: Buffer
  readonly incoming: IncomingMessage
}

/** A vendor on loopback, which answers as a test says. */
export interface Vendor {
  readonly url: string
  readonly received: ReceivedRequest[]
  /** Resolves with the next request once its body is there. */
  next(): Promise<ReceivedRequest>
  answer: (request: ReceivedRequest, outgoing: ServerResponse) => void | Promise<void>
}

export async function startVendor(t: TestContext, answer: Vendor['answer']): Promise<Vendor> {
  const received: ReceivedRequest[] = []
  const waiting: ((request: ReceivedRequest) => void)[] = []
  const server = createServer((incoming, outgoing) => {
    const parts: Buffer[] = []
    incoming.on('data', (part: Buffer) => parts.push(part))
    incoming.on('end', () => {
      const { method = '', url = '', rawHeaders } = incoming
      const request = { method, url, rawHeaders, body: Buffer.concat(parts), incoming }
      received.push(request)
      waiting.shift()?.(request)
      void vendor.answer(request, outgoing)
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const vendor: Vendor = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    next: () => new Promise((resolve) => void waiting.push(resolve)),
    answer,
  }
  return vendor
}

/** An answer of the Messages API as a stream of events. */
export function messagesEvents(text: string, { input = 12, output = 3 } = {}): string {
  const events = [
    {
      type: 'message_start',
      message: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'claude-opus-5-5',
        content: [],
        usage: { input_tokens: input, cache_read_input_tokens: 0, cache_creation_input_tokens: 0, output_tokens: 1 },
      },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: output } },
    { type: 'message_stop' },
  ]
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
}

/** Answers every request of the Messages API with the same words. */
export function answerMessages(text = 'Hello.', usage?: { input?: number; output?: number }): Vendor['answer'] {
  return (_, outgoing) => {
    outgoing.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
    outgoing.end(messagesEvents(text, usage))
  }
}
