import { RuntimeError, type BodyComparison } from '../../capability.ts'
import type { ForeignAssembly } from '../../foreign.ts'
import { sha256 } from '../../platform.ts'
import type { CallRecord, SessionStore } from '../../session.ts'
import type { BodyToAnalyse } from './analysis/analysed-body.ts'
import { missingContentError } from '../calls/call-input.ts'
import type { Counters } from '../models/counters.ts'
import type { ForeignInput } from './foreign-input.ts'
import { besideKeptEntry, keptEntryOf, withKeptEntry, withTurnsBefore } from './kept-conversation.ts'
import { readStoredBody } from './stored-body.ts'
import { explainInSlices } from './explain-in-slices.ts'

/** A call of another program, taken apart again. Rejects with `missing-content`, and with `not-found` where it has no account. */
export async function foreignAssembly(
  store: SessionStore,
  call: CallRecord,
  counters: Counters,
): Promise<ForeignAssembly> {
  const { foreign, counter } = call.input as ForeignInput
  const { format } = foreign
  if (format === undefined || hasNoAccount(call)) {
    throw new RuntimeError(
      'not-found',
      `The call ${call.id} (${foreign.method} ${foreign.path}) cannot be taken apart: its path or its body has no format that Foreword knows.`,
      { call: call.id },
    )
  }
  const { bytes } = await foreignBody(store, call)
  const body = JSON.parse(new TextDecoder().decode(bytes)) as unknown
  const assembly = await explainInSlices(store.clock, {
    format,
    body,
    counter: await counters(counter),
    client: call.foreign?.client ?? 'unknown',
    model: call.model,
  })
  const manifest = withTurnsBefore(assembly.manifest, call.foreign?.turnsBefore ?? 0)
  const kept = keptEntryOf(call.manifest)
  if (!kept) return { ...assembly, manifest }
  const pieces = besideKeptEntry(assembly.pieces, manifest.entries)
  return { ...assembly, manifest: withKeptEntry(manifest, kept), pieces }
}

/**
 * Whether there was nothing to take apart when a call was recorded: another path, or a body that is no JSON. Its body is kept.
 */
export function hasNoAccount({ requestDigest }: Pick<CallRecord, 'requestDigest'>): boolean {
  return requestDigest === ''
}

/** The body of such a call, put together from its parts, with the proof that it is the one that left. */
export async function foreignBody(
  store: SessionStore,
  call: CallRecord,
): Promise<{ readonly bytes: Uint8Array; readonly proof: BodyComparison | undefined }> {
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
  const why = body.lost
    ? 'the gateway ended before it was recorded, and its body was not kept'
    : body.redacted && 'secrets were taken out of what is kept'
  if (why) return { bytes, proof: { state: 'unknown', expected, why } }
  if (came && caller) {
    const same = sha256(came.bytes)
    if (same !== caller.sha256) return { bytes, proof: { state: 'different', expected: caller.sha256, got: same } }
  }
  return {
    bytes,
    proof: got === expected ? { state: 'identical', expected, got } : { state: 'different', expected, got },
  }
}

/** What an earlier call sent, as its program `said` it or as it `left`. `undefined` where it cannot be taken apart any more. */
export async function bodyOnRecord(
  store: Pick<SessionStore, 'clock' | 'content'>,
  call: Pick<CallRecord, 'id' | 'input' | 'foreign' | 'model'>,
  which: 'said' | 'left',
): Promise<BodyToAnalyse | undefined> {
  const { foreign, counter } = call.input as ForeignInput
  const { format, method, path, body, caller = body } = foreign
  if (format === undefined) return undefined
  const read = await readStoredBody(store, which === 'said' ? caller : body)
  if ('missing' in read) return undefined
  const known = { format, client: call.foreign?.client ?? 'unknown', model: call.model }
  return { id: call.id, head: { method, path, headers: {} }, bytes: read.bytes, provider: '', counter, known }
}
