import { fieldsOf, elementsOf } from '../platform.ts'
import { type AnswerDraft, errorFacts } from './answer-draft.ts'
import { countOf, type JsonFields, textOf } from './wire-part.ts'

/** Reads an event of a stream of OpenAI's Responses API. What came in deltas is not read again when its item ends. */
export function readResponsesEvent(draft: AnswerDraft, event: JsonFields): void {
  const type = textOf(event['type']) ?? ''
  const key = String(event['output_index'])
  switch (type) {
    case 'response.created':
    case 'response.in_progress':
      readHead(draft, fieldsOf(event['response']))
      return
    case 'response.output_text.delta':
    case 'response.refusal.delta':
      draft.addText(event['delta'])
      return
    case 'response.reasoning_text.delta':
    case 'response.reasoning_summary_text.delta':
      draft.addReasoning(event['delta'])
      return
    case 'response.output_item.added':
    case 'response.output_item.done':
      readCall(draft, key, fieldsOf(event['item']))
      return
    case 'response.function_call_arguments.delta':
    case 'response.custom_tool_call_input.delta':
      draft.addInput(key, event['delta'])
      return
    case 'response.completed':
    case 'response.incomplete':
    case 'response.failed':
      readEnd(draft, fieldsOf(event['response']))
      return
    case 'error': {
      const error = errorFacts(event['error'] ?? event)
      draft.fail(error?.code, error?.message)
    }
  }
}

/** Reads a whole response; also the answer to a count of tokens. */
export function readResponsesAnswer(draft: AnswerDraft, response: JsonFields): void {
  readItems(draft, response)
  readEnd(draft, response)
  const counted = countOf(response['input_tokens'])
  if (counted !== undefined) draft.usage({ promptTokens: counted })
}

function readItems(draft: AnswerDraft, response: JsonFields): void {
  for (const [index, value] of elementsOf(response['output']).entries()) {
    const item = fieldsOf(value)
    for (const part of elementsOf(item['content']).map(fieldsOf)) {
      if (item['type'] === 'reasoning') draft.addReasoning(part['text'])
      else draft.addText(part['text'] ?? part['refusal'])
    }
    for (const part of elementsOf(item['summary'])) draft.addReasoning(fieldsOf(part)['text'])
    readCall(draft, String(index), item)
  }
}

function readCall(draft: AnswerDraft, key: string, item: JsonFields): void {
  const input = inputKeys.get(textOf(item['type']) ?? '')
  if (input === undefined) return
  const group = textOf(item['namespace'])
  const name = textOf(item['name']) ?? textOf(item['type'])
  draft.call(key, {
    id: item['call_id'] ?? item['id'],
    name: group === undefined ? name : `${group}.${name}`,
    input: item['action'],
  })
  const json = textOf(item[input])
  if (json) draft.setInput(key, json)
}

const inputKeys: ReadonlyMap<string, string> = new Map([
  ['function_call', 'arguments'],
  ['custom_tool_call', 'input'],
  ['local_shell_call', 'action'],
  ['shell_call', 'action'],
])

function readHead(draft: AnswerDraft, response: JsonFields): void {
  draft.set({ model: response['model'], id: response['id'] })
}

function readEnd(draft: AnswerDraft, response: JsonFields): void {
  readHead(draft, response)
  const why = fieldsOf(response['incomplete_details'])['reason']
  draft.set({ finish: why ?? response['status'] })
  const error = errorFacts(response['error'])
  if (error) draft.fail(error.code, error.message)
  // A stream whose deltas were not sent, or were lost, still has its text in its last event.
  if (!draft.hasText() && response['object'] === 'response')
    for (const item of elementsOf(response['output']).map(fieldsOf)) {
      if (item['type'] !== 'message') continue
      for (const part of elementsOf(item['content']).map(fieldsOf)) draft.addText(part['text'] ?? part['refusal'])
    }
  readUsage(draft, response['usage'])
}

function readUsage(draft: AnswerDraft, value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  const usage = fieldsOf(value)
  const details = fieldsOf(usage['input_tokens_details'])
  draft.usage({
    promptTokens: countOf(usage['input_tokens']),
    cachedTokens: countOf(details['cached_tokens']),
    cacheWrittenTokens: countOf(details['cache_write_tokens']),
    outputTokens: countOf(usage['output_tokens']),
    reasoningTokens: countOf(fieldsOf(usage['output_tokens_details'])['reasoning_tokens']),
  })
}
