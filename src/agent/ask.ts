import { type AssistantMessage, ContextOverflowError } from '../context.ts'
import { ModelError, type ModelEvent } from '../model.ts'
import { type CallOutcome, type EntryBody, StoreError, type Usage } from '../session.ts'
import { defined, errorMessage } from '../platform.ts'
import { UNREPORTED_USAGE } from '../wire.ts'
import { ResponseAccumulator } from './answer.ts'
import { holdCall } from './hold-model-call.ts'
import { retryWait } from './retry-wait.ts'
import type { ModelCall, Step, TurnRun } from './turn-setup.ts'

/** How a call ended, before anything of it is recorded. */
export type ModelReply = Answered | Unanswered

interface Answered {
  readonly type: 'answered'
  readonly finish: Extract<ModelEvent, { type: 'finish' }>
  readonly response: ResponseAccumulator
}

export interface Unanswered {
  readonly type: 'cancelled' | 'failed'
  /** What had arrived. */
  readonly said?: AssistantMessage | undefined
  /** Of a call that failed. */
  readonly error?: unknown
  /** For the record of the call. */
  readonly outcome: CallOutcome
  /** Written together with that record. */
  readonly entries?: readonly EntryBody[]
  /** Nothing of an answer has come, so that the call can be made again. */
  readonly unbegun?: true
}

/** The last step calls no tool, whatever was prepared. */
export async function assembleStep({ assemble }: TurnRun, step: Step): Promise<ModelCall> {
  const call = await assemble(step)
  return step.last ? { ...call, options: { ...call.options, toolChoice: 'none' } } : call
}

/** The reply where a request was refused as too large before anything of an answer came. */
export function refusedAsTooLarge(reply: ModelReply): (Unanswered & { readonly error: ModelError }) | undefined {
  if (reply.type !== 'failed' || reply.said) return undefined
  const { error } = reply
  return error instanceof ModelError && error.code === 'context-overflow' ? { ...reply, error } : undefined
}

/** Assembles a call again with less. Where nothing more can be cut, the error contains the message of the provider. */
export async function assembleSmaller(
  turn: TurnRun,
  step: Step,
  { error: refused }: { readonly error: ModelError },
): Promise<ModelCall> {
  const { limit, sent, perMinute, detail: said } = refused.facts
  try {
    return await assembleStep(turn, { ...step, deeper: { limit, sent, said, ...defined({ perMinute }) } })
  } catch (error) {
    if (!(error instanceof ContextOverflowError)) throw error
    throw new ContextOverflowError(error.manifest, refused.message, error.advice)
  }
}

/**
 * Holds a call, sends it and reads the answer. A transient failure before the first event is retried after a wait, which
 * `output` shows; a call whose answer has begun is never retried.
 */
export async function ask(turn: TurnRun, prepared: ModelCall): Promise<ModelReply> {
  const { clock, signal } = turn
  let failedFirst: number | undefined
  for (let retries = 0; ; retries += 1) {
    const reply = await send(turn, prepared)
    if (reply.type !== 'failed' || !reply.unbegun) return reply
    failedFirst ??= clock.monotonic()
    const { error } = reply
    const waitMs = retryWait({ error, retries, elapsedMs: clock.monotonic() - failedFirst }, turn.limits.retries)
    if (waitMs === undefined) return reply
    await turn.output.show({ type: 'retry', call: prepared.call, attempt: retries + 2, waitMs, ...errorFacts(error) })
    await clock.sleep(waitMs, signal)
    if (signal.aborted) return notMade('cancelled', 'The call was cancelled before it was tried again.')
  }
}

async function send(turn: TurnRun, prepared: ModelCall): Promise<ModelReply> {
  const { clock, health, model, output, signal } = turn
  const { call, request, options } = prepared
  const held = await holdCall(turn, prepared)
  if (held.type === 'cancelled') return notMade('cancelled', 'The call was cancelled before it was made.')
  if (held.type === 'refuse') return notMade(held.error.code, held.error.message, held.error)
  const response = new ResponseAccumulator(clock.monotonic())
  try {
    for await (const event of model.call(request, { ...options, signal })) {
      response.add(event, clock.monotonic())
      if (event.type === 'text-delta' || event.type === 'reasoning-delta') {
        await output.show({ type: event.type, call, text: event.text })
      }
      if (event.type === 'reasoning-end') await output.show({ ...event, call })
      if (event.type !== 'finish') continue
      held.settle({ usage: event.usage })
      if (health && health.troubled.size > 0) health.note(model.id)
      return { type: 'answered', finish: event, response }
    }
    const [provider = model.id] = model.id.split('/')
    const facts = { provider, model: model.id }
    throw new ModelError('network', 'The stream ended before the answer was complete.', facts)
  } catch (error) {
    held.settle({ error, ...reportedUsage(error) })
    if (error instanceof StoreError) throw error
    const isCancelled = signal.aborted || (error instanceof ModelError && error.code === 'cancelled')
    if (!isCancelled) health?.note(model.id, error)
    const reply = unanswered(turn, response, { error, isCancelled })
    return isCancelled || response.begun ? reply : { ...reply, unbegun: true }
  }
}

/** A call without a whole answer; the provider may have reported a usage. */
export function unanswered(
  { clock }: TurnRun,
  response: ResponseAccumulator,
  { error, isCancelled = false }: { readonly error: unknown; readonly isCancelled?: boolean },
): Unanswered {
  const { code, message } = errorFacts(error)
  const reported = { code: isCancelled ? 'cancelled' : code, message }
  const outcome = response.outcome(clock.monotonic(), { ...reportedUsage(error), error: reported })
  const said = response.partial()
  return isCancelled ? { type: 'cancelled', said, outcome } : { type: 'failed', said, error, outcome }
}

function notMade(code: string, message: string, error?: unknown): Unanswered {
  const outcome = { error: { code, message }, durationMs: 0 }
  return error === undefined ? { type: 'cancelled', outcome } : { type: 'failed', error, outcome }
}

/** The usage that a server reported when it truncated the prompt. */
function reportedUsage(error: unknown): { readonly usage?: Usage } {
  if (!(error instanceof ModelError) || error.code !== 'prompt-truncated') return {}
  const { limit: promptTokens } = error.facts
  return { usage: { ...UNREPORTED_USAGE, promptTokens } }
}

function errorFacts(error: unknown): { readonly code: string; readonly message: string } {
  const code = error instanceof ModelError ? error.code : 'internal'
  return { code, message: errorMessage(error) }
}
