import { type AssistantMessage, ContextOverflowError, messageText, toolCalls } from '../context.ts'
import { ModelError, type ModelEvent } from '../model.ts'
import { type Entry, type EntryBody, type PartialReason, StoreError, type TurnOutcome, type Usage } from '../session.ts'
import { defined, errorMessage } from '../platform.ts'
import {
  answerOnly,
  answerOutcome,
  distinctCalls,
  NoAnswerError,
  ResponseAccumulator,
  wasCut,
  withoutCalls,
} from './answer.ts'
import { holdCall } from './hold-call.ts'
import { retryWait } from './retry-wait.ts'
import { type PreparedCall, type Step, type TurnContext, turnContext, type TurnSetup } from './turn-setup.ts'
import { type TurnState, turnState } from './turn-state.ts'
import { SILENT } from '../wire.ts'

/** The result of one model call of a step. */
export type StepReply = ModelAnswer | Unanswered

export interface ModelAnswer {
  readonly type: 'answer'
  readonly message: AssistantMessage
  readonly entries: readonly Entry[]
  readonly prepared: PreparedCall
  /** How the turn ended with this answer; absent where it calls tools. */
  readonly outcome?: TurnOutcome
}

export type Unanswered =
  | { readonly type: 'cancelled'; readonly call: string; readonly said: AssistantMessage | undefined }
  | {
      readonly type: 'failed'
      readonly call: string
      readonly said: AssistantMessage | undefined
      readonly error: unknown
    }

/** Asks a model once, outside every turn: tool calls are returned and not run. */
export function askModel(setup: TurnSetup): Promise<StepReply> {
  return askStep(turnContext(setup), turnState(setup.turn.entries), { last: false })
}

/**
 * Makes one model call and writes its answer and usage in one write; an answer without tool calls ends the turn in the
 * same write. A request that the provider refuses as too large is cut deeper and sent once more. A transient failure before
 * the first event is retried after a wait, which `output` shows; a call whose answer has begun is never retried.
 */
export async function askStep(context: TurnContext, state: TurnState, { last }: { last: boolean }): Promise<StepReply> {
  const step = {
    messages: state.entries.flatMap((entry) => {
      if (entry.type !== 'input' && (entry.type !== 'message' || entry.partial)) return []
      return [{ message: entry.message, counted: entry.tokens }]
    }),
    last,
  }
  const first = await callWithRetries(context, state, await prepareCall(context, step))
  if (first.type !== 'failed' || first.said || !isOverflow(first.error)) return first
  return callWithRetries(context, state, await prepareDeeperCut(context, step, first.error))
}

/** The last step calls no tool, whatever was prepared. */
async function prepareCall({ assemble }: TurnContext, step: Step): Promise<PreparedCall> {
  const prepared = await assemble(step)
  return step.last ? { ...prepared, options: { ...prepared.options, toolChoice: 'none' } } : prepared
}

/** Where nothing more can be cut, the error contains the message of the provider. */
async function prepareDeeperCut(context: TurnContext, step: Step, refused: ModelError): Promise<PreparedCall> {
  const { limit, sent, perMinute, detail: said } = refused.facts
  try {
    return await prepareCall(context, { ...step, deeper: { limit, sent, said, ...defined({ perMinute }) } })
  } catch (error) {
    if (!(error instanceof ContextOverflowError)) throw error
    throw new ContextOverflowError(error.manifest, refused.message, error.advice)
  }
}

async function callWithRetries(context: TurnContext, state: TurnState, prepared: PreparedCall): Promise<StepReply> {
  const { clock, turn } = context
  let failedFirst: number | undefined
  for (let retries = 0; ; retries += 1) {
    const waitAfter = (error: unknown) => {
      failedFirst ??= clock.monotonic()
      return retryWait({ error, retries, elapsedMs: clock.monotonic() - failedFirst }, context.limits.retries)
    }
    const reply = await callOnce(context, state, prepared, waitAfter)
    if (reply.type !== 'retry') return reply
    const { waitMs, error } = reply
    const { code, message } = errorFacts(error)
    await context.output.show({ type: 'retry', call: prepared.call, attempt: retries + 2, waitMs, code, message })
    await clock.sleep(waitMs, turn.signal)
    if (turn.signal.aborted) return cancelRetry(context, prepared.call)
  }
}

async function cancelRetry(context: TurnContext, call: string): Promise<StepReply> {
  const error = { code: 'cancelled', message: 'The call was cancelled before it was tried again.' }
  await context.journal.finish(call, { error, durationMs: 0 }, [])
  return { type: 'cancelled', call, said: undefined }
}

async function callOnce(
  context: TurnContext,
  state: TurnState,
  prepared: PreparedCall,
  waitAfter: (error: unknown) => number | undefined,
): Promise<StepReply | { readonly type: 'retry'; readonly error: unknown; readonly waitMs: number }> {
  const { call, request, options } = prepared
  const { clock, journal, model, output } = context
  const { signal } = context.turn
  const held = await holdCall(context, state, prepared)
  if (held.type !== 'go') return endUnheld(context, call, held)
  const response = new ResponseAccumulator(clock.monotonic())
  try {
    for await (const event of model.call(request, { ...options, signal })) {
      response.add(event, clock.monotonic())
      if (event.type === 'text-delta' || event.type === 'reasoning-delta') {
        await output.show({ type: event.type, call, text: event.text })
      }
      if (event.type === 'reasoning-end') await output.show({ ...event, call })
      if (event.type === 'finish') held.settle({ usage: event.usage })
      if (event.type === 'finish') return await recordAnswer(context, state, prepared, response, event)
    }
    const [provider = model.id] = model.id.split('/')
    const facts = { provider, model: model.id }
    throw new ModelError('network', 'The stream ended before the answer was complete.', facts)
  } catch (error) {
    held.settle({ error, ...reportedUsage(error) })
    if (error instanceof StoreError) throw error
    const said = response.partial()
    const cancelled = signal.aborted || (error instanceof ModelError && error.code === 'cancelled')
    const waitMs = cancelled || response.begun ? undefined : waitAfter(error)
    if (waitMs !== undefined) return { type: 'retry', error, waitMs }
    const { code, message } = errorFacts(error)
    const reported = { code: cancelled ? 'cancelled' : code, message }
    await journal.finish(call, response.outcome(clock.monotonic(), { ...reportedUsage(error), error: reported }), [])
    return cancelled ? { type: 'cancelled', call, said } : { type: 'failed', call, said, error }
  }
}

async function endUnheld(
  context: TurnContext,
  call: string,
  held: Exclude<Awaited<ReturnType<typeof holdCall>>, { type: 'go' }>,
): Promise<Unanswered> {
  if (held.type === 'cancelled') {
    const error = { code: 'cancelled', message: 'The call was cancelled before it was made.' }
    await context.journal.finish(call, { error, durationMs: 0 }, [])
    return { type: 'cancelled', call, said: undefined }
  }
  const { code, message } = held.error
  await context.journal.finish(call, { error: { code, message }, durationMs: 0 }, [])
  return { type: 'failed', call, said: undefined, error: held.error }
}

/** Writes a finished answer to the log, or the failure where an answer was required and none was given. */
async function recordAnswer(
  context: TurnContext,
  state: TurnState,
  prepared: PreparedCall,
  response: ResponseAccumulator,
  finish: Finish,
): Promise<StepReply> {
  const { message: given, usage, reason } = finish
  const { call, options } = prepared
  const { clock, journal, model, turn } = context
  const warned = defined({ warning: prepared.warningAbout?.(usage) })
  const usageBody: EntryBody = { type: 'usage', turn: turn.id, call, model: model.id, usage, finish: reason, ...warned }
  // A call that is cut is told to the model once, and ends the turn when the next answer is cut, too.
  const whole = finish.cutCall !== undefined && wasCut(state.entries) ? withoutCalls(given) : given
  const message = options?.toolChoice === 'none' ? answerOnly(whole) : distinctCalls(whole)
  if (message) {
    const outcome = response.outcome(clock.monotonic(), { usage, finish: reason, ...warned })
    const ended = toolCalls(message).length > 0 ? undefined : answerOutcome(message, finish)
    const bodies = await answerEntries(context, call, { message, ended }, usageBody)
    const entries = [...state.entries, ...(await journal.finish(call, outcome, bodies))]
    return { type: 'answer', message, entries, prepared, ...defined({ outcome: ended }) }
  }
  const error = new NoAnswerError()
  const reported = { code: error.code, message: error.message }
  await journal.finish(call, response.outcome(clock.monotonic(), { usage, finish: reason, error: reported }), [
    usageBody,
  ])
  return { type: 'failed', call, said: undefined, error }
}

/** The usage that a server reported when it truncated the prompt. */
function reportedUsage(error: unknown): { readonly usage?: Usage } {
  if (!(error instanceof ModelError) || error.code !== 'prompt-truncated') return {}
  const { limit: promptTokens } = error.facts
  return { usage: { ...SILENT, promptTokens } }
}

type Finish = Extract<ModelEvent, { type: 'finish' }>

/** The entries of an answer. One without tool calls ends the turn, and is marked where it is incomplete. */
async function answerEntries(
  context: TurnContext,
  call: string,
  {
    message,
    ended,
  }: { readonly message: AssistantMessage; readonly ended: ReturnType<typeof answerOutcome> | undefined },
  usage: EntryBody,
): Promise<readonly EntryBody[]> {
  const turn = context.turn.id
  const citations = await context.output.citedSources(messageText(message))
  const cited = citations.length > 0 ? { citations } : {}
  const cutCall = ended && 'cutCall' in ended ? 'cut-call' : undefined
  const partial: PartialReason | undefined = cutCall ?? (ended && ended.type !== 'completed' ? ended.type : undefined)
  const tokens = await context.journal.countTokens(message, partial)
  const said: EntryBody = { type: 'message', turn, call, message, tokens, ...defined({ partial }), ...cited }
  return ended ? [said, usage, { type: 'turn-end', turn, outcome: ended }] : [said, usage]
}

function errorFacts(error: unknown): { readonly code: string; readonly message: string } {
  const code = error instanceof ModelError ? error.code : 'internal'
  return { code, message: errorMessage(error) }
}

function isOverflow(error: unknown): error is ModelError {
  return error instanceof ModelError && error.code === 'context-overflow'
}
