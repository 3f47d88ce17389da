import { ContextOverflowError, type Message, type ToolCallPart, toolCalls } from '../context.ts'
import { ModelError } from '../model.ts'
import { StoreError, type TurnOutcome } from '../session.ts'
import { errorMessage } from '../platform.ts'
import { NoAnswerError } from './answer-only.ts'
import { askModel, type Reply } from './ask-model.ts'
import { stopping } from './stopping.ts'
import { runTools } from './run-tools.ts'
import { turnState } from './turn-state.ts'
import type { TurnSetup } from './turn-setup.ts'

/**
 * Runs one turn to its end: assemble, call, run the tools, again. Goes on from the turn's last entry, so the same
 * function starts a turn and takes it up after a crash. Whatever happened stands in the log before the next thing does.
 *
 * Never throws for what a model or a tool does: that is the outcome. The last step offers no tool call, so a turn ends
 * with an answer and not with a dangling call (BEHAVIOURS §1.6). When `signal` is aborted with `stopping`, the turn is
 * left as it is for the next start, and the answer is `undefined`. Rejects with a `StoreError` where the log cannot be
 * written: then the turn goes on at the next start, from what was written.
 */
export async function runTurn(setup: TurnSetup): Promise<TurnOutcome | undefined> {
  try {
    return await steps(setup)
  } catch (error) {
    if (setup.signal.reason === stopping) return undefined
    if (error instanceof StoreError) throw error
    return end(setup, failure(error))
  }
}

async function steps(setup: TurnSetup): Promise<TurnOutcome | undefined> {
  let state = turnState(setup.entries)
  for (;;) {
    if (setup.signal.reason === stopping) return undefined
    const pending = unanswered(state.messages)
    if (pending.length > 0) {
      state = await runTools(setup, state, pending)
      continue
    }
    if (setup.signal.aborted) return end(setup, { type: 'cancelled' })
    if (state.answered) return end(setup, { type: 'completed' })

    const reply = await askModel(setup, state, { last: state.steps + 1 >= setup.maxSteps })
    if (reply.type !== 'answer') return broken(setup, reply)
    if (reply.outcome) return reply.outcome
    state = turnState(reply.entries)
  }
}

/** Calls of the newest message that no tool message has answered. */
function unanswered(messages: readonly Message[]): readonly ToolCallPart[] {
  const last = messages.at(-1)
  return last ? toolCalls(last) : []
}

async function broken(setup: TurnSetup, reply: Exclude<Reply, { type: 'answer' }>): Promise<TurnOutcome | undefined> {
  if (setup.signal.reason === stopping) return undefined
  const ended: TurnOutcome = reply.type === 'cancelled' ? { type: 'cancelled' } : failure(reply.error)
  if (!reply.said) return end(setup, ended)
  const outcome = withWayOn(ended)
  const partial = outcome.type === 'cancelled' ? 'cancelled' : 'interrupted'
  const tokens = await setup.tokensOf(reply.said, partial)
  await setup.append([
    { type: 'message', turn: setup.turn, call: reply.call, message: reply.said, tokens, partial },
    { type: 'turn-end', turn: setup.turn, outcome },
  ])
  return outcome
}

/** What was said is kept and labelled, so the model can go on from there when it is asked to. */
function withWayOn(outcome: TurnOutcome): TurnOutcome {
  if (outcome.type !== 'failed') return outcome
  const { message } = outcome
  const sentence = /[.!?]$/.test(message) ? message : `${message}.`
  return { ...outcome, message: `${sentence} What was said until then is kept: say \`go on\` to have it continued.` }
}

async function end(setup: TurnSetup, outcome: TurnOutcome): Promise<TurnOutcome> {
  await setup.append([{ type: 'turn-end', turn: setup.turn, outcome }])
  return outcome
}

function failure(error: unknown): TurnOutcome {
  if (error instanceof ModelError || error instanceof ContextOverflowError || error instanceof NoAnswerError) {
    return { type: 'failed', code: error.code, message: error.message }
  }
  return { type: 'failed', code: 'internal', message: errorMessage(error) }
}
