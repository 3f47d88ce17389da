import { defined, errorMessage } from '../../platform.ts'
import {
  type AuditKey,
  type AuditReport,
  type ChainPosition,
  type CheckpointEvidence,
  examineAudit,
  type ExamineOptions,
  readArchivedPosition,
  type SessionStore,
} from '../../session.ts'
import { type LoadOptions, loadConfiguration } from '../configuration/load.ts'
import { readAuditKey } from './audit-key.ts'
import {
  type CheckpointNote,
  checkpointNoteFile,
  noteFault,
  readCheckpointNote,
  type TargetNote,
} from './checkpoint-note.ts'
import { type CheckpointTarget, checkpointTargets } from '../checkpoints/checkpoint-targets.ts'

/** The value of a store with the id of its chain. A store that was emptied has another one. */
export const AUDIT_ID = 'audit.id'

/** The same without a gateway: the configuration of the home says where its checkpoints are. */
export async function verifyHomeAudit(
  options: Pick<LoadOptions, 'home' | 'environment' | 'capabilities'> &
    Pick<HomeAudit, 'store'> & { readonly expect?: ChainPosition | undefined },
): Promise<AuditReport> {
  const { home, environment, store, expect } = options
  const { configuration } = await loadConfiguration(options)
  const targets = checkpointTargets(configuration.audit.checkpoints, { home, environment })
  return examineHomeAudit({ home, targets, store, everyRecords: configuration.audit.checkpointRecords, expect })
}

interface HomeAudit {
  readonly home: string
  readonly targets: readonly CheckpointTarget[]
  /** `undefined` where the home has none. */
  readonly store: SessionStore | undefined
  /** A checkpoint is taken after so many records, at the latest. */
  readonly everyRecords: number
}

/** Verifies the audit of a home against every checkpoint of it that can be read. Changes nothing. */
export async function examineHomeAudit(
  audit: HomeAudit & { readonly expect?: ChainPosition | undefined },
): Promise<AuditReport> {
  return examineAudit(audit.store, { ...(await homeEvidence(audit)), expect: audit.expect })
}

/** Verifies the chain alone, where no checkpoints are taken. */
export async function examineStoredAudit(
  store: SessionStore,
  asked: Pick<ExamineOptions, 'expect'> = {},
): Promise<AuditReport> {
  return examineAudit(store, { ...asked, archived: await readArchivedPosition(store) })
}

/** How many lines of each target are read, from its end: all unless given. */
interface EvidenceOptions {
  readonly lines?: number
}

/** What the home and the targets say about the audit, for a comparison with the chain. */
export async function homeEvidence(
  { home, targets, store, everyRecords }: HomeAudit,
  { lines = Infinity }: EvidenceOptions = {},
): Promise<Omit<ExamineOptions, 'expect'>> {
  const audit = await store?.value(AUDIT_ID)
  const [kept, archived] = await Promise.all([readKept(home, store), store && readArchivedPosition(store)])
  const known = kept.note?.targets ?? {}
  const names = [...new Set([...targets.map(({ name }) => name), ...Object.keys(known)])]
  const evidence = await Promise.all(
    names.map((name) => readTarget(name, targets, Object.hasOwn(known, name) ? known[name] : undefined, lines)),
  )
  const { key, fault } = kept
  return {
    ...(typeof audit === 'string' ? { audit } : {}),
    ...defined({ key, fault, archived }),
    evidence,
    everyRecords,
  }
}

interface KeptAudit {
  readonly key?: AuditKey | undefined
  readonly note?: CheckpointNote | undefined
  readonly fault?: string
}

/** The key is made after the note: a key without one means that the note was removed. */
async function readKept(home: string, store: SessionStore | undefined): Promise<KeptAudit> {
  try {
    const key = await readAuditKey(home)
    try {
      const note = await readCheckpointNote(home)
      const fault = key && (note ? await noteFault(note, key, store) : 'is gone')
      if (!fault) return { key, note }
      return { key, note, fault: `the note of the checkpoints, ${checkpointNoteFile(home)}, ${fault}` }
    } catch (error) {
      return { key, fault: sentence(error) }
    }
  } catch (error) {
    return { fault: sentence(error) }
  }
}

function sentence(error: unknown): string {
  return errorMessage(error).replace(/\.$/, '')
}

async function readTarget(
  name: string,
  targets: readonly CheckpointTarget[],
  { written, waiting = [], failure }: Partial<TargetNote> = {},
  most: number,
): Promise<CheckpointEvidence> {
  const noted = { target: name, written, waiting, failure }
  try {
    const all = await targets.find((each) => each.name === name)?.read?.()
    if (all === undefined) return noted
    const lines = all.slice(-most)
    return { ...noted, lines, firstLine: all.length - lines.length + 1 }
  } catch (error) {
    return { ...noted, failure: { since: failure?.since, message: `it cannot be read: ${errorMessage(error)}` } }
  }
}
