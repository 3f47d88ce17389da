import type { ModelCall, Step } from '../../agent.ts'
import type { Clock } from '../../capability.ts'
import {
  type Assembly,
  type Budget,
  ContextOverflowError,
  movingMessages,
  type VerbatimAssembly,
  markImages,
  messageTokens,
} from '../../context.ts'
import {
  answerLimits,
  type CallParameters,
  leastPromptTokens,
  type Model,
  type ModelRequest,
  type PromptReport,
  promptReport,
} from '../../model.ts'
import { defined, sha256, type TimeSlice } from '../../platform.ts'
import type { CallOutcome, CallRecord, CallWarning, Usage, Write } from '../../session.ts'
import type { CacheLife } from '../calls/cache-life.ts'
import type { RecordedOptions } from '../calls/call-input.ts'
import { requestDigest, seal, type Sealed, type SealedManifest, type CallForecast } from '../calls/seal.ts'
import type { AssemblyContext } from './assembly-context.ts'

/** The calls of one turn, or of one completion: each is on record before it is made, and is learned from once it is over. */
export type CallAccount = ReturnType<typeof callAccount>

interface CallToWrite {
  readonly outcome: Assembly | VerbatimAssembly | ContextOverflowError
  readonly budget: Budget
  readonly toolChoice: 'auto' | 'none'
  readonly parameters?: CallParameters | undefined
  readonly cacheLife?: CacheLife
  /** What leaves for the provider, where that is more than the assembly has: the bytes of images. */
  readonly request?: ModelCall['request'] | undefined
  readonly about: Pick<CallRecord, 'time'> & Partial<Pick<CallRecord, 'session' | 'turn' | 'upTo' | 'token'>>
  /** Since when others have waited. */
  readonly work: TimeSlice
  /** Writes the parts of the input beside the log and returns the record of them. */
  input(options: RecordedOptions): Promise<unknown>
  /** Why a call is not made that could be; an overflow is a reason of its own. */
  failure?(call: string): (Error & { readonly code: string }) | undefined
  /** Whether this model was never sent anything of the session, though another one was. */
  isUnread?(): Promise<boolean>
  /** Completes the account by what is known of the session. */
  complete?(sealed: Sealed): Promise<SealedManifest>
  /** What is written in one transaction with the account; without a manifest where there is no call to make. */
  beside?(call: string, manifest?: SealedManifest): Promise<readonly Write[]>
}

export function callAccount({ context, model, clock }: CallAccountParts) {
  const { store, settings, limits, calibration, slots } = context
  let account: PromptAccount | undefined
  let sent: Pick<CallRecord, 'id' | 'requestDigest'> | undefined

  return {
    /** What a provider reported of the last call when it refused it as too large. The limits learn from it, too. */
    refusal(refused: Step['deeper']) {
      if (!refused) return undefined
      const { used = 0, call = '' } = account ?? {}
      // A limit of a minute says nothing of the model's window.
      if (!refused.perMinute) limits.refused(model, { limit: refused.limit, used, call })
      return { ...refused, used }
    },
    /** Writes the account of a call. Rejects with the reason where there is no call to make; the account of that is written, too. */
    async write({ outcome, budget, toolChoice, parameters, cacheLife, about, work, ...rest }: CallToWrite) {
      const call = clock.newId('call')
      const { reserve, window } = budget
      const failure = rest.failure?.(call) ?? (outcome instanceof ContextOverflowError ? outcome : undefined)
      const isMade = failure === undefined
      const { retention, breakpoints, requested, keepAlive } = model.facts.cache ?? {}
      const moving = outcome instanceof ContextOverflowError ? 0 : movingMessages(outcome)
      const options: RecordedOptions = {
        toolChoice,
        maxOutputTokens: reserve,
        window,
        ...defined({
          parameters,
          reasoning: settings.reasoning,
          cacheKey: about.session && sha256(`foreword ${about.session}`).slice(0, 32),
        }),
        // What a request asks of the provider's cache, by the rules of the model.
        ...defined({ cacheRetention: retention, cacheBreakpoints: breakpoints, cachePrompt: requested, keepAlive }),
        // The messages at the end that no mark of a cache is set behind.
        ...(moving > 0 && { movingMessages: moving }),
        ...defined({ cacheLife }),
        ...defined({ cacheSlot: isMade && about.session ? slots.take(model, about.session, call) : undefined }),
      }
      const base = { id: call, ...about, model: model.id, input: await rest.input(options) }
      if (failure || outcome instanceof ContextOverflowError) {
        const { code, message } = failure!
        await store.transaction([
          { type: 'call', record: { ...base, manifest: outcome.manifest, requestDigest: '' } },
          ...((await rest.beside?.(call)) ?? []),
          { type: 'call-outcome', id: call, outcome: { error: { code, message }, durationMs: 0 } },
        ])
        throw failure!
      }
      // Long contents are read, sealed and sent one after the other, so that other work can run in between.
      if (work.isOver()) await work.rest()
      const digest = requestDigest(outcome.request)
      if (work.isOver()) await work.rest()
      const sealed = seal(outcome, digest)
      if (work.isOver()) await work.rest()
      const manifest: SealedManifest = (await rest.complete?.(sealed)) ?? sealed.manifest
      // Asked before this call is one of them.
      const isUnread = (await rest.isUnread?.()) ?? false
      const record = { ...base, manifest, requestDigest: sealed.manifest.requestDigest }
      await store.transaction([{ type: 'call', record }, ...((await rest.beside?.(call, manifest)) ?? [])])
      sent = record
      const { request } = outcome
      const estimate = promptAccount(context, model, { call, manifest, request, isUnread })
      account = estimate
      const least = leastPromptTokens(request, 'whole')
      const isCacheable = estimate.fresh < estimate.text
      calibration.called.add(model.id)
      const prepared: ModelCall = {
        call,
        request: rest.request ?? request,
        options: {
          ...options,
          limits: answerLimits(reserve, settings.maxAnswerMs),
          leastPromptTokens: isCacheable
            ? Math.min(leastPromptTokens(request, isUnread ? 'answered' : 'newest'), estimate.fresh)
            : least,
          leastWholeTokens: least,
          account: manifest,
        },
        warningAbout: (usage) => shortReportWarning(context, model, estimate, usage),
      }
      return { prepared, manifest, fingerprint: sealed.fingerprint }
    },
    /** The digest of the request of a call, also of one that another process made; `undefined` where there is no record of it. */
    async requestDigest(call: string) {
      if (sent?.id !== call) sent = await store.call(call)
      return sent?.requestDigest
    },
    /** What the last call was estimated at, by our counter, and what its provider reports for one of those tokens. */
    size: () => ({ used: account?.used ?? 0, ratio: calibration.ratio(model.id, settings.counter) }),
    /** Completes the record of a call, in one transaction with what it gave. Resolves with the entries among that. */
    finish(call: string, outcome: CallOutcome, writes: readonly Write[] = []) {
      if (account) learnFrom(context, model, account, outcome)
      slots.end(call, outcome)
      return store.transaction([{ type: 'call-outcome', id: call, outcome }, ...writes])
    },
  }
}

interface CallAccountParts {
  readonly context: AssemblyContext
  readonly model: Model
  readonly clock: Clock
}

/** What a call was estimated at, to be held against what its provider reports. All in tokens, by our counter. */
interface PromptAccount {
  readonly call: string
  readonly used: number
  /** `used` without images: every provider counts those differently. */
  readonly text: number
  readonly images: boolean
  readonly fresh: number
  readonly forecast?: CallForecast | undefined
}

type Learning = Pick<AssemblyContext, 'settings' | 'calibration' | 'limits'>

function promptAccount(
  { settings, calibration }: Learning,
  model: Model,
  {
    call,
    manifest,
    request,
    isUnread,
  }: {
    readonly call: string
    readonly manifest: Pick<SealedManifest, 'used' | 'slots' | 'reuse' | 'forecast'>
    readonly request: ModelRequest
    readonly isUnread: boolean
  },
): PromptAccount {
  const { used, slots, reuse, forecast } = manifest
  const head = slots.tools + slots.system + slots.preamble
  // A server may have kept what another process or session sent.
  const cacheable = Math.max((isUnread ? undefined : reuse?.tokens) ?? 0, calibration.called.has(model.id) ? head : 0)
  let text = used
  let images = false
  for (const message of request.messages) {
    // Less the marker that would replace an image.
    const marked = markImages(message, NONE)
    if (marked) {
      images = true
      text -= Math.max(0, messageTokens(settings.counter, message) - messageTokens(settings.counter, marked.message))
    }
  }
  return { call, used, text, images, fresh: Math.min(text, used - cacheable), forecast }
}

const NONE = { seen: false, inResults: false, byAddress: false }

/** Learns from what a provider reported of a prompt: how far the counter is off, or that less is read than was sent. */
function learnFrom(
  context: Learning,
  model: Model,
  account: PromptAccount,
  { usage, error }: Pick<CallOutcome, 'usage' | 'error'>,
): void {
  if (usage?.promptTokens === undefined) return
  const { promptTokens: reported } = usage
  const { call, used, images } = account
  const { calibration, limits } = context
  const { counter } = context.settings
  const report = error?.code === 'prompt-truncated' ? 'short' : judgeReport(context, model, account, usage)
  if (report === 'short') {
    limits.readShort(model, { read: Math.floor(reported / calibration.ratio(model.id, counter)), used, call })
  } else if (report === 'whole') {
    limits.readWhole(model, { reported, used })
    if (images) return
    // With the ratio that the forecast was made with.
    const { cached = 0, written = 0, fresh = 0, counted, messages = 0, known } = account.forecast ?? {}
    const expected = cached + written + fresh
    if (counted) calibration.observeKinds(model.id, counter, { counted, messages, known, expected, reported })
    calibration.observe(model.id, counter, used, reported)
  }
}

/** The warning where a provider reports far fewer tokens than an answered prompt was estimated at. An estimate proves nothing. */
function shortReportWarning(
  context: Learning,
  model: Model,
  account: PromptAccount,
  usage: Usage,
): CallWarning | undefined {
  const { promptTokens: reported } = usage
  if (reported === undefined || judgeReport(context, model, account, usage) !== 'short') return undefined
  return {
    code: 'prompt-read-short',
    message:
      `${model.id} reports ${reported} prompt tokens, and about ${expectedTokens(context, model, account)} were sent: its server ` +
      `may have left out a part. The answer is kept; for an hour, Foreword sends smaller prompts. ` +
      `Set models."${model.id}".window to the context length that it is served with.`,
  }
}

function judgeReport(
  context: Learning,
  model: Model,
  account: PromptAccount,
  { promptTokens: reported = 0, cachedTokens }: Usage,
): PromptReport {
  const { calibration, settings } = context
  const expected = expectedTokens(context, model, account)
  const estimated = Math.round(account.fresh * calibration.ratio(model.id, settings.counter))
  // What a server says of its cache is better than what it may have there.
  const fresh = cachedTokens === undefined ? estimated : Math.max(0, expected - cachedTokens)
  return promptReport({
    expected,
    fresh,
    reported,
    measured: calibration.isMeasured(model.id, settings.counter),
  })
}

function expectedTokens({ calibration, settings }: Learning, model: Model, { text }: PromptAccount): number {
  return Math.round(text * calibration.ratio(model.id, settings.counter))
}
