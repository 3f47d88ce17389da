import { againMoney, type TokenCounter, available, cutSums, type ManifestEntry } from '../../context.ts'
import { type ForeignReuse, identifyCall, isResultEntry, type ForeignIdentity } from '../../foreign.ts'
import type { ModelFacts } from '../../model.ts'
import { defined, readTraceparent, sha256 } from '../../platform.ts'
import type { CallOutcome, CallRecord, ForeignFacts, Write } from '../../session.ts'
import type { Sealed, SealedManifest } from '../calls/seal.ts'
import { addForecast } from '../turn/call-forecast.ts'
import { type ComparedBodies, cutName } from './analysis/analysed-body.ts'
import { type BodyToStore, contentWriter } from './content-writer.ts'
import type { ForeignCallFacts, RecordParts } from './foreign-call.ts'
import type { ForeignInput } from './foreign-input.ts'
import type { EarlierCall } from './foreign-sessions.ts'
import {
  cacheEntry,
  type KeptCache,
  keptEntry,
  keptReuse,
  withKeptEntry,
  withKeptPieces,
  laterTurn,
  turnsBefore,
  withTurnsBefore,
} from './kept-conversation.ts'
import { NO_TURN } from './session-exchanges.ts'
import type { ForeignCutResult } from './foreign-cuts.ts'

/** A call that is on record without its end. */
export interface ForeignRecord {
  readonly record: CallRecord & {
    readonly session: string
    readonly foreign: ForeignFacts
    readonly input: ForeignInput
  }
  /** What left, as far as it did. */
  readonly wire: CallOutcome['wire']
  /** The account of what left; `undefined` where it could not be taken apart. */
  readonly manifest: Sealed['manifest'] | undefined
  /** Of a call that had ended by then: its end is on record, too. */
  readonly outcome?: CallOutcome
}

/** How a call went, and what puts that on record. */
export interface RecordedEnd {
  readonly outcome: CallOutcome
  readonly writes: readonly Write[]
}

/**
 * Writes what a call sends: whose it is, what its body says, and what of it was sent before. `endOf`: its end where that is known
 * by now. It is written at once with the rest.
 */
export async function beginRecord(
  parts: RecordParts,
  call: ForeignCallFacts,
  endOf: (begun: ForeignRecord) => Promise<RecordedEnd | undefined>,
): Promise<ForeignRecord> {
  const { counter, sessions } = parts
  const { said, left } = call
  const clean = (text: string) => (call.isDirty ? (parts.secrets?.redact(text) ?? text) : text)
  const found = said?.identity ?? identifyCall(call.head, undefined)
  // What could not be taken apart is not tried again.
  const identity = said && !said.stored.isEncoded ? found : withoutFormat(found)
  const token = call.caller.name
  const words = said?.words === undefined ? undefined : clean(said.words)
  // A conversation is known by what its program says, whatever of it was left out.
  const { session, last, kept } = await sessions.sessionOf({
    identity,
    token,
    provider: call.provider,
    body: said?.account && call.id,
    words,
  })
  const model = `${call.provider}/${identity.model ?? call.lost?.model ?? 'unknown'}`
  const names = { said: call.id, left: call.cut?.body ? cutName(call.id) : call.id }
  const sealed = left?.account
  const before = identity.kind === 'embedding' ? undefined : (kept ?? last)
  const reuse = before && sealed && (await sessions.compare(before, 'left', names.left))
  const earlier = (await turnsBeforeIn(parts, { call, identity, before, reuse })) || undefined
  const isRetry = last !== undefined && sealed !== undefined && repeats(last, identity, sealed.manifest.requestDigest)
  const facts: ForeignFacts = {
    client: identity.client.name,
    kind: identity.kind,
    ...defined({
      version: identity.client.version,
      session: identity.session,
      parent: identity.parent,
      turn: identity.turn,
      turnsBefore: earlier,
      conversation: identity.kept && 'conversation' in identity.kept ? identity.kept.conversation : undefined,
      cache: identity.cache,
      retryOf: isRetry ? last.record.id : undefined,
      trace: readTraceparent(call.head.headers['traceparent']),
      assembled: call.cut?.facts,
    }),
  }
  const known = parts.factsOf(model)
  const cache = await sessions.cacheOf({ identity, token, provider: call.provider })
  const whole = sealed && wholeAccount(sealed, { identity, kept, cache }, call.cut?.body ? 0 : (earlier ?? 0))
  const account = whole && (await accountFor(parts, { whole, last: before, reuse: reuse?.reuse, model, facts: known }))
  const manifest = account && withCut(account, call.cut ?? {}, known)
  const writer = contentWriter(parts, session)
  const { came = call, marks, body: cutBody } = call.cut ?? {}
  const { departure, lost } = call
  const input: ForeignInput = {
    foreign: {
      method: call.head.method,
      path: clean(call.head.path),
      ...defined({
        format: identity.format,
        marks: marks && (await writer.text(JSON.stringify(marks))),
        caller: cutBody && (await writer.body(storedAs(names.said, came, said), call.isDirty)),
      }),
      body: await (lost ? writer.lost(lost) : writer.body(storedAs(names.left, call, left), call.isDirty)),
    },
    counter: counter.id,
  }
  const record = {
    id: call.id,
    session,
    turn: identity.turn ?? turnName(said, before, earlier ?? 0) ?? call.id,
    time: call.time,
    model,
    ...defined({ token }),
    kind: 'foreign' as const,
    foreign: facts,
    input,
    // Its causes quote words, and its names are words of the body.
    manifest: manifest ? withoutSecrets(manifest, call.isDirty ? clean : undefined) : emptyManifest(counter, model),
    requestDigest: manifest?.requestDigest ?? '',
  }
  const begun = { record, wire: wireOf(call), manifest: whole?.manifest }
  const { outcome, writes = [] } = (await endOf(begun)) ?? {}
  // All at once: a call is on record exactly once, whenever its process ends.
  await writer.transaction([{ type: 'call', record }, ...(departure ? [departure.recorded()] : []), ...writes])
  await departure?.forget().catch(() => {})
  if (whole) sessions.note(session, { record, fingerprint: whole.fingerprint, ...names })
  return { ...begun, ...defined({ outcome }) }
}

function storedAs(
  name: string,
  { body, plain, head }: Pick<ForeignCallFacts, 'body' | 'plain' | 'head'>,
  analysed: ForeignCallFacts['said'],
): BodyToStore {
  return { name, body, plain, encoding: head.headers['content-encoding'], analysed }
}

function withoutFormat(identity: ForeignIdentity): ForeignIdentity {
  const { format: _format, ...others } = identity
  return others
}

function withoutSecrets(manifest: SealedManifest, clean: ((text: string) => string) | undefined): SealedManifest {
  return clean ? (JSON.parse(clean(JSON.stringify(manifest))) as SealedManifest) : manifest
}

function wireOf({ url, body, departure, lost }: ForeignCallFacts): CallOutcome['wire'] {
  if (url === undefined) return undefined
  return { sha256: departure?.sha256 ?? sha256(body), bytes: lost?.bytes ?? body.byteLength, url }
}

/** Whether a call says again what the last one said, in the same turn. `digest`: of its request. */
function repeats({ record }: EarlierCall, { turn }: ForeignIdentity, digest: string): boolean {
  if (record.foreign?.turn !== turn || !record.outcome) return false
  const hasAnswer = record.outcome.error === undefined && record.outcome.foreign?.end === 'whole'
  return !(hasAnswer && turn === undefined) && record.requestDigest === digest
}

/** How many turns of the conversation its body does not have: they were compacted, or the provider keeps them. */
async function turnsBeforeIn(
  { sessions }: RecordParts,
  { call: { id, said, cut }, identity, before, reuse }: TurnsQuestion,
): Promise<number> {
  const body = said?.account?.manifest
  if (!body || !before) return 0
  if (identity.kept) return turnsBefore(before.record, body, said.turn !== NO_TURN)
  // What a cut of ours left out, its program says all the same.
  const isWhole = !cut?.body && before.said === before.left
  const compared = isWhole ? reuse : await sessions.compare(before, 'said', id)
  const isCompacted = compared?.reuse.firstChange?.cause === 'compacted'
  return isCompacted
    ? turnsBefore(before.record, body, compared.hasNewWords)
    : (before.record.foreign?.turnsBefore ?? 0)
}

interface TurnsQuestion {
  readonly call: ForeignCallFacts
  readonly identity: ForeignIdentity
  readonly before: EarlierCall | undefined
  /** What left, against what left before. */
  readonly reuse: ComparedBodies | undefined
}

function turnName(
  said: ForeignCallFacts['said'],
  before: EarlierCall | undefined,
  earlier: number,
): string | undefined {
  if (said?.turn === NO_TURN && before) return before.record.turn
  return said?.turn && laterTurn(said.turn, earlier)
}

interface WholeAccount extends Sealed {
  /** Its entry in the account. */
  readonly kept?: ManifestEntry | undefined
  /** Turns of the conversation before those in the body. */
  readonly earlier: number
}

/** What a body says, with what the provider keeps of its conversation, and with the numbers that its turns have in that. */
function wholeAccount(
  sealed: Sealed,
  {
    identity: { kept: reference },
    kept: before,
    cache,
  }: {
    readonly identity: ForeignIdentity
    readonly kept: EarlierCall | undefined
    readonly cache: KeptCache | undefined
  },
  earlier: number,
): WholeAccount {
  const manifest = withTurnsBefore(sealed.manifest, earlier)
  const kept = reference && before ? keptEntry(reference, before.record, manifest) : cache && cacheEntry(cache)
  if (!kept) return { ...sealed, manifest, earlier }
  const fingerprint = withKeptPieces(sealed, kept, before)
  return { manifest: withKeptEntry(manifest, kept), fingerprint, kept, earlier }
}

interface AccountOptions {
  readonly whole: WholeAccount
  readonly last: EarlierCall | undefined
  /** Against what left before, by meaning. */
  readonly reuse: ForeignReuse | undefined
  readonly model: string
  readonly facts: ModelFacts | undefined
}

/** The account with what of it was sent before, by meaning, and what the call was expected to cost by what came before it. */
async function accountFor(
  { clock, context }: RecordParts,
  { whole, last, reuse: compared, model, facts }: AccountOptions,
): Promise<SealedManifest> {
  const { pieces: _, ...shown } = compared ?? { pieces: 0 }
  const { firstChange, ...same } = whole.kept
    ? keptReuse(compared, whole.kept, whole.manifest)
    : (shown as Omit<ForeignReuse, 'pieces'>)
  const change = firstChange && { ...firstChange, id: laterTurn(firstChange.id, whole.kept ? 0 : whole.earlier) }
  const reuse = compared || whole.kept ? { ...same, ...defined({ firstChange: change }) } : undefined
  const account = { ...withWindow(whole.manifest, facts), ...defined({ reuse }) }
  if (!facts) return account
  const before = last && {
    call: last.record.id,
    model: last.record.model,
    fingerprint: last.fingerprint,
    at: Date.parse(last.record.time),
    usage: last.record.outcome?.usage,
  }
  const state = { lastCall: before, reads: new Map(before ? [[before.model, before]] : []) }
  const of = { context, model: { id: model, facts }, clock, state }
  const place = { ...of, ownMarks: true as const, readFingerprint: async () => undefined }
  const { forecast } = await addForecast(place, whole)
  return { ...account, ...defined({ forecast }) }
}

/** What the model could have read, where that is known: its program says nothing of it. */
function withWindow(manifest: Sealed['manifest'], facts: ModelFacts | undefined): Sealed['manifest'] {
  if (!facts || facts.source === 'assumed' || facts.assumed?.includes('window')) return manifest
  const { window } = facts
  return window < manifest.used ? manifest : { ...manifest, budget: { ...manifest.budget, window, available: window } }
}

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

/** The account of what was sent with what a cut of ours left out of it and made smaller, and what the cut costs. */
function withCut(
  sent: SealedManifest,
  { account, isNew }: Pick<ForeignCutResult, 'account' | 'isNew'>,
  facts: ModelFacts | undefined,
): SealedManifest {
  if (!account) return sent
  const { budget, left, shortened, notes } = account
  const byCall = new Map(shortened.map((each) => [each.call, each]))
  const written = sent.entries.filter(({ layer }) => layer === 'note').length
  // Where all notes are one message, it is the newest of them.
  const ids = notes.slice(-Math.max(1, written))
  let note = 0
  const entries = sent.entries.map((entry): ManifestEntry => {
    if (entry.layer === 'note') return { ...entry, form: 'index', id: ids[note++] ?? entry.id }
    const shorter = isResultEntry(entry) ? byCall.get(entry.id.slice(entry.id.indexOf('/') + 1)) : undefined
    if (!shorter) return entry
    const { form, fullTokens, reason } = shorter
    return { ...entry, outcome: 'reduced', form, fullTokens, reason }
  })
  const place = entries.findIndex(({ layer, slot }) => layer === 'note' || slot === 'history' || slot === 'input')
  const at = place < 0 ? entries.length : place
  const manifest = {
    ...sent,
    budget: {
      window: budget.window,
      reserve: budget.reserve,
      margin: budget.margin ?? 0,
      available: available(budget),
    },
    entries: [...entries.slice(0, at), ...left, ...entries.slice(at)],
  }
  const sums = cutSums(manifest)
  if (!isNew || sums.turns === 0) return manifest
  const again = sent.reuse?.again ?? 0
  const price = facts?.price
  const money = price && againMoney(again, manifest.used, price)
  return { ...manifest, cutRecord: { why: 'full', ...sums, again, ...defined({ money }) } }
}
