import { parseJson } from '../../platform.ts'
import { type AuditFacts, type AuditOptions, type AuditRecord, nextAuditRecord, CHAIN_START } from '../audit.ts'
import { ARCHIVED, type AuditPosition } from '../audit-archive.ts'
import type { ChainPosition } from '../audit-checkpoint.ts'
import { columnsOf } from './stored-tables.ts'
import { StoreError } from '../store-error.ts'
import { all, get, insertInto, type Query, run, type Sql, statement, where } from './sql.ts'
import { putValue, readValue } from './value-table.ts'

const COLUMNS = columnsOf('audit')
const HEAD = 'audit.head'
/** SQLite gives an error for a larger number. Foreword never writes one. */
const LARGEST = Number.MAX_SAFE_INTEGER

/**
 * Writes the next record. It follows the stored head and not the last row of the table, so that a row that somebody removed,
 * added or changed remains a visible break of the chain.
 */
export function* putAudit(facts: AuditFacts, time: string): Sql<void> {
  const head = yield* readAuditHead()
  const [newest] = yield* all(newestRow, {})
  const number = Math.max(head?.number ?? 0, newest?.number ?? 0) + 1
  const record = nextAuditRecord(head?.hash ?? newest?.hash ?? CHAIN_START, number, time, facts)
  const { previous, hash } = record
  yield* run(
    insertRecord,
    {
      number,
      time,
      ...filterColumns(facts),
      record: JSON.stringify({ ...facts, previous }),
      hash,
    },
    'unread',
  )
  yield* putValue(HEAD, { number, hash })
}

/** See `audit-archived`. */
export function* removeArchived(archived: AuditPosition): Sql<void> {
  const { number, hash } = archived
  const before = (yield* readValue(ARCHIVED)) as ChainPosition | undefined
  const isKnown = [before, yield* get(oneRow, { number })].some((each) => each?.number === number && each.hash === hash)
  if (!isKnown || number >= ((yield* readAuditHead())?.number ?? 0))
    throw new StoreError('conflict', `the audit has no record ${number} with that hash and another one after it`)
  yield* run(removeUpTo, { number })
  yield* putValue(ARCHIVED, archived)
}

/** `undefined` where there is no head, or its value is invalid. */
export function* readAuditHead(): Sql<ChainPosition | undefined> {
  try {
    const head = (yield* readValue(HEAD)) as Partial<AuditRecord> | null | undefined
    const { number, hash } = head ?? {}
    return Number.isSafeInteger(number) && typeof hash === 'string' ? { number: number!, hash } : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

export function* readAuditRecords(options: AuditOptions = {}): Sql<readonly AuditRecord[]> {
  const { since, until, after = 0, before, last, limit = LARGEST } = options
  const { session, turn, tool, decision } = filterColumns(options)
  // The records since a time are found by it: in the order of their numbers all those before would be passed.
  const number = since === undefined ? 'number' : '+number'
  const { where: conditions, values } = where({
    [`${number} > ?`]: after,
    [`${number} <= ?`]: LARGEST,
    'session = ?': session ?? undefined,
    'turn = ?': turn ?? undefined,
    // An index of PostgreSQL has the beginning alone.
    'tool = ? and substr(tool, 1, 100) = substr(cast(? as text), 1, 100)': tool == null ? undefined : [tool, tool],
    'decision = ?': decision ?? undefined,
    'time >= ?': since,
    'time < ?': until,
    'number < ?': before,
  })
  const sql = `select ${COLUMNS} from audit ${conditions} order by ${number} ${last === undefined ? '' : 'desc'} limit ?`
  const query: Query<AuditRow> = { sql }
  const found = (yield* all(query, [...values, last ?? limit])).map(toAuditRecord)
  return last === undefined ? found : found.toReversed()
}

const oneRow = statement<{ number: number }, ChainPosition>('select number, hash from audit where number = :number')
const removeUpTo = statement<{ number: number }>('delete from audit where number <= :number')
const newestRow = statement<object, ChainPosition>(
  `select number, hash from audit where number <= ${LARGEST} order by number desc limit 1`,
)
const insertRecord = statement<Record<keyof AuditRow, string | number | null>>(
  insertInto('audit', ['number', 'time', 'session', 'turn', 'tool', 'decision', 'record', 'hash']),
)

/** One row as it is read: anyone who can write the file may have written anything into it. */
interface AuditRow extends Readonly<Record<(typeof FILTER_COLUMNS)[number] | 'time' | 'record' | 'hash', unknown>> {
  readonly number: number
}

type FilterColumns = Pick<AuditFacts, (typeof FILTER_COLUMNS)[number]>

const FILTER_COLUMNS = ['session', 'turn', 'tool', 'decision'] as const

/** The values of the columns for filters. A model may use a tool name that a column cannot store. */
function filterColumns(facts: Partial<FilterColumns>) {
  const { session, turn, tool, decision } = facts
  return { session: column(session), turn: column(turn), tool: column(tool), decision: column(decision) }
}

function column(text: string | null | undefined): string | null {
  return text?.toWellFormed().replaceAll('\0', '\ufffd') ?? null
}

/** A row that is not a valid record becomes `damaged`, with what is known of it. */
function toAuditRecord(row: AuditRow): AuditRecord {
  const { number, time, hash } = row
  const stored = typeof row.record === 'string' ? parseJson(row.record) : undefined
  if (typeof time !== 'string' || typeof hash !== 'string' || !isStoredFacts(stored) || !agrees(row, stored))
    return { number: row.number, time: asText(row.time), kind: 'damaged', previous: '', hash: asText(row.hash) }
  const { previous, ...facts } = stored
  return Object.assign({ number, time }, facts, { number, time, previous, hash })
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** Without this check a changed column would hide a record from filters unnoticed. */
function agrees(row: AuditRow, facts: StoredFacts): boolean {
  const expected = filterColumns(facts)
  return FILTER_COLUMNS.every((name) => row[name] === expected[name])
}

interface StoredFacts extends AuditFacts {
  readonly previous: string
}

const KINDS: readonly unknown[] = ['decision', 'call', 'change'] satisfies AuditFacts['kind'][]
const TEXTS = [
  ...FILTER_COLUMNS,
  'toolCallId',
  'call',
  'request',
  'input',
  'command',
  'folder',
  'digest',
  'grant',
  'rule',
  'by',
  'reason',
]
const NUMBERS = ['exitCode', 'durationMs', 'bytes']
const FLAGS = ['ok', 'truncated']

function isStoredFacts(value: unknown): value is StoredFacts {
  if (typeof value !== 'object' || value === null) return false
  const { kind, previous, argv, read, ...rest } = value as Record<string, unknown>
  const areAll = (names: readonly string[], type: string) =>
    names.every((name) => rest[name] === undefined || rest[name] === null || typeof rest[name] === type)
  return (
    KINDS.includes(kind) &&
    typeof previous === 'string' &&
    [argv, read].every(
      (words) => words === undefined || (Array.isArray(words) && words.every((each) => typeof each === 'string')),
    ) &&
    areAll(TEXTS, 'string') &&
    areAll(NUMBERS, 'number') &&
    areAll(FLAGS, 'boolean')
  )
}
