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
