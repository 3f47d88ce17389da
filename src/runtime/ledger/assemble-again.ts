import type { Assembly, ContextOverflowError, VerbatimAssembly } from '../../context.ts'
import type { CallRecord, SessionStore } from '../../session.ts'
import { assembleInSlices } from '../calls/attempt-call.ts'
import { restoreInput } from '../calls/call-input.ts'
import type { Counters } from '../models/counters.ts'
import { isVerbatim, restoreVerbatim, verbatimInSlices } from './verbatim-call.ts'

/** Assembles an earlier call from what was recorded of it and the log as it was; an overflow is an answer too. */
export async function assembleAgain(
  store: SessionStore,
  record: CallRecord,
  counters: Counters,
): Promise<Assembly | VerbatimAssembly | ContextOverflowError> {
  if (isVerbatim(record)) return verbatimInSlices(await restoreVerbatim(store, record, counters))
  return assembleInSlices(await restoreInput(store, record, counters))
}
