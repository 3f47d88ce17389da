import type { Assembly } from '../assemble.ts'
import type { TokenCounter } from '../token-counter.ts'
import { callPairs, type LintCall, type CallPair, tokensFrom, headSlots } from './lint-call.ts'
import { type LintFinding, type LintRates, lintCost } from './lint-finding.ts'
import type { ManifestEntry } from '../manifest.ts'
import { type VolatileSpot, volatileSpots } from './volatile-text.ts'

export interface LintInput {
  /** What the next call of a new session would send. Absent where no request fits. */
  readonly assembly?: Pick<Assembly, 'manifest' | 'pieces'>
  readonly counter: TokenCounter
  /** Recorded calls, oldest first. */
  readonly calls: readonly LintCall[]
  readonly tools: readonly ToolUse[]
  /** Absent where the price of the model is not known. */
  readonly rates?: LintRates
}

/** What breaks caches or wastes room, warnings first, the dearest first. Pure. */
export function lint({ assembly, counter, calls, tools, rates }: LintInput): readonly LintFinding[] {
  const texts = assembly ? lintTexts(assembly) : []
  const pairs = callPairs(calls)
  const inSessions = calls.filter(({ session }) => session !== undefined)
  const used = Math.max(assembly?.manifest.used ?? 0, mean(inSessions.map((call) => call.used)))
  const offered = new Set(texts.filter(({ entry }) => entry.slot === 'tools').map(({ entry }) => entry.id))
  return inOrder([
    ...volatileTexts(texts, { pairs, used, rates }),
    ...unstableOrder(pairs, rates),
    ...changingLayers(pairs, rates),
    ...unusedTools(tools, offered, rates),
    ...duplicatedTexts(texts, counter, rates),
  ])
}

/** Warnings before notes, and the dearest first. */
export function inOrder(findings: readonly LintFinding[]): readonly LintFinding[] {
  const rank = ({ severity }: LintFinding) => (severity === 'warning' ? 0 : 1)
  return findings.toSorted(
    (one, other) => rank(one) - rank(other) || (other.cost?.tokens ?? 0) - (one.cost?.tokens ?? 0),
  )
}

/** Fewer pairs of calls prove nothing. */
const LEAST_PAIRS = 5

/** Layers of the head that differ in most calls, or in most turns, so that what follows them is read again. */
function changingLayers(pairs: readonly CallPair[], rates: LintRates | undefined): readonly LintFinding[] {
  const ids = new Set(pairs.flatMap(({ after }) => after.head.filter(isLayer).map(({ id }) => id)))
  return [...ids].flatMap((id) => {
    const compared = pairs.flatMap((pair) => {
      const [before, after] = [pair.before, pair.after].map((call) => call.head.find((one) => one.id === id))
      if (before?.digest === undefined || after?.digest === undefined) return []
      return [{ ...pair, isChanged: before.digest !== after.digest || isAnnounced(pair, id) }]
    })
    const acrossTurns = compared.filter(({ before, after }) => before.turn !== after.turn)
    if (!mostChanged(compared) && !mostChanged(acrossTurns)) return []
    const changed = compared.filter(({ isChanged }) => isChanged)
    const again = mean(changed.map(({ after }) => announcedTokens(after, id) ?? tokensFrom(after, indexOf(after, id))))
    const cost = lintCost('again', (again * changed.length) / compared.length, rates)
    return [
      {
        code: 'changing-layer',
        severity: 'warning',
        where: { layer: id },
        message: `The layer ${id} stands before text that stays the same, and differed from the call before in ${changed.length} of ${compared.length} calls.`,
        cost,
        hint: `Move it behind the conversation in the layout (\`context.placements\`: \`before-input\` or \`after-input\`), or keep its text the same.`,
      } as const,
    ]
  })
}

/** Where the head is pinned, a change is announced with the next turn. */
function isAnnounced({ before, after }: CallPair, id: string): boolean {
  return before.turn !== after.turn && announcedTokens(after, id) !== undefined
}

function announcedTokens({ announced = [] }: LintCall, id: string): number | undefined {
  return announced.find((one) => one.id === id)?.tokens
}

function isLayer({ slot }: LintCall['head'][number]): boolean {
  return slot !== 'tools'
}

function mostChanged(compared: readonly { readonly isChanged: boolean }[]): boolean {
  return compared.length >= LEAST_PAIRS && compared.filter(({ isChanged }) => isChanged).length * 2 > compared.length
}

function indexOf({ head }: LintCall, id: string): number {
  return head.findIndex((one) => one.id === id)
}

function mean(numbers: readonly number[]): number {
  return numbers.length === 0 ? 0 : numbers.reduce((sum, one) => sum + one, 0) / numbers.length
}

/** Tools, or layers of the head, that stand in another order than in the call before, although the layout is the same. */
function unstableOrder(pairs: readonly CallPair[], rates: LintRates | undefined): readonly LintFinding[] {
  return (['tools', 'layers'] as const).flatMap((what) => {
    const moved = pairs.flatMap(({ before, after }) => {
      const index = firstMoved(before, after, what)
      return index === undefined ? [] : [{ after, again: tokensFrom(after, index), first: after.head[index]!.id }]
    })
    const newest = moved.at(-1)
    if (newest === undefined) return []
    const again = mean(moved.map((one) => one.again))
    return [
      {
        code: 'unstable-order',
        severity: moved.length > 1 ? 'warning' : 'note',
        where: what === 'tools' ? { tool: newest.first } : { layer: newest.first },
        message: `The order of ${what === 'tools' ? 'the tools' : 'the layers before the conversation'} differed from the call before in ${moved.length} of ${pairs.length} calls, beginning at ${newest.first}; the last time in call ${newest.after.id}.`,
        cost: lintCost('again', (again * moved.length) / pairs.length, rates),
        hint:
          what === 'tools'
            ? `Let the program or plugin that declares ${newest.first} list its tools in a fixed order.`
            : `Let what gives ${newest.first} give its layers in a fixed order.`,
      } as const,
    ]
  })
}

/** Index in the head of the later call. Only what both calls have is compared: an addition moves nothing. */
function firstMoved(before: LintCall, after: LintCall, what: 'tools' | 'layers'): number | undefined {
  const ids = (call: LintCall) => call.head.filter((one) => isLayer(one) === (what === 'layers')).map(({ id }) => id)
  const [old, now] = [ids(before), ids(after)]
  const [inOld, inNow] = [new Set(old), new Set(now)]
  const [left, right] = [old.filter((id) => inNow.has(id)), now.filter((id) => inOld.has(id))]
  const at = right.findIndex((id, index) => id !== left[index])
  return at === -1 ? undefined : indexOf(after, right[at]!)
}

/** A layer or a tool of a request with the text that is sent of it. */
interface LintText {
  readonly entry: ManifestEntry
  readonly text: string
  /** Tokens of the request before it. */
  readonly before: number
}

/** The texts of layers, and the descriptions of tools, in reading order. */
function lintTexts({ manifest, pieces }: Pick<Assembly, 'manifest' | 'pieces'>): readonly LintText[] {
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
function volatileTexts(
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
function duplicatedTexts(
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
      message: `${what} of the layer ${other.entry.id} ${paragraphs.length === 1 ? 'stands' : 'stand'} in the layer ${one.entry.id}, too.`,
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

interface ToolUse {
  readonly name: string
  /** Calls that offered it. */
  readonly offered: number
  /** Tokens of its definition in all of them. */
  readonly tokens: number
  /** How often a model called it. */
  readonly uses: number
}

/** Calls without a use after which something counts as unused. */
export const LEAST_UNUSED = 50

/** Tools that are offered and were never called. `tools`: those that the next call offers. */
function unusedTools(
  uses: readonly ToolUse[],
  tools: ReadonlySet<string>,
  rates: LintRates | undefined,
): readonly LintFinding[] {
  return uses
    .filter(({ name, offered, uses: used }) => used === 0 && offered >= LEAST_UNUSED && tools.has(name))
    .map(({ name, offered, tokens }) => ({
      code: 'unused-tool',
      severity: 'warning',
      where: { tool: name },
      message: `The tool ${name} was offered in ${offered} calls of the last 30 days and never called.`,
      cost: { ...lintCost('sent', tokens / offered, rates), monthTokens: tokens },
      hint: `Stop offering it with \`foreword tools deny ${name}\`, if nobody needs it.`,
    }))
}
