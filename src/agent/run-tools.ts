import { isDeepStrictEqual } from 'node:util'
import { outputText, type ToolCallPart, type ToolMessage, toolResults } from '../context.ts'
import type { EntryBody } from '../session.ts'
import { type SettledCall, settleCall } from './settle-call.ts'
import { roomForResults } from './shown-result.ts'
import { toolJournal } from './tool-journal.ts'
import type { TurnSetup } from './turn-setup.ts'
import { type TurnState, turnState } from './turn-state.ts'

/** The most calls of one message that are run: they run side by side, and each may start programs. */
const MOST_CALLS = 64

/** Runs the calls of the newest message side by side and writes their results down in the order of the calls. */
export async function runTools(setup: TurnSetup, state: TurnState, calls: readonly ToolCallPart[]): Promise<TurnState> {
  const journal = toolJournal(state.entries)
  const call = callOf(state)
  const turn = { most: setup.maxTurnResultChars, shown: shownChars(state), calls: calls.length }
  const room = setup.roomTokens?.()
  const roomTokens = room === undefined ? undefined : Math.floor(room / calls.length)
  const settled = await Promise.all(
    calls.map(async (part, index) => {
      const most = roomForResults(await setup.maxResultChars(part.toolName), turn)
      return settleCall(setup, journal, { part, call, most, roomTokens, isTooMany: index >= MOST_CALLS })
    }),
  )
  const message: ToolMessage = { role: 'tool', content: resultParts(calls, settled) }
  const body: EntryBody = { type: 'message', turn: setup.turn, message, tokens: await setup.tokensOf(message) }
  const entries = await setup.append([body])
  return turnState([...state.entries, ...settled.flatMap((each) => each.entries), ...entries])
}

/** The call that asked for the tools. */
function callOf({ entries }: TurnState): string {
  const asked = entries.findLast((entry) => entry.type === 'message' && entry.message.role === 'assistant')
  return asked?.type === 'message' ? (asked.call ?? '') : ''
}

/** Characters of all results that the turn has heard so far. */
function shownChars({ messages }: TurnState): number {
  let sum = 0
  for (const message of messages) for (const { output } of toolResults(message)) sum += outputText(output).length
  return sum
}

/** A shorter result is sent again: a reference to it would save next to nothing. Characters. */
const LEAST_REPEATED = 400

/** A long result of a call that stands twice in the message is sent once. Both calls have run, and each has its result. */
function resultParts(calls: readonly ToolCallPart[], settled: readonly SettledCall[]): ToolMessage['content'] {
  return calls.map((part, index) => {
    const { toolCallId, toolName, input } = part
    const { ok, text } = settled[index]!
    const same = (other: ToolCallPart, at: number) =>
      at < index &&
      settled[at]!.text === text &&
      settled[at]!.ok === ok &&
      other.toolName === toolName &&
      isDeepStrictEqual(other.input, input)
    const first = text.length < LEAST_REPEATED ? undefined : calls.find(same)
    const value = first ? `[The equal call ${first.toolCallId} above has the same result.]` : text
    return { type: 'tool-result', toolCallId, toolName, output: { type: ok ? 'text' : 'error-text', value } }
  })
}
