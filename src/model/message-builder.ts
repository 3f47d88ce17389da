import { LONG_TEXT, parseJson } from '../platform.ts'
import type { LanguageModelV4StreamPart, SharedV4ProviderMetadata } from '@ai-sdk/provider'
import { type AssistantMessage, isTextThinking } from '../context.ts'
import type { ModelEvent } from './model.ts'

type Part = Exclude<AssistantMessage['content'], string>[number]
type TextBlock = { readonly type: 'text' | 'reasoning'; metadata: SharedV4ProviderMetadata | undefined } & {
  /** Its text: the pieces as they came, and before them longer ones of those that came earlier. */
  readonly pieces: string[]
  readonly joined: string[]
  /** Characters of `pieces`. */
  characters: number
}

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
    const begun: TextBlock = { type, metadata, pieces: [], joined: [], characters: 0 }
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
          const block = words(type, part.id, part.providerMetadata)
          block.pieces.push(part.delta)
          block.characters += part.delta.length
          // To join 100,000 pieces in one step would block everything else.
          if (block.characters > LONG_TEXT) {
            block.joined.push(block.pieces.join(''))
            block.pieces.length = 0
            block.characters = 0
          }
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
        const { type, metadata } = part
        const text = [...part.joined, ...part.pieces].join('')
        // Encrypted reasoning has no text of its own.
        if (text === '' && (type === 'text' || !metadata)) return []
        return [{ type, text, ...providerOptions(metadata, sealer) }]
      }),
    }),
    get calls() {
      return calls
    },
    /** Whether a block is so long that other work should run before its message is put together, and after. */
    get isLong() {
      return parts.some((part) => 'joined' in part && part.joined.length > 0)
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
