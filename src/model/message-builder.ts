import type { LanguageModelV4StreamPart, SharedV4ProviderMetadata } from '@ai-sdk/provider'
import type { AssistantMessage } from '../context.ts'
import type { ModelEvent } from './model.ts'

/** Collects what a model says into one message, part by part, in the order it was said. */
export interface MessageBuilder {
  /** Takes one part of the stream; answers with the event that people and the loop see, if there is one. */
  add(part: LanguageModelV4StreamPart): ModelEvent | undefined
  /** The whole message so far: every part with what the provider wants back in later calls. */
  message(options?: { readonly calls: boolean }): AssistantMessage
  readonly calls: number
}

type Part = Exclude<AssistantMessage['content'], string>[number]
type Words = { readonly type: 'text' | 'reasoning'; text: string; metadata: SharedV4ProviderMetadata | undefined }

/** An empty message. */
export function messageBuilder(): MessageBuilder {
  const said: (Words | Part)[] = []
  const open = new Map<string, Words>()
  let calls = 0

  const words = (type: Words['type'], id: string, metadata: SharedV4ProviderMetadata | undefined): Words => {
    const key = `${type} ${id}`
    const known = open.get(key)
    if (known) {
      known.metadata = merged(known.metadata, metadata)
      return known
    }
    const begun: Words = { type, text: '', metadata }
    open.set(key, begun)
    said.push(begun)
    return begun
  }

  return {
    add(part) {
      switch (part.type) {
        case 'text-start':
        case 'reasoning-start':
        case 'text-end':
        case 'reasoning-end': {
          const type = part.type.startsWith('text') ? 'text' : 'reasoning'
          words(type, part.id, part.providerMetadata)
          // The same id may come again for a new block: it then begins a part of its own.
          if (part.type.endsWith('-end')) open.delete(`${type} ${part.id}`)
          return undefined
        }
        case 'text-delta':
        case 'reasoning-delta': {
          const type = part.type === 'text-delta' ? 'text' : 'reasoning'
          words(type, part.id, part.providerMetadata).text += part.delta
          return part.delta === '' ? undefined : { type: part.type, text: part.delta }
        }
        case 'tool-call': {
          calls += 1
          const { toolCallId, toolName, providerMetadata } = part
          const input = inputOf(part.input)
          said.push({ type: 'tool-call', toolCallId, toolName, input, ...optionsOf(providerMetadata) })
          return { type: 'tool-call', toolCallId, toolName, input }
        }
        default:
          return undefined
      }
    },
    message: ({ calls: withCalls } = { calls: true }) => ({
      role: 'assistant',
      content: said.flatMap(partOf).filter(({ type }) => withCalls || type !== 'tool-call'),
    }),
    get calls() {
      return calls
    },
  }
}

/** Empty parts are left out, but not those that carry something for the provider, such as reasoning kept secret. */
function partOf(part: Words | Part): Part[] {
  if (!('metadata' in part)) return [part]
  if (part.text === '' && (part.type === 'text' || !part.metadata)) return []
  return [{ type: part.type, text: part.text, ...optionsOf(part.metadata) }]
}

/** No arguments are an empty object. What is not JSON stays the string it was, and fails validation like any bad input. */
function inputOf(input: string): unknown {
  if (input.trim() === '') return {}
  try {
    return JSON.parse(input)
  } catch {
    return input
  }
}

function merged(
  first: SharedV4ProviderMetadata | undefined,
  second: SharedV4ProviderMetadata | undefined,
): SharedV4ProviderMetadata | undefined {
  if (!first || !second) return first ?? second
  const whole: SharedV4ProviderMetadata = { ...first }
  for (const [provider, values] of Object.entries(second)) whole[provider] = { ...whole[provider], ...values }
  return whole
}

function optionsOf(metadata: SharedV4ProviderMetadata | undefined): { providerOptions?: SharedV4ProviderMetadata } {
  const filled = metadata && Object.values(metadata).some((values) => Object.keys(values).length > 0)
  return filled ? { providerOptions: metadata } : {}
}
