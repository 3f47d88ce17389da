import type { Assembly } from '../assemble.ts'
import type { ManifestEntry } from '../manifest.ts'
import type { TokenCounter } from '../token-counter.ts'
import { type CallPair, headSlots } from './lint-call.ts'
import { lintCost, type LintFinding, type LintRates } from './lint-finding.ts'
import { type VolatileSpot, volatileSpots } from './volatile-text.ts'

/** A layer or a tool of a request with the text that is sent of it. */
export interface LintText {
  readonly entry: ManifestEntry
  readonly text: string
  /** Tokens of the request before it. */
  readonly before: number
}

/** The texts of layers, and the descriptions of tools, in reading order. */
export function lintTexts({ manifest, pieces }: Pick<Assembly, 'manifest' | 'pieces'>): readonly LintText[] {
  let before = 0
  return pieces.flatMap(({ entry: index, tokens, content, joined }) => {
    const start = before
    before += tokens
    const texts = joined ?? [{ entry: index, text: textOf(content) }]
    return texts.flatMap(({ entry, text }) => {
      const account = manifest.entries[entry]!
      return account.slot === 'history' || account.slot === 'input' ? [] : [{ entry: account, text, before: start }]
    })
  })
}

function textOf(content: Assembly['pieces'][number]['content']): string {
  if (typeof content === 'string') return content
  if ('inputSchema' in content) return content.description ?? ''
  return typeof content.content === 'string' ? content.content : ''
}

/** Calls in which a text stayed the same, after which it is believed to stay so. */
const LEAST_STABLE = 10

/**
 * Times, ids and counters in the texts of the operator and in descriptions of tools that stand before the conversation.
 * `used`: prompt tokens of a usual call. What recorded calls show to be constant is a note without a price.
 */
export function volatileTexts(
  texts: readonly LintText[],
  { pairs, used, rates }: { pairs: readonly CallPair[]; used: number; rates: LintRates | undefined },
): readonly LintFinding[] {
  return texts.filter(isOperators).flatMap(({ entry, text, before }) =>
    volatileSpots(text).map((spot): LintFinding => {
      const isTool = entry.slot === 'tools'
      const stable = stableCalls(pairs, entry.id)
      const isStable = stable >= LEAST_STABLE
      const own = text.length === 0 ? 0 : Math.floor((entry.tokens * spot.offset) / text.length)
      const cost = { ...lintCost('again', Math.max(0, used - before - own), rates), atMost: true } as const
      return {
        code: 'volatile-text',
        severity: isStable ? 'note' : 'warning',
        where: {
          ...(isTool ? { tool: entry.id } : { layer: entry.id }),
          ref: entry.origin.ref,
          line: spot.line,
          excerpt: spot.excerpt,
        },
        message: `${kinds[spot.kind]} (${spot.excerpt}) stands ${isTool ? `in the description of ${entry.id}` : `in the layer ${entry.id}`}, before the conversation${isStable ? `; it stayed the same in ${stable} calls` : ''}.`,
        ...(isStable ? {} : { cost }),
        hint: 'Remove it, or put it behind the conversation. Write a date without a clock where the day is enough.',
      }
    }),
  )
}

const kinds: Readonly<Record<VolatileSpot['kind'], string>> = {
  time: 'A time with a clock',
  id: 'An id that looks random',
  counter: 'A counter',
}

/** Words of files, pages and people are quoted, not maintained: what changes in them shows in recorded calls. */
function isOperators({ entry: { slot, origin } }: LintText): boolean {
  return headSlots.has(slot) && (slot === 'tools' || origin.kind === 'operator')
}

/** Pairs of calls in which the entry was the same; 0 where it changed in one of them. */
function stableCalls(pairs: readonly CallPair[], id: string): number {
  let same = 0
  for (const { before, after } of pairs) {
    const [old, now] = [before, after].map(({ head }) => head.find((one) => one.id === id)?.digest)
    if (old === undefined || now === undefined) continue
    if (old !== now) return 0
    same += 1
  }
  return same
}

/** Shorter paragraphs may well stand in two places, characters. */
const LEAST_PARAGRAPH = 200

/** Paragraphs that stand in two layers. One finding for each two layers. */
export function duplicatedTexts(
  texts: readonly LintText[],
  counter: TokenCounter,
  rates: LintRates | undefined,
): readonly LintFinding[] {
  const first = new Map<string, LintText>()
  const twice = new Map<string, { one: LintText; other: LintText; line: number; paragraphs: string[] }>()
  for (const text of texts.filter(({ entry }) => entry.slot !== 'tools')) {
    for (const { paragraph, line } of paragraphsOf(text.text)) {
      const known = first.get(paragraph)
      if (known === undefined) first.set(paragraph, text)
      if (known === undefined || known.entry.id === text.entry.id) continue
      const key = JSON.stringify([known.entry.id, text.entry.id])
      const pair = twice.get(key) ?? { one: known, other: text, line, paragraphs: [] }
      pair.paragraphs.push(paragraph)
      twice.set(key, pair)
    }
  }
  return [...twice.values()].map(({ one, other, line, paragraphs }) => {
    const tokens = paragraphs.reduce((sum, paragraph) => sum + counter.text(paragraph), 0)
    const what = paragraphs.length === 1 ? 'A paragraph' : `${paragraphs.length} paragraphs`
    return {
      code: 'duplicated-text',
      severity: 'warning',
      where: { layer: other.entry.id, ref: other.entry.origin.ref, line, excerpt: `${paragraphs[0]!.slice(0, 40)}…` },
      message: `${what} of the layer ${other.entry.id} ${paragraphs.length === 1 ? 'stands' : 'stand'} in the layer ${one.entry.id}, too: ${tokens} tokens.`,
      cost: lintCost('sent', tokens, rates),
      hint: `Keep the text in ${one.entry.origin.ref} or in ${other.entry.origin.ref}, not in both.`,
    } as const
  })
}

function paragraphsOf(text: string): readonly { readonly paragraph: string; readonly line: number }[] {
  let line = 1
  return text.split(/(\n[ \t]*\n)/).flatMap((piece) => {
    const start = line + (/^\n*/.exec(piece)?.[0].length ?? 0)
    line += piece.split('\n').length - 1
    const paragraph = piece.trim().replaceAll(/\s+/g, ' ')
    return paragraph.length >= LEAST_PARAGRAPH ? [{ paragraph, line: start }] : []
  })
}
