import { type AnyMessage, type Manifest, type ManifestEntry, outputText, toolResults } from '../context.ts'
import { type CallRecord, usedTokens } from './call.ts'
import type { EntryBody } from './entry.ts'

/** What one call used, without its manifest: many of them are read and added up at once. */
export interface CallSum {
  /** Ascending in the order the calls were made. */
  readonly number: number
  /** ISO 8601. */
  readonly time: string
  /** Absent for a call that belongs to no session. */
  readonly session?: string
  readonly model: string
  /** Prompt tokens by the counter of the account. */
  readonly used: number
  /** As the provider reported them, tokens. */
  readonly promptTokens?: number
  readonly cachedTokens?: number
  readonly cacheWrittenTokens?: number
  readonly cacheWrittenLongerTokens?: number
  readonly outputTokens?: number
  /** As the provider reported it, US dollars. */
  readonly cost?: number
  /** Only where it was asked for. */
  readonly parts?: PromptParts
  /** Of the call, only where it was asked for. */
  readonly id?: string
  /** The whole call, only where it was asked for. */
  readonly record?: CallRecord
}

/** What took the tokens of a prompt, by the counter of the account. The sum of `layers` is the prompt. */
export interface PromptParts {
  /** Tokens by layer; those of the conversation are `history` and `input`, those of all tools `tools`. */
  readonly layers: Readonly<Record<string, number>>
  /** Tokens of definitions by the name of the tool. */
  readonly tools: Readonly<Record<string, number>>
}

/** Results that tools gave to models, each counted once, when it was written. */
export interface ToolSum {
  readonly tool: string
  readonly results: number
  readonly tokens: number
}

/** Which calls or results are read: from `from` on, and before `before`. ISO 8601, UTC, milliseconds. */
export interface SumRange {
  readonly from?: string
  readonly before?: string
}

/** A page of sums, by time. */
export interface CallSumsOptions extends SumRange {
  readonly after?: Pick<CallSum, 'time' | 'number'>
  readonly limit: number
  readonly session?: string
  /** With what took the tokens of the prompts. */
  readonly parts?: boolean
  /** With the ids of the calls. */
  readonly ids?: boolean
  /** With the whole calls, which may be large: for short pages. */
  readonly records?: boolean
}

/** What calls and tools used, for sums over long times. Sessions that are deleted take theirs along. */
export interface SumStore {
  callSums(options: CallSumsOptions): Promise<readonly CallSum[]>
  toolSums(range: SumRange): Promise<readonly ToolSum[]>
}

/** Layers of the account that are messages: their slot says more. */
const conversation: ReadonlySet<string> = new Set(['turn', 'user', 'assistant', 'tool'])

/** The name that an entry of a manifest has in sums by layer. */
export function layerOf({ layer, slot }: Pick<ManifestEntry, 'layer' | 'slot'>): string {
  return conversation.has(layer) ? slot : layer
}

/** Adds up what took the tokens of a prompt. */
function promptParts({ entries }: Pick<Manifest, 'entries'>): PromptParts {
  const layers: Record<string, number> = {}
  const tools: Record<string, number> = {}
  for (const { id, layer, slot, tokens } of entries) {
    if (tokens === 0) continue
    const name = layerOf({ layer, slot })
    layers[name] = (layers[name] ?? 0) + tokens
    if (slot === 'tools') tools[id] = (tools[id] ?? 0) + tokens
  }
  return { layers, tools }
}

type CompleteSum = Omit<CallSum, 'number' | 'id' | 'record'> & { readonly parts: PromptParts }

/** The sum of a call, without its number. */
export function callSum({ time, session, model, manifest, outcome }: CallRecord): CompleteSum {
  return {
    time,
    ...(session === undefined ? {} : { session }),
    model,
    used: manifest.used,
    ...reportedSum(outcome),
    parts: promptParts(manifest),
  }
}

type ReportedSum = Pick<CallSum, (typeof reportedNames)[number]>

const reportedNames = [
  'promptTokens',
  'cachedTokens',
  'cacheWrittenTokens',
  'cacheWrittenLongerTokens',
  'outputTokens',
  'cost',
] as const

/** What a provider reported, without what it did not. */
export function reportedSum(outcome: Parameters<typeof usedTokens>[0]): ReportedSum {
  const usage = usedTokens(outcome)
  const given = reportedNames.flatMap((name) => {
    const figure = usage?.[name]
    return typeof figure === 'number' ? [[name, figure] as const] : []
  })
  return Object.fromEntries(given)
}

/** The results in one entry, in their order. */
export type ToolSums = readonly Pick<ToolSum, 'tool' | 'tokens'>[]

/**
 * The results in an entry, each with its tokens. A message with several results is counted as a whole: its tokens are
 * divided by the lengths of the results, and their sum is that of the message.
 */
export function toolSumsOf(body: EntryBody): ToolSums {
  if (body.type !== 'message') return []
  const results = toolResults(body.message satisfies AnyMessage)
  const lengths = results.map(({ output }) => outputText(output).length + 1)
  const whole = lengths.reduce((sum, length) => sum + length, 0)
  const upTo = (characters: number) => Math.round((body.tokens.full * characters) / whole)
  let characters = 0
  return results.map(({ toolName }, index) => {
    const before = upTo(characters)
    characters += lengths[index]!
    return { tool: toolName, tokens: upTo(characters) - before }
  })
}
