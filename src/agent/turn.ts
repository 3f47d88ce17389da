import { StoreError, type TurnOutcome } from '../session.ts'
import { ask, assembleStep, assembleSmaller, refusedAsTooLarge, type ModelReply, type Unanswered } from './ask.ts'
import { failure, finish, record, recordAnswer, type RecordedAnswer } from './record.ts'
import { isProviderFault } from './retry-wait.ts'
import { runTools } from './run-tools.ts'
import { beginTurn, type ModelCall, type Step, stopping, type TurnRun, type TurnSetup, write } from './turn-setup.ts'
import { turnState } from './turn-state.ts'

/**
 * Runs one turn to its end: assemble, hold, ask, record, run the tools, repeat. It continues after the turn's last entry, so the
 * same function starts a turn and resumes it after a crash. Everything that happens is in the log before the next thing happens.
 *
 * Never throws for a failure of a model or a tool: that is an outcome. The last step allows no tool call, so a turn ends
 * with an answer and not with a dangling call (BEHAVIOURS §1.6). When `signal` is aborted with `stopping`, the turn is left
 * for the next start, and the result is `undefined`. Rejects with a `StoreError` where the log cannot be written: then the
 * turn resumes at the next start, from what was written.
 */
export async function runTurn(setup: TurnSetup): Promise<TurnOutcome | undefined> {
  const turn = beginTurn(setup)
  try {
    return await run(turn)
  } catch (error) {
    if (turn.signal.reason === stopping) return undefined
    if (error instanceof StoreError) throw error
    const next = turn.fallback && (await turn.fallback(error))
    if (next && !(next instanceof Error)) return await runTurn(next)
    if (turn.signal.reason === stopping) return undefined
    return await end(turn, next && turn.signal.aborted ? { type: 'cancelled' } : failure(next ?? error))
  }
}

async function run(turn: TurnRun): Promise<TurnOutcome | undefined> {
  let call: ModelCall | undefined
  for (;;) {
    if (turn.signal.reason === stopping) return undefined
    const state = turnState(turn.entries)
    if (state.pending.length > 0) {
      await runTools(turn, state, call)
      continue
    }
    if (turn.signal.aborted) return await end(turn, { type: 'cancelled' })
    if (state.answered) return await end(turn, { type: 'completed' })

    const asked = await callModel(turn, { messages: state.messages, last: state.steps + 1 >= turn.limits.steps })
    if (turn.fallback && othersMayAnswer(asked.reply)) {
      await finish(turn, asked.call.call, asked.reply)
      throw asked.reply.error
    }
    const outcome = await record(turn, asked.call, asked.reply)
    if (outcome || asked.reply.type !== 'answered') return outcome
    call = asked.call
  }
}

/** Asks a model once, outside every turn: tool calls are returned and not run. */
export async function askModel(setup: TurnSetup): Promise<(RecordedAnswer | Unanswered) & { readonly call: string }> {
  const turn = beginTurn(setup)
  const { call, reply } = await callModel(turn, { messages: turnState(turn.entries).messages, last: false })
  const answer = { ...(await recordAnswer(turn, call, reply)), call: call.call }
  if (!turn.fallback || answer.type === 'answer' || !othersMayAnswer(answer)) return answer
  const next = await turn.fallback(answer.error)
  if (next === undefined) return answer
  return next instanceof Error ? { ...answer, error: next } : askModel(next)
}

/** Words that a person has read stay: no other model begins again behind them. */
function othersMayAnswer(reply: ModelReply): reply is Unanswered {
  return reply.type === 'failed' && reply.unbegun === true && isProviderFault(reply.error)
}

/** Assembles a call, and asks the model. A request that the provider refuses as too large is cut deeper and sent once more. */
async function callModel(turn: TurnRun, step: Step): Promise<{ readonly call: ModelCall; readonly reply: ModelReply }> {
  const call = await assembleStep(turn, step)
  const reply = await ask(turn, call)
  const refused = refusedAsTooLarge(reply)
  if (!refused) return { call, reply }
  await finish(turn, call.call, refused)
  const smaller = await assembleSmaller(turn, step, refused)
  return { call: smaller, reply: await ask(turn, smaller) }
}

async function end(turn: TurnRun, outcome: TurnOutcome): Promise<TurnOutcome> {
  await write(turn, [{ type: 'turn-end', turn: turn.id, outcome }])
  return outcome
}
