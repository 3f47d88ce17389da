import { askModel, type Delta, type TurnSetup } from '../../agent.ts'
import {
  type Clock,
  type CompletionEvent,
  type CompletionInput,
  type CompletionSize,
  type Runtime,
  RuntimeError,
  type RuntimeErrorCode,
} from '../../capability.ts'
import { toolCalls } from '../../context.ts'
import { type FinishReason, type Model, ModelError, modelImageSupport } from '../../model.ts'
import { defined, errorMessage, NO_LONGER_NEEDED } from '../../platform.ts'
import type { CallOutcome, TokenCounts } from '../../session.ts'
import type { BudgetService } from '../budgets/budget-service.ts'
import type { AssemblyContext } from '../turn/assembly-context.ts'
import { callAccount } from '../turn/call-account.ts'
import { budgetFor } from '../models/call-budget.ts'
import type { ChosenModel } from '../models/fallback.ts'
import type { ModelChoice } from '../models/model-choice.ts'
import { fallbackRule, retryRule } from '../settings.ts'
import { completionCall, completionTokens, overflowByProvider } from './completion-call.ts'
import { UNREPORTED_USAGE } from '../../wire.ts'

interface CompletionParts {
  readonly context: AssemblyContext
  readonly models: ModelChoice
  readonly clock: Clock
  readonly budgets: BudgetService
}

/** Calls outside every session as callers of the runtime ask for them. `refuse` throws once it accepts no more input. */
export function createCompletions(
  parts: CompletionParts,
  refuse: () => void,
): Pick<Runtime, 'complete' | 'completionSize'> {
  return {
    async *complete(input) {
      refuse()
      yield* complete(parts, input)
    },
    completionSize: (input) => completionSize(parts, input),
  }
}

/**
 * One question outside every session, asked by the loop that asks for sessions too: the same retries before the first
 * word, the same account in the ledger. The caller's messages are the conversation and its tools are offered as they are;
 * calls to them are handed back. The model is read no faster than the caller reads the events.
 */
export async function* complete(parts: CompletionParts, input: CompletionInput): AsyncGenerator<CompletionEvent> {
  if (input.messages.length === 0) throw new RuntimeError('invalid-input', 'There are no messages. Send at least one.')
  const chosen = await parts.models.choose(input.model, true)
  assertCanBeMade(parts.context, input, chosen.model)
  const leaving = new AbortController()
  const signal = input.signal ? AbortSignal.any([input.signal, leaving.signal]) : leaving.signal
  const events = createHandOver<CompletionEvent>()
  const asking = ask(parts, { ...input, signal }, chosen, events.put).then(events.end, events.fail)
  try {
    yield* events.taken()
  } finally {
    leaving.abort(NO_LONGER_NEEDED)
    await asking
  }
}

async function completionSize(
  { context, models, clock }: Omit<CompletionParts, 'budgets'>,
  input: CompletionInput,
): Promise<CompletionSize> {
  const model = await models.resolve(input.model)
  const tokens = await completionTokens({ context, model, time: clock.time() }, input)
  const ratio = context.calibration.ratio(model.id, context.settings.counter)
  return { model: model.id, tokens: Math.round(tokens * ratio) }
}

type Tell = (event: CompletionEvent) => Promise<void>

async function ask(
  parts: CompletionParts,
  input: CompletionInput & { readonly signal: AbortSignal },
  chosen: ChosenModel,
  tell: Tell,
): Promise<void> {
  let ended: Pick<CallOutcome, 'usage' | 'finish'> = {}
  const setup = completionSetup(parts, input, chosen, { tell, ended: (outcome) => (ended = outcome) })
  const reply = await askModel(setup)
  if (reply.type === 'cancelled') throw new RuntimeError('cancelled', 'The call was cancelled.', { call: reply.call })
  if (reply.type !== 'answer') throw callFailure(reply.call, reply.error)
  const calls = toolCalls(reply.message)
  for (const { toolCallId, toolName, input: given } of calls) {
    await tell({ type: 'tool-call', toolCallId, toolName, input: given })
  }
  await tell({ type: 'finish', reason: finishReason(ended, calls.length), usage: ended.usage ?? UNREPORTED_USAGE })
}

/** A model may end with calls where it may make none: they are not among what is handed over. */
function finishReason({ finish }: Pick<CallOutcome, 'finish'>, calls: number): FinishReason {
  const reason = FINISH_REASONS.find((known) => known === finish) ?? 'other'
  return reason === 'tool-calls' && calls === 0 ? 'stop' : reason
}

const FINISH_REASONS: readonly FinishReason[] = ['stop', 'length', 'tool-calls', 'content-filter', 'other']

interface Listener {
  readonly tell: Tell
  ended(outcome: CallOutcome): void
}

/** Connects the loop to the ledger and to the caller. There is no log: the conversation is the caller's alone. */
function completionSetup(
  parts: CompletionParts,
  input: CompletionInput & { readonly signal: AbortSignal },
  chosen: ChosenModel,
  listener: Listener,
): TurnSetup {
  const { context, clock, budgets, models } = parts
  const { model, fallbacks, instead } = chosen
  const { tell, ended } = listener
  const account = callAccount({ context, model, clock })
  const cuts = (input.cut ?? context.settings.completions?.cut ?? 'none') === 'auto'
  let asked = ''
  return {
    turn: { session: '', id: '', entries: [], signal: input.signal },
    model,
    async assemble(step) {
      const deeper = account.refusal(step.deeper)
      if (deeper && !cuts) throw overflowByProvider(asked, deeper)
      const { prepared, cut } = await completionCall(
        { context, model, account, time: clock.time(), instead },
        input,
        deeper,
      )
      asked = prepared.call
      await tell({ type: 'call-start', call: asked, model: model.id, ...defined({ cut }) })
      return prepared
    },
    journal: {
      append: async () => [],
      async finish(call, outcome) {
        await account.finish(call, outcome)
        ended(outcome)
        return []
      },
      countTokens: async () => NOT_COUNTED,
    },
    limits: { retries: fallbackRule(retryRule(context.settings), chosen, clock.monotonic()) },
    health: models.health,
    ...(fallbacks && {
      fallback: (error: unknown) =>
        models.afterFailure(chosen, { error, call: asked }, async (next) => {
          assertCanBeMade(context, input, next.model)
          return completionSetup(parts, input, next, listener)
        }),
    }),
    // That a call is tried again is of no use to a caller that has no place for it.
    output: { show: (delta) => (delta.type === 'retry' ? undefined : tell(withoutCall(delta))) },
    clock,
    // There is nobody to ask: the caller waits for an answer.
    holdCall: budgets.of({
      owner: { turn: clock.newId('completion'), ...defined({ token: input.token }) },
      model,
      size: account.size,
      asks: false,
    }),
  }
}

function withoutCall(delta: Exclude<Delta, { type: 'retry' }>): CompletionEvent {
  const { call: _, ...event } = delta
  return event
}

/** Counts belong to the entries of a log. */
const NOT_COUNTED: TokenCounts = { counter: '', full: 0, least: 0 }

/** Throws `invalid-input` for what no model call can be made of: an answer larger than the window, images for the blind. */
function assertCanBeMade(
  context: AssemblyContext,
  { maxOutputTokens, answerRoom, messages, prompt }: CompletionInput,
  model: Model,
): void {
  const { window } = budgetFor(context, model)
  if (maxOutputTokens !== undefined && answerRoom !== 'left' && maxOutputTokens >= window) {
    const most = Math.min(model.facts.maxOutput, window - 1)
    throw new RuntimeError(
      'invalid-input',
      `max_tokens is too large: ${maxOutputTokens}. ${model.id} supports at most ${most} completion tokens in its window of ${window}. ` +
        `If its window is larger, set models."${model.id}".window.`,
      { parameter: 'max_tokens', most, window },
    )
  }
  const adds = prompt ?? context.settings.completions?.prompt ?? false
  const { seen, audio } = modelImageSupport(model)
  const unable = [...(seen ? [] : [IMAGES]), ...(audio ? [] : [RECORDINGS])]
  const sent = adds ? undefined : unable.find(({ kind }) => messages.some((each) => has(kind, each)))
  if (sent) {
    const message = `${model.id} cannot ${sent.verb} ${sent.what}. Choose a model that can, leave the ${sent.what} out, or set models."${model.id}".${sent.fact} to true if it can.`
    throw new RuntimeError('invalid-input', message, { parameter: 'messages' })
  }
}

function callFailure(call: string, error: unknown): RuntimeError {
  const message = errorMessage(error)
  if (!(error instanceof ModelError)) return new RuntimeError(failureCode(error), message, { call }, { cause: error })
  const { retryAfterMs, parameter } = error.facts
  const facts = { call, ...defined({ retryAfterMs, parameter }) }
  return new RuntimeError(error.code, message, facts, { cause: error })
}

function failureCode(error: unknown): RuntimeErrorCode {
  const code = (error as { code?: unknown } | undefined)?.code
  return code === 'no-answer' || code === 'over-budget' ? code : 'internal'
}

const IMAGES = { kind: 'image', verb: 'see', what: 'images', fact: 'vision' } as const
const RECORDINGS = { kind: 'audio', verb: 'hear', what: 'recordings', fact: 'audio' } as const

function has(kind: 'image' | 'audio', { content }: CompletionInput['messages'][number]): boolean {
  if (typeof content === 'string') return false
  return content.some(
    (part) => (kind === 'image' && part.type === 'image') || (part.type === 'file' && part.mediaType.startsWith(kind)),
  )
}

interface HandOver<Value> {
  /** Resolves once the value is read and the next one is wanted, or once the consumer has left. */
  put(value: Value): Promise<void>
  end(): void
  /** Nothing more comes; what was put before is still read, then the consumer gets the error. */
  fail(error: unknown): void
  /** What is put, in order. When the consumer leaves, every `put` resolves. */
  taken(): AsyncGenerator<Value>
}

/** One producer and one consumer: only what the producer puts without waiting is buffered. */
export function createHandOver<Value>(): HandOver<Value> {
  const waiting: { readonly value: Value; readonly taken: () => void }[] = []
  let over: { readonly error?: unknown } | undefined
  let left = false
  let wake = () => {}
  const close = (how: { readonly error?: unknown }) => {
    over ??= how
    wake()
  }
  return {
    put(value) {
      if (left) return Promise.resolve()
      return new Promise((taken) => {
        waiting.push({ value, taken })
        wake()
      })
    },
    end: () => close({}),
    fail: (error) => close({ error }),
    async *taken() {
      try {
        for (;;) {
          const next = waiting.shift()
          if (next) {
            try {
              yield next.value
            } finally {
              next.taken()
            }
          } else if (over) {
            if ('error' in over) throw over.error
            return
          } else {
            await new Promise<void>((resolve) => (wake = resolve))
          }
        }
      } finally {
        left = true
        for (const { taken } of waiting.splice(0)) taken()
      }
    },
  }
}
