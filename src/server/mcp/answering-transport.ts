import type { Readable, Writable } from 'node:stream'
import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCMessage,
  type RequestId,
  type Transport,
} from '@modelcontextprotocol/server'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'

const NEWLINE = 10

/**
 * MCP over the standard input and output. A client that pipes in a file ends the input with the last request: the connection
 * then waits until each request has its answer, and ends after that. `closed` is called once it has ended, whatever ended it.
 */
export function answeringTransport(stdin: Readable, stdout: Writable, closed: () => void): Transport {
  const wire = new StdioServerTransport(stdin, stdout)
  /** Requests of the client that have no answer yet. */
  const open = new Set<RequestId>()
  /** What the client was asked and has not answered. */
  const asked = new Set<RequestId>()
  let isOver = false
  let isBroken = false
  let endsLine = true
  const look = (chunk: Buffer) => (endsLine = chunk.at(-1) === NEWLINE)
  const closeWire = wire.close.bind(wire)
  const close = () => {
    stdin.off('data', look)
    return closeWire()
  }
  const closeOnceAnswered = () => (isOver && open.size === 0 ? close() : undefined)
  const transport: Transport = {
    async start() {
      stdout.once('error', () => (isBroken = true))
      stdin.on('data', look)
      await wire.start()
    },
    async send(message) {
      if (isJSONRPCRequest(message)) {
        asked.add(message.id)
        if (isOver) return void setImmediate(() => answerNothing(message.id))
      }
      await wire.send(message)
      if (isJSONRPCResponse(message) && message.id !== undefined) open.delete(message.id)
      await closeOnceAnswered()
    },
    close,
  }

  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it is no event target
  wire.onmessage = (message) => {
    note(message)
    transport.onmessage?.(message)
    void closeOnceAnswered()
  }
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it is no event target
  wire.onerror = (error) => transport.onerror?.(error)
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it is no event target
  wire.onclose = () => {
    transport.onclose?.()
    closed()
  }
  // The wire closes itself so: at the end of its input, with a broken output, and after a line without an end.
  wire.close = async () => {
    if (isBroken || !(stdin.readableEnded || stdin.destroyed)) return close()
    // The last line of a file may lack its end.
    if (!isOver && !endsLine) stdin.emit('data', Buffer.of(NEWLINE))
    isOver = true
    asked.forEach(answerNothing)
    await closeOnceAnswered()
  }
  return transport

  function note(message: JSONRPCMessage): void {
    // A subscription is answered when the connection ends.
    if (isJSONRPCRequest(message) && message.method !== 'subscriptions/listen') open.add(message.id)
    if (isJSONRPCResponse(message) && message.id !== undefined) asked.delete(message.id)
    // What was taken back is not answered.
    if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled') {
      open.delete(message.params?.['requestId'] as RequestId)
    }
  }

  /** Nobody can answer any more, so whoever asked gets an error and goes on. */
  function answerNothing(id: RequestId): void {
    if (!asked.delete(id)) return
    transport.onmessage?.({ jsonrpc: '2.0', id, error: { code: -32_000, message: 'The client has ended its input.' } })
  }
}
