import { sql } from 'kysely'
import { chained, CHAIN_START } from '../audit-chain.ts'
import type { AuditFacts, AuditRecord } from '../audit.ts'
import type { AuditOptions } from '../store/audit-store.ts'
import { auditRecordOf, type AuditRow, repeated } from './audit-row.ts'
import type { Connection } from './connection.ts'
import { plan, type Slot } from './plan.ts'
import { type Tables, tables } from './tables.ts'
import { putValue, value } from './value-table.ts'

const HEAD = 'audit.head'
/** Beyond it a number comes out of SQLite as an error. Only a strange hand could have written one. */
const LARGEST = Number.MAX_SAFE_INTEGER

/**
 * Writes the next record. It follows what was noted as the head rather than what stands in the table: whatever was cut
 * off, added or written over there meanwhile stays a visible break of the chain.
 */
export function putAudit(connection: Connection, facts: AuditFacts, time: string): void {
  const head = auditHead(connection)
  const [newest] = connection.all(newestRow, { upTo: LARGEST })
  const number = Math.max(head?.number ?? 0, newest?.number ?? 0) + 1
  const record = chained(head?.hash ?? newest?.hash ?? CHAIN_START, number, time, facts)
  const { previous, hash } = record
  connection.run(insertRecord, {
    number,
    time,
    ...repeated(facts),
    record: JSON.stringify({ ...facts, previous }),
    hash,
  })
  putValue(connection, HEAD, { number, hash })
}

/** `undefined` when there is none, or what stands there was not written here. */
export function auditHead(connection: Connection): Pick<AuditRecord, 'number' | 'hash'> | undefined {
  try {
    const head = value(connection, HEAD) as Partial<AuditRecord> | null | undefined
    const { number, hash } = head ?? {}
    return Number.isSafeInteger(number) && typeof hash === 'string' ? { number: number!, hash } : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

export function auditRecords(connection: Connection, options: AuditOptions = {}): readonly AuditRecord[] {
  const { since, after = 0, last, limit } = options
  let query = rows.where('number', '>', after).where('number', '<=', LARGEST)
  for (const column of ['session', 'turn', 'tool', 'decision'] as const) {
    const wanted = repeated(options)[column]
    if (wanted !== null) query = query.where(column, '=', wanted)
  }
  if (since !== undefined) query = query.where('time', '>=', since)
  query = last === undefined ? query.orderBy('number') : query.orderBy('number', 'desc').limit(last)
  if (limit !== undefined && last === undefined) query = query.limit(limit)

  const found = connection.rows(query).map(auditRecordOf)
  return last === undefined ? found : found.toReversed()
}

const rows = tables.selectFrom('audit').selectAll().$castTo<AuditRow>()

const newestRow = plan((slot: Slot<{ upTo: number }>) =>
  tables
    .selectFrom('audit')
    .select(['number', 'hash'])
    .where('number', '<=', slot('upTo'))
    .orderBy('number', 'desc')
    .limit(sql.lit(1)),
)

const insertRecord = plan((slot: Slot<Tables['audit']>) =>
  tables.insertInto('audit').values({
    number: slot('number'),
    time: slot('time'),
    session: slot('session'),
    turn: slot('turn'),
    tool: slot('tool'),
    decision: slot('decision'),
    record: slot('record'),
    hash: slot('hash'),
  }),
)
