import {
  callId,
  finishOf,
  inputText,
  pieces,
  type ScriptedAnswer,
  type ScriptedRequest,
  type ScriptedUsage,
} from './scripted-provider-answer.ts'

/** Server-sent events of `/v1/chat/completions`: https://platform.openai.com/docs/api-reference/chat-streaming */
export function openaiChatFrames(
  answer: ScriptedAnswer,
  request: ScriptedRequest,
  usage: ScriptedUsage | undefined,
): string[] {
  const { model, body } = request
  const event = (fields: object) =>
    `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1767225600, model, ...fields })}\n\n`
  const delta = (fields: object, finish_reason: string | null = null) =>
    event({ choices: [{ index: 0, delta: fields, finish_reason }] })
  const call = (index: number, fields: object) => delta({ tool_calls: [{ index, ...fields }] })
  const frames = [
    delta({ role: 'assistant', content: '' }),
    ...pieces(answer.reasoning).map((reasoning_content) => delta({ reasoning_content })),
    ...pieces(answer.text).map((content) => delta({ content })),
    ...(answer.toolCalls ?? []).flatMap(({ id, name, input }, index) => [
      call(index, { id: id ?? callId(request, index), type: 'function', function: { name, arguments: '' } }),
      ...halves(inputText(input)).map((part) => call(index, { function: { arguments: part } })),
    ]),
  ]
  if (answer.streamError) {
    const { message, type = 'server_error' } = answer.streamError
    return [...frames, `data: ${JSON.stringify({ error: { message, type, code: null, param: null } })}\n\n`]
  }
  frames.push(delta({}, FINISH[finishOf(answer)]))
  const wanted = (body['stream_options'] as { include_usage?: boolean } | undefined)?.include_usage
  if (usage && wanted) frames.push(event({ choices: [], usage: wireUsage(usage) }))
  return [...frames, 'data: [DONE]\n\n']
}

const FINISH = {
  stop: 'stop',
  length: 'length',
  'tool-calls': 'tool_calls',
  'content-filter': 'content_filter',
} as const

function wireUsage({ promptTokens = 0, cachedTokens, outputTokens = 0, reasoningTokens }: ScriptedUsage): object {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: outputTokens,
    total_tokens: promptTokens + outputTokens,
    ...(cachedTokens === undefined ? {} : { prompt_tokens_details: { cached_tokens: cachedTokens } }),
    ...(reasoningTokens === undefined ? {} : { completion_tokens_details: { reasoning_tokens: reasoningTokens } }),
  }
}

/** Arguments arrive in more than one piece, as they do in life. */
function halves(text: string): string[] {
  const middle = Math.ceil(text.length / 2)
  return [text.slice(0, middle), text.slice(middle)].filter((part) => part !== '')
}

/** Server-sent events of `/v1/responses`: https://platform.openai.com/docs/api-reference/responses-streaming */
export function openaiResponsesFrames(
  answer: ScriptedAnswer,
  request: ScriptedRequest,
  usage: ScriptedUsage | undefined,
): string[] {
  const { model } = request
  const frames: string[] = []
  const event = (type: string, fields: object) => {
    frames.push(`event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: frames.length, ...fields })}\n\n`)
  }
  const response = { id: 'resp_1', object: 'response', created_at: 1767225600, model, output: [], service_tier: null }
  event('response.created', { response: { ...response, status: 'in_progress' } })

  let output_index = 0
  if (answer.reasoning !== undefined) {
    const at = { item_id: 'rs_1', output_index, summary_index: 0 }
    const item = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: answer.signature ?? null }
    event('response.output_item.added', { output_index, item })
    event('response.reasoning_summary_part.added', { ...at, part: { type: 'summary_text', text: '' } })
    for (const delta of pieces(answer.reasoning)) event('response.reasoning_summary_text.delta', { ...at, delta })
    event('response.reasoning_summary_part.done', { ...at, part: { type: 'summary_text', text: '' } })
    event('response.output_item.done', { output_index, item })
    output_index += 1
  }
  if (answer.text !== undefined) {
    const at = { item_id: 'msg_1', output_index, content_index: 0 }
    const item = { type: 'message', id: 'msg_1', role: 'assistant', content: [] }
    event('response.output_item.added', { output_index, item: { ...item, status: 'in_progress' } })
    for (const delta of pieces(answer.text)) event('response.output_text.delta', { ...at, delta, logprobs: [] })
    event('response.output_item.done', { output_index, item: { ...item, status: 'completed' } })
    output_index += 1
  }
  for (const [index, { id = callId(request, index), name, namespace, input }] of (answer.toolCalls ?? []).entries()) {
    const item = {
      type: 'function_call',
      id: `fc_${index + 1}`,
      call_id: id,
      name,
      ...(namespace !== undefined && { namespace }),
    }
    const text = inputText(input)
    event('response.output_item.added', { output_index, item: { ...item, arguments: '', status: 'in_progress' } })
    event('response.function_call_arguments.delta', { item_id: item.id, output_index, delta: text })
    event('response.function_call_arguments.done', { item_id: item.id, output_index, arguments: text })
    event('response.output_item.done', { output_index, item: { ...item, arguments: text, status: 'completed' } })
    output_index += 1
  }
  if (answer.streamError) {
    const { message, type = 'server_error' } = answer.streamError
    event('error', { error: { type, code: type, message, param: null } })
    return frames
  }
  const reason = INCOMPLETE[finishOf(answer)]
  const told = usage ? { usage: responsesUsage(usage) } : {}
  if (reason) {
    const incomplete_details = { reason }
    event('response.incomplete', { response: { ...response, status: 'incomplete', incomplete_details, ...told } })
  } else {
    event('response.completed', { response: { ...response, status: 'completed', incomplete_details: null, ...told } })
  }
  return frames
}

const INCOMPLETE: Readonly<Record<string, string>> = { length: 'max_output_tokens', 'content-filter': 'content_filter' }

function responsesUsage({ promptTokens = 0, cachedTokens, outputTokens = 0, reasoningTokens }: ScriptedUsage): object {
  return {
    input_tokens: promptTokens,
    output_tokens: outputTokens,
    total_tokens: promptTokens + outputTokens,
    ...(cachedTokens === undefined ? {} : { input_tokens_details: { cached_tokens: cachedTokens } }),
    ...(reasoningTokens === undefined ? {} : { output_tokens_details: { reasoning_tokens: reasoningTokens } }),
  }
}
