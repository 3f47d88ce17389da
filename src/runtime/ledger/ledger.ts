import {
  type FileLibrary,
  type Runtime,
  type Replay,
  type ReplayDifference,
  RuntimeError,
  type BodyComparison,
} from '../../capability.ts'
import {
  type Assembly,
  compare,
  type Comparison,
  ContextOverflowError,
  differenceCause,
  type VerbatimAssembly,
} from '../../context.ts'
import type { Model, ModelRequest } from '../../model.ts'
import { commonPrefix, type ForeignAssembly, type ForeignCause, type ForeignReuse } from '../../foreign.ts'
import { defined } from '../../platform.ts'
import type { CallRecord, SessionStore } from '../../session.ts'
import { withPictures } from '../calls/attachments.ts'
import { callScenario } from '../calls/call-scenario.ts'
import { type CallInput, isVerbatim, restoreInput, restoreVerbatim } from '../calls/call-input.ts'
import { foreignAssembly, foreignBody, hasNoAccount } from '../foreign/foreign-again.ts'
import { keptEntryOf, keptReuse } from '../foreign/kept-conversation.ts'
import { isForeign } from '../foreign/foreign-input.ts'
import { noteCallAgain, noteCallInput } from '../calls/note-call.ts'
import { assembleInSlices, type Counters, verbatimInSlices } from '../models/counters.ts'
import type { ModelChoice } from '../models/model-choice.ts'
import { sessionNotFound } from '../sessions/not-found.ts'
import { readLayerHistory, readLayerSources } from './layer-history.ts'
import { requestDigest, seal, type Sealed } from '../calls/seal.ts'

export type Ledger = ReturnType<typeof createLedger>

const RESTORE = 'See `foreword doctor`, then restore a backup with `foreword restore FILE --replace`.'
/** Calls that are read at once in a replay. */
const PAGE = 100

/** The ledger of a store. Its methods reject with `RuntimeError`. */
export function createLedger(store: SessionStore, counters: Counters, newProver: () => WireProver) {
  async function record(id: string): Promise<CallRecord> {
    const found = await store.call(id)
    if (found) return found
    const hint = 'List them with `foreword calls SESSION`.'
    throw new RuntimeError('not-found', `No call has the id ${id}.`, { call: id }, { hint })
  }

  async function rebuild(call: CallRecord): Promise<Assembly | VerbatimAssembly> {
    const again = await assembleAgain(store, call, counters)
    if (!(again instanceof ContextOverflowError)) return again
    throw new RuntimeError(
      'context-overflow',
      `The call ${call.id} was never sent: ${again.message} Its account is in \`foreword calls\`.`,
      { call: call.id },
    )
  }

  async function* calls(session: string): AsyncGenerator<CallRecord> {
    let after: string | undefined
    for (;;) {
      const page = await store.calls(session, { limit: PAGE, ...defined({ after }) })
      yield* page
      after = page.at(-1)?.id
      if (page.length < PAGE) return
    }
  }

  const views: Pick<Runtime, 'request' | 'diff' | 'replay' | 'callScenario' | 'layerSources' | 'layerHistory'> = {
    async request(id, options = {}) {
      const call = await record(id)
      const { request } = await rebuild(call)
      const digest = requestDigest(request)
      let body: string | undefined
      const read = options.body ? (bytes: Uint8Array) => void (body = new TextDecoder().decode(bytes)) : undefined
      const wire = await proveWire(newProver(), call, request, read)
      return { call, request, digest, identical: digest === call.requestDigest, ...defined({ wire, body }) }
    },
    async diff(before, after) {
      const records = await Promise.all([record(before), record(after)])
      const [old, now] = await Promise.all([rebuild(records[0]), rebuild(records[1])])
      const comparison = compare(old, now)
      if (records.every(isForeign)) {
        const reuse = commonPrefix(old, now)
        const kept = keptEntryOf(records[1].manifest)
        const isContinued = kept?.origin.ref === before
        return byMeaning(comparison, isContinued ? { ...reuse, ...keptReuse(reuse, kept, now.manifest) } : reuse)
      }
      return { ...comparison, why: differenceCause(comparison, old, now) }
    },
    async replay(session) {
      if (!(await store.session(session))) throw sessionNotFound(session)
      for await (const { place, why } of store.damage(session)) {
        throw new RuntimeError(
          'storage-damaged',
          `The store is damaged: ${place}: ${why}.`,
          { session },
          { hint: RESTORE },
        )
      }
      const different: ReplayDifference[] = []
      const proofs: (BodyComparison & { readonly call: string })[] = []
      const prover = newProver()
      let count = 0
      for await (const call of calls(session)) {
        count += 1
        const again = await requestAgain(call).catch(unlessMissing)
        const request = again && 'messages' in again ? again : undefined
        const rebuilt = again && 'problem' in again ? again : { got: request ? requestDigest(request) : '' }
        const isSame = !('problem' in rebuilt) && rebuilt.got === call.requestDigest
        if (!isSame) different.push({ call: call.id, expected: call.requestDigest, ...rebuilt })
        const proof = await proveAgain(prover, call, request)
        if (proof) proofs.push({ call: call.id, ...proof })
      }
      const wires = proofs.length > 0 ? { wires: sumUpWires(proofs) } : {}
      return { session, calls: count, identical: count - different.length, different, ...wires }
    },
    async callScenario(id, history) {
      return callScenario(store, await record(id), counters, history)
    },
    layerSources: (options = {}) => readLayerSources(store, options),
    layerHistory: (layer, options = {}) => readLayerHistory(store, layer, options),
  }

  return {
    views,
    /** A call of another program, taken apart again. `undefined` where that is not possible any more. */
    foreignAssembly: (call: CallRecord): Promise<ForeignAssembly | undefined> =>
      foreignAssembly(store, call, counters).catch(() => undefined),
    takeApart: (call: CallRecord): Promise<ForeignAssembly> => foreignAssembly(store, call, counters),
    /** `undefined` also where the call cannot be built again, because a content of it is gone. */
    async readFingerprint(id: string): Promise<Sealed['fingerprint'] | undefined> {
      const call = await store.call(id)
      if (!call || call.requestDigest === '') return undefined
      const again = await rebuild(call).catch(unlessMissing)
      return 'problem' in again ? undefined : seal(again).fingerprint
    },
  }

  /** The body of another program's call is put together from its parts; that of ours is made again. */
  async function proveWire(
    prover: WireProver,
    call: CallRecord,
    request: ModelRequest,
    read?: (body: Uint8Array) => void,
  ): Promise<BodyComparison | undefined> {
    if (!isForeign(call)) return prover.prove(call, request, read)
    const { bytes, proof } = await foreignBody(store, call)
    read?.(bytes)
    return proof
  }

  /** Of a call without a request, only a body of another program is there to compare. */
  async function proveAgain(
    prover: WireProver,
    call: CallRecord,
    request: ModelRequest | undefined,
  ): Promise<BodyComparison | undefined> {
    if (request) return proveWire(prover, call, request)
    if (!isForeign(call) || !hasNoAccount(call)) return undefined
    const read = await foreignBody(store, call).catch(unlessMissing)
    if ('proof' in read) return read.proof
    return { state: 'unknown', expected: call.outcome?.wire?.sha256 ?? '', why: read.problem }
  }

  /** A call that overflowed sent nothing, and one of no known format has no account: its digest is empty, and has to be empty again. */
  async function requestAgain(call: CallRecord): Promise<ModelRequest | undefined> {
    if (isForeign(call) && hasNoAccount(call)) return undefined
    const again = await assembleAgain(store, call, counters)
    return again instanceof ContextOverflowError ? undefined : again.request
  }
}

/** What a cache has of another program's call is told by meaning: a mark that moves along and the form of a text do not count. */
function byMeaning(comparison: Comparison, { tokens, pieces, firstChange }: ForeignReuse): Comparison {
  const { firstDifference: _, ...rest } = comparison
  if (!firstChange) return { ...rest, commonPrefix: { tokens, pieces }, why: SAME }
  const { id, slot, cause, why } = firstChange
  return { ...rest, commonPrefix: { tokens, pieces }, firstDifference: { id, slot, cause: coreCauses[cause] }, why }
}

const SAME = 'A model reads the same in both requests.'

const coreCauses: Readonly<Record<ForeignCause, NonNullable<Comparison['firstDifference']>['cause']>> = {
  model: 'content',
  grew: 'grew',
  shrank: 'shrank',
  'tool-order': 'moved',
  'tool-added': 'came',
  'tool-removed': 'went',
  'tool-changed': 'content',
  clock: 'content',
  'text-changed': 'content',
  'text-added': 'came',
  'text-removed': 'went',
  'result-changed': 'content',
  compacted: 'content',
  'taken-back': 'went',
  'history-edited': 'content',
}

function sumUpWires(proofs: readonly (BodyComparison & { readonly call: string })[]): NonNullable<Replay['wires']> {
  return {
    identical: proofs.filter(({ state }) => state === 'identical').length,
    different: proofs.flatMap(({ call, ...proof }) =>
      proof.state === 'different' ? [{ call, expected: proof.expected, got: proof.got }] : [],
    ),
    unknown: proofs.flatMap(({ call, ...proof }) => (proof.state === 'unknown' ? [{ call, why: proof.why }] : [])),
  }
}

/** A content that is gone makes its own calls different and harms no other. Any other failure is passed on. */
function unlessMissing(error: unknown): { readonly got: ''; readonly problem: string } {
  if (error instanceof RuntimeError && error.code === 'missing-content') return { got: '', problem: error.message }
  throw error
}

/** Assembles an earlier call from what was recorded of it and from the log up to it. An overflow is returned, not thrown. */
async function assembleAgain(
  store: SessionStore,
  record: CallRecord,
  counters: Counters,
): Promise<Assembly | VerbatimAssembly | ContextOverflowError> {
  const note = noteCallInput(record)
  if (note) {
    return noteCallAgain(note, await counters(note.counter), async (call) => {
      const base = await store.call(call)
      if (base) return assembleAgain(store, base, counters)
      throw new RuntimeError(
        'missing-content',
        `The call ${call} that ${record.id} goes on from is not in the store.`,
        { call },
      )
    })
  }
  if (isForeign(record)) return foreignAssembly(store, record, counters)
  if (isVerbatim(record)) return verbatimInSlices(store.clock, await restoreVerbatim(store, record, counters))
  return assembleInSlices(store.clock, await restoreInput(store, record, counters))
}

/** Makes the body of an earlier call again, by its own model's provider, and compares it with the digest of the body that left. */
type WireProver = ReturnType<typeof createWireProver>

/** `models` are asked once for each model of a prover: one that cannot be reached is not tried again at every call. */
export function createWireProver(models: Pick<ModelChoice, 'resolve'>, library: FileLibrary | undefined) {
  const known = new Map<string, Promise<Model | Error>>()

  function findModel(id: string): Promise<Model | Error> {
    const found = known.get(id) ?? models.resolve(id).catch(asError)
    known.set(id, found)
    return found
  }

  return {
    /** `undefined` where no body left: the model has no wire, or the call failed before. */
    async prove(
      call: CallRecord,
      request: ModelRequest,
      read?: (body: Uint8Array) => void,
    ): Promise<BodyComparison | undefined> {
      const { sha256: expected, changes } = call.outcome?.wire ?? {}
      if (expected === undefined) return undefined
      const unknown = (why: string) => ({ state: 'unknown', expected, why }) as const
      const { options } = call.input as CallInput
      const model = await findModel(call.model)
      if (model instanceof Error) return unknown(model.message)
      if (!model.requestBody) return unknown(`${call.model} has no body to make`)
      const { request: filled, missing } = await withPictures(request, library)
      if (missing.length > 0) return unknown('an image that was sent no longer exists')
      const made = await model.requestBody(filled, { ...options, changes, signal: NEVER }, read).catch(asError)
      if (made instanceof Error) return unknown(made.message)
      const { sha256: got } = made
      return got === expected ? { state: 'identical', expected, got } : { state: 'different', expected, got }
    },
  }
}

const NEVER = new AbortController().signal

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}
