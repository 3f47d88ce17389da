import { parseJson } from '../platform.ts'
import { type AuditRecord, type AuditVerdict, brokenVerdict, findBreak } from './audit.ts'
import { type AuditKey, type ChainPosition, isPosition, isSignature } from './audit-checkpoint.ts'

/** The last record that was archived, signed: the audit in the store goes on after it, and its hash proves what is in the archive. */
export interface AuditPosition extends ChainPosition {
  /** Id of the chain. */
  readonly audit: string
  /** When it was archived, ISO 8601, UTC. */
  readonly time: string
  /** Ed25519, in base64. No checkpoint has this signature, so that nobody takes an old one for it. */
  readonly signature: string
}

/** The value of a store that has it. */
export const ARCHIVED = 'audit.archived'

/** `undefined` where nothing was archived. What has another form is returned with a signature that does not match. */
export async function readArchivedPosition(store: {
  value(key: string): Promise<unknown>
}): Promise<AuditPosition | undefined> {
  const value = (await store.value(ARCHIVED)) ?? undefined
  if (value === undefined || isArchived(value)) return value
  return { number: 0, hash: '', audit: '', time: '', signature: '' }
}

export function signArchived(
  key: Pick<AuditKey, 'sign'>,
  { number, hash, audit, time }: Omit<AuditPosition, 'signature'>,
): AuditPosition {
  const content = { number, hash, audit, time }
  return { ...content, signature: key.sign(statementOf(content)) }
}

/** Whether the key of this home signed it. */
export function isArchivedBy({ publicKey }: Pick<AuditKey, 'publicKey'>, archived: AuditPosition): boolean {
  const { signature, ...content } = archived
  return isSignature(signature, statementOf(content), publicKey)
}

/** Verifies an archive: records as JSON Lines that follow each other, and behind them the last of them, signed by this key. */
export async function verifyAuditArchive(
  lines: AsyncIterable<string>,
  key: Pick<AuditKey, 'publicKey'>,
): Promise<AuditVerdict & { readonly archived?: AuditPosition }> {
  let records = 0
  let last: ChainPosition = { number: 0, hash: '' }
  let archived: AuditPosition | undefined
  for await (const line of lines) {
    const value = parseJson(line)
    const isEnd = isArchived(value) && !('previous' in value)
    if (archived || (!isEnd && !isPosition(value))) return brokenVerdict(last.number + 1, 'a line is no record')
    if (isEnd) {
      archived = value
      continue
    }
    const record = value as AuditRecord
    if (records === 0) last = { number: record.number - 1, hash: record.previous }
    const verdict = findBreak(last, record)
    if (verdict) return verdict
    last = record
    records += 1
  }
  if (!archived) return brokenVerdict(last.number + 1, 'its end is missing')
  if (archived.number !== last.number || archived.hash !== last.hash)
    return brokenVerdict(last.number, 'its last record is not the one that was archived last')
  if (!isArchivedBy(key, archived)) return brokenVerdict(last.number, 'it is not signed with the key of this home')
  return { type: 'whole', records, archived }
}

function statementOf(content: Omit<AuditPosition, 'signature'>) {
  return { purpose: 'audit-archive', ...content }
}

function isArchived(value: unknown): value is AuditPosition {
  if (!isPosition(value)) return false
  const fields = value as Partial<AuditPosition>
  return [fields.audit, fields.time, fields.signature].every((text) => typeof text === 'string')
}
