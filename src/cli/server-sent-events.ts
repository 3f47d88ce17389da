/** One event of a `text/event-stream`. */
export interface ServerSentEvent {
  readonly id: string | undefined
  readonly event: string
  readonly data: string
}

/** The events of a stream, each as soon as it is whole. Comments (`: still here`) are passed over. */
export async function* serverSentEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  let rest = ''
  const text = new TextDecoder()
  for await (const bytes of body) {
    rest += text.decode(bytes, { stream: true })
    // A carriage return at the very end may be half of a line's end.
    const whole = rest.endsWith('\r') ? rest.slice(0, -1) : rest
    const blocks = whole.split(/\r\n\r\n|\n\n|\r\r/)
    rest = blocks.pop()! + rest.slice(whole.length)
    for (const block of blocks) {
      const event = eventOf(block)
      if (event !== undefined) yield event
    }
  }
}

function eventOf(block: string): ServerSentEvent | undefined {
  let id: string | undefined
  let event = 'message'
  const data: string[] = []
  for (const line of block.split(/\r\n|\n|\r/)) {
    const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line)!
    if (field === 'id') id = value
    if (field === 'event') event = value
    if (field === 'data') data.push(value)
  }
  return data.length === 0 ? undefined : { id, event, data: data.join('\n') }
}
