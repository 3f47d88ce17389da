import { ContextOverflowError, type Message, type ToolCallPart, toolCalls } from '../context.ts'
import { ModelError } from '../model.ts'
import { StoreError, type TurnOutcome } from '../session.ts'
import { errorMessage } from '../platform.ts'
import { askStep, type Unanswered } from './ask-model.ts'
import { NoAnswerError } from './answer.ts'
import { OverBudgetError } from './hold-call.ts'
import { runTools } from './run-tools.ts'
import { type PreparedCall, stopping, type TurnContext, turnContext, type TurnSetup } from './turn-setup.ts'
import { turnState } from './turn-state.ts'

/**
 * Runs one turn to its end: assemble, call, run the tools, repeat. It continues after the turn's last entry, so the same
 * function starts a turn and resumes it after a crash. Everything that happens is in the log before the next thing happens.
 *
 * Never throws for a failure of a model or a tool: that is an outcome. The last step allows no tool call, so a turn ends
 * with an answer and not with a dangling call (BEHAVIOURS §1.6). When `signal` is aborted with `stopping`, the turn is left
 * for the next start, and the result is `undefined`. Rejects with a `StoreError` where the log cannot be written: then the
 * turn resumes at the next start, from what was written.
 */
export async function runTurn(setup: TurnSetup): Promise<TurnOutcome | undefined> {
  const context = turnContext(setup)
  try {
    return await steps(context)
  } catch (error) {
    if (context.turn.signal.reason === stopping) return undefined
    if (error instanceof StoreError) throw error
    return end(context, failure(error))
  }
}

async function steps(context: TurnContext): Promise<TurnOutcome | undefined> {
  const { entries, signal } = context.turn
  let state = turnState(entries)
  let prepared: PreparedCall | undefined
  for (;;) {
    if (signal.reason === stopping) return undefined
    const pending = pendingCalls(state.messages)
    if (pending.length > 0) {
      state = await runTools(context, state, { calls: pending, prepared })
      continue
    }
    if (signal.aborted) return end(context, { type: 'cancelled' })
    if (state.answered) return end(context, { type: 'completed' })

    const reply = await askStep(context, state, { last: state.steps + 1 >= context.limits.steps })
    if (reply.type !== 'answer') return endUnanswered(context, reply)
    if (reply.outcome) return reply.outcome
    state = turnState(reply.entries)
    prepared = reply.prepared
  }
}

/** Calls of the newest message that no tool message has answered. */
function pendingCalls(messages: readonly Message[]): readonly ToolCallPart[] {
  const last = messages.at(-1)
  return last ? toolCalls(last) : []
}

async function endUnanswered(context: TurnContext, reply: Unanswered): Promise<TurnOutcome | undefined> {
  const { journal, turn } = context
  if (turn.signal.reason === stopping) return undefined
  const ended: TurnOutcome = reply.type === 'cancelled' ? { type: 'cancelled' } : failure(reply.error)
  if (!reply.said) return end(context, ended)
  const outcome = addContinueHint(ended)
  const partial = outcome.type === 'cancelled' ? 'cancelled' : 'interrupted'
  const tokens = await journal.countTokens(reply.said, partial)
  await journal.append([
    { type: 'message', turn: turn.id, call: reply.call, message: reply.said, tokens, partial },
    { type: 'turn-end', turn: turn.id, outcome },
  ])
  return outcome
}

/** The partial answer is kept and labelled, so that the model can continue it when asked to. */
function addContinueHint(outcome: TurnOutcome): TurnOutcome {
  if (outcome.type !== 'failed') return outcome
  const { message } = outcome
  const sentence = /[.!?]$/.test(message) ? message : `${message}.`
  return { ...outcome, message: `${sentence} The partial answer is kept. Say \`go on\` to continue it.` }
}

async function end({ journal, turn }: TurnContext, outcome: TurnOutcome): Promise<TurnOutcome> {
  await journal.append([{ type: 'turn-end', turn: turn.id, outcome }])
  return outcome
}

function failure(error: unknown): TurnOutcome {
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
