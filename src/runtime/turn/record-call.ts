import type { TurnHealth, Journal, ModelCall, RetryRule, TurnOutput, TurnSetup } from '../../agent.ts'
import type { TurnCitations } from '../../citation.ts'
import {
  againMoney,
  type Assembly,
  type AssemblyInput,
  ContextOverflowError,
  type CutRecord,
  cutSums,
  PLACED_CALLS,
  placedCall,
  unframedResults,
} from '../../context.ts'
import type { CallParameters, Model } from '../../model.ts'
import { type Activity, defined, timeSlice } from '../../platform.ts'
import type { AuditFacts, CitationSource, Entry, EntryBody, SessionStore, Write } from '../../session.ts'
import type { Tool } from '../../tool.ts'
import type { BudgetService } from '../budgets/budget-service.ts'
import type { AssemblyContext } from './assembly-context.ts'
import { assembleCall, type AskedTurn, type CallAssembly } from './assemble-call.ts'
import type { CallAccount } from './call-account.ts'
import { recordInput } from '../calls/call-input.ts'
import { placementRules, withPlacementPrices } from '../calls/recent-placements.ts'
import { pinOf } from '../calls/head-pin.ts'
import type { FallbackRecord, SealedManifest } from '../calls/seal.ts'
import { cutToWrite, usableCut } from '../sessions/session-cut.ts'
import type { SessionState } from '../sessions/session-state.ts'
import type { ApprovalService } from '../tools/approval-service.ts'
import type { ToolPolicy } from '../tools/tool-policy.ts'
import { addForecast, type ForecastPlace, nextCacheLife } from './call-forecast.ts'
import { counterKey } from '../models/counters.ts'
import type { InsteadOf } from '../models/fallback.ts'
import type { TurnTaint } from './turn-taint.ts'

export interface TurnJournal extends Required<Omit<Journal, 'keepImage'>>, Pick<Journal, 'keepImage'> {
  /** What `append` writes, for a transaction that has more to write. To be written next. */
  writes(bodies: readonly EntryBody[], audit?: readonly AuditFacts[]): Promise<readonly Write[]>
}

/** What the calls of a turn share. */
interface CallParts {
  readonly account: CallAccount
  readonly journal: TurnJournal
  readonly citations: TurnCitations
  readonly documents: readonly CitationSource[]
  readonly words: TurnWords
  readonly taint: TurnTaint
}

/** Assembles the calls of a turn, one after the other, each written down with the cut that it makes. */
export function recordedCalls(
  live: LiveTurn,
  { account, journal, citations, documents, words, taint }: CallParts,
): TurnSetup['assemble'] {
  const { context, state, model, id: turn, clock, entries } = live
  const { store, settings } = context
  const { session } = state
  const parts = [...(context.turn?.parts.values() ?? [])]
  const input = entries.find((entry) => entry.type === 'input')
  // As admission wrote them.
  const parameters: CallParameters | undefined = input?.type === 'input' ? input.options?.parameters : undefined
  let gone: readonly string[] = []
  let hasAssembled = entries.some((entry) => entry.type === 'assembly')
  let hasFallenBack = false

  return async (step) => {
    const key = counterKey(settings.counter)
    // Counts by another counter are left out, so that they are made again.
    const messages = step.messages.map(({ message, counted }) =>
      counted.counter === key ? { message, tokens: counted.full } : { message },
    )
    // Before the limits learn from a refusal.
    const cut = usableCut(state, context, model)
    const deeper = account.refusal(step.deeper)
    const work = timeSlice(clock)
    const asked = { messages, cut, last: step.last, cites: citations.found(), gone, ...defined({ deeper }) }
    const call = await assembleCall(live, asked)
    const { recent } = call
    gone = call.gone
    const outcome = await withKeptNote(call, store, session, taint)
    const rules = placementRules(model, call.input.layout)
    let placed = recent
    const cacheLife = nextCacheLife(live, recent)
    const upTo = state.stream.lastSeq()
    const time = clock.time()
    let cutEntries: ReturnType<typeof cutToWrite> = []
    const written = await account.write({
      outcome,
      budget: call.input.budget,
      toolChoice: call.toolChoice,
      parameters,
      cacheLife,
      request: call.request,
      about: { session, turn, upTo, time },
      work,
      input: (options) =>
        recordInput(store, call.input, {
          layout: settings.layout,
          inSession: true,
          options,
          head: call.head,
          holds(layer) {
            const sessions = new Set(parts.flatMap((part) => part.holds?.(layer) ?? []))
            return sessions.size > 0 ? [...sessions] : undefined
          },
        }),
      isUnread: async () => state.lastCall !== undefined && !(await wasSent(store, state, model.id)),
      complete: async (sealed) => {
        const forecast = await addForecast(live, sealed, cacheLife)
        placed = [...recent, placedCall(forecast, { turn, at: Date.parse(time) })]
        const priced = withPlacementPrices(forecast, placed, rules)
        const complete = withCutRecord(live, priced, call.cacheOver ? { why: 'cache-over' } : whyCut(call))
        if (!live.instead) return complete
        const { fallbackRecord } = await import('../calls/fallback-record.ts')
        const fallback = await fallbackRecord(store, { instead: live.instead, model: model.id, manifest: complete })
        return { ...complete, fallback }
      },
      beside(id, manifest) {
        const assembly = { type: 'assembly', turn, call: id, model: model.id } as const
        if (!manifest) return journal.writes([assembly])
        cutEntries = cutToWrite(state, { turn, call: id, cut: manifest.cut, budget: manifest.budget })
        const sources = documents.length > 0 && !hasAssembled ? { sources: documents } : {}
        const sent = outcome instanceof ContextOverflowError ? [] : outcome.request.messages
        const read = taint.assembled({ input: call.input, manifest, messages: sent })
        const foreign = read.length > 0 ? { foreign: read } : {}
        return journal.writes([
          { ...assembly, ...defined({ cut: manifest.cut }), ...sources, ...foreign },
          ...cutEntries,
        ])
      },
    })
    hasAssembled = true
    words.begin()
    for (const { cut: marks, available, room = available } of cutEntries) state.cut = { marks, room }
    const { manifest, fingerprint } = written
    // Said once in a turn.
    const prepared =
      manifest.fallback && !hasFallenBack ? fallenBack(live, written.prepared, manifest.fallback) : written.prepared
    hasFallenBack = true
    const record = { id: prepared.call, turn, model: model.id, upTo, manifest }
    const { layout, counter } = settings
    const { layers, tools = [] } = call.input
    state.pin = pinOf(record, { layout, counter: counter.id }, { layers, tools, ...call.head })
    const at = Date.parse(clock.time())
    state.lastCall = { call: prepared.call, model: model.id, fingerprint, at, ...(cacheLife && { life: cacheLife }) }
    state.placed = { call: prepared.call, calls: placed.slice(-PLACED_CALLS) }
    if (!(outcome instanceof ContextOverflowError)) {
      live.assembled?.({ input: call.input, outcome, prepared })
      // Words are for one note.
      if (outcome.note?.by !== undefined && outcome.note.by === state.words?.call) state.words = undefined
    }
    const seen = outcome instanceof ContextOverflowError ? undefined : outcome.request.messages.map(unframedResults)
    const { budget, used, slots } = manifest
    // The room for a result in the next call if the history and what is answered then give way, less a tenth for the counter's error.
    const answered = outcome instanceof ContextOverflowError ? 0 : answeredTokens(outcome)
    const room = (budget.available - used + slots.history + answered - CALL_TOKENS) * 0.9
    return { ...prepared, ...defined({ seen }), roomTokens: Math.max(0, Math.floor(room)) }
  }
}

/** Tells those who watch which model is asked now and why, before it is asked, and notes it with the answer. */
function fallenBack(
  { state, id, model }: LiveTurn,
  prepared: ModelCall,
  { failed, sentence }: FallbackRecord,
): ModelCall {
  const { call } = prepared
  const { code = 'internal' } = failed.at(-1) ?? {}
  const attempt = failed.length + 1
  state.stream.delta(id, { type: 'retry', call, attempt, waitMs: 0, code, message: sentence, model: model.id })
  return {
    ...prepared,
    warningAbout(usage) {
      const other = prepared.warningAbout?.(usage)
      return { code: 'fallback', message: other ? `${sentence} ${other.message}` : sentence }
    },
  }
}

/** What the results of the turn so far leave free once they are cleared, tokens. */
function answeredTokens({ pieces, manifest }: Assembly): number {
  let sum = 0
  for (const { entry, tokens, content } of pieces) {
    const isResult =
      typeof content === 'object' &&
      'role' in content &&
      content.role === 'tool' &&
      manifest.entries[entry]?.slot === 'input'
    if (isResult) sum += Math.max(0, tokens - CLEARED_TOKENS)
  }
  return sum
}

/** Stores the text of a new note beside the log, and notes in its mark which texts of others it covers. */
async function withKeptNote(
  { input, outcome }: Pick<CallAssembly, 'input' | 'outcome'>,
  store: SessionStore,
  session: string,
  taint: TurnTaint,
): Promise<CallAssembly['outcome']> {
  if (outcome instanceof ContextOverflowError || !outcome.note) return outcome
  const { note, manifest } = outcome
  await store.putContent(note.text, [session])
  const turns = input.history.map(({ id }) => id)
  const named = turns.indexOf(note.from)
  const from = named < 0 ? turns.findIndex((id) => !manifest.cut?.first?.includes(id)) : named
  const covered = input.history.slice(Math.max(0, from), turns.indexOf(note.to) + 1)
  const foreign = taint.covered(covered, note.foreign ?? [])
  if (foreign.length === 0) return outcome
  const notes = manifest.cut?.notes?.map((mark) => (mark.content === note.content ? { ...mark, foreign } : mark))
  return { ...outcome, manifest: { ...manifest, cut: { ...manifest.cut, ...defined({ notes }) } } }
}

/** Kept for the message that asks for a tool, and for the frame of its result, tokens. */
const CALL_TOKENS = 200
/** What a result costs once it is cleared, tokens. */
const CLEARED_TOKENS = 60

/** The last call of a turn, as it was sent. */
export interface SentAssembly {
  readonly input: AssemblyInput
  readonly outcome: Assembly
  readonly prepared: ModelCall
}

/** A turn that runs: what answers it, its session, and what it is answered with. Made once, by the queue. */
export interface LiveTurn extends AskedTurn, ForecastPlace {
  readonly context: AssemblyContext
  readonly state: SessionState
  /** The turn in which another model answers the same message. */
  readonly beside: string | undefined
  /** Of this turn when it began. */
  readonly entries: readonly Entry[]
  readonly tools: readonly Tool[]
  readonly signal: AbortSignal
  readonly policy: ToolPolicy
  readonly approvals: ApprovalService
  readonly budgets: BudgetService
  readonly activity: Activity
  readonly retries: RetryRule
  readonly health: TurnHealth
  /** The model that was wanted, where another one answers. */
  readonly instead?: InsteadOf | undefined
  readonly fallback?: TurnSetup['fallback']
  /** Told of each request that is about to be sent. */
  assembled?(call: SentAssembly): void
}

/** The words of the call that is running, as they are shown to those who watch. */
export interface TurnWords extends Required<Pick<TurnOutput, 'show'>> {
  /** Another call begins: numbers that were given meanwhile can be cited in it. */
  begin(): void
  /** The call is over: what was held back is shown. */
  end(call: string): void
}

/** Why the conversation is cut in a call that finds its cache. A head that was composed again has lost it as a long pause does. */
function whyCut({
  input,
  head,
  outcome,
}: Pick<CallAssembly, 'input' | 'head' | 'outcome'>): Pick<CutRecord, 'why' | 'gain'> {
  if (head.folded && input.notes?.cacheOver) return { why: 'head-changed' }
  const gain = outcome instanceof ContextOverflowError ? undefined : outcome.gain
  return gain ? { why: 'worth', gain } : { why: 'full' }
}

/** Says what the cut of a call hid, saved and cost; an account without a new cut stays as it is. */
function withCutRecord(
  { state, model }: { readonly state: SessionState; readonly model: Model },
  manifest: SealedManifest,
  cause: Pick<CutRecord, 'why' | 'gain'>,
): SealedManifest {
  if (!manifest.cut || JSON.stringify(state.cut?.marks) === JSON.stringify(manifest.cut)) return manifest
  const sums = cutSums(manifest)
  if (sums.turns === 0) return manifest
  // Where the cache was lost anyway, nothing is sent again for the cut.
  const isLost = cause.why === 'cache-over' || cause.why === 'head-changed'
  const again = isLost ? 0 : (manifest.reuse?.again ?? 0)
  const { price } = model.facts
  const money = price && againMoney(again, manifest.used, price)
  return { ...manifest, cutRecord: { ...cause, ...sums, again, ...defined({ money }) } }
}

/** Whether anything of a session was sent to a model before, as far back as the session goes. */
async function wasSent(
  store: Pick<SessionStore, 'callSums'>,
  { session, reads, lastCall }: SessionState,
  model: string,
): Promise<boolean> {
  if (lastCall?.model === model || reads.has(model)) return true
  const sums = await store.callSums({ session, limit: Number.MAX_SAFE_INTEGER })
  return sums.some((each) => each.model === model)
}
