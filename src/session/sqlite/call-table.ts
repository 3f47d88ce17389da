import type { CallOutcome, CallRecord, CallsOptions } from '../call.ts'
import type { CallSum } from '../call-sums.ts'
import { StoreError } from '../store-error.ts'
import type { StoreConnection } from './connection.ts'
import { putHeldContent, readContent } from './content-table.ts'
import { type CallSumColumns, callSumColumns, finishCallSum, putCallSum } from './sum-table.ts'
import { ofWholeSession } from './session-parts.ts'
import { idRange, statement } from './statement.ts'
import type { Manifest, ManifestEntry } from '../../context.ts'
import { contentHash, rowDigest } from '../content.ts'
import { type CallBase, type CallDifference, readDifference, writeCall } from './call-difference.ts'

/** What is written of a call. Made before the transaction, which blocks other writes. */
export interface SerializedCall {
  readonly row: Row & {
    readonly id: string
    readonly session: string | null
    readonly digest: string
    readonly outcomeDigest: string | null
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
    },
    sum: callSumColumns(call),
  }
}

export function putCall(connection: StoreConnection, { row, sum, contents }: SerializedCall): void {
  const holds = row.session === null ? [] : [row.session]
  for (const { text, hash } of contents) putHeldContent(connection, text, hash, holds, true)
  const [inserted] = connection.tuples(insertCall, row)
  if (!inserted) throw new StoreError('conflict', `There is a call ${row.id} already.`)
  putCallSum(connection, inserted[0], sum)
}

export function finishCall(connection: StoreConnection, id: string, outcome: CallOutcome): void {
  const ended = JSON.stringify(outcome)
  const [changed] = connection.tuples(setOutcome, { id, outcome: ended, digest: rowDigest(id, ended) })
  if (!changed) throw new StoreError('not-found', `there is no call ${id} to finish: put it first`)
  finishCallSum(connection, changed[0], outcome)
}

export function readCall(connection: StoreConnection, id: string): CallRecord | undefined {
  const row = connection.get(oneCall, { id })
  return row && recordReader(connection)(row)
}

/** Calls of a session in the order in which they were made. */
export function readCalls(
  connection: StoreConnection,
  session: string,
  options: CallsOptions = {},
): readonly CallRecord[] {
  const { last, before, after, limit = Number.MAX_SAFE_INTEGER } = options
  if (last !== undefined) {
    const end = before === undefined ? Number.MAX_SAFE_INTEGER : callPosition(connection, before)
    return connection.all(newestCalls, { session, end, limit: last }).toReversed().map(recordReader(connection))
  }
  const number = after === undefined ? 0 : callPosition(connection, after)
  return connection.all(callsAfter, { session, number, limit }).map(recordReader(connection))
}

/** Newest first; with `beginning`, those whose id begins with it, by id. */
export function findCalls(
  connection: StoreConnection,
  { limit, beginning }: { readonly limit: number; readonly beginning?: string | undefined },
): readonly CallRecord[] {
  if (beginning === undefined) {
    return connection.all(newestOfAll, { limit }).toReversed().map(recordReader(connection)).toReversed()
  }
  return connection.all(callsBeginning, { ...idRange(beginning), limit }).map(recordReader(connection))
}

export function callsAnswered(connection: StoreConnection, id: string): readonly CallRecord[] {
  return connection.all(answeredCalls, { id }).map(recordReader(connection))
}

export function withIds(connection: StoreConnection, sums: readonly CallSum[]): readonly CallSum[] {
  return sums.map((sum) => {
    const row = connection.get(idOfNumber, { number: sum.number })
    return row ? { ...sum, id: row.id } : sum
  })
}

export function withRecords(connection: StoreConnection, sums: readonly CallSum[]): readonly CallSum[] {
  const read = recordReader(connection)
  return sums.map((sum) => {
    const row = connection.get(numberedCall, { number: sum.number })
    return row ? { ...sum, record: read(row) } : sum
  })
}

function callPosition(connection: StoreConnection, id: string): number {
  const row = connection.get(callNumber, { id })
  if (!row) throw new StoreError('not-found', `there is no call ${id} to continue from`)
  return row.number
}

interface Row {
  /** JSON, perhaps a difference to an earlier call. */
  readonly record: string
  /** JSON, once the call has ended. */
  readonly outcome: string | null
}

/** Reads the calls of one query: those that others are differences to are read once. */
function recordReader(connection: StoreConnection): (row: Row) => CallRecord {
  const known = new Map<string, CallRecord>()
  return ({ record, outcome }) => {
    const whole = recordOf(record)
    const read = whole.foreign
      ? { ...whole, manifest: joinEntries(whole.manifest, (hash) => readContent(connection, hash)) }
      : whole
    return outcome === null ? read : { ...read, outcome: JSON.parse(outcome) }
  }

  function recordOf(json: string): CallRecord {
    const written = JSON.parse(json) as CallRecord | CallDifference
    const record = 'base' in written ? readDifference(written, earlier(written.base)) : written
    known.set(record.id, record)
    return record
  }

  function earlier(id: string): CallRecord {
    const found = known.get(id)
    if (found) return found
    const row = connection.get(oneCall, { id })
    if (row) return recordOf(row.record)
    throw new StoreError('corrupt', `the call ${id}, which later calls refer to, is missing: restore a backup`)
  }
}

/** Gives no number where there is a call with this id. */
const insertCall = statement<SerializedCall['row'], readonly [number: number]>(
  `insert into calls (id, session, record, digest, outcome, outcome_digest)
    values (:id, :session, :record, :digest, :outcome, :outcomeDigest) on conflict (id) do nothing returning number`,
)
const setOutcome = statement<{ id: string; outcome: string; digest: string }, readonly [number: number]>(
  'update calls set outcome = :outcome, outcome_digest = :digest where id = :id returning number',
)
const callNumber = statement<{ id: string }, { number: number }>('select number from calls where id = :id')
const idOfNumber = statement<{ number: number }, { id: string }>('select id from calls where number = :number')

const stored = 'select record, outcome from calls'

const oneCall = statement<{ id: string }, Row>(`${stored} where id = :id`)
const numberedCall = statement<{ number: number }, Row>(`${stored} where number = :number`)
const newestCalls = statement<{ session: string; end: number; limit: number }, Row>(
  `${stored} where session = :session and number < :end order by number desc limit :limit`,
)
const newestOfAll = statement<{ limit: number }, Row>(
  `${stored} where ${ofWholeSession} order by number desc limit :limit`,
)
/** The expressions are those of the index `calls_answer`. */
const answeredCalls = statement<{ id: string }, Row>(
  `${stored} where outcome ->> '$.foreign.id' = :id and outcome ->> '$.foreign.id' is not null and ${ofWholeSession}
    order by number desc limit 20`,
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
function joinEntries(manifest: Manifest | GroupedManifest, read: (hash: string) => string | undefined): Manifest {
  if (!('entryGroups' in manifest)) return manifest
  const { entryGroups, ...rest } = manifest
  const entries = entryGroups.flatMap((reference) => {
    const text = read(reference.replace('sha256:', ''))
    return text === undefined ? [] : (JSON.parse(text) as readonly ManifestEntry[])
  })
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
