import { fieldsOf } from '../platform.ts'
import { type AnswerDraft, errorFacts } from './answer-draft.ts'
import { countOf, elementsOf, type JsonFields, textOf } from './wire-part.ts'

/** Reads a chunk of a stream of OpenAI's Chat Completions, or a whole completion. Of several choices the first is the answer. */
export function readChatCompletion(draft: AnswerDraft, completion: JsonFields): void {
  const error = errorFacts(completion['error'])
  if (error) draft.fail(error.code, error.message)
  draft.set({ model: completion['model'], id: completion['id'] })
  for (const choice of elementsOf(completion['choices']).map(fieldsOf)) {
    if ((choice['index'] ?? 0) !== 0) continue
    draft.set({ finish: choice['finish_reason'] })
    readSaid(draft, fieldsOf(choice['delta'] ?? choice['message']))
  }
  readUsage(draft, completion['usage'])
}

function readSaid(draft: AnswerDraft, said: JsonFields): void {
  draft.addReasoning(said['reasoning_content'] ?? said['reasoning'])
  draft.addText(said['content'] ?? said['refusal'])
  for (const [position, value] of elementsOf(said['tool_calls']).entries()) {
    const call = fieldsOf(value)
    const about = fieldsOf(call['function'] ?? call['custom'])
    const key = String(countOf(call['index']) ?? position)
    draft.call(key, { id: call['id'], name: about['name'] })
    const json = textOf(about['arguments'] ?? about['input'])
    if (json) draft.addInput(key, json)
  }
  const former = fieldsOf(said['function_call'])
  if (typeof former['name'] === 'string' || typeof former['arguments'] === 'string') {
    draft.call('function', { name: former['name'] })
    draft.addInput('function', former['arguments'])
  }
}

function readUsage(draft: AnswerDraft, value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  const usage = fieldsOf(value)
  const details = fieldsOf(usage['prompt_tokens_details'])
  draft.usage({
    promptTokens: countOf(usage['prompt_tokens']),
    cachedTokens: countOf(details['cached_tokens']) ?? countOf(usage['prompt_cache_hit_tokens']),
    cacheWrittenTokens: countOf(details['cache_write_tokens']) ?? countOf(details['cache_creation_tokens']),
    outputTokens: countOf(usage['completion_tokens']),
    reasoningTokens: countOf(fieldsOf(usage['completion_tokens_details'])['reasoning_tokens']),
  })
}
