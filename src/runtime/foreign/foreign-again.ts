import { RuntimeError, type WireProof } from '../../capability.ts'
import type { TokenCounter } from '../../context.ts'
import type { ForeignAssembly, ForeignFormat } from '../../foreign.ts'
import { sha256 } from '../../platform.ts'
import type { CallRecord, SessionStore } from '../../session.ts'
import { missingContentError } from '../calls/call-input.ts'
import type { Counters } from '../models/counters.ts'
import type { ForeignInput } from './foreign-input.ts'
import { readStoredBody } from './stored-body.ts'
import { explainInSlices } from './explain-in-slices.ts'

/** A call of another program, taken apart again from what was recorded of it. Rejects with `missing-content`. */
export async function foreignAssembly(
  store: SessionStore,
  call: CallRecord,
  counters: Counters,
): Promise<ForeignAssembly> {
  const { foreign, counter } = call.input as ForeignInput
  const { format } = foreign
  if (format === undefined) {
    throw new RuntimeError(
      'not-found',
      `The call ${call.id} (${foreign.method} ${foreign.path}) is of no format that can be taken apart.`,
      { call: call.id },
    )
  }
  const { bytes } = await foreignBody(store, call)
  return explainBytes(bytes, { call, format, counter: await counters(counter) })
}

/** What the program of a call had sent where a cut left something out of it; `undefined` where the call left as it came. */
export async function callerAssembly(
  store: SessionStore,
  call: CallRecord,
  counters: Counters,
): Promise<ForeignAssembly | undefined> {
  const { foreign, counter } = call.input as ForeignInput
  if (foreign.caller === undefined || foreign.format === undefined) return undefined
  const read = await readStoredBody(store, foreign.caller)
  if ('missing' in read) throw await missingContentError(store, read.missing, call.id)
  return explainBytes(read.bytes, { call, format: foreign.format, counter: await counters(counter) })
}

interface ExplainedCall {
  readonly call: CallRecord
  readonly format: ForeignFormat
  readonly counter: TokenCounter
}

function explainBytes(bytes: Uint8Array, { call, format, counter }: ExplainedCall): Promise<ForeignAssembly> {
  return explainInSlices({
    format,
    body: JSON.parse(new TextDecoder().decode(bytes)) as unknown,
    counter,
    client: call.foreign?.client ?? 'unknown',
    model: call.model,
  })
}

/** The body of such a call, put together from its parts, with the proof that it is the one that left. */
export async function foreignBody(
  store: SessionStore,
  call: CallRecord,
): Promise<{ readonly bytes: Uint8Array; readonly proof: WireProof | undefined }> {
  const { body, caller } = (call.input as ForeignInput).foreign
  const read = await readStoredBody(store, body)
  if ('missing' in read) throw await missingContentError(store, read.missing, call.id)
  const { bytes } = read
  const came = caller && (await readStoredBody(store, caller))
  if (came && 'missing' in came) throw await missingContentError(store, came.missing, call.id)
  if (call.outcome?.wire === undefined) return { bytes, proof: undefined }
  const got = sha256(bytes)
  // What left in an encoding is compared without it: packing it again may give other bytes.
  const expected = body.encoding === undefined ? call.outcome.wire.sha256 : body.sha256
  if (body.redacted)
    return { bytes, proof: { state: 'unknown', expected, why: 'secrets were taken out of what is kept' } }
  if (came && caller) {
    const same = sha256(came.bytes)
    if (same !== caller.sha256) return { bytes, proof: { state: 'different', expected: caller.sha256, got: same } }
  }
  return {
    bytes,
    proof: got === expected ? { state: 'identical', expected, got } : { state: 'different', expected, got },
  }
}
