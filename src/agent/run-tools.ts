import { isDeepStrictEqual } from 'node:util'
import { markResult, outputText, type ToolCallPart, type ToolMessage, toolResults } from '../context.ts'
import { sha256 } from '../platform.ts'
import type { EntryBody } from '../session.ts'
import { type SettledCall, settleCall } from './settle-call.ts'
import { resultAllowance } from './shown-result.ts'
import type { PreparedCall, TurnContext } from './turn-setup.ts'
import { toolJournal, type TurnState, turnState } from './turn-state.ts'

/** The most calls of one message that are run: they run in parallel, and each may start programs. */
const MOST_CALLS = 64

/** The calls of one message, and the model call that requested them; absent where that is unknown, as after a restart. */
interface ToolStep {
  readonly calls: readonly ToolCallPart[]
  readonly prepared: PreparedCall | undefined
}

/** Runs the calls of the newest message in parallel and writes their results in the order of the calls. */
export async function runTools(
  context: TurnContext,
  state: TurnState,
  { calls, prepared }: ToolStep,
): Promise<TurnState> {
  const { activity, journal: log, limits } = context
  const journal = toolJournal(state.entries)
  const call = askingCall(state)
  const turn = { most: limits.turnResultChars, shown: countShownChars(state), calls: calls.length }
  const room = prepared?.roomTokens
  const roomTokens = room === undefined ? undefined : Math.floor(room / calls.length)
  const settle = async (part: ToolCallPart, index: number) => {
    // A result that is not kept elsewhere is shown whole.
    const most = log.keepContent
      ? resultAllowance(await limits.resultChars(part.toolName), turn)
      : Number.MAX_SAFE_INTEGER
    const seen = prepared?.seen
    return settleCall(context, journal, { part, call, most, roomTokens, seen, isTooMany: index >= MOST_CALLS })
  }
  const running = calls.map((part, index) => activity.run(settle(part, index)))
  const settled = await activity.rest(Promise.all(running))
  const message: ToolMessage = { role: 'tool', content: resultParts(calls, settled) }
  const body: EntryBody = { type: 'message', turn: context.turn.id, message, tokens: await log.countTokens(message) }
  const entries = await log.append([body])
  return turnState([...state.entries, ...settled.flatMap((each) => each.entries), ...entries])
}

/** The model call that requested the tools. */
function askingCall({ entries }: TurnState): string {
  const asked = entries.findLast((entry) => entry.type === 'message' && entry.message.role === 'assistant')
  return asked?.type === 'message' ? (asked.call ?? '') : ''
}

/** Characters of all results in the turn so far. */
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
    const { ok, text, as } = settled[index]!
    const same = (other: ToolCallPart, at: number) =>
      at < index &&
      settled[at]!.text === text &&
      settled[at]!.ok === ok &&
      other.toolName === toolName &&
      isDeepStrictEqual(other.input, input)
    const first = text.length < LEAST_REPEATED ? undefined : calls.find(same)
    const value = first ? `[The equal call ${first.toolCallId} above has the same result.]` : text
    const type = ok ? 'text' : 'error-text'
    const result = { type: 'tool-result', toolCallId, toolName, output: { type, value } } as const
    return first || as === undefined ? result : markResult(result, { as, digest: sha256(text) })
  })
}
