import {
  callId,
  finishOf,
  inputText,
  pieces,
  type ScriptedAnswer,
  type ScriptedRequest,
  type ScriptedUsage,
} from './scripted-provider-answer.ts'

/** Server-sent events of `/v1/messages`: https://platform.claude.com/docs/en/build-with-claude/streaming */
export function anthropicFrames(
  answer: ScriptedAnswer,
  request: ScriptedRequest,
  usage: ScriptedUsage | undefined,
): string[] {
  const { model } = request
  const event = (type: string, fields: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`
  const block = (index: number, content_block: object, deltas: readonly object[]) => [
    event('content_block_start', { index, content_block }),
    ...deltas.map((delta) => event('content_block_delta', { index, delta })),
    event('content_block_stop', { index }),
  ]
  const { promptTokens = 0, cachedTokens = 0, cacheWrittenTokens = 0, outputTokens = 0 } = usage ?? {}
  const start = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    // Anthropic counts what was cached beside the rest, not in it.
    usage: {
      input_tokens: promptTokens - cachedTokens - cacheWrittenTokens,
      cache_read_input_tokens: cachedTokens,
      cache_creation_input_tokens: cacheWrittenTokens,
      output_tokens: 1,
    },
  }
  const frames = [event('message_start', { message: start }), event('ping', {})]
  let index = 0
  if (answer.reasoning !== undefined) {
    const deltas: object[] = pieces(answer.reasoning).map((thinking) => ({ type: 'thinking_delta', thinking }))
    if (answer.signature) deltas.push({ type: 'signature_delta', signature: answer.signature })
    frames.push(...block(index++, { type: 'thinking', thinking: '', signature: '' }, deltas))
  }
  if (answer.text !== undefined) {
    const deltas = pieces(answer.text).map((text) => ({ type: 'text_delta', text }))
    frames.push(...block(index++, { type: 'text', text: '' }, deltas))
  }
  for (const [call, { id = callId(request, call), name, input }] of (answer.toolCalls ?? []).entries()) {
    const delta = { type: 'input_json_delta', partial_json: inputText(input) }
    frames.push(...block(index++, { type: 'tool_use', id, name, input: {} }, [delta]))
  }
  if (answer.streamError) {
    const { message, type = 'overloaded_error' } = answer.streamError
    return [...frames, event('error', { error: { type, message } })]
  }
  const details =
    usage?.reasoningTokens === undefined ? {} : { output_tokens_details: { thinking_tokens: usage.reasoningTokens } }
  return [
    ...frames,
    event('message_delta', {
      delta: { stop_reason: STOP[finishOf(answer)], stop_sequence: null },
      usage: { output_tokens: outputTokens, ...details },
    }),
    event('message_stop', {}),
  ]
}

const STOP = { stop: 'end_turn', length: 'max_tokens', 'tool-calls': 'tool_use', 'content-filter': 'refusal' } as const

/** Lines of `/api/chat`: https://docs.ollama.com/api/chat */
export function ollamaFrames(
  answer: ScriptedAnswer,
  request: ScriptedRequest,
  usage: ScriptedUsage | undefined,
): string[] {
  const { model } = request
  const line = (fields: object) => `${JSON.stringify({ model, created_at: '2026-01-01T00:00:00Z', ...fields })}\n`
  const say = (fields: object) => line({ message: { role: 'assistant', content: '', ...fields }, done: false })
  const frames = [
    ...pieces(answer.reasoning).map((thinking) => say({ thinking })),
    ...pieces(answer.text).map((content) => say({ content })),
    ...(answer.toolCalls ?? []).map(({ id, name, input }) =>
      say({ tool_calls: [{ ...(id ? { id } : {}), function: { name, arguments: input } }] }),
    ),
  ]
  if (answer.streamError) return [...frames, `${JSON.stringify({ error: answer.streamError.message })}\n`]
  const finish = finishOf(answer)
  const end = {
    message: { role: 'assistant', content: '' },
    done: true,
    // Ollama says `stop` when it called a tool.
    done_reason: finish === 'tool-calls' ? 'stop' : finish,
    total_duration: 1_000_000,
    ...(usage ? { prompt_eval_count: usage.promptTokens, eval_count: usage.outputTokens } : {}),
  }
  return [...frames, line(end)]
}
