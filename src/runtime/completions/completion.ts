import { askModel, type CallSetup, pause, turnState } from '../../agent.ts'
import { toolCalls } from '../../context.ts'
import type { FinishReason, Model } from '../../model.ts'
import type { CallOutcome, TokenCounts, Usage } from '../../session.ts'
import { completionCall } from './completion-call.ts'
import { assertCanBeMade, failureOfCall, tooLargeForProvider } from './completion-failure.ts'
import type { Clock, CompletionEvent, CompletionInput } from '../../capability.ts'
import { handOver } from './hand-over.ts'
import type { ModelChoice } from '../models/model-choice.ts'
import { learnFrom, type PromptAccount, shortReportWarning } from '../calls/prompt-account.ts'
import { RuntimeError } from '../../capability/runtime-error.ts'
import { retryRule } from '../settings.ts'
import type { Workbench } from '../calls/workbench.ts'

export interface CompletionParts {
  readonly bench: Workbench
  readonly models: ModelChoice
  readonly clock: Clock
}

/**
 * One question outside every session, asked by the loop that asks for sessions too: the same retries before the first
 * word, the same account in the ledger. The caller's messages are the conversation and its tools are offered as they are;
 * calls to them are handed back. The model is read no faster than the caller takes what it says.
 */
export async function* complete(parts: CompletionParts, input: CompletionInput): AsyncGenerator<CompletionEvent> {
  if (input.messages.length === 0) throw new RuntimeError('invalid-input', 'There are no messages. Send at least one.')
  const model = await parts.models.resolve(input.model)
  assertCanBeMade(parts.bench, input, model)
  const leaving = new AbortController()
  const signal = input.signal ? AbortSignal.any([input.signal, leaving.signal]) : leaving.signal
  const events = handOver<CompletionEvent>()
  const asking = ask(parts, { ...input, signal }, model, events.put).then(events.end, events.fail)
  try {
    yield* events.taken()
  } finally {
    leaving.abort()
    await asking
  }
}

type Tell = (event: CompletionEvent) => Promise<void>

async function ask(
  parts: CompletionParts,
  input: CompletionInput & { readonly signal: AbortSignal },
  model: Model,
  tell: Tell,
): Promise<void> {
  let ended: Pick<CallOutcome, 'usage' | 'finish'> = {}
  const setup = completionSetup(parts, input, model, {
    tell,
    ended: (outcome) => (ended = outcome),
  })
  const reply = await askModel(setup, turnState([]), { last: false })
  if (reply.type === 'cancelled') throw new RuntimeError('cancelled', 'The call was cancelled.', { call: reply.call })
  if (reply.type === 'failed') throw failureOfCall(reply.call, reply.error)
  const calls = toolCalls(reply.message)
  for (const { toolCallId, toolName, input: given } of calls) {
    await tell({ type: 'tool-call', toolCallId, toolName, input: given })
  }
  await tell({ type: 'finish', reason: reasonOf(ended, calls.length), usage: ended.usage ?? NOT_REPORTED })
}

/** A model may end with calls where it may make none: they are not among what is handed over. */
function reasonOf({ finish }: Pick<CallOutcome, 'finish'>, calls: number): FinishReason {
  const reason = FINISH_REASONS.find((known) => known === finish) ?? 'other'
  return reason === 'tool-calls' && calls === 0 ? 'stop' : reason
}

const FINISH_REASONS: readonly FinishReason[] = ['stop', 'length', 'tool-calls', 'content-filter', 'other']

interface Listener {
  readonly tell: Tell
  ended(outcome: CallOutcome): void
}

/** Joins the loop to the ledger and to whoever listens. There is no log: what was said is the caller's alone. */
function completionSetup(
  { bench, clock }: CompletionParts,
  input: CompletionInput & { readonly signal: AbortSignal },
  model: Model,
  { tell, ended }: Listener,
): CallSetup {
  const { store, settings, limits } = bench
  const cuts = (input.cut ?? settings.completions?.cut ?? 'none') === 'auto'
  let account: PromptAccount | undefined
  return {
    turn: '',
    model,
    signal: input.signal,
    retries: retryRule(settings),
    now: () => clock.monotonic(),
    sleep: (milliseconds, until) => clock.sleep?.(milliseconds, until) ?? pause(milliseconds, until),
    ...(input.parameters ? { parameters: input.parameters } : {}),
    ...(settings.reasoning === undefined ? {} : { reasoning: settings.reasoning }),
    async prepare({ deeper }) {
      const { used = 0, call = '' } = account ?? {}
      if (deeper) limits.refused(model, { limit: deeper.limit, used, call })
      if (deeper && !cuts) throw tooLargeForProvider(call, { ...deeper, used })
      const made = await completionCall({ bench, clock, model }, input, deeper ? { ...deeper, used } : undefined)
      const { prepared, cut } = made
      account = made.account
      await tell({ type: 'call-start', call: prepared.call, model: model.id, ...(cut ? { cut } : {}) })
      return prepared
    },
    // That a call is tried again is of no use to a caller that has no place for it.
    show: (delta) => (delta.type === 'retry' ? undefined : tell({ type: delta.type, text: delta.text })),
    async finish(id, outcome) {
      if (account) learnFrom(bench, model, account, outcome)
      await store.finishCall(id, outcome)
      ended(outcome)
      return []
    },
    warningAbout: (usage) => account && shortReportWarning(bench, model, account, usage),
    sourcesOf: async () => [],
    tokensOf: async () => NOT_COUNTED,
  }
}

/** Counts belong to the entries of a log. */
const NOT_COUNTED: TokenCounts = { counter: '', full: 0, least: 0 }

const NOT_REPORTED: Usage = {
  promptTokens: undefined,
  cachedTokens: undefined,
  cacheWrittenTokens: undefined,
  outputTokens: undefined,
  reasoningTokens: undefined,
}
