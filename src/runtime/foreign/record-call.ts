import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../../capability.ts'
import type { TokenCounter } from '../../context.ts'
import {
  commonPrefix,
  type ForeignAnswer,
  type ForeignAssembly,
  type ForeignIdentity,
  identifyCall,
} from '../../foreign.ts'
import type { ModelFacts } from '../../model.ts'
import { defined, type KnownSecrets, sha256 } from '../../platform.ts'
import {
  type CallOutcome,
  type CallRecord,
  contentHash,
  type ForeignFacts,
  type SessionStore,
  type Usage,
} from '../../session.ts'
import type { AssemblyContext } from '../calls/assembly-context.ts'
import { type Reuse, seal, type Sealed, type SealedManifest } from '../ledger/seal.ts'
import { addForecast } from '../turns/call-forecast.ts'
import { decodeBody } from './decode-body.ts'
import { explainInSlices } from './explain-in-slices.ts'
import type { EndedCall } from './foreign-call.ts'
import { withCut } from './cut-account.ts'
import type { ForeignInput, StoredBody } from './foreign-input.ts'
import type { ForeignSessions, LastForeignCall } from './foreign-sessions.ts'
import { firstWords, turnIn } from './prompt-words.ts'
import { storeBody } from './stored-body.ts'

export interface RecordParts {
  readonly store: SessionStore
  readonly clock: Clock
  readonly counter: TokenCounter
  readonly context: Pick<AssemblyContext, 'calibration' | 'settings'>
  readonly sessions: ForeignSessions
  readonly secrets?: Pick<KnownSecrets, 'redact' | 'find'> | undefined
  /** Contents that were written, by session and hash. */
  readonly written: Set<string>
  /** What is known of a model without asking its provider. */
  factsOf(id: string): ModelFacts | undefined
}

/** Writes a call that is over: whose it was, what it sent, what came, and what that cost. Returns the record. */
export async function recordCall(parts: RecordParts, call: EndedCall): Promise<CallRecord> {
  const { store, clock, counter, sessions } = parts
  const clean = (text: string | undefined) => (text === undefined ? text : (parts.secrets?.redact(text) ?? text))
  const body = await decodeBody(call.body, call.head.headers['content-encoding'])
  const parsed = parseBody(body)
  const identity = identifyCall(call.head, parsed)
  const assembly = await explain(identity, parsed, { counter, provider: call.provider })
  const answer = await call.reader?.end()
  const token = call.caller.name
  // A conversation is known by what its program says, whatever of it was left out.
  const came = call.cut?.body && (await decodeBody(call.cut.came.body, call.cut.came.head.headers['content-encoding']))
  const caller = came && (await explain(identity, parseBody(came), { counter, provider: call.provider }))
  const said = caller ?? assembly
  const placed = await sessions.sessionOf({ identity, token, assembly: said, words: said && clean(firstWords(said)) })
  const { session, last } = placed
  const model = modelId(call.provider, identity.model)
  // Each of these steps goes through the whole body: other calls are on their way meanwhile.
  await setImmediate()
  const sealed = assembly && seal(assembly)
  await setImmediate()
  const isRetry = last !== undefined && sealed !== undefined && repeats(last, identity, sealed.manifest.requestDigest)
  const facts: ForeignFacts = {
    client: identity.client.name,
    kind: identity.kind,
    ...defined({
      version: identity.client.version,
      session: identity.session,
      parent: identity.parent,
      turn: identity.turn,
      retryOf: isRetry ? last.record.id : undefined,
      status: call.status,
      assembled: call.cut?.facts,
    }),
    end: call.end.type,
  }
  const outcome = outcomeOf(call, { answer, assembly })
  const known = parts.factsOf(model)
  const account = assembly && sealed && (await accountFor(parts, { assembly, sealed, last, model, facts: known }))
  const manifest = account && withCut(account, call.cut ?? {}, known)
  await setImmediate()
  const isDirty = hasSecret(came ?? body, parts.secrets)
  const put = holdingPut(parts, session)
  const putBytes = isDirty ? put : holdingPut({ ...parts, secrets: undefined }, session)
  const storeCaller = async (bytes: Uint8Array): Promise<StoredBody> => ({
    ...(await storeBody(bytes, putBytes)),
    ...(isDirty ? { redacted: true } : {}),
    ...defined({ encoding: call.cut?.came.head.headers['content-encoding'] }),
  })
  const input: ForeignInput = {
    foreign: {
      method: call.head.method,
      path: clean(call.head.path)!,
      ...defined({
        format: identity.format,
        answer: answer && `sha256:${await put(JSON.stringify(answer))}`,
        marks: call.cut?.marks && `sha256:${await put(JSON.stringify(call.cut.marks))}`,
        caller: came && (await storeCaller(came)),
      }),
      body: {
        ...(await storeBody(body, putBytes)),
        ...(isDirty ? { redacted: true } : {}),
        ...defined({ encoding: call.head.headers['content-encoding'] }),
      },
    },
    counter: counter.id,
  }
  const record: CallRecord = {
    id: call.id,
    session,
    turn: identity.turn ?? (said ? turnIn(said) : call.id),
    time: call.time,
    model,
    ...defined({ token }),
    kind: 'foreign',
    foreign: facts,
    input,
    // Its causes quote words, and its names are words of the body.
    manifest:
      (isDirty && manifest ? (JSON.parse(clean(JSON.stringify(manifest))!) as SealedManifest) : manifest) ??
      emptyManifest(counter, model),
    requestDigest: manifest?.requestDigest ?? '',
    outcome,
  }
  await store.transaction([
    { type: 'append', session, bodies: [{ type: 'foreign-call', call: call.id }], time: clock.time() },
    { type: 'call', record },
  ])
  if (assembly && sealed)
    sessions.note(session, { record, assembly, fingerprint: sealed.fingerprint, ...defined({ caller }) })
  return record
}

/** What is no JSON of a known format is kept, and has no account. */
async function explain(
  { format, client, model }: ForeignIdentity,
  body: unknown,
  { counter, provider }: { readonly counter: TokenCounter; readonly provider: string },
): Promise<ForeignAssembly | undefined> {
  if (format === undefined || body === undefined) return undefined
  return explainInSlices({ format, body, counter, client: client.name, model: modelId(provider, model) })
}

function modelId(provider: string, model: string | undefined): string {
  return `${provider}/${model ?? 'unknown'}`
}

function parseBody(body: Uint8Array): unknown {
  try {
    return body.byteLength === 0 ? undefined : (JSON.parse(new TextDecoder().decode(body)) as unknown)
  } catch {
    return undefined
  }
}

/** Whether a call says again what the last one said, in the same turn. `digest`: of its request. */
function repeats({ record }: LastForeignCall, { turn }: ForeignIdentity, digest: string): boolean {
  if (record.foreign?.turn !== turn) return false
  const hasAnswer = record.outcome?.error === undefined && record.foreign?.end === 'whole'
  return !(hasAnswer && turn === undefined) && record.requestDigest === digest
}

interface AccountOptions {
  readonly assembly: ForeignAssembly
  readonly sealed: Sealed
  readonly last: LastForeignCall | undefined
  readonly model: string
  readonly facts: ModelFacts | undefined
}

/** The account with what of it was sent before, by meaning, and what the call was expected to cost by what came before it. */
async function accountFor(
  { clock, context }: RecordParts,
  { assembly, sealed, last, model, facts }: AccountOptions,
): Promise<SealedManifest> {
  const reuse = last && commonPrefix(last.assembly, assembly)
  const { pieces: _, ...shown } = reuse ?? { pieces: 0 }
  const account = { ...sealed.manifest, ...(reuse ? { reuse: shown as Reuse } : {}) }
  if (!facts) return account
  const before = last && {
    call: last.record.id,
    model: last.record.model,
    fingerprint: last.fingerprint,
    at: Date.parse(last.record.time),
    usage: last.record.outcome?.usage,
  }
  const state = { lastCall: before, reads: new Map(before ? [[before.model, before]] : []) }
  const place = { context, model: { id: model, facts }, clock, state, readFingerprint: async () => undefined }
  const { forecast } = await addForecast(place, sealed)
  return { ...account, ...defined({ forecast }) }
}

function outcomeOf(
  { url, body, status, end, admission, durationMs, firstByteMs }: EndedCall,
  { answer, assembly }: { readonly answer: ForeignAnswer | undefined; readonly assembly: ForeignAssembly | undefined },
): CallOutcome {
  const wasAnswered = status !== undefined && status < 400 && answer !== undefined
  const isLost = wasAnswered && end.type !== 'whole' && answer.finish === undefined && assembly !== undefined
  return {
    ...(url === undefined ? {} : { wire: { sha256: sha256(body), bytes: body.byteLength, url } }),
    ...defined({
      usage: isLost ? estimatedUsage(assembly, answer) : answer?.usage,
      usageEstimated: isLost ? (true as const) : undefined,
      finish: answer?.finish,
      error: errorOf({ status, end, admission }, answer),
      firstTokenMs: firstByteMs,
    }),
    durationMs,
  }
}

/** What a call used as far as it can be known from what was sent and what came. A report from before its end says too little. */
function estimatedUsage({ manifest }: ForeignAssembly, { text, reasoning, calls, usage }: ForeignAnswer): Usage {
  const inputs = calls.reduce((sum, { input }) => sum + JSON.stringify(input ?? '').length, 0)
  const written = Math.ceil((text.length + reasoning.length + inputs) / CHARACTERS_PER_TOKEN)
  return {
    promptTokens: usage?.promptTokens ?? manifest.used,
    cachedTokens: usage?.cachedTokens,
    cacheWrittenTokens: usage?.cacheWrittenTokens,
    outputTokens: Math.max(written, usage?.outputTokens ?? 0),
    reasoningTokens: undefined,
  }
}

/** Of English prose and of code, about. */
const CHARACTERS_PER_TOKEN = 3.5

function errorOf(
  { status, end, admission }: Pick<EndedCall, 'status' | 'end' | 'admission'>,
  answer: ForeignAnswer | undefined,
): CallOutcome['error'] {
  if (admission?.type === 'refuse') return { code: admission.code, message: admission.message }
  if (answer?.error) return answer.error
  if (end.type === 'broken') return { code: 'network', message: end.message ?? 'The answer broke off.' }
  if (end.type === 'stopped')
    return { code: 'over-budget', message: end.message ?? 'The answer was stopped at a limit.' }
  if (end.type === 'left') return { code: 'cancelled', message: 'The program ended the call.' }
  if (status !== undefined && status >= 400) return { code: 'server', message: `The provider answered ${status}.` }
  return undefined
}

function hasSecret(body: Uint8Array, secrets: RecordParts['secrets']): boolean {
  if (!secrets) return false
  return secrets.find(new TextDecoder().decode(body)) !== undefined
}

/** Contents with words of the session go with it, unless another one has said the same. What was written lately is not again. */
function holdingPut({ store, secrets, written }: RecordParts, session: string): (text: string) => Promise<string> {
  return async (text) => {
    const clean = secrets?.redact(text) ?? text
    const hash = contentHash(clean)
    const key = `${session} ${hash}`
    if (written.has(key)) return hash
    await store.putContent(clean, [session], { shared: true })
    written.add(key)
    for (const oldest of written) {
      if (written.size <= MOST_WRITTEN) break
      written.delete(oldest)
    }
    return hash
  }
}

/** Contents that are remembered as written: some hundred bytes each. */
const MOST_WRITTEN = 20_000

function emptyManifest(counter: TokenCounter, model: string): SealedManifest {
  const slots = { tools: 0, system: 0, preamble: 0, history: 0, 'before-input': 0, input: 0, 'after-input': 0 }
  const { id, version } = counter
  const budget = { window: 0, reserve: 0, margin: 0, available: 0 }
  return {
    version: 1,
    layout: 'foreign',
    counter: { id, version },
    budget,
    used: 0,
    slots,
    entries: [],
    displaced: 0,
    model,
    requestDigest: '',
  }
}
