import type { Clock } from '../../capability.ts'
import {
  forecast,
  type KindCalibration,
  kindDistance,
  type KindEstimate,
  kindTokens,
  type Model,
  type TextKind,
  type CacheMark,
  type CacheRules,
} from '../../model.ts'
import { type PlacedCall, priceOfModel } from '../../context.ts'
import { defined } from '../../platform.ts'
import type { AssemblyContext } from './assembly-context.ts'
import { type CacheLife, chooseCacheLife, rulesAfter } from '../calls/cache-life.ts'
import type { Reuse, Sealed, SealedManifest, SealedPiece } from '../calls/seal.ts'
import type { ReadCall, SessionState } from '../sessions/session-state.ts'

export interface ForecastPlace {
  readonly context: Pick<AssemblyContext, 'calibration' | 'settings'>
  /** Of the session's last calls; none for the first one. */
  readonly state: Pick<SessionState, 'lastCall' | 'reads'>
  readonly model: Model
  readonly clock: Clock
  /** Its requests have marks of their own, and none of ours. */
  readonly ownMarks?: true
  /** Reads the pieces of an earlier call again, after a restart. */
  readFingerprint(call: string): Promise<Sealed['fingerprint'] | undefined>
}

type AskedForecast = Omit<ForecastPlace, 'model'> & { readonly model: Pick<Model, 'id' | 'facts'> }

/** Adds to the account what can be reused of the session's last call, and the expected cost of the call. */
export async function addForecast(place: AskedForecast, sealed: Sealed, life?: CacheLife): Promise<SealedManifest> {
  const { context, state, model, clock, readFingerprint } = place
  const { lastCall, reads } = state
  const { manifest, fingerprint } = sealed
  const before = lastCall && (lastCall.fingerprint ?? (await readFingerprint(lastCall.call)))
  const reuse = before && comparePieces(before, sealed)
  // Every model has a cache of its own, and a call that failed before it was read left nothing in it.
  const read = reads.get(model.id)
  const readPieces =
    read?.call === lastCall?.call ? before : read && (read.fingerprint ?? (await readFingerprint(read.call)))
  const price = priceOfModel(model.facts)
  const secondsSince = read && Math.max(0, Date.parse(clock.time()) - read.at) / 1000
  const question = { before: readPieces, after: fingerprint, secondsSince: secondsSince ?? 0, life, read }
  const { cache, served, marked, longer } = (place.ownMarks ? ownCache : ourCache)(
    model.facts.cache ?? reportedRules(read?.usage),
    question,
  )
  const { calibration, settings } = context
  const ratio = calibration.ratio(model.id, settings.counter)
  const kinds = calibration.kinds(model.id, settings.counter)
  const sizes = expectedSizes({ read: readPieces && read, before: readPieces ?? [], after: fingerprint, ratio, kinds })
  const { known, estimate } = sizes
  const promptTokens = Math.round(sizes.upTo(fingerprint.length))
  const expected = (tokens: number) =>
    forecast({
      promptTokens: tokens,
      reuseTokens: Math.round(sizes.upTo(served)),
      unmarkedTokens: promptTokens - Math.round(sizes.upTo(marked)),
      answerTokens: read?.isForked && cache?.slots ? 0 : sizes.answer,
      longerTokens: longer === fingerprint.length ? tokens : Math.round(sizes.upTo(longer)),
      ...defined({ secondsSince, price, cache }),
    })
  const distance = Math.ceil(kindDistance(kinds, estimate))
  const between = [Math.max(0, promptTokens - distance), promptTokens + distance] as const
  const [least, most] = [expected(between[0]).money, expected(between[1]).money]
  const moneyBetween = least === undefined || most === undefined ? undefined : ([least, most] as const)
  const cacheUnknown = (model.facts.cache === undefined && read?.usage?.cachedTokens === undefined) || undefined
  const call = { ...expected(promptTokens), between, ...defined({ moneyBetween, known, cacheUnknown }), ...estimate }
  return { ...manifest, ...defined({ reuse }), forecast: call }
}

/** The shortest life of a cache among the providers that we know, seconds. */
const SHORTEST_LIFE = 300

/** What the report of a call says about a cache whose rules nobody has told us; `undefined` where it has none, or names none. */
function reportedRules(usage: ReadCall['usage']): CacheRules | undefined {
  const { cachedTokens = 0, cacheWrittenTokens = 0 } = usage ?? {}
  if (cachedTokens === 0 && cacheWrittenTokens === 0) return undefined
  return {
    kind: cacheWrittenTokens > 0 ? 'marked' : 'automatic',
    minimumTokens: 0,
    lifetimeSeconds: SHORTEST_LIFE,
  }
}

interface CacheQuestion {
  /** What the last call has left in the cache. */
  readonly before: Pieces | undefined
  readonly after: Pieces
  readonly secondsSince: number
  readonly life: CacheLife
  readonly read: Pick<ReadCall, 'life'> | undefined
}

/** What a cache does with a request, in numbers of its first pieces. */
interface CacheUse {
  readonly cache: CacheRules | undefined
  readonly served: number
  /** Those that it may write: up to the last mark. */
  readonly marked: number
  /** Those that are to be kept for longer. */
  readonly longer: number
}

/** Of a request with the marks that the rules name. */
function ourCache(rules: CacheRules | undefined, { before, after, secondsSince, life, read }: CacheQuestion): CacheUse {
  const cache = rulesAfter(rules, read?.life, secondsSince)
  const head = after.findLastIndex(({ role }) => role === 'tools' || role === 'system') + 1
  return {
    cache,
    served: before ? servedPieces(before, after, cache) : 0,
    marked: cache?.marks?.includes('steady') ? steadyPieces(after) : after.length,
    longer: life === 'all' ? after.length : life === 'head' ? head : 0,
  }
}

/** Of a request of another program, which has marks of its own, each with a life of its own. Without one nothing is cached. */
function ownCache(rules: CacheRules | undefined, question: CacheQuestion): CacheUse {
  const { before = [], after, secondsSince } = question
  if (rules?.kind !== 'marked') return ourCache(rules, question)
  const marks = ownMarks(after, rules)
  const alive = ownMarks(before, rules).filter(({ seconds }) => secondsSince <= seconds)
  const ends = { before: alive.map(({ end }) => end), after: marks.map(({ end }) => end) }
  return {
    cache: marks.length > 0 ? { ...rules, lifetimeSeconds: Infinity } : undefined,
    served: reachedEnd(before, after, { ...ends, ...defined({ lookBack: rules.lookBack }) }),
    marked: ends.after.at(-1) ?? 0,
    longer: marks.findLast(({ seconds }) => seconds > rules.lifetimeSeconds)?.end ?? 0,
  }
}

/** What the next call of the session asks to be kept for longer. */
export function nextCacheLife(
  { state, model, clock, id: turn }: Pick<ForecastPlace, 'state' | 'model' | 'clock'> & { readonly id: string },
  recent: readonly PlacedCall[],
): CacheLife {
  const { cache, price } = model.facts
  const read = state.reads.get(model.id)
  return chooseCacheLife({ model: model.id, cache, price, recent, read, turn, now: Date.parse(clock.time()) })
}

interface SizesInput {
  readonly read: Pick<ReadCall, 'usage'> | undefined
  readonly before: Sealed['fingerprint']
  readonly after: Sealed['fingerprint']
  /** Of the model: reported ÷ counted tokens. */
  readonly ratio: number
  readonly kinds: KindCalibration
}

/** Sizes by the provider's tokenizer: as reported for what the last call sent and got, estimated for what is new. */
function expectedSizes({ read, before, after, ratio, kinds }: SizesInput) {
  const common = commonPieces(before, after)
  const factor = reportedRatio(read, before, ratio)
  const hasGrown = factor !== undefined && common >= steadyPieces(before)
  const answered = hasGrown ? after[common] : undefined
  const answer = answered?.role === 'assistant' ? answerSize(read?.usage, answered.tokens) : 0
  /** The first piece whose size is an estimate. */
  const first = answer > 0 ? common + 1 : common
  const sent = after.slice(0, common).reduce((tokens, piece) => tokens + piece.tokens, 0) * (factor ?? ratio)
  return {
    /** Of the first pieces of the prompt. */
    upTo(pieces: number): number {
      if (pieces >= first) return sent + answer + kindTokens(kinds, estimateOf(after.slice(first, pieces)), ratio)
      const part = after.slice(0, Math.min(pieces, common)).reduce((tokens, piece) => tokens + piece.tokens, 0)
      return part * (factor ?? ratio)
    },
    /** Of the answer to the last call, where it follows on all of that call's prompt; 0 where that is not known. */
    answer: common === before.length ? answer : 0,
    estimate: estimateOf(after.slice(first)),
    known: hasGrown || common === 0 ? Math.round(sent + answer) : undefined,
  }
}

function estimateOf(pieces: Sealed['fingerprint']): KindEstimate {
  const counted: Partial<Record<TextKind, number>> = {}
  for (const { kind, tokens } of pieces) counted[kind] = (counted[kind] ?? 0) + tokens
  // The parts of the system text are one message.
  const system = pieces.filter(({ role }) => role === 'system').length
  return { counted, messages: pieces.length - Math.max(0, system - 1) }
}

/** How far the report of a call may be from the usual ratio. Beyond that it is of something else, such as a part of the prompt. */
const MOST_DISTANCE = 0.3

function reportedRatio(read: SizesInput['read'], before: Sealed['fingerprint'], ratio: number): number | undefined {
  const reported = read?.usage?.promptTokens
  const counted = before.reduce((tokens, piece) => tokens + piece.tokens, 0)
  if (reported === undefined || counted === 0) return undefined
  const found = reported / counted
  return Math.abs(found - ratio) <= ratio * MOST_DISTANCE ? found : undefined
}

/** An answer may count several times its text where a template wraps its calls; beyond that, a part of it is not sent back. */
const MOST_WRAPPED = 3
const WRAPPING = 60

function answerSize(usage: ReadCall['usage'], counted: number): number {
  const { outputTokens = 0, reasoningTokens = 0 } = usage ?? {}
  return reasoningTokens === 0 && outputTokens <= counted * MOST_WRAPPED + WRAPPING ? outputTokens : 0
}

function comparePieces(before: Sealed['fingerprint'], { fingerprint: after, manifest }: Sealed): Reuse {
  const pieces = commonPieces(before, after)
  const tokens = after.slice(0, pieces).reduce((sum, piece) => sum + piece.tokens, 0)
  const next = after[pieces]
  const changed = next && manifest.entries[next.entry]
  if (!changed) return { tokens }
  const known = new Set(before.slice(pieces).map(({ content }) => content))
  const again = after.slice(pieces).reduce((sum, piece) => sum + (known.has(piece.content) ? piece.tokens : 0), 0)
  const cause = pieces === before.length ? 'grew' : 'changed'
  return { tokens, ...(again > 0 ? { again } : {}), firstChange: { id: changed.id, slot: changed.slot, cause } }
}

type Pieces = readonly SealedPiece[]

function commonPieces(before: Pieces, after: Pieces): number {
  let pieces = 0
  while (pieces < before.length && pieces < after.length && before[pieces]!.content === after[pieces]!.content) {
    pieces += 1
  }
  return pieces
}

/** How many pieces a cache has of an earlier request: with marks, up to the last shared one that a mark of the new one reaches. */
export function servedPieces(before: Pieces, after: Pieces, rules: CacheRules | undefined): number {
  if (!rules?.marks) return commonPieces(before, after)
  const { marks, lookBack } = rules
  return reachedEnd(before, after, {
    before: markedEnds(before, marks),
    after: markedEnds(after, marks),
    ...defined({ lookBack }),
  })
}

interface MarkEnds extends Pick<CacheRules, 'lookBack'> {
  readonly before: readonly number[]
  readonly after: readonly number[]
}

/** The last end of a mark of an earlier request in what both share, that a mark of the new one reaches. */
function reachedEnd(before: Pieces, after: Pieces, { lookBack = Infinity, ...ends }: MarkEnds): number {
  const common = commonPieces(before, after)
  const reaches = (end: number) =>
    ends.after.some(
      (mark) => mark >= end && after.slice(end, mark).reduce((blocks, piece) => blocks + piece.blocks, 0) < lookBack,
    )
  return Math.max(0, ...ends.before.filter((end) => end <= common && reaches(end)))
}

/** Lives that marks of other programs ask for, seconds. */
const LIVES: Readonly<Record<string, number>> = { '5m': 300, '30m': 1800, '1h': 3600, '12h': 43_200 }

/** Whether a request asks itself for a longer life than the usual one. */
export function asksForLonger(pieces: Pieces, cache: CacheRules | undefined): boolean {
  return cache !== undefined && ownMarks(pieces, cache).some(({ seconds }) => seconds > cache.lifetimeSeconds)
}

/** Where the marks end that stand in a request itself, and how long each lives, seconds; where the provider adds one, that too. */
function ownMarks(pieces: Pieces, { lifetimeSeconds, marks }: CacheRules) {
  return pieces.flatMap(({ mark }, index) => {
    const isNewest = index + 1 === pieces.length && marks?.includes('newest') === true
    if (!mark && !isNewest) return []
    return [{ end: index + 1, seconds: LIVES[mark?.life ?? ''] ?? lifetimeSeconds }]
  })
}

/** As many marks of a request OpenAI writes beside its own. */
const MOST_ASKED = 3

function markedEnds(pieces: Pieces, marks: readonly CacheMark[]): readonly number[] {
  const lastOf = (role: SealedPiece['role']) => pieces.findLastIndex((piece) => piece.role === role) + 1
  const steady = steadyPieces(pieces)
  const settled = pieces.findLastIndex(
    ({ role }, index) =>
      index + 1 < steady && (role === 'assistant' || role === 'tool') && pieces[index + 1]?.role === 'user',
  )
  const asked = pieces.flatMap(({ role }, index) => (role === 'user' || role === 'tool' ? [index + 1] : []))
  const ends: Readonly<Record<CacheMark, readonly number[]>> = {
    tools: [lastOf('tools')],
    system: [lastOf('system')],
    settled: [settled + 1],
    asked: [lastOf('system'), ...asked.filter((end) => end < pieces.length)].slice(-MOST_ASKED),
    steady: [steady],
    newest: [pieces.length],
  }
  return marks.flatMap((mark) => ends[mark])
}

function steadyPieces(pieces: Pieces): number {
  return pieces.findLastIndex(({ moves }) => !moves) + 1
}
