import {
  ContextOverflowError,
  type ToolCallPart,
  toolCalls,
  imageResult,
  markResult,
  outputText,
  type ToolMessage,
  toolResults,
} from '../context.ts'
import { ModelError } from '../model.ts'
import { StoreError, type TurnOutcome, type EntryBody } from '../session.ts'
import { errorMessage, sha256 } from '../platform.ts'
import { askStep, type Unanswered } from './ask-model.ts'
import { NoAnswerError, wasCut } from './answer.ts'
import { OverBudgetError } from './hold-call.ts'
import { type PreparedCall, stopping, type TurnContext, turnContext, type TurnSetup } from './turn-setup.ts'
import { turnState, toolJournal, type TurnState } from './turn-state.ts'
import { isDeepStrictEqual } from 'node:util'
import { type SettledCall, settleCall } from './settle-call.ts'
import { resultAllowance } from './shown-result.ts'

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
    const last = state.messages.at(-1)
    const pending = last ? toolCalls(last) : []
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

/** The most calls of one message that are run: they run in parallel, and each may start programs. */
const MOST_CALLS = 64

/** Runs the calls of the newest message in parallel and writes their results in the order of the calls. */
async function runTools(
  context: TurnContext,
  state: TurnState,
  { calls, prepared }: { readonly calls: readonly ToolCallPart[]; readonly prepared: PreparedCall | undefined },
): Promise<TurnState> {
  const { activity, journal: log, limits } = context
  const journal = toolJournal(state.entries)
  const call = askingCall(state)
  const isCut = wasCut(state.entries)
  const turn = { most: limits.turnResultChars, shown: countShownChars(state), calls: calls.length }
  const room = prepared?.roomTokens
  const roomTokens = room === undefined ? undefined : Math.floor(room / calls.length)
  const settle = async (part: ToolCallPart, index: number) => {
    // A result that is not kept elsewhere is shown whole.
    const most = log.keepContent
      ? resultAllowance(await limits.resultChars(part.toolName), turn)
      : Number.MAX_SAFE_INTEGER
    const seen = prepared?.seen
    const refused =
      index >= MOST_CALLS ? 'too-many-calls' : isCut && typeof part.input === 'string' ? 'cut-call' : undefined
    return settleCall(context, journal, { part, call, most, roomTokens, seen, refused })
  }
  const running = calls.map((part, index) => activity.run(settle(part, index)))
  const settled = await activity.rest(Promise.all(running))
  const message: ToolMessage = { role: 'tool', content: resultParts(calls, settled) }
  const body: EntryBody = { type: 'message', turn: context.turn.id, message, tokens: await log.countTokens(message) }
  const entries = await log.append([body])
  return turnState([...state.entries, ...settled.flatMap((each) => each.entries), ...entries])
}

function askingCall({ entries }: TurnState): string {
  const asked = entries.findLast((entry) => entry.type === 'message' && entry.message.role === 'assistant')
  return asked?.type === 'message' ? (asked.call ?? '') : ''
}

function countShownChars({ messages }: TurnState): number {
  let sum = 0
  for (const message of messages) for (const { output } of toolResults(message)) sum += outputText(output).length
  return sum
}

/** A result of fewer characters is sent again: a reference to it would save next to nothing. */
const LEAST_REPEATED = 400

/** The long result of two equal calls in one message is sent once. Both calls have run, and each has its result. */
function resultParts(calls: readonly ToolCallPart[], settled: readonly SettledCall[]): ToolMessage['content'] {
  return calls.map((part, index) => {
    const { toolCallId, toolName, input } = part
    const { ok, text, images, as } = settled[index]!
    const same = (other: ToolCallPart, at: number) =>
      at < index &&
      settled[at]!.text === text &&
      settled[at]!.ok === ok &&
      isDeepStrictEqual(settled[at]!.images, images) &&
      other.toolName === toolName &&
      isDeepStrictEqual(other.input, input)
    const first = text.length < LEAST_REPEATED && !images ? undefined : calls.find(same)
    const value = first ? `[The equal call ${first.toolCallId} above has the same result.]` : text
    const type = ok ? ('text' as const) : ('error-text' as const)
    const output = images && !first ? imageResult(text, toolName, images) : { type, value }
    const result = { type: 'tool-result', toolCallId, toolName, output } as const
    return first || as === undefined ? result : markResult(result, { as, digest: sha256(text) })
  })
}
