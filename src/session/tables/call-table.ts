import type { CallOutcome, CallRecord, CallsOptions } from '../call.ts'
import type { CallSum } from '../call-sums.ts'
import { StoreError } from '../store-error.ts'
import { all, allWith, forEach, get, idRange, run, type Sql, statement, tuples } from './sql.ts'
import { putHeldContent, readContent } from './content-table.ts'
import { type CallSumColumns, callSumColumns, finishCallSum, insertCallSum } from './sum-table.ts'
import { ofWholeSession } from './session-parts.ts'
import type { Manifest, ManifestEntry } from '../../context.ts'
import { contentHash, rowDigest } from '../content.ts'
import { defined } from '../../platform.ts'
import { type CallBase, type CallDifference, readDifference, writeCall } from './call-difference.ts'

/** What is written of a call. Made before the transaction, which blocks other writes. */
export interface SerializedCall {
  readonly row: Row & {
    readonly id: string
    readonly session: string | null
    readonly digest: string
    readonly outcomeDigest: string | null
    readonly answer: string | null
  }
  readonly sum: CallSumColumns
  readonly contents: readonly { readonly hash: string; readonly text: string }[]
  /** What the next call of the session may be a difference to, once this one is on the disk. */
  readonly base: CallBase | undefined
}

/**
 * Serializes a call for `putCall`, as a difference to `before` where that is shorter. The outcome has a column of its own, so that
 * finishing a call does not write its record again.
 */
export function serializeCall(call: CallRecord, before: CallBase | undefined): SerializedCall {
  const { outcome, ...record } = call
  const { id, session = null } = record
  const { manifest, contents } = record.foreign
    ? groupEntries(record.manifest)
    : { manifest: record.manifest, contents: [] }
  const alone = record.foreign !== undefined || session === null
  const { json: written, base } = alone
    ? { json: JSON.stringify({ ...record, manifest }), base: undefined }
    : writeCall(record, before)
  const ended = outcome === undefined ? null : JSON.stringify(outcome)
  return {
    contents,
    base,
    row: {
      id,
      session,
      record: written,
      digest: rowDigest(id, session, written),
      outcome: ended,
      outcomeDigest: ended && rowDigest(id, ended),
      answer: outcome?.foreign?.id ?? null,
    },
    sum: callSumColumns(call),
  }
}

export function* putCall({ row, sum, contents }: SerializedCall): Sql<void> {
  const holds = row.session === null ? [] : [row.session]
  for (const { text, hash } of contents) yield* putHeldContent(text, hash, holds, true)
  const [inserted] = yield* tuples(insertCall, row)
  if (!inserted) throw new StoreError('conflict', `There is a call ${row.id} already.`)
  yield* run(insertCallSum, { number: inserted[0], ...sum }, 'unread')
}

export function* finishCall(id: string, outcome: CallOutcome): Sql<void> {
  const ended = JSON.stringify(outcome)
  const [changed] = yield* tuples(setOutcome, {
    id,
    outcome: ended,
    digest: rowDigest(id, ended),
    answer: outcome.foreign?.id ?? null,
  })
  if (!changed) throw new StoreError('not-found', `there is no call ${id} to finish: put it first`)
  yield* finishCallSum(changed[0], outcome)
}

export function* readCall(id: string): Sql<CallRecord | undefined> {
  const row = yield* get(oneCall, { id })
  return row && (yield* toCall(new Map(), row))
}

export function* readCalls(session: string, options: CallsOptions = {}): Sql<readonly CallRecord[]> {
  const { last, before, after, limit = Number.MAX_SAFE_INTEGER } = options
  if (last !== undefined) {
    const end = before === undefined ? Number.MAX_SAFE_INTEGER : yield* callPosition(before)
    const newest = yield* all(newestCalls, { session, end, limit: last })
    return yield* toCalls(newest.toReversed())
  }
  const number = after === undefined ? 0 : yield* callPosition(after)
  return yield* toCalls(yield* all(callsAfter, { session, number, limit }))
}

/** Newest first; with `beginning`, those whose id begins with it, by id. */
export function* findCalls({
  limit,
  before,
  beginning,
}: {
  readonly limit: number
  readonly before?: string | undefined
  readonly beginning?: string | undefined
}): Sql<readonly CallRecord[]> {
  if (beginning === undefined) {
    const end = before === undefined ? Number.MAX_SAFE_INTEGER : yield* callPosition(before)
    const newest = yield* all(newestOfAll, { end, limit })
    return (yield* toCalls(newest.toReversed())).toReversed()
  }
  return yield* toCalls(yield* all(callsBeginning, { ...idRange(beginning), limit }))
}

export function* callsAnswered(id: string): Sql<readonly CallRecord[]> {
  return yield* toCalls(yield* all(answeredCalls, { id }))
}

export function* withIds(sums: readonly CallSum[]): Sql<readonly CallSum[]> {
  const rows = yield* allWith<{ readonly number: number; readonly id: string }>(
    (list) => `select number, id from calls where number in ${list}`,
    sums.map(({ number }) => number),
  )
  const ids = new Map(rows.map(({ number, id }) => [number, id]))
  return sums.map((sum) => ({ ...sum, ...defined({ id: ids.get(sum.number) }) }))
}

export function* withRecords(sums: readonly CallSum[]): Sql<readonly CallSum[]> {
  const known: KnownRecords = new Map()
  const rows = yield* allWith<Row & { readonly number: number }>(
    (list) => `select number, record, outcome from calls where number in ${list}`,
    sums.map(({ number }) => number),
  )
  const byNumber = new Map(rows.map((row) => [row.number, row]))
  return yield* forEach(sums, function* (sum) {
    const row = byNumber.get(sum.number)
    return row ? { ...sum, record: yield* toCall(known, row) } : sum
  })
}

function* callPosition(id: string): Sql<number> {
  const row = yield* get(callNumber, { id })
  if (!row) throw new StoreError('not-found', `there is no call ${id} to continue from`)
  return row.number
}

interface Row {
  /** JSON, perhaps a difference to an earlier call. */
  readonly record: string
  /** JSON, once the call has ended. */
  readonly outcome: string | null
}

/** The records that were read with one query: those that others are differences to are read once. */
type KnownRecords = Map<string, CallRecord>

function toCalls(rows: readonly Row[]): Sql<readonly CallRecord[]> {
  const known: KnownRecords = new Map()
  return forEach(rows, (row) => toCall(known, row))
}

function* toCall(known: KnownRecords, { record, outcome }: Row): Sql<CallRecord> {
  const whole = yield* recordOf(known, record)
  const read = whole.foreign ? { ...whole, manifest: yield* joinEntries(whole.manifest) } : whole
  return outcome === null ? read : { ...read, outcome: JSON.parse(outcome) }
}

function* recordOf(known: KnownRecords, json: string): Sql<CallRecord> {
  const written = JSON.parse(json) as CallRecord | CallDifference
  const record = 'base' in written ? readDifference(written, yield* earlierRecord(known, written.base)) : written
  known.set(record.id, record)
  return record
}

function* earlierRecord(known: KnownRecords, id: string): Sql<CallRecord> {
  const found = known.get(id)
  if (found) return found
  const row = yield* get(oneCall, { id })
  if (row) return yield* recordOf(known, row.record)
  throw new StoreError('corrupt', `the call ${id}, which later calls refer to, is missing: restore a backup`)
}

/** Gives no number where there is a call with this id. */
const insertCall = statement<SerializedCall['row'], readonly [number: number]>(
  `insert into calls (id, session, record, digest, outcome, outcome_digest)
    values (:id, :session, :record, :digest, :outcome, :outcomeDigest) on conflict (id) do nothing returning number`,
  `insert into calls (id, session, record, digest, outcome, outcome_digest, answer)
    values (:id, :session, :record, :digest, :outcome, :outcomeDigest, :answer) on conflict (id) do nothing returning number`,
)
const setOutcome = statement<
  { id: string; outcome: string; digest: string; answer: string | null },
  readonly [number: number]
>(
  'update calls set outcome = :outcome, outcome_digest = :digest where id = :id returning number',
  'update calls set outcome = :outcome, outcome_digest = :digest, answer = :answer where id = :id returning number',
)
const callNumber = statement<{ id: string }, { number: number }>('select number from calls where id = :id')

const stored = 'select record, outcome from calls'

const oneCall = statement<{ id: string }, Row>(`${stored} where id = :id`)
const newestCalls = statement<{ session: string; end: number; limit: number }, Row>(
  `${stored} where session = :session and number < :end order by number desc limit :limit`,
)
const newestOfAll = statement<{ end: number; limit: number }, Row>(
  `${stored} where number < :end and ${ofWholeSession} order by number desc limit :limit`,
)
/** The expressions are those of the index `calls_answer`. PostgreSQL has a column for them. */
const answeredCalls = statement<{ id: string }, Row>(
  `${stored} where outcome ->> '$.foreign.id' = :id and outcome ->> '$.foreign.id' is not null and ${ofWholeSession}
    order by number desc limit 20`,
  `${stored} where answer = :id and ${ofWholeSession} order by number desc limit 20`,
)
const callsBeginning = statement<ReturnType<typeof idRange> & { limit: number }, Row>(
  `${stored} where id >= :from and id < :below and ${ofWholeSession} order by id limit :limit`,
)
const callsAfter = statement<{ session: string; number: number; limit: number }, Row>(
  `${stored} where session = :session and number > :number order by number limit :limit`,
)

/** Entries of a manifest that are one content. */
const GROUP = 32

/**
 * A manifest whose entries are contents of their own. The calls of another program account for all that was said before, again and
 * again: groups that come back are stored once.
 */
interface GroupedManifest extends Omit<Manifest, 'entries'> {
  /** `sha256:HASH` of each group, in order. */
  readonly entryGroups: readonly string[]
}

function groupEntries({ entries, ...rest }: Manifest): {
  readonly manifest: GroupedManifest
  readonly contents: readonly { readonly hash: string; readonly text: string }[]
} {
  const contents: { readonly hash: string; readonly text: string }[] = []
  for (let at = 0; at < entries.length; at += GROUP) {
    const text = JSON.stringify(entries.slice(at, at + GROUP))
    contents.push({ hash: contentHash(text), text })
  }
  return { manifest: { ...rest, entryGroups: contents.map(({ hash }) => `sha256:${hash}`) }, contents }
}

/** Puts the entries back. What is gone with a session of the same words is left out. */
function* joinEntries(manifest: Manifest | GroupedManifest): Sql<Manifest> {
  if (!('entryGroups' in manifest)) return manifest
  const { entryGroups, ...rest } = manifest
  const entries: ManifestEntry[] = []
  for (const reference of entryGroups) {
    const text = yield* readContent(reference.replace('sha256:', ''))
    if (text !== undefined) entries.push(...(JSON.parse(text) as readonly ManifestEntry[]))
  }
  return { ...rest, entries }
}

/** Characters of accounts that are kept, of all sessions together. */
const MOST_CHARACTERS = 4_000_000

/** The newest call of each session that is on the disk: the next one is written as a difference to it. */
export function createNewestCalls() {
  const bySession = new Map<string, CallBase>()
  let characters = 0
  const forget = (session: string) => {
    characters -= bySession.get(session)?.characters ?? 0
    bySession.delete(session)
  }
  return {
    bySession,
    add({ row: { session }, base }: SerializedCall) {
      if (session === null || base === undefined) return
      if (bySession.has(session)) forget(session)
      bySession.set(session, base)
      characters += base.characters
      for (const oldest of characters > MOST_CHARACTERS ? bySession.keys() : []) {
        forget(oldest)
        if (characters <= MOST_CHARACTERS) break
      }
    },
    forget,
  }
}
