import type { Assembly } from '../assemble.ts'
import type { TokenCounter } from '../token-counter.ts'
import { callPairs, type LintCall, type CallPair, tokensFrom } from './lint-call.ts'
import { type LintFinding, type LintRates, lintCost } from './lint-finding.ts'
import { duplicatedTexts, lintTexts, volatileTexts } from './lint-texts.ts'
import { type ToolUse, unusedTools } from './unused-tools.ts'

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
