import {
  type AnyMessage,
  buildManifest,
  messageTokens,
  type Piece,
  type TokenCounter,
  type ToolDefinition,
} from '../context.ts'
import { fieldsOf, sha256 } from '../platform.ts'
import { bodyParts, marked, type WireFormat, type WirePart } from '../wire.ts'
import { entryBook, type PricedSection } from './entry-book.ts'
import type { ForeignAssembly, ForeignMark } from './foreign-call.ts'
import { tablesOf } from './recognisers/recognisers.ts'
import { sectionsOf, type TextSection } from './sections.ts'

/** A body that was parsed, and how it is counted. */
export interface ExplainInput {
  readonly format: WireFormat
  readonly body: unknown
  readonly counter: TokenCounter
  /** Name of the client, where it is known: its recognisers alone are asked, and the general ones. */
  readonly client?: string
  /** Context window of the model, tokens. The prompt itself unless given. */
  readonly window?: number
  readonly model?: string
  /** Counts of earlier calls: a text that comes back is counted once. */
  readonly counts?: TextCounts
}

/**
 * Takes a request of another program apart: every token of what a model reads belongs to one entry, and what has no known
 * shape is an entry `other` with its JSON as text. Never throws, whatever the body is.
 */
export function explainRequest(input: ExplainInput): ForeignAssembly {
  const steps = explainSteps(input)
  let step = steps.next()
  while (!step.done) step = steps.next()
  return step.value
}

/** The same in steps of some milliseconds at most, for large bodies: the caller goes on when it likes. */
export function* explainSteps(input: ExplainInput): Generator<void, ForeignAssembly> {
  const { format, counter, window, model, counts = textCounts() } = input
  const key = `${input.client ?? ''} ${counter.id} ${counter.version}`
  const rules = tablesOf(input.client).flatMap(({ sections }) => sections)
  const book = entryBook()
  const pieces: Piece[] = []
  const marks: ForeignMark[] = []
  const tools: ToolDefinition[] = []
  let last: WirePart | undefined
  for (const part of bodyParts(format, input.body)) {
    let known = knownSections.get(part)
    if (known?.key !== key) {
      known = { key, sections: yield* pricedSections(part, rules, counter, counts) }
      knownSections.set(part, known)
    }
    const priced = known.sections
    const content = book.content(part)
    if (part.kind === 'tool') tools.push(content as ToolDefinition)
    const entries = book.add(part, priced)
    if (!part.deferred) {
      const joined = priced.map(({ text }, index) => ({ entry: entries[index]!, text }))
      const tokens = priced.reduce((sum, each) => sum + each.tokens, 0)
      pieces.push({ entry: entries[0]!, tokens, content, ...(joined.length > 1 ? { joined } : {}) })
      if (part.mark) marks.push({ piece: pieces.length - 1, ...part.mark })
      last = part
    }
    yield
  }
  // A mark of the whole body moves along with its end.
  const end = last?.mark ? undefined : last && marked(last, fieldsOf(input.body)).mark
  if (end) marks.push({ piece: pieces.length - 1, ...end })
  const account = buildManifest(
    {
      layout: { name: format },
      budget: { window: window ?? 0, reserve: 0 },
      counter,
      ...(model === undefined ? {} : { model }),
    },
    book.close(),
    undefined,
  )
  const { used, budget } = account
  const manifest = window === undefined ? { ...account, budget: { ...budget, window: used, available: used } } : account
  const messages = pieces.flatMap(({ content }) =>
    typeof content === 'object' && !('inputSchema' in content) && 'role' in content ? [content] : [],
  )
  return { request: { tools, messages }, manifest, pieces, marks }
}

/** What was found in parts of earlier bodies, which come back in the next one. `key`: by which rules and counter. */
const knownSections = new WeakMap<WirePart, { readonly key: string; readonly sections: readonly PricedSection[] }>()

function* pricedSections(
  part: WirePart,
  rules: Parameters<typeof sectionsOf>[1],
  counter: TokenCounter,
  counts: TextCounts,
): Generator<void, readonly PricedSection[]> {
  const priced: PricedSection[] = []
  let wrapper = part.opens || part.kind === 'tool' ? counter.perMessage : 0
  const { kind, role, text } = part
  const place = kind === 'result' ? kind : kind === 'text' && (role === 'system' || role === 'user') ? role : undefined
  for (const section of place ? sectionsOf(text, rules, place) : [{ text }]) {
    const tokens = wrapper + (yield* sectionTokens(part, section, counter, counts))
    priced.push({ ...section, tokens })
    wrapper = 0
  }
  return priced
}

/** Characters of encrypted base64 that a token is estimated to take. */
const OPAQUE = 6

function* sectionTokens(
  { kind, content, opaque }: WirePart,
  { text }: TextSection,
  counter: TokenCounter,
  counts: TextCounts,
): Generator<void, number> {
  if (kind === 'media') return Math.max(0, messageTokens(counter, content as AnyMessage) - counter.perMessage)
  if (opaque !== undefined && counter.images) return Math.ceil(opaque / OPAQUE)
  return yield* countedTokens(text, counter, counts)
}

/** Remembers what texts cost: those of a session come back in every call. */
export type TextCounts = ReturnType<typeof textCounts>

/** Texts that are counted each time: a digest would cost as much. */
const SHORT = 256

const MOST_TEXTS = 50_000

/** A memory of the last texts: some hundred bytes for each, however long it is. */
export function textCounts() {
  const known = new Map<string, number>()
  return {
    get: (key: string) => known.get(key),
    set(key: string, tokens: number) {
      known.set(key, tokens)
      if (known.size <= MOST_TEXTS) return
      for (const oldest of known.keys()) {
        known.delete(oldest)
        if (known.size <= MOST_TEXTS * 0.9) return
      }
    },
  }
}

/** Counts a text in slices, or takes what is remembered of it. */
function* countedTokens(text: string, counter: TokenCounter, counts: TextCounts): Generator<void, number> {
  if (text === '') return 0
  if (text.length < SHORT) return counter.text(text)
  const key = `${counter.id} ${counter.version} ${sha256(text)}`
  const known = counts.get(key)
  if (known !== undefined) return known
  let tokens = 0
  if (counter.slices) {
    for (const count of counter.slices(text)) {
      tokens += count
      yield
    }
  } else tokens = counter.text(text)
  counts.set(key, tokens)
  return tokens
}
