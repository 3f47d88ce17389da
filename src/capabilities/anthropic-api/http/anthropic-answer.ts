import type { CompletionEvent } from '../../../capability.ts'
import type { AnswerCitation } from '../../../citation.ts'
import { defined } from '../../../platform.ts'
import { type AnswerEvent, type CompletionNames, cutField } from '../../../server.ts'
import type { Usage } from '../../../session.ts'
import type { ReasoningMetadata } from '../../../model.ts'

type Finish = Extract<CompletionEvent, { type: 'finish' }>

export type AnswerBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string }
  | { readonly type: 'redacted_thinking'; readonly data: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: unknown }

export interface AnswerEnd {
  readonly finish: Finish | undefined
  readonly calls: readonly string[]
  readonly citations: readonly AnswerCitation[]
  /** US dollars; absent where it is not known. */
  readonly cost?: number | undefined
}

interface BlockReceiver {
  begin(type: 'text' | 'thinking'): void
  add(type: 'text' | 'thinking', text: string): void
  /** The open block is complete; of `thinking`, with its signature, where one is known. */
  end(signature: string): void
  whole(block: Exclude<AnswerBlock, { type: 'text' | 'thinking' }>): void
}

/** Divides the events of an answer into blocks. `add` returns false for an event that belongs to no block. */
export function blockReader(receiver: BlockReceiver): { add(event: AnswerEvent): boolean; end(): void } {
  let open: 'text' | 'thinking' | undefined
  const end = (signature = '') => {
    if (open !== undefined) receiver.end(signature)
    open = undefined
  }
  const enter = (type: 'text' | 'thinking') => {
    if (open === type) return
    end()
    receiver.begin(type)
    open = type
  }
  return {
    end,
    add(event) {
      switch (event.type) {
        case 'text-delta':
          enter('text')
          receiver.add('text', event.text)
          return true
        case 'reasoning-delta':
          enter('thinking')
          receiver.add('thinking', event.text)
          return true
        case 'reasoning-end': {
          const data = redactedData(event.providerOptions)
          if (data === undefined) {
            enter('thinking')
            end(signatureOf(event.providerOptions))
          } else {
            end()
            receiver.whole({ type: 'redacted_thinking', data })
          }
          return true
        }
        case 'tool-call':
          end()
          receiver.whole({
            type: 'tool_use',
            id: event.toolCallId,
            name: event.toolName,
            input: toolInput(event.input),
          })
          return true
        default:
          return false
      }
    },
  }
}

export function anthropicMessage(names: CompletionNames, content: readonly AnswerBlock[], end: AnswerEnd): unknown {
  return {
    ...emptyMessage(names),
    content,
    stop_reason: stopReason(end.finish),
    usage: usageOf(end.finish?.usage),
    foreword: forewordOf(names, end),
  }
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

export function stopReason(finish: Finish | undefined): string {
  switch (finish?.reason) {
    case 'tool-calls':
      return 'tool_use'
    case 'length':
      return 'max_tokens'
    case 'content-filter':
      return 'refusal'
    default:
      return 'end_turn'
  }
}

/** Anthropic's prompt tokens leave out those of the cache. Its clients need numbers: 0 where none was reported. */
export function usageOf(usage: Usage | undefined) {
  const { promptTokens = 0, cachedTokens = 0, cacheWrittenTokens = 0, outputTokens = 0 } = usage ?? {}
  return {
    input_tokens: Math.max(0, promptTokens - cachedTokens - cacheWrittenTokens),
    cache_creation_input_tokens: cacheWrittenTokens,
    cache_read_input_tokens: cachedTokens,
    output_tokens: outputTokens,
  }
}

export function forewordOf(
  { session, turn, cut }: CompletionNames,
  { finish, calls, citations, cost }: AnswerEnd,
): unknown {
  const isKnown = finish?.usage.promptTokens !== undefined && finish.usage.outputTokens !== undefined
  return {
    ...defined({ session, turn }),
    calls,
    ...defined({ cost }),
    ...(isKnown ? {} : { usage: 'unknown' }),
    ...(cut === undefined ? {} : { cut: cutField(cut) }),
    ...(citations.length === 0 ? {} : { citations: citations.map(citationOf) }),
  }
}

function citationOf({ start, end, source: { url, title, document, page } }: AnswerCitation): unknown {
  return { start, end, ...defined({ url, title, document, page }) }
}

/** A model can write arguments that are no object: Anthropic's clients expect one. */
function toolInput(input: unknown): unknown {
  if (typeof input === 'object' && input !== null && !Array.isArray(input)) return input
  return input === undefined || input === null ? {} : { input }
}

/** What a provider needs back with its reasoning: Anthropic's own as it is, others' wrapped. Empty for nothing. */
export function signatureOf(metadata: ReasoningMetadata): string {
  const own = metadata['anthropic']?.['signature']
  if (typeof own === 'string') return own
  return WRAPPED + Buffer.from(JSON.stringify(metadata), 'utf8').toString('base64url')
}

export function redactedData(metadata: ReasoningMetadata): string | undefined {
  const data = metadata['anthropic']?.['redactedData']
  return typeof data === 'string' ? data : undefined
}

/** `undefined` for a signature that cannot be read. */
export function readSignature(signature: string): ReasoningMetadata | undefined {
  if (!signature.startsWith(WRAPPED)) return { anthropic: { signature } }
  try {
    const found: unknown = JSON.parse(Buffer.from(signature.slice(WRAPPED.length), 'base64url').toString('utf8'))
    return isMetadata(found) ? found : undefined
  } catch {
    return undefined
  }
}

/** No signature of Anthropic begins so: those are base64. */
const WRAPPED = 'foreword:'

function isMetadata(value: unknown): value is ReasoningMetadata {
  const isObject = (each: unknown) => typeof each === 'object' && each !== null && !Array.isArray(each)
  return isObject(value) && Object.values(value as object).every(isObject)
}
