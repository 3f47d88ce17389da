import { type AnswerEvent, type CompletionNames } from '../../../server.ts'
import { type AnswerEnd, blockReader, emptyMessage, forewordOf, stopReason, usageOf } from './anthropic-answer.ts'

/** Writes an answer as Anthropic's stream of events: https://platform.claude.com/docs/en/build-with-claude/streaming */
export function anthropicStream(names: CompletionNames): {
  readonly start: string
  /** Empty for an event that Anthropic's format cannot express. */
  piece(event: AnswerEvent): string
  /** Everything after the last piece. */
  end(end: AnswerEnd): string
} {
  let text = ''
  let index = -1
  const write = (type: string, fields: object) => void (text += streamEvent(type, fields))
  const blocks = blockReader({
    begin(type) {
      index += 1
      const content_block = type === 'text' ? { type, text: '' } : { type, thinking: '', signature: '' }
      write('content_block_start', { index, content_block })
    },
    add: (type, words) => write('content_block_delta', { index, delta: { type: `${type}_delta`, [type]: words } }),
    end(signature) {
      if (signature !== '') write('content_block_delta', { index, delta: { type: 'signature_delta', signature } })
      write('content_block_stop', { index })
    },
    whole(block) {
      index += 1
      if (block.type === 'redacted_thinking') {
        write('content_block_start', { index, content_block: block })
      } else {
        const { input, ...head } = block
        write('content_block_start', { index, content_block: { ...head, input: {} } })
        const partial_json = JSON.stringify(input)
        write('content_block_delta', { index, delta: { type: 'input_json_delta', partial_json } })
      }
      write('content_block_stop', { index })
    },
  })
  const taken = () => {
    const all = text
    text = ''
    return all
  }
  return {
    start: streamEvent('message_start', { message: emptyMessage(names) }) + streamEvent('ping', {}),
    piece(event) {
      blocks.add(event)
      return taken()
    },
    end(end) {
      blocks.end()
      write('message_delta', {
        delta: { stop_reason: stopReason(end.finish), stop_sequence: null },
        usage: usageOf(end.finish?.usage),
        foreword: forewordOf(names, end),
      })
      write('message_stop', {})
      return taken()
    },
  }
}

/** One event as text to send. */
export function streamEvent(type: string, fields: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`
}
