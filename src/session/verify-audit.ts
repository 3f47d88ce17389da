import { setImmediate } from 'node:timers/promises'
import { chainHash, CHAIN_START } from './audit-chain.ts'
import type { AuditRecord, AuditVerdict } from './audit.ts'
import type { AuditStore } from './store/audit-store.ts'

/** Some milliseconds of work, after which others have their turn. */
const PAGE = 500

type Place = Pick<AuditRecord, 'number' | 'hash'>

/** Examines the whole chain, page by page, and names the first record that is not as it was written. */
export async function verifyAudit(store: AuditStore): Promise<AuditVerdict> {
  let last: Place = { number: 0, hash: CHAIN_START }
  for (;;) {
    const page = await store.audit({ after: last.number, limit: PAGE })
    for (const record of page) {
      const verdict = breakBetween(last, record)
      if (verdict) return verdict
      last = record
    }
    if (page.length === PAGE) {
      await setImmediate()
      continue
    }
    const head = await store.auditHead()
    // Written since the page was read: the next page has it, unless it was cut off.
    if (head && head.number > last.number && (await store.audit({ after: last.number, limit: 1 })).length > 0) continue
    return breakAtEnd(last, head) ?? { type: 'whole', records: last.number }
  }
}

function breakBetween(last: Place, record: AuditRecord): AuditVerdict | undefined {
  const { number } = record
  if (number !== last.number + 1) {
    const gap =
      number === last.number + 2 ? `record ${last.number + 1} is` : `records ${last.number + 1} to ${number - 1} are`
    return broken(last.number + 1, `${gap} missing: the one after record ${last.number} is record ${number}`)
  }
  if (record.kind === 'damaged') {
    return broken(number, `record ${number} was changed: what stands in its place is no record any more`)
  }
  const follows = record.previous === last.hash
  if (chainHash(record) === record.hash) return follows ? undefined : replaced(last, number)
  if (follows) return broken(number, `record ${number} was changed: what it says does not have its hash`)
  return broken(number, `record ${number} was moved here or replaced: it does not follow record ${last.number}`)
}

/** A record that agrees with itself still knows the hash that stood before it when it was written. */
function replaced(last: Place, number: number): AuditVerdict {
  if (last.number === 0) return broken(number, `record ${number} is not the one the audit began with`)
  return broken(last.number, `record ${last.number} was replaced: record ${number} was written after another one`)
}

function breakAtEnd(last: Place, head: Place | undefined): AuditVerdict | undefined {
  if (head === undefined) {
    if (last.number === 0) return undefined
    return broken(
      last.number,
      `which record is the newest was noted, and the note is gone: record ${last.number} may not be the end`,
    )
  }
  if (head.number > last.number) {
    return broken(
      last.number + 1,
      `the end is missing: record ${head.number} was the newest, and nothing follows record ${last.number}`,
    )
  }
  if (head.number < last.number) {
    return broken(
      head.number + 1,
      `record ${head.number + 1} was added by another hand: record ${head.number} was the newest`,
    )
  }
  if (head.hash !== last.hash)
    return broken(last.number, `record ${last.number} was replaced: another one was noted as the newest`)
  return undefined
}

function broken(number: number, why: string): AuditVerdict {
  return { type: 'broken', number, why }
}
