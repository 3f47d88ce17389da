import { isDeepStrictEqual } from 'node:util'
import { imageResult, markResult, outputText, type ToolCallPart, type ToolMessage, toolResults } from '../context.ts'
import { sha256 } from '../platform.ts'
import { wasCut } from './answer.ts'
import { type ToolReply, settleToolCall } from './settle-tool-call.ts'
import { resultAllowance } from './shown-result.ts'
import { type ModelCall, type TurnRun, write } from './turn-setup.ts'
import { toolJournal, type TurnState } from './turn-state.ts'

/** The most calls of one message that are run: they run in parallel, and each may start programs. */
const MOST_CALLS = 64

/**
 * Runs the calls of the newest message in parallel and writes their results in the order of the calls. `prepared`: the model call
 * that asked for them; absent where another process made it.
 */
export async function runTools(
  turn: TurnRun,
  { messages, pending: calls, call }: TurnState,
  prepared: ModelCall | undefined,
): Promise<void> {
  const { activity, journal: log, limits } = turn
  const journal = toolJournal(turn.entries)
  const isCut = wasCut(turn.entries)
  const results = messages.flatMap(({ message }) => toolResults(message))
  const shown = results.reduce((chars, { output }) => chars + outputText(output).length, 0)
  const share = { most: limits.turnResultChars, shown, calls: calls.length }
  const room = prepared?.roomTokens
  const roomTokens = room === undefined ? undefined : Math.floor(room / calls.length)
  const failed = new AbortController()
  const settle = async (part: ToolCallPart, index: number) => {
    // A result that is not kept elsewhere is shown whole.
    const most = log.keepContent
      ? resultAllowance(await limits.resultChars(part.toolName), share)
      : Number.MAX_SAFE_INTEGER
    const refused =
      index >= MOST_CALLS ? 'too-many-calls' : isCut && typeof part.input === 'string' ? 'cut-call' : undefined
    return settleToolCall(turn, journal, {
      part,
      call,
      most,
      roomTokens,
      seen: prepared?.seen,
      refused,
      failed: failed.signal,
    })
  }
  const settled = await activity.rest(
    allOf(
      calls.map((part, index) => activity.run(settle(part, index))),
      failed,
    ),
  )
  const message: ToolMessage = { role: 'tool', content: resultParts(calls, settled) }
  await write(turn, [{ type: 'message', turn: turn.id, message, tokens: await log.countTokens(message) }])
}

/**
 * The results of all calls. Where one fails, `failed` is aborted with its error, and it is thrown when the others have ended: no
 * call of this step goes on beside the turn's next try, which would take it for one that was interrupted.
 */
async function allOf<Result>(calls: readonly Promise<Result>[], failed: AbortController): Promise<readonly Result[]> {
  const ends = await Promise.allSettled(
    calls.map((call) =>
      call.catch((error: unknown) => {
        failed.abort(error)
        throw error
      }),
    ),
  )
  return ends.map((end) => {
    if (end.status === 'rejected') throw failed.signal.reason
    return end.value
  })
}

/** A result of fewer characters is sent again: a reference to it would save next to nothing. */
const LEAST_REPEATED = 400

/** The long result of two equal calls in one message is sent once. Both calls have run, and each has its result. */
function resultParts(calls: readonly ToolCallPart[], settled: readonly ToolReply[]): ToolMessage['content'] {
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
