import type { FileLibrary } from '../../capability.ts'
import { ContextOverflowError } from '../../context.ts'
import { defined } from '../../platform.ts'
import type { CallRecord, SessionStore } from '../../session.ts'
import { withPictures } from '../calls/attachments.ts'
import { assembleInSlices } from '../calls/attempt-call.ts'
import { type CallInput, isVerbatim, restoreInput } from '../calls/call-input.ts'
import { seal } from '../ledger/seal.ts'
import type { Counters } from '../models/counters.ts'
import type { AnsweredCall } from './note-place.ts'

interface CallReader {
  readonly store: SessionStore
  readonly counters: Counters
  readonly library: FileLibrary | undefined
}

/** Reads a call back as it was sent. `undefined` where it cannot be built again with the same bytes. */
export async function readAnsweredCall(
  { store, counters, library }: CallReader,
  record: CallRecord,
): Promise<AnsweredCall | undefined> {
  if (isVerbatim(record) || record.requestDigest === '') return undefined
  const input = await restoreInput(store, record, counters)
  const outcome = await assembleInSlices(store.clock, input)
  if (outcome instanceof ContextOverflowError) return undefined
  if (seal(outcome).manifest.requestDigest !== record.requestDigest) return undefined
  const { request, missing } = await withPictures(outcome.request, library)
  if (missing.length > 0) return undefined
  const { options } = record.input as CallInput
  return { input, outcome, prepared: { call: record.id, request, ...defined({ options }) } }
}
