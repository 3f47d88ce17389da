import { available, type Budget } from './assembly-input.ts'
import type { Manifest, ManifestEntry, Slot } from './manifest.ts'
import { includedSection, buildManifest } from './section.ts'
import type { AnyMessage } from './message.ts'
import { ContextOverflowError } from './overflow-error.ts'
import type { Piece } from './request.ts'
import { messageTokens, type TokenCounter, toolTokens } from './token-counter.ts'
import type { ToolDefinition } from './tool-definition.ts'

/** A conversation that its caller keeps: system messages may be anywhere among the others. */
export interface VerbatimInput {
  readonly messages: readonly AnyMessage[]
  readonly tools?: readonly ToolDefinition[]
  readonly budget: Budget
  readonly counter: TokenCounter
  /** Is named in the manifest, nothing more. */
  readonly model?: string
}

/** What is sent: exactly the messages and tools that were given. */
export interface VerbatimAssembly {
  readonly request: { readonly tools: readonly ToolDefinition[]; readonly messages: readonly AnyMessage[] }
  readonly manifest: Manifest
  readonly pieces: readonly Piece[]
}

/**
 * Accounts for a request that is sent as it is: nothing is added, moved, shortened or left out. Throws
 * `ContextOverflowError`, which carries the account, where it does not fit.
 */
export function verbatim(input: VerbatimInput): VerbatimAssembly {
  const { messages, tools = [], budget, counter } = input
  const parts = [...tools.map((tool) => toolPart(tool, counter)), ...messageParts(messages, counter)]
  const manifest = buildManifest({ ...input, layout: { name: 'verbatim' } }, parts, undefined)
  if (manifest.used > available(budget)) throw new ContextOverflowError(manifest)
  const pieces = [
    ...tools.map((content, entry) => ({ entry, tokens: parts[entry]!.entry.tokens, content })),
    ...parts.flatMap(({ messages: own }, entry) =>
      own.map(({ message, tokens }) => ({ entry, tokens, content: message })),
    ),
  ]
  return { request: { tools, messages }, manifest, pieces }
}

/** One entry of the manifest, and the messages that it accounts for. */
interface Part {
  readonly entry: ManifestEntry
  readonly messages: readonly { readonly message: AnyMessage; readonly tokens: number }[]
}

function toolPart(tool: ToolDefinition, counter: TokenCounter): Part {
  const origin = { kind: 'user', ref: 'tools of the request' } as const
  const tokens = toolTokens(counter, tool)
  return includedSection({ id: tool.name, layer: 'tool', slot: 'tools', form: 'full', tokens, origin }, [])
}

/** Leading system messages one by one, then turn by turn; the last turn is the one that is answered. */
function messageParts(messages: readonly AnyMessage[], counter: TokenCounter): readonly Part[] {
  const first = messages.findIndex(({ role }) => role !== 'system')
  const leading = first < 0 ? messages : messages.slice(0, first)
  const turns = turnsIn(messages.slice(leading.length))
  const part = (id: string, layer: string, slot: Slot, own: readonly AnyMessage[]): Part => {
    const priced = own.map((message) => ({ message, tokens: messageTokens(counter, message) }))
    const tokens = priced.reduce((sum, each) => sum + each.tokens, 0)
    const origin = { kind: 'user', ref: 'messages of the request' } as const
    return { entry: includedSection({ id, layer, slot, form: 'full', tokens, origin }, []).entry, messages: priced }
  }
  return [
    ...leading.map((message, index) => part(`caller-${index + 1}`, 'caller', 'system', [message])),
    ...turns.map((turn, index) =>
      part(`turn-${index + 1}`, 'turn', index === turns.length - 1 ? 'input' : 'history', turn),
    ),
  ]
}

/** A turn begins with the first of the user's messages in a row. */
function turnsIn(messages: readonly AnyMessage[]): readonly (readonly AnyMessage[])[] {
  const turns: AnyMessage[][] = []
  for (const [index, message] of messages.entries()) {
    if (index === 0 || (message.role === 'user' && messages[index - 1]!.role !== 'user')) turns.push([])
    turns.at(-1)!.push(message)
  }
  return turns
}
