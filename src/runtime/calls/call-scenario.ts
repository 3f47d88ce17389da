import { RuntimeError } from '../../capability.ts'
import { type AssemblyInput, type LayoutChoice, type Scenario, toScenario } from '../../context.ts'
import type { CallRecord, SessionStore } from '../../session.ts'
import type { Counters } from '../models/counters.ts'
import { type CallInput, isVerbatim, restoreInput } from './call-input.ts'

/**
 * The input of an earlier call as a scenario. `history`: so much of the history, tokens, whatever had been cut before. Rejects with
 * `invalid-input` where the caller's messages were sent as they were, since nothing was assembled, and where a scenario
 * cannot say the layout; with `missing-content` where a part of the input is gone.
 */
export async function callScenario(
  store: SessionStore,
  call: CallRecord,
  counters: Counters,
  history?: number,
): Promise<Scenario> {
  if (isVerbatim(call)) {
    throw new RuntimeError(
      'invalid-input',
      `The messages of call ${call.id} were sent as their caller wrote them, so there is no scenario of it.`,
      { call: call.id },
      { hint: `GET /api/calls/${call.id}/request has the messages.` },
    )
  }
  const input = await restoreInput(store, call, counters, history)
  return inputAsScenario(`call ${call.id}`, input, (call.input as CallInput).layout)
}

/** An input as a scenario. Throws a `RuntimeError` where a scenario cannot say its layout. */
export function inputAsScenario(name: string, input: AssemblyInput, layout: LayoutChoice): Scenario {
  try {
    return toScenario(name, input, layout)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new RuntimeError(
      'invalid-input',
      `There is no scenario of the ${name}. ${error.message}`,
      {},
      { hint: 'Choose a layout that `foreword assemble` knows, or changes to one.', cause: error },
    )
  }
}
