import type { Runtime } from '../../../capability.ts'
import { defined, fieldsOf, isObject, parseJson } from '../../../platform.ts'
import { answerAccount, type AnswerEvent, type CollectedAnswer, type CompletionNames } from '../../../server.ts'
import type { Usage } from '../../../session.ts'
import type { FinishReason, ReasoningMetadata } from '../../../model.ts'

type Fields = Readonly<Record<string, unknown>>

export interface MessageEvent extends Fields {
  readonly type: string
}

/** Writes an answer as the events of Anthropic's stream: https://platform.claude.com/docs/en/build-with-claude/streaming */
export function messageEvents() {
  let open: 'text' | 'thinking' | undefined
  let index = -1
  const delta = (fields: Fields): MessageEvent => ({ type: 'content_block_delta', index, delta: fields })
  const start = (block: Fields): MessageEvent => ({
    type: 'content_block_start',
    index: (index += 1),
    content_block: block,
  })
  const end = (signature = ''): readonly MessageEvent[] => {
    if (open === undefined) return []
    open = undefined
    const stop = { type: 'content_block_stop', index }
    return signature === '' ? [stop] : [delta({ type: 'signature_delta', signature }), stop]
  }
  const enter = (type: 'text' | 'thinking'): readonly MessageEvent[] => {
    if (open === type) return []
    const ended = end()
    open = type
    return [...ended, start(type === 'text' ? { type, text: '' } : { type, thinking: '', signature: '' })]
  }
  return {
    /** Those that an event of the answer is. None for one that Anthropic's format cannot express. */
    add(event: AnswerEvent): readonly MessageEvent[] {
      switch (event.type) {
        case 'text-delta':
          return [...enter('text'), delta({ type: 'text_delta', text: event.text })]
        case 'reasoning-delta':
          return [...enter('thinking'), delta({ type: 'thinking_delta', thinking: event.text })]
        case 'reasoning-end': {
          const { providerOptions: metadata } = event
          const { redactedData: data, signature: own } = metadata['anthropic'] ?? {}
          if (typeof data !== 'string') {
            // What a provider needs back with its reasoning: Anthropic's own as it is, others' wrapped.
            const wrapped = WRAPPED + Buffer.from(JSON.stringify(metadata), 'utf8').toString('base64url')
            return [...enter('thinking'), ...end(typeof own === 'string' ? own : wrapped)]
          }
          const ended = end()
          return [...ended, start({ type: 'redacted_thinking', data }), { type: 'content_block_stop', index }]
        }
        case 'tool-call': {
          const ended = end()
          const { toolCallId: id, toolName: name, input } = event
          // A model can write arguments that are no object: Anthropic's clients expect one.
          const whole = isObject(input) ? input : input === undefined || input === null ? {} : { input }
          const partial_json = JSON.stringify(whole)
          return [
            ...ended,
            start({ type: 'tool_use', id, name, input: {} }),
            delta({ type: 'input_json_delta', partial_json }),
            { type: 'content_block_stop', index },
          ]
        }
        default:
          return []
      }
    },
    /** The open block is complete. */
    end: () => end(),
  }
}

/** The blocks of these events, as a message in one piece has them. */
function contentOf(events: readonly MessageEvent[]): readonly Fields[] {
  const content: Record<string, unknown>[] = []
  for (const { content_block: block, delta } of events) {
    if (block) content.push({ ...block })
    const last = content.at(-1)!
    const { type: _, partial_json: json, ...texts } = fieldsOf(delta)
    if (typeof json === 'string') last['input'] = parseJson(json)
    for (const [name, text] of Object.entries(texts)) last[name] = `${String(last[name])}${String(text)}`
  }
  return content
}

export function anthropicMessage(names: CompletionNames, events: readonly MessageEvent[], end: Fields): object {
  const { stop_reason, usage, foreword } = end
  return { ...emptyMessage(names), content: contentOf(events), stop_reason, usage, foreword }
}

export function emptyMessage({ call, model }: CompletionNames) {
  return {
    id: `msg_${call}`,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: usageOf(undefined),
  }
}

const STOP_REASONS = {
  stop: 'end_turn',
  other: 'end_turn',
  'tool-calls': 'tool_use',
  length: 'max_tokens',
  'content-filter': 'refusal',
} as const satisfies Record<FinishReason, string>

/** Anthropic's prompt tokens leave out those of the cache. Its clients need numbers: 0 where none was reported. */
function usageOf(usage: Usage | undefined) {
  const { promptTokens = 0, cachedTokens = 0, cacheWrittenTokens = 0, outputTokens = 0 } = usage ?? {}
  return {
    input_tokens: Math.max(0, promptTokens - cachedTokens - cacheWrittenTokens),
    cache_creation_input_tokens: cacheWrittenTokens,
    cache_read_input_tokens: cachedTokens,
    output_tokens: outputTokens,
  }
}

export async function messageEnd(runtime: Runtime, names: CompletionNames, said: CollectedAnswer): Promise<Fields> {
  const { finish, calls, citations } = said
  const isKnown = finish?.usage.promptTokens !== undefined && finish.usage.outputTokens !== undefined
  const cited = citations.map(({ start, end, source: { url, title, document, page } }) => ({
    start,
    end,
    ...defined({ url, title, document, page }),
  }))
  return {
    stop_reason: STOP_REASONS[finish?.reason ?? 'stop'],
    usage: usageOf(finish?.usage),
    foreword: {
      ...(await answerAccount(runtime, names, calls)),
      ...(isKnown ? {} : { usage: 'unknown' }),
      ...(cited.length > 0 && { citations: cited }),
    },
  }
}

/** `undefined` for a signature that cannot be read. */
export function readSignature(signature: string): ReasoningMetadata | undefined {
  if (!signature.startsWith(WRAPPED)) return { anthropic: { signature } }
  const found = parseJson(Buffer.from(signature.slice(WRAPPED.length), 'base64url').toString('utf8'))
  return isObject(found) && Object.values(found).every(isObject) ? (found as ReasoningMetadata) : undefined
}

/** No signature of Anthropic begins so: those are base64. */
const WRAPPED = 'foreword:'
