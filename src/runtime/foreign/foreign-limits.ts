import type { CallHold, BudgetApproval } from '../../agent.ts'
import type { Clock, ForeignCallStart } from '../../capability.ts'
import { priceTier } from '../../context.ts'
import { assumedFacts, type Model, type ModelFacts } from '../../model.ts'
import { type Activity, defined, errorMessage } from '../../platform.ts'
import { type BudgetAmount, type CallOutcome, type SessionStore, type Usage, wasRefused } from '../../session.ts'
import type { BudgetService } from '../budgets/budget-service.ts'
import type { CallOwner } from '../budgets/call-budgets.ts'
import type { LiveDecision, LiveQuestions } from '../tools/live-questions.ts'
import { asksForLonger } from '../turn/call-forecast.ts'
import { identifyCall } from '../../foreign.ts'
import type { AnalysedBody } from './analysis/analysed-body.ts'
import { channelOf, type ForeignSessions } from './foreign-sessions.ts'
import { COSTLESS } from './foreign-input.ts'
import { keptEntry } from './kept-conversation.ts'
import { NANOS_PER_DOLLAR } from '../budgets/call-bound.ts'

/** Holds what calls of other programs may cost. */
export type ForeignLimits = ReturnType<typeof createForeignLimits>

type HoldAnswer = { readonly held: ForeignHold | undefined } | { readonly refuse: string }

export interface HoldRequest {
  readonly id: string
  readonly start: ForeignCallStart
  /** What its body says as its program sent it, and as it leaves; `undefined`: it could not be taken apart. */
  said(): Promise<AnalysedBody | undefined>
  left(): Promise<AnalysedBody | undefined>
  /** Resolves once the calls of its program that have ended are on record. */
  settled(): Promise<void>
  readonly signal: AbortSignal
  stop(): void
}

export interface ForeignHold {
  /** So many tokens of its answer are written, about. */
  grew(tokens: number): void
  /** It is over. `undefined`: nothing is known of what it cost. */
  settle(outcome: CallOutcome | undefined): void
}

/** Holds calls by an estimate, since the most they can cost says nothing. A longer answer holds more, or is stopped. */
export function createForeignLimits(parts: {
  readonly store: Pick<SessionStore, 'bound'>
  readonly budgets: Pick<BudgetService, 'of' | 'appliesTo'>
  readonly clock: Clock
  readonly questions: Pick<LiveQuestions, 'ask'>
  readonly activity: Activity
  readonly sessions: Pick<ForeignSessions, 'keptBefore' | 'cacheOf'>
  factsOf(model: string): ModelFacts | undefined
  /** Asks the provider, where nothing is known of the model. */
  resolve(model: string): Promise<Pick<Model, 'id' | 'facts'>>
  readonly warn: (text: string) => void
}) {
  const { store, budgets, clock, questions, activity, sessions, warn } = parts
  const usual = new Map<string, ExpectedUsage>()

  /** Never rejects: what cannot be held under a budget does not leave. */
  async function hold(call: HoldRequest): Promise<HoldAnswer> {
    if (!budgets.appliesTo()) return { held: undefined }
    try {
      return await heldCall(call)
    } catch (error) {
      return { refuse: `The call was not made, since its budget could not be asked: ${errorMessage(error)}` }
    }
  }

  async function heldCall({ id, start, said, left, settled, signal, stop }: HoldRequest): Promise<HoldAnswer> {
    const token = start.caller.name
    // The program is not known yet: a budget may be about a channel.
    const [body, account] = [await said(), (await left())?.account]
    const identity = body?.identity ?? identifyCall(start.head, undefined)
    if (identity.kind === 'count' || COSTLESS.has(start.head.method)) return { held: undefined }
    const channel = channelOf(identity)
    const conversation = identity.parent ?? identity.session
    // What a call has cost that ended a moment ago is counted before this one is held, and what it left can be found.
    await settled()
    const call = { identity, provider: start.provider, token }
    const [kept, cache] = await Promise.all([sessions.keptBefore(call), sessions.cacheOf(call)])
    const session =
      kept?.session ?? (conversation === undefined ? undefined : await store.bound({ channel, conversation }))
    const owner: CallOwner = { turn: id, channel, ...defined({ token, session }) }
    if (!budgets.appliesTo(owner)) return { held: undefined }
    const model = await modelOf(`${start.provider}/${identity.model ?? 'unknown'}`)
    const program = identity.client.name
    if (!account) {
      const ask = budgets.of({ ...unknownCall(model), owner, asks: start.overBudget.type === 'wait' })
      const go = await admitted(ask, { id, start, signal, session, program, why: unknownSentence(start) })
      return typeof go === 'string'
        ? { refuse: go }
        : { held: { grew() {}, settle: () => go.settle({ notMade: true }) } }
    }
    const { manifest } = account
    const keptTokens = kept && identity.kept ? keptEntry(identity.kept, kept, manifest).tokens : 0
    const used = manifest.used + keptTokens + (cache?.tokens ?? 0)
    const line = JSON.stringify([program, identity.kind, identity.session ?? kept?.session, identity.model, token])
    const now = Date.parse(clock.time())
    const expected = {
      used,
      // Of one that comes whole, nothing is seen before all of it is paid for.
      isWhole: !identity.stream,
      keepsLonger: asksForLonger(account.fingerprint, model.facts.cache),
      ...defined({ usual: usual.get(line), most: identity.kind === 'embedding' ? 0 : identity.maxOutputTokens }),
      now,
    }
    let isLater = false
    let { cost, outputTokens } = expectedCost(expected, model.facts)
    const ask = budgets.of({
      owner,
      model,
      size: () => ({ used, ratio: 1 }),
      estimate: () => (isLater ? expectedCost({ ...expected, used: 0 }, model.facts).cost : cost),
      asks: start.overBudget.type === 'wait',
    })
    const first = await admitted(ask, { id, start, signal, session, program })
    if (typeof first === 'string') return { refuse: first }
    const holds = [first]
    isLater = true
    let isAsking = false

    let written = 0

    /** Holds as much again for an answer that is longer than usual, as often as it takes. */
    async function holdMore(): Promise<void> {
      while (written > outputTokens && (await heldAgain()));
    }

    async function heldAgain(): Promise<boolean> {
      const more = await ask({ call: id })
      if (more.type === 'go') {
        holds.push(more)
        outputTokens += expectedCost({ ...expected, used: 0 }, model.facts).outputTokens
        return true
      }
      const why = more.type === 'wait' ? more.sentence : more.error.message
      warn(`An answer to ${program} was stopped at a limit: ${why}`)
      stop()
      return false
    }

    return {
      held: {
        grew(tokens) {
          written = tokens
          if (isAsking || written <= outputTokens) return
          isAsking = true
          holdMore().then(
            () => void (isAsking = false),
            (error: unknown) => {
              warn(`An answer to ${program} was stopped, since its budget could not be asked: ${errorMessage(error)}`)
              stop()
            },
          )
        },
        settle(outcome) {
          if (outcome?.usage) usual.set(line, { ...outcome.usage, at: Date.parse(clock.time()) })
          const isUnpaid = outcome !== undefined && wasRefused(outcome)
          first.settle(isUnpaid ? { notMade: true } : { usage: outcome?.usage })
          for (const each of holds.slice(1)) each.settle({ notMade: true })
        },
      },
    }
  }

  /** Waits as long as the rule says for room, or for a person's decision. A sentence: it is refused. */
  async function admitted(ask: HoldCalls, waits: WaitingProgram): Promise<Extract<CallHold, { type: 'go' }> | string> {
    const { id, start, signal, program, why = '' } = waits
    const { overBudget } = start
    const limit = overBudget.type === 'wait' ? overBudget.milliseconds : 0
    const over = new AbortController()
    const until = AbortSignal.any([signal, over.signal])
    const rest = (milliseconds: number) => clock.sleep(milliseconds, until)
    let isTimed = false
    let granted: BudgetApproval | undefined
    try {
      for (;;) {
        const answer = await ask({ call: id }, granted)
        granted = undefined
        if (answer.type === 'go') return answer
        if (answer.type === 'refuse') return `${why}${answer.error.message}`
        if (limit === 0 || until.aborted) return `${why}${answer.sentence}`
        if (!isTimed) {
          isTimed = true
          warn(`A call of ${program} waits for a decision: ${why}${answer.sentence}`)
          void rest(limit).then(() => over.abort())
        }
        const first = await activity.rest(undefined, decisionOrRoom(waits, answer, until))
        if (first === undefined) return `${why}${answer.sentence}`
        if (first === 'room') continue
        const { approval, decision } = first
        if (decision.type === 'deny') {
          const reason = decision.reason === undefined ? '' : ` The reason: ${decision.reason}`
          return `The call was not made, since a person refused it. ${answer.sentence}${reason}`
        }
        granted = { approval, once: decision.scope === 'once', request: answer.request }
      }
    } finally {
      over.abort()
    }
  }

  /** What comes first. `undefined`: the time is over, or the program has left. */
  async function decisionOrRoom(
    { id, session, program }: WaitingProgram,
    { request, rule, sentence, raise, room }: Extract<CallHold, { type: 'wait' }>,
    until: AbortSignal,
  ): Promise<LiveDecision | 'room' | undefined> {
    const settled = new AbortController()
    const signal = AbortSignal.any([until, settled.signal])
    const question = { call: id, program, session, request, rule, sentence, raise }
    try {
      const asked = questions.ask(question, signal)
      const found = room?.(signal).then((reason) => (reason === undefined ? undefined : ('room' as const)))
      const first = await Promise.race([asked, ...(found ? [found] : [])])
      settled.abort()
      // A decision that is being written counts, whatever room there is.
      return (await asked) ?? first
    } finally {
      settled.abort()
    }
  }

  async function modelOf(id: string): Promise<Pick<Model, 'id' | 'facts'>> {
    const facts = parts.factsOf(id)
    if (facts) return { id, facts }
    return parts.resolve(id).catch(() => ({ id, facts: assumedFacts(id) }))
  }

  return { hold }
}

type HoldCalls = ReturnType<BudgetService['of']>

interface WaitingProgram extends Pick<HoldRequest, 'id' | 'start' | 'signal'> {
  readonly program: string
  readonly session: string | undefined
  /** What is to be said before the sentence of a budget, with a space at its end. */
  readonly why?: string
}

/** What is held for a call that nobody can price: it has room in no budget. */
function unknownCall({ id, facts }: Pick<Model, 'id' | 'facts'>) {
  const { price: _price, ...unpriced } = facts
  return {
    model: { id, facts: unpriced },
    size: () => ({ used: 0, ratio: 1 }),
    estimate: (): BudgetAmount => ({ nanos: 0, tokens: Number.MAX_SAFE_INTEGER }),
  }
}

function unknownSentence({ provider, head: { method, path } }: ForeignCallStart): string {
  const call = `${method} ${path.replace(/\?.*$/s, '').slice(0, 200)}`
  return `A budget applies to this call, and what it may cost cannot be known: ${call} of ${provider} has no body of a known format. `
}

/** What the last call of the same kind in a conversation used, and when, ms since 1970. */
interface ExpectedUsage extends Usage {
  readonly at: number
}

interface Expected {
  /** Of the prompt, by our counter. */
  readonly used: number
  readonly usual?: ExpectedUsage
  readonly most?: number
  readonly isWhole: boolean
  /** Whether what it writes to the cache is kept for longer. */
  readonly keepsLonger: boolean
  readonly now: number
}

/** An answer of which nothing is known, tokens. */
const FIRST_ANSWER = 2_000
/** An answer may be so many times as long as the last one before more is held for it. */
const LONGER = 2
const LEAST_ANSWER = 500
/** A provider may count so much more than our counter. */
const COUNTER_ERROR = 1.2
/** Caches of providers live at least so long, ms. */
const CACHE_MS = 300_000

/** What a call is likely to cost: what was sent a moment ago comes from the cache, and the answer is about as long as the last. */
function expectedCost(
  { used, usual, most, isWhole, keepsLonger, now }: Expected,
  { price, maxOutput }: Pick<ModelFacts, 'price' | 'maxOutput'>,
): { readonly cost: BudgetAmount; readonly outputTokens: number } {
  const last = usual?.outputTokens
  const wanted = last === undefined ? FIRST_ANSWER : Math.max(LEAST_ANSWER, last * LONGER)
  const longest = most ?? maxOutput
  const outputTokens = isWhole ? longest : Math.min(wanted, longest)
  const prompt = Math.ceil(used * COUNTER_ERROR)
  const tokens = prompt + outputTokens
  if (!price) return { cost: { nanos: 0, tokens }, outputTokens }
  const tier = priceTier(price, prompt)
  const isWarm = usual !== undefined && now - usual.at < CACHE_MS && tier.cachedInput !== undefined
  const cached =
    isWarm && (usual.cachedTokens ?? usual.cacheWrittenTokens) ? Math.min(prompt, usual.promptTokens ?? 0) : 0
  const fresh = Math.max(tier.input, tier.cacheWrite ?? 0, (keepsLonger && tier.cacheWriteLonger) || 0)
  const perMillion = cached * (tier.cachedInput ?? fresh) + (prompt - cached) * fresh + outputTokens * tier.output
  return { cost: { nanos: Math.ceil((perMillion * NANOS_PER_DOLLAR) / 1_000_000), tokens }, outputTokens }
}
