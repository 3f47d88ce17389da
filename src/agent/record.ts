import { type AssistantMessage, ContextOverflowError, messageText, toolCalls } from '../context.ts'
import { ModelError } from '../model.ts'
import { type EntryBody, type PartialReason, StoreError, type TurnOutcome } from '../session.ts'
import { asSentence, defined, errorMessage } from '../platform.ts'
import { answerOnly, answerOutcome, distinctCalls, NoAnswerError, wasCut, withoutCalls } from './answer.ts'
import { type ModelReply, type Unanswered, unanswered } from './ask.ts'
import { OverBudgetError } from './hold-model-call.ts'
import { type ModelCall, stopping, type TurnRun } from './turn-setup.ts'

/** What a model has said, as it is in the log. */
export interface RecordedAnswer {
  readonly type: 'answer'
  readonly message: AssistantMessage
  /** How a turn ends with it; absent where it calls tools. */
  readonly outcome?: TurnOutcome
}

/**
 * Writes an answer and its usage in one write; an answer without tool calls ends the turn in the same write. Returns the reply
 * where there is none to write, with its call on record.
 */
export async function recordAnswer(
  turn: TurnRun,
  prepared: ModelCall,
  reply: ModelReply,
): Promise<RecordedAnswer | Unanswered> {
  const written = await writeAnswer(turn, prepared, reply)
  if (written.type !== 'answer') await finish(turn, prepared.call, written)
  return written
}

/** The same within a turn, which ends where there is no answer. Returns how; `undefined` where it goes on, or is left for the next start. */
export async function record(turn: TurnRun, prepared: ModelCall, reply: ModelReply): Promise<TurnOutcome | undefined> {
  const missing = await writeAnswer(turn, prepared, reply)
  if (missing.type === 'answer') return missing.outcome
  if (turn.signal.reason === stopping) {
    await finish(turn, prepared.call, missing)
    return undefined
  }
  const ended: TurnOutcome = missing.type === 'cancelled' ? { type: 'cancelled' } : failure(missing.error)
  const { said } = missing
  if (!said) {
    await finish(turn, prepared.call, missing, [{ type: 'turn-end', turn: turn.id, outcome: ended }])
    return ended
  }
  const outcome = addContinueHint(ended)
  const partial = outcome.type === 'cancelled' ? 'cancelled' : 'interrupted'
  const tokens = await turn.journal.countTokens(said, partial)
  await finish(turn, prepared.call, missing, [
    { type: 'message', turn: turn.id, call: prepared.call, message: said, tokens, partial },
    { type: 'turn-end', turn: turn.id, outcome },
  ])
  return outcome
}

/** Completes the record of a call that gave no whole answer. */
export async function finish(
  turn: TurnRun,
  call: string,
  { outcome, entries = [] }: Unanswered,
  bodies: readonly EntryBody[] = [],
): Promise<void> {
  turn.entries.push(...(await turn.journal.finish(call, outcome, [...entries, ...bodies])))
}

/** The partial answer is kept and labelled, so that the model can continue it when asked to. */
function addContinueHint(outcome: TurnOutcome): TurnOutcome {
  if (outcome.type !== 'failed') return outcome
  const { message } = outcome
  return { ...outcome, message: `${asSentence(message)} The partial answer is kept. Say \`go on\` to continue it.` }
}

/** How a turn ends with an error of a model, of the assembly, or of ours. */
export function failure(error: unknown): TurnOutcome {
  if (
    error instanceof ModelError ||
    error instanceof ContextOverflowError ||
    error instanceof NoAnswerError ||
    error instanceof OverBudgetError
  ) {
    return { type: 'failed', code: error.code, message: error.message }
  }
  return { type: 'failed', code: 'internal', message: errorMessage(error) }
}

/** What cannot be written is not lost: what was said is returned as a partial answer. */
async function writeAnswer(
  turn: TurnRun,
  prepared: ModelCall,
  reply: ModelReply,
): Promise<RecordedAnswer | Unanswered> {
  if (reply.type !== 'answered') return reply
  const { finish: end, response } = reply
  const { clock, model, journal } = turn
  const { usage, reason, message: given } = end
  const { call, options } = prepared
  const warned = defined({ warning: prepared.warningAbout?.(usage) })
  const used: EntryBody = { type: 'usage', turn: turn.id, call, model: model.id, usage, finish: reason, ...warned }
  // A call that is cut is told to the model once, and ends the turn when the next answer is cut, too.
  const whole = end.cutCall !== undefined && wasCut(turn.entries) ? withoutCalls(given) : given
  const message = options?.toolChoice === 'none' ? answerOnly(whole) : distinctCalls(whole)
  if (!message) {
    const error = new NoAnswerError()
    const { code, message: said } = error
    const outcome = response.outcome(clock.monotonic(), { usage, finish: reason, error: { code, message: said } })
    return { type: 'failed', error, outcome, entries: [used] }
  }
  const ended = toolCalls(message).length > 0 ? undefined : answerOutcome(message, end)
  try {
    const outcome = response.outcome(clock.monotonic(), { usage, finish: reason, ...warned })
    const citations = await turn.output.citedSources(messageText(message))
    // An answer without tool calls is marked where it is incomplete.
    const cutCall = ended && 'cutCall' in ended ? 'cut-call' : undefined
    const partial: PartialReason | undefined = cutCall ?? (ended && ended.type !== 'completed' ? ended.type : undefined)
    const tokens = await journal.countTokens(message, partial)
    const cited = citations.length > 0 ? { citations } : {}
    const said: EntryBody = { type: 'message', turn: turn.id, call, message, tokens, ...defined({ partial }), ...cited }
    const bodies: readonly EntryBody[] = ended
      ? [said, used, { type: 'turn-end', turn: turn.id, outcome: ended }]
      : [said, used]
    turn.entries.push(...(await journal.finish(call, outcome, bodies)))
    return { type: 'answer', message, ...defined({ outcome: ended }) }
  } catch (error) {
    if (error instanceof StoreError) throw error
    return unanswered(turn, response, { error, isCancelled: turn.signal.aborted })
  }
}
