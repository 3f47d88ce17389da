import type { AuditFacts, AuditRecord } from './audit.ts'
import { contentHash } from './content.ts'

/** What the first record holds as the hash before it. */
export const CHAIN_START = '0'.repeat(64)

/** The next link of the chain. */
export function auditRecordAfter(previous: string, number: number, time: string, facts: AuditFacts): AuditRecord {
  const record = { number, time, ...facts, previous }
  return { ...record, hash: chainHash(record) }
}

/**
 * SHA-256 of everything that a record says, in lowercase hexadecimal. The text it is taken over is the record without
 * its `hash`, as JSON without blanks, the keys in the order of their characters, in UTF-8. So anybody can compute it
 * again from an export.
 */
export function chainHash(record: Omit<AuditRecord, 'hash'>): string {
  const said = Object.entries(record).filter(([key]) => key !== 'hash')
  return contentHash(JSON.stringify(Object.fromEntries(said.toSorted(([one], [other]) => (one < other ? -1 : 1)))))
}
