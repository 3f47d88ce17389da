import { fieldsOf, elementsOf } from '../platform.ts'
import { type AnswerDraft, errorFacts } from './answer-draft.ts'
import { countOf, type JsonFields } from './wire-part.ts'

/** Reads an event of a stream of Anthropic's Messages API. */
export function readMessagesEvent(draft: AnswerDraft, event: JsonFields): void {
  const key = String(event['index'])
  switch (event['type']) {
    case 'message_start':
      readMessagesAnswer(draft, fieldsOf(event['message']))
      return
    case 'content_block_start':
      readBlock(draft, key, fieldsOf(event['content_block']))
      return
    case 'content_block_delta':
      readDelta(draft, key, fieldsOf(event['delta']))
      return
    case 'message_delta':
      draft.set({ finish: fieldsOf(event['delta'])['stop_reason'] })
      readUsage(draft, event['usage'])
      return
    case 'error': {
      const error = errorFacts(event['error'])
      draft.fail(error?.code, error?.message)
    }
  }
}

/** Reads a whole message, or the beginning of one; also the answer to a count of tokens. */
export function readMessagesAnswer(draft: AnswerDraft, message: JsonFields): void {
  const error = errorFacts(message['error'])
  if (error) draft.fail(error.code, error.message)
  draft.set({ finish: message['stop_reason'], model: message['model'], id: message['id'] })
  for (const [index, block] of elementsOf(message['content']).entries())
    readBlock(draft, String(index), fieldsOf(block))
  readUsage(draft, message['usage'])
  const counted = countOf(message['input_tokens'])
  if (counted !== undefined) draft.usage({ promptTokens: counted })
}

function readBlock(draft: AnswerDraft, key: string, block: JsonFields): void {
  switch (block['type']) {
    case 'text':
      draft.addText(block['text'])
      return
    case 'thinking':
      draft.addReasoning(block['thinking'])
      return
    case 'tool_use':
    case 'server_tool_use':
    case 'mcp_tool_use':
      draft.call(key, block)
  }
}

function readDelta(draft: AnswerDraft, key: string, delta: JsonFields): void {
  switch (delta['type']) {
    case 'text_delta':
      draft.addText(delta['text'])
      return
    case 'thinking_delta':
      draft.addReasoning(delta['thinking'])
      return
    case 'input_json_delta':
      draft.addInput(key, delta['partial_json'])
  }
}

/** The prompt is reported in three parts: read from a cache, written to it, and the rest. Later events may repeat some of them. */
function readUsage(draft: AnswerDraft, value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  const usage = fieldsOf(value)
  const longer = countOf(fieldsOf(usage['cache_creation'])['ephemeral_1h_input_tokens'])
  draft.usage({
    freshTokens: countOf(usage['input_tokens']),
    cachedTokens: countOf(usage['cache_read_input_tokens']),
    cacheWrittenTokens: countOf(usage['cache_creation_input_tokens']),
    ...(longer === undefined ? {} : { cacheWrittenLongerTokens: longer }),
    outputTokens: countOf(usage['output_tokens']),
    reasoningTokens: countOf(fieldsOf(usage['output_tokens_details'])['thinking_tokens']),
  })
}
