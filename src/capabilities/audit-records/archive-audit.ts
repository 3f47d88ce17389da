import type { AnyCapability } from '../../capability.ts'
import type { Environment } from '../../model.ts'
import { type Clock, ForewordError } from '../../platform.ts'
import { ensureAuditId, readAuditKey, verifyHomeAudit } from '../../runtime.ts'
import { type AuditPosition, auditLines, type AuditRecord, type SessionStore, signArchived } from '../../session.ts'

/**
 * Moves the oldest records out of the store: those before a time, as far as a checkpoint has proved them. `write` has them on
 * disk when it resolves; a process that ends before that has changed nothing. For the process that has claimed the home.
 *
 * @returns the last of them; `undefined` where there are none
 * @throws ForewordError where the audit is not whole, or the home has no key
 */
export async function archiveAudit(options: {
  readonly home: string
  readonly environment: Environment
  readonly capabilities: readonly AnyCapability[]
  readonly store: SessionStore
  readonly clock: Clock
  /** ISO 8601. */
  readonly before: string
  readonly file: string
  readonly write: (lines: AsyncIterable<string>) => Promise<void>
}): Promise<AuditPosition | undefined> {
  const { home, store, clock, before, file, write } = options
  const report = await verifyHomeAudit(options)
  if (report.type === 'broken') throw notWhole(`It is broken at record ${report.number}: ${report.why}.`)
  const key = await readAuditKey(home)
  const { newest } = report.checkpoints
  if (!key || !newest) throw notWhole('No checkpoint of it has been written yet.')
  const [last] = await store.audit({ until: before, before: newest.number + 1, last: 1 })
  if (!last) return undefined
  const time = clock.time()
  const archived = signArchived(key, { ...positionOf(last), audit: await ensureAuditId(store, clock), time })
  await write(archiveLines(store, archived))
  const facts = { kind: 'change', rule: 'audit.archive', by: 'cli', reason: reasonOf(archived, file) } as const
  await store.transaction([
    { type: 'audit', facts, time },
    { type: 'audit-archived', archived },
  ])
  return archived
}

function reasonOf({ number, hash }: AuditPosition, file: string): string {
  return `The records up to ${number}, with the hash ${hash}, were archived in ${file}.`
}

function positionOf({ number, hash }: AuditRecord) {
  return { number, hash }
}

async function* archiveLines(store: SessionStore, archived: AuditPosition): AsyncGenerator<string> {
  yield* auditLines(store, { before: archived.number + 1 })
  yield JSON.stringify(archived)
}

function notWhole(why: string): ForewordError {
  const hint = 'See `foreword audit verify`. Nothing was archived.'
  return new ForewordError(
    'conflict',
    `Only an audit that is whole and has a checkpoint can be archived. ${why}`,
    {},
    { hint },
  )
}
