import { countedText } from '../../context.ts'
import { existsSync } from 'node:fs'
import { copyFile, cp, mkdir, rm } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { type Clock, defined, errorMessage, isWithin } from '../../platform.ts'
import {
  type AuditCheckpoint,
  type AuditKey,
  type ChainPosition,
  parseCheckpoint,
  openStore,
  readArchivedPosition,
  signArchived,
  type SessionStore,
  storePath,
} from '../../session.ts'
import { type LoadOptions, loadConfiguration } from '../configuration/load.ts'
import { homeAt } from '../home/home.ts'
import { auditKeyFile, makeAuditKey, readAuditKey } from './audit-key.ts'
import { readCheckpointNote, type TargetNote, writeCheckpointNote } from './checkpoint-note.ts'
import { ensureAuditId } from './checkpoint-service.ts'
import { type CheckpointTarget, checkpointTargets } from '../checkpoints/checkpoint-targets.ts'

interface RestoredAudit {
  readonly home: string
  /** Where its new content lies, whole and examined, before it is put in place. */
  readonly arriving: string
  readonly clock: Clock
  readonly findTargets: (home: string) => Promise<readonly CheckpointTarget[]>
  /** When the archive was written, ISO 8601. */
  readonly saved: string
  readonly time: string
}

export async function homeCheckpointTargets(
  options: Pick<LoadOptions, 'home' | 'environment' | 'capabilities'>,
): Promise<readonly CheckpointTarget[]> {
  const { configuration } = await loadConfiguration(options)
  return checkpointTargets(configuration.audit.checkpoints, options)
}

/**
 * A restore is the one way in which an audit goes back by right, so it is recorded: in the restored chain, and in a signed
 * checkpoint that sets aside those before it. The home keeps its key and its checkpoint files; what it had none of comes
 * from the archive. Everything is written to what arrives, so a crash leaves either the old audit or the new one.
 */
export async function recordRestore(restore: RestoredAudit): Promise<void> {
  const { home, arriving, clock, findTargets, saved, time } = restore
  const folder = homeAt(arriving).data
  const former = await formerAudit(restore)
  if (!existsSync(storePath(folder)) && former.newest === undefined) return
  await mkdir(folder, { recursive: true, mode: 0o700 })
  if (former.key) await copyFile(auditKeyFile(home), auditKeyFile(arriving))
  // A damaged key in an archive is no reason to keep the archive from coming back.
  const key = (await readAuditKey(arriving).catch(() => undefined)) ?? (await makeAuditKey(arriving))
  const store = await openStore({ path: storePath(folder), clock })
  try {
    await signArchivedAgain(store, key)
    const checkpoint = await recordIn(store, { key, saved, time, before: former.newest })
    const targets: Record<string, TargetNote> = {}
    for (const target of await findTargets(arriving)) {
      targets[target.name] = await noteFor(target, checkpoint, { home, arriving, clock })
    }
    await writeCheckpointNote(arriving, { targets }, { key, store })
  } finally {
    await store.close()
  }
}

/** What is known of the audit that is replaced. Damage of it is often the reason for a restore. */
async function formerAudit({ home, clock, findTargets }: RestoredAudit): Promise<{
  readonly key: AuditKey | undefined
  readonly newest: ChainPosition | undefined
}> {
  const key = await readAuditKey(home).catch(() => undefined)
  const note = await readCheckpointNote(home).catch(() => undefined)
  const known: (ChainPosition | undefined)[] = Object.values(note?.targets ?? {}).map(({ written }) => written)
  for (const target of await findTargets(home)) {
    const lines = (await target.read?.().catch(() => [])) ?? []
    known.push(parseCheckpoint(lines.at(-1) ?? ''))
  }
  known.push(await storedHead(home, clock).catch(() => undefined))
  const newest = known
    .filter((each) => each !== undefined)
    .toSorted((one, other) => one.number - other.number)
    .at(-1)
  return { key, newest: newest && { number: newest.number, hash: newest.hash } }
}

async function storedHead(home: string, clock: Clock): Promise<ChainPosition | undefined> {
  const path = storePath(homeAt(home).data)
  if (!existsSync(path)) return undefined
  const store = await openStore({ path, clock, readOnly: true })
  try {
    return await store.auditHead()
  } finally {
    await store.close()
  }
}

async function recordIn(
  store: SessionStore,
  about: Pick<RestoredAudit, 'saved' | 'time'> & { readonly key: AuditKey; readonly before: ChainPosition | undefined },
): Promise<AuditCheckpoint> {
  const { key, saved, time, before } = about
  const had = before ? ` The audit had ${countedText(before.number, 'record')} before.` : ''
  const reason = `Restored a backup of ${saved}.${had}`
  await store.transaction([{ type: 'audit', facts: { kind: 'change', rule: 'restore', reason }, time }])
  const audit = await ensureAuditId(store, store.clock)
  const head = (await store.auditHead())!
  return key.signCheckpoint({ audit, ...head, time, restore: { saved, ...defined({ before }) } })
}

/** A file in the home goes on as it was; other targets receive the checkpoint at the next start. */
async function noteFor(
  target: CheckpointTarget,
  checkpoint: AuditCheckpoint,
  { home, arriving, clock }: Pick<RestoredAudit, 'home' | 'arriving' | 'clock'>,
): Promise<TargetNote> {
  if (target.path === undefined || !isWithin(resolve(arriving), resolve(target.path))) return { waiting: [checkpoint] }
  const current = join(home, relative(arriving, target.path))
  if (existsSync(current)) {
    await rm(target.path, { recursive: true, force: true })
    await mkdir(dirname(target.path), { recursive: true, mode: 0o700 })
    await cp(current, target.path, { recursive: true, preserveTimestamps: true })
  }
  try {
    await target.append(JSON.stringify(checkpoint), new AbortController().signal, clock)
    return { written: checkpoint, waiting: [] }
  } catch (error) {
    return { waiting: [checkpoint], failure: { since: checkpoint.time, message: errorMessage(error) } }
  }
}

/** After a restore over a home with another key: what was archived is signed by that one. */
async function signArchivedAgain(store: SessionStore, key: AuditKey): Promise<void> {
  const archived = await readArchivedPosition(store)
  if (archived) await store.transaction([{ type: 'audit-archived', archived: signArchived(key, archived) }])
}
