import { parseJson } from '../platform.ts'
import type { LanguageModelV4StreamPart, SharedV4ProviderMetadata } from '@ai-sdk/provider'
import { type AssistantMessage, isTextThinking } from '../context.ts'
import type { ModelEvent } from './model.ts'

type Part = Exclude<AssistantMessage['content'], string>[number]
type TextBlock = { readonly type: 'text' | 'reasoning'; text: string; metadata: SharedV4ProviderMetadata | undefined }

/**
 * Collects the parts of a stream into one message, in their order. `sealer`: who alone can read the signed and encrypted parts
 * again.
 */
export function messageBuilder(sealer?: string) {
  const parts: (TextBlock | Part)[] = []
  const open = new Map<string, TextBlock>()
  let calls = 0
  /** Tools of calls that are not complete, by the id of the call. */
  const incomplete = new Map<string, string>()

  const words = (type: TextBlock['type'], id: string, metadata: SharedV4ProviderMetadata | undefined): TextBlock => {
    const key = `${type} ${id}`
    const known = open.get(key)
    if (known) {
      known.metadata = mergeMetadata(known.metadata, metadata)
      return known
    }
    const begun: TextBlock = { type, text: '', metadata }
    open.set(key, begun)
    parts.push(begun)
    return begun
  }

  return {
    /** Adds one part of the stream. Returns the event for the caller, if there is one. */
    add(part: LanguageModelV4StreamPart): ModelEvent | undefined {
      switch (part.type) {
        case 'text-start':
        case 'reasoning-start':
        case 'text-end':
        case 'reasoning-end': {
          const type = part.type.startsWith('text') ? 'text' : 'reasoning'
          const { metadata } = words(type, part.id, part.providerMetadata)
          // The same id may begin a new block later.
          if (part.type.endsWith('-end')) open.delete(`${type} ${part.id}`)
          const own = part.type === 'reasoning-end' ? providerOptions(metadata, sealer) : {}
          return own.providerOptions && !isTextThinking(own)
            ? { type: 'reasoning-end', providerOptions: own.providerOptions }
            : undefined
        }
        case 'text-delta':
        case 'reasoning-delta': {
          const type = part.type === 'text-delta' ? 'text' : 'reasoning'
          words(type, part.id, part.providerMetadata).text += part.delta
          return part.delta === '' ? undefined : { type: part.type, text: part.delta }
        }
        case 'tool-input-start':
          incomplete.set(part.id, part.toolName)
          return undefined
        case 'tool-call': {
          calls += 1
          const { toolCallId, toolName, providerMetadata } = part
          // Invalid JSON stays a string and fails validation like any bad input.
          const input = part.input.trim() === '' ? {} : parseJson(part.input, part.input)
          if (typeof input === 'string') incomplete.set(toolCallId, toolName)
          else incomplete.delete(toolCallId)
          parts.push({ type: 'tool-call', toolCallId, toolName, input, ...providerOptions(providerMetadata, sealer) })
          return { type: 'tool-call', toolCallId, toolName, input }
        }
        default:
          return undefined
      }
    },
    /** The message so far. Each part keeps the metadata that its provider needs in later calls. */
    message: ({ calls: withCalls } = { calls: true }): AssistantMessage => ({
      role: 'assistant',
      content: parts.flatMap((part): Part[] => {
        if (!('metadata' in part)) return withCalls || part.type !== 'tool-call' ? [part] : []
        const { type, text, metadata } = part
        // Encrypted reasoning has no text of its own.
        if (text === '' && (type === 'text' || !metadata)) return []
        return [{ type, text, ...providerOptions(metadata, sealer) }]
      }),
    }),
    get calls() {
      return calls
    },
    /** The tool of a call that has begun and is not complete, or whose input is no JSON. */
    get cutCall() {
      return [...incomplete.values()].at(-1)
    },
  }
}

function mergeMetadata(
  first: SharedV4ProviderMetadata | undefined,
  second: SharedV4ProviderMetadata | undefined,
): SharedV4ProviderMetadata | undefined {
  if (!first || !second) return first ?? second
  const both = Object.entries(second).map(([provider, values]) => [provider, { ...first[provider], ...values }])
  return { ...first, ...Object.fromEntries(both) }
}

/** What a provider needs back, with who that is. Thinking in a text is nobody's. */
function providerOptions(
  metadata: SharedV4ProviderMetadata | undefined,
  sealer: string | undefined,
): { providerOptions?: SharedV4ProviderMetadata } {
  if (!metadata || !Object.values(metadata).some((values) => Object.keys(values).length > 0)) return {}
  const isNamed = sealer !== undefined && !isTextThinking({ providerOptions: metadata })
  return { providerOptions: isNamed ? { ...metadata, foreword: { sealedFor: sealer } } : metadata }
}
