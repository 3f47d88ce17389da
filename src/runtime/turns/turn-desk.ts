import { type Delta, pause, type PreparedCall, type Step, type TurnSetup } from '../../agent.ts'
import { ContextOverflowError, type Manifest, type Message, outline, type Turn } from '../../context.ts'
import { answerLimits, type CallParameters, leastPromptTokens } from '../../model.ts'
import type { AuditFacts, CallRecord, Entry, EntryBody } from '../../session.ts'
import { stretch } from '../../platform.ts'
import { createToolbox, type Tool } from '../../tool.ts'
import type { ApprovalDesk } from '../tools/approvals.ts'
import { turnFiles } from '../calls/attachments.ts'
import type { CallQuestion } from '../calls/attempt-call.ts'
import { type CallPlace, withForecast } from '../calls/call-forecast.ts'
import { recordInput } from '../calls/call-input.ts'
import { countedInSlices } from '../calls/counted-in-slices.ts'
import { documentSources, heldBy } from './setting-context.ts'
import type { FileLibrary } from '../../capability.ts'
import { learnFrom, type PromptAccount, promptAccount, shortReportWarning } from '../calls/prompt-account.ts'
import { seal } from '../ledger/seal.ts'
import { retryRule } from '../settings.ts'
import { cutToWrite, rememberCut, usableCut } from '../sessions/session-cut.ts'
import { policyGate, shownChars, type ToolPolicy } from '../tools/tool-policy.ts'
import { turnCitations } from './turn-citations.ts'
import { counterKey, tokenCounts } from './turn-projection.ts'
import { attemptWithPictures } from '../calls/with-pictures.ts'

/** What one turn is run with. */
export interface TurnDesk extends CallPlace {
  readonly turn: string
  readonly entries: readonly Entry[]
  /** Everything there is to call, allowed or not. */
  readonly tools: readonly Tool[]
  readonly policy: ToolPolicy
  readonly approvals: ApprovalDesk
  readonly library: FileLibrary
  readonly signal: AbortSignal
}

/** Joins the loop of a turn to the store, the stream and the account. */
export function turnSetup(turnDesk: TurnDesk): TurnSetup {
  const { bench, desk, model, turn, clock, signal, entries, policy } = turnDesk
  const { store, settings } = bench
  const { session } = desk
  const input = entries.find((entry) => entry.type === 'input')
  // As admission wrote them.
  const parameters: CallParameters | undefined = input?.type === 'input' ? input.options?.parameters : undefined
  const started = entries.some((entry) => entry.type === 'turn-start')
  let opening: readonly EntryBody[] = started ? [] : [{ type: 'turn-start', turn }]
  /** What the last call was estimated at, to learn from what is reported and to cut deeper where it was too much. */
  let account: PromptAccount | undefined
  let roomTokens: number | undefined
  let seen: readonly Message[] | undefined
  const documents = bench.setting ? documentSources(bench.setting) : []
  const citations = turnCitations(entries, documents)
  /** Words of the call that is running. */
  let words = citations.stream()
  const files = input?.type === 'input' ? turnFiles([input]) : []
  /** Images of the session that are no longer there. */
  let gone: readonly string[] = []
  let hasAssembled = entries.some((entry) => entry.type === 'assembly')
  const toolbox = createToolbox(turnDesk.tools, {
    gate: policyGate(policy),
    ...(settings.toolTimeoutMs === undefined ? {} : { timeoutMs: settings.toolTimeoutMs }),
  })

  async function append(bodies: readonly EntryBody[], audit: readonly AuditFacts[] = []): Promise<readonly Entry[]> {
    const all = [...opening, ...bodies]
    opening = []
    const time = clock.time()
    // Handed in together, they reach the disk together.
    const [written] = await Promise.all([
      store.append(session, all, time),
      audit.length > 0 ? store.transaction(audit.map((facts) => ({ type: 'audit', facts, time }) as const)) : undefined,
    ])
    return written
  }

  async function prepare(step: Step): Promise<PreparedCall> {
    const key = counterKey(settings.counter)
    const current: Turn = {
      id: turn,
      messages: step.messages.map(({ message, counted }) =>
        counted.counter === key ? { message, tokens: counted.full } : { message },
      ),
    }
    const question: CallQuestion = {
      files,
      cites: citations.found(),
      model,
      session,
      hasHistory: desk.hasHistory,
      loggedTurn: turn,
      current,
      time: input?.time ?? clock.time(),
      cut: usableCut(desk, bench, model),
      last: step.last,
      gone,
      ...(step.deeper ? { deeper: { ...step.deeper, used: account?.used ?? 0 } } : {}),
    }
    if (step.deeper && account) {
      bench.limits.refused(model, { limit: step.deeper.limit, used: account.used, call: account.call })
    }
    const work = stretch()
    const attempt = await attemptWithPictures(bench, turnDesk.library, question)
    gone = attempt.gone
    const call = clock.newId('call')
    const { budget } = attempt.input
    const options = {
      toolChoice: attempt.toolChoice,
      maxOutputTokens: budget.reserve,
      window: budget.window,
      ...(parameters ? { parameters } : {}),
      ...(settings.reasoning === undefined ? {} : { reasoning: settings.reasoning }),
    }
    const upTo = desk.stream.lastSeq()
    const base = {
      id: call,
      session,
      turn,
      upTo,
      time: clock.time(),
      model: model.id,
      input: await recordInput(store, attempt.input, {
        layout: settings.layout,
        inSession: true,
        options,
        holds: (id) => heldBy(bench.setting, id),
      }),
    }
    if (attempt.outcome instanceof ContextOverflowError) {
      await writeOverflow(base, attempt.outcome)
      throw attempt.outcome
    }
    // What is long is read, sealed and sent one after the other: each may take as long as others can wait.
    if (work.isOver()) await work.rest()
    const sealed = seal(attempt.outcome)
    if (work.isOver()) await work.rest()
    const manifest = await withForecast(turnDesk, sealed)
    const record: CallRecord = { ...base, manifest, requestDigest: sealed.manifest.requestDigest }
    const { cut } = manifest
    const cutEntries = cutToWrite(desk, { turn, call, cut, budget: manifest.budget })
    await Promise.all([
      store.putCall(record),
      append([
        {
          type: 'assembly',
          turn,
          call,
          model: model.id,
          ...(cut ? { cut } : {}),
          ...(documents.length > 0 && !hasAssembled ? { sources: documents } : {}),
        },
        ...cutEntries,
      ]),
    ])
    hasAssembled = true
    words = citations.stream()
    rememberCut(desk, cutEntries)
    desk.lastCall = { call, fingerprint: sealed.fingerprint, at: clock.monotonic() }
    const { request } = attempt.outcome
    account = promptAccount(bench, model, { call, manifest, request })
    roomTokens = resultRoom(manifest)
    const part = bench.calibration.wasCalled(model.id) ? 'newest' : 'whole'
    bench.calibration.noteCalled(model.id)
    seen = request.messages
    return {
      call,
      request: attempt.request ?? request,
      toolChoice: attempt.toolChoice,
      window: manifest.budget.window,
      reserve: manifest.budget.reserve,
      limits: answerLimits(manifest.budget.reserve, settings.maxAnswerMs),
      leastPromptTokens: leastPromptTokens(request, part),
      account: outline(manifest),
    }
  }

  async function writeOverflow(base: Omit<CallRecord, 'manifest' | 'requestDigest'>, error: ContextOverflowError) {
    const record: CallRecord = { ...base, manifest: error.manifest, requestDigest: '' }
    await Promise.all([store.putCall(record), append([{ type: 'assembly', turn, call: base.id, model: model.id }])])
    await store.finishCall(base.id, { error: { code: error.code, message: error.message }, durationMs: 0 })
  }

  async function show(delta: Delta): Promise<void> {
    if (delta.type !== 'text-delta') return desk.stream.delta(turn, delta)
    const text = await words.read(delta.text)
    if (text !== '') desk.stream.delta(turn, { ...delta, text })
  }

  return {
    session,
    turn,
    entries,
    model,
    toolbox,
    async maxResultChars(name) {
      const tool = toolbox.tools.find((each) => each.name === name)
      return shownChars(policy, tool, settings.maxResultChars ?? 24_000)
    },
    roomTokens: () => roomTokens,
    maxTurnResultChars: settings.maxTurnResultChars ?? 240_000,
    keepContent: async (text) => `sha256:${await store.putContent(text)}`,
    approvals: turnDesk.approvals.of(desk, turn),
    seen: () => seen,
    cite: citations.cite,
    sourcesOf: citations.sourcesOf,
    maxSteps: settings.maxSteps,
    retries: retryRule(settings),
    ...(settings.reasoning === undefined ? {} : { reasoning: settings.reasoning }),
    ...(parameters ? { parameters } : {}),
    prepare,
    append,
    async finish(call, outcome, bodies) {
      const held = words.end()
      if (held !== '') desk.stream.delta(turn, { type: 'text-delta', call, text: held })
      if (account) learnFrom(bench, model, account, outcome)
      const [, written] = await Promise.all([store.finishCall(call, outcome), bodies.length > 0 ? append(bodies) : []])
      return written
    },
    warningAbout: (usage) => account && shortReportWarning(bench, model, account, usage),
    tokensOf: (message, partial) =>
      countedInSlices(settings.counter, (counter) => tokenCounts(counter, message, partial)),
    show,
    signal,
    now: () => clock.monotonic(),
    sleep: (milliseconds, until) => clock.sleep?.(milliseconds, until) ?? pause(milliseconds, until),
  }
}

/** Kept for the message that asks for a tool, and for what says that it is a result, tokens. */
const CALL_TOKENS = 200

/** What a result can take in the next call where all of the history gives way, less a tenth for the counter's error. */
function resultRoom({ budget, used, slots }: Pick<Manifest, 'budget' | 'used' | 'slots'>): number {
  return Math.max(0, Math.floor((budget.available - used + slots.history - CALL_TOKENS) * 0.9))
}
