import { defined } from '../platform.ts'
import {
  callId,
  finishReason,
  inputText,
  textPieces,
  type ScriptedAnswer,
  type ScriptedRequest,
  type ScriptedUsage,
  type Wire,
} from './scripted-provider-answer.ts'

/**
 * The parts of a response in the format of the request. A test can pause or break the connection between two of them. `number`: of
 * the request, from 1. Each answer has an id of its own by it, as those of the providers have.
 */
export function responseFrames(answer: ScriptedAnswer, request: ScriptedRequest, number: number): readonly string[] {
  return FORMATS[request.wire](answer, { request, number }, answerUsage(answer, request))
}

interface Numbered {
  readonly request: ScriptedRequest
  readonly number: number
}

type Format = (answer: ScriptedAnswer, request: Numbered, usage?: ScriptedUsage) => readonly string[]

const FORMATS: Readonly<Record<Wire, Format>> = {
  ollama: ollamaFrames,
  'openai-chat': openaiChatFrames,
  'openai-responses': openaiResponsesFrames,
  anthropic: anthropicFrames,
  gemini: geminiFrames,
}

function answerUsage({ usage, text = '' }: ScriptedAnswer, { bytes }: ScriptedRequest): ScriptedUsage | undefined {
  if (usage === 'silent') return undefined
  const words = typeof text === 'string' ? text.split(' ').length : text.length
  return usage ?? { promptTokens: Math.ceil(bytes.byteLength / 4), outputTokens: words }
}

/** Server-sent events of `/v1/chat/completions`: https://platform.openai.com/docs/api-reference/chat-streaming */
function openaiChatFrames(answer: ScriptedAnswer, { request, number }: Numbered, usage?: ScriptedUsage): string[] {
  const { model, body } = request
  const event = (fields: object) =>
    `data: ${JSON.stringify({ id: `chatcmpl-${number}`, object: 'chat.completion.chunk', created: 1767225600, model, ...fields })}\n\n`
  const delta = (fields: object, finish_reason: string | null = null) =>
    event({ choices: [{ index: 0, delta: fields, finish_reason }] })
  const call = (index: number, fields: object) => delta({ tool_calls: [{ index, ...fields }] })
  const signed = answer.signature && { extra_content: { google: { thought_signature: answer.signature } } }
  const frames = [
    delta({ role: 'assistant', content: '' }),
    ...textPieces(answer.reasoning).map((reasoning_content) => delta({ reasoning_content })),
    ...textPieces(answer.text).map((content) => delta({ content })),
    ...(answer.toolCalls ?? []).flatMap(({ id, name, input }, index) => [
      call(index, { id: id ?? callId(request, index), type: 'function', function: { name, arguments: '' }, ...signed }),
      ...halves(inputText(input)).map((part) => call(index, { function: { arguments: part } })),
    ]),
  ]
  if (answer.streamError) {
    const { message, type = 'server_error' } = answer.streamError
    return [...frames, `data: ${JSON.stringify({ error: { message, type, code: null, param: null } })}\n\n`]
  }
  frames.push(delta({}, FINISH[finishReason(answer)]))
  const wanted = (body['stream_options'] as { include_usage?: boolean } | undefined)?.include_usage
  const timings = answer.timings && { cache_n: answer.timings.cached, prompt_n: answer.timings.read }
  const reported = usage && wanted ? { usage: openaiUsage(usage, ['prompt', 'completion']) } : {}
  if (timings || 'usage' in reported) frames.push(event({ choices: [], ...reported, ...defined({ timings }) }))
  return [...frames, 'data: [DONE]\n\n']
}

const FINISH = {
  stop: 'stop',
  length: 'length',
  'tool-calls': 'tool_calls',
  'content-filter': 'content_filter',
} as const

/** Server-sent events of `:streamGenerateContent`: https://ai.google.dev/api/generate-content */
function geminiFrames(answer: ScriptedAnswer, { request, number }: Numbered, usage?: ScriptedUsage): string[] {
  const event = (fields: object) =>
    `data: ${JSON.stringify({ ...fields, modelVersion: request.model, responseId: `resp_${number}` })}\r\n\r\n`
  const said = (part: object) => event({ candidates: [{ content: { role: 'model', parts: [part] }, index: 0 }] })
  const frames = [
    ...textPieces(answer.reasoning).map((text) => said({ text, thought: true })),
    ...textPieces(answer.text).map((text) => said({ text })),
    ...(answer.toolCalls ?? []).map(({ name, input }) => said({ functionCall: { name, args: input } })),
  ]
  if (answer.streamError) return [...frames, event({ error: { code: 500, status: 'INTERNAL', ...answer.streamError } })]
  const reasons = { stop: 'STOP', length: 'MAX_TOKENS', 'tool-calls': 'STOP', 'content-filter': 'SAFETY' }
  const { promptTokens, cachedTokens, outputTokens, reasoningTokens } = usage ?? {}
  const usageMetadata = usage && {
    promptTokenCount: promptTokens,
    cachedContentTokenCount: cachedTokens,
    candidatesTokenCount: outputTokens,
    thoughtsTokenCount: reasoningTokens,
  }
  return [
    ...frames,
    event({
      candidates: [{ content: { role: 'model', parts: [] }, index: 0, finishReason: reasons[finishReason(answer)] }],
      usageMetadata,
    }),
  ]
}

/** The token counts of OpenAI, whose two APIs name the sides of a call differently. */
function openaiUsage(
  { promptTokens = 0, cachedTokens, cacheWrittenTokens, outputTokens = 0, reasoningTokens }: ScriptedUsage,
  [input, output]: readonly [input: string, output: string],
): object {
  return {
    [`${input}_tokens`]: promptTokens,
    [`${output}_tokens`]: outputTokens,
    total_tokens: promptTokens + outputTokens,
    ...(cachedTokens !== undefined && {
      [`${input}_tokens_details`]: {
        cached_tokens: cachedTokens,
        ...(cacheWrittenTokens ? { cache_write_tokens: cacheWrittenTokens } : {}),
      },
    }),
    ...(reasoningTokens !== undefined && { [`${output}_tokens_details`]: { reasoning_tokens: reasoningTokens } }),
  }
}

/** Arguments arrive in two pieces, since real servers split them as well. */
function halves(text: string): string[] {
  const middle = Math.ceil(text.length / 2)
  return [text.slice(0, middle), text.slice(middle)].filter((part) => part !== '')
}

/** Server-sent events of `/v1/responses`: https://platform.openai.com/docs/api-reference/responses-streaming */
function openaiResponsesFrames(answer: ScriptedAnswer, { request, number }: Numbered, usage?: ScriptedUsage): string[] {
  const { model } = request
  const frames: string[] = []
  const event = (type: string, fields: object) => {
    frames.push(`event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: frames.length, ...fields })}\n\n`)
  }
  const response = {
    id: `resp_${number}`,
    object: 'response',
    created_at: 1767225600,
    model,
    output: [],
    service_tier: null,
  }
  event('response.created', { response: { ...response, status: 'in_progress' } })

  let output_index = 0
  if (answer.reasoning !== undefined) {
    const at = { item_id: `rs_${number}`, output_index, summary_index: 0 }
    const item = { type: 'reasoning', id: `rs_${number}`, summary: [], encrypted_content: answer.signature ?? null }
    event('response.output_item.added', { output_index, item })
    event('response.reasoning_summary_part.added', { ...at, part: { type: 'summary_text', text: '' } })
    for (const delta of textPieces(answer.reasoning)) event('response.reasoning_summary_text.delta', { ...at, delta })
    event('response.reasoning_summary_part.done', { ...at, part: { type: 'summary_text', text: '' } })
    event('response.output_item.done', { output_index, item })
    output_index += 1
  }
  if (answer.text !== undefined) {
    const at = { item_id: `msg_${number}`, output_index, content_index: 0 }
    const item = { type: 'message', id: `msg_${number}`, role: 'assistant', content: [] }
    event('response.output_item.added', { output_index, item: { ...item, status: 'in_progress' } })
    for (const delta of textPieces(answer.text)) event('response.output_text.delta', { ...at, delta, logprobs: [] })
    const content = [{ type: 'output_text', text: textPieces(answer.text).join(''), annotations: [], logprobs: [] }]
    event('response.output_item.done', { output_index, item: { ...item, content, status: 'completed' } })
    output_index += 1
  }
  for (const [index, { id = callId(request, index), name, namespace, input }] of (answer.toolCalls ?? []).entries()) {
    const item = {
      type: 'function_call',
      id: `fc_${number}_${index + 1}`,
      call_id: id,
      name,
      ...defined({ namespace }),
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
  const reason = INCOMPLETE[finishReason(answer)]
  const reported = usage ? { usage: openaiUsage(usage, ['input', 'output']) } : {}
  if (reason) {
    const incomplete_details = { reason }
    event('response.incomplete', { response: { ...response, status: 'incomplete', incomplete_details, ...reported } })
  } else {
    event('response.completed', {
      response: { ...response, status: 'completed', incomplete_details: null, ...reported },
    })
  }
  return frames
}

const INCOMPLETE: Readonly<Record<string, string>> = { length: 'max_output_tokens', 'content-filter': 'content_filter' }

/** Server-sent events of `/v1/messages`: https://platform.claude.com/docs/en/build-with-claude/streaming */
function anthropicFrames(answer: ScriptedAnswer, { request, number }: Numbered, usage?: ScriptedUsage): string[] {
  const { model } = request
  const event = (type: string, fields: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`
  const block = (index: number, content_block: object, deltas: readonly object[]) => [
    event('content_block_start', { index, content_block }),
    ...deltas.map((delta) => event('content_block_delta', { index, delta })),
    event('content_block_stop', { index }),
  ]
  const {
    promptTokens = 0,
    cachedTokens = 0,
    cacheWrittenTokens = 0,
    outputTokens = 0,
    longWrittenTokens,
  } = usage ?? {}
  const start = {
    id: `msg_${number}`,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    // Anthropic does not count cached tokens in `input_tokens`.
    usage: {
      input_tokens: promptTokens - cachedTokens - cacheWrittenTokens,
      cache_read_input_tokens: cachedTokens,
      cache_creation_input_tokens: cacheWrittenTokens,
      ...(longWrittenTokens !== undefined && {
        cache_creation: {
          ephemeral_5m_input_tokens: cacheWrittenTokens - longWrittenTokens,
          ephemeral_1h_input_tokens: longWrittenTokens,
        },
      }),
      output_tokens: 1,
    },
  }
  const frames = [event('message_start', { message: start }), event('ping', {})]
  let index = 0
  if (answer.reasoning !== undefined) {
    const deltas: object[] = textPieces(answer.reasoning).map((thinking) => ({ type: 'thinking_delta', thinking }))
    if (answer.signature) deltas.push({ type: 'signature_delta', signature: answer.signature })
    frames.push(...block(index++, { type: 'thinking', thinking: '', signature: '' }, deltas))
  }
  if (answer.text !== undefined) {
    const deltas = textPieces(answer.text).map((text) => ({ type: 'text_delta', text }))
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
      delta: { stop_reason: STOP[finishReason(answer)], stop_sequence: null },
      usage: { output_tokens: outputTokens, ...details },
    }),
    event('message_stop', {}),
  ]
}

const STOP = { stop: 'end_turn', length: 'max_tokens', 'tool-calls': 'tool_use', 'content-filter': 'refusal' } as const

/** Lines of `/api/chat`: https://docs.ollama.com/api/chat */
function ollamaFrames(answer: ScriptedAnswer, { request }: Numbered, usage?: ScriptedUsage): string[] {
  const { model } = request
  const line = (fields: object) => `${JSON.stringify({ model, created_at: '2026-01-01T00:00:00Z', ...fields })}\n`
  const say = (fields: object) => line({ message: { role: 'assistant', content: '', ...fields }, done: false })
  const frames = [
    ...textPieces(answer.reasoning).map((thinking) => say({ thinking })),
    ...textPieces(answer.text).map((content) => say({ content })),
    ...(answer.toolCalls ?? []).map(({ id, name, input }) =>
      say({ tool_calls: [{ ...(id ? { id } : {}), function: { name, arguments: input } }] }),
    ),
  ]
  if (answer.streamError) return [...frames, `${JSON.stringify({ error: answer.streamError.message })}\n`]
  const finish = finishReason(answer)
  const end = {
    message: { role: 'assistant', content: '' },
    done: true,
    // Ollama reports `stop` for tool calls.
    done_reason: finish === 'tool-calls' ? 'stop' : finish,
    total_duration: 1_000_000,
    ...(usage ? { prompt_eval_count: usage.promptTokens, eval_count: usage.outputTokens } : {}),
  }
  return [...frames, line(end)]
}
