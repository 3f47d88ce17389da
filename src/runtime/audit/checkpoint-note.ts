import { join } from 'node:path'
import { z } from 'zod'
import { ForewordError, writeFileAtomically } from '../../platform.ts'
import { type AuditCheckpoint, type AuditKey, isSignature, parseCheckpoint, type SessionStore } from '../../session.ts'
import { readText } from '../../tool.ts'
import { homeAt } from '../home/home.ts'

/** What each target is known to have: kept in `data`, so that a target that was cut off is missed. */
export interface CheckpointNote {
  readonly targets: Readonly<Record<string, TargetNote>>
  /** Of the key of the home, over the targets. */
  readonly signature?: string | undefined
}

export interface TargetNote {
  readonly written?: AuditCheckpoint | undefined
  /** Checkpoints that could not be written yet, oldest first. */
  readonly waiting: readonly AuditCheckpoint[]
  /** Why, and since when (ISO 8601). */
  readonly failure?: { readonly since: string; readonly message: string } | undefined
}

export function checkpointNoteFile(home: string): string {
  return join(homeAt(home).data, 'audit-checkpoints.json')
}

/** The note of a home; `undefined` without one. Throws ForewordError `file` where it cannot be read. */
export async function readCheckpointNote(home: string): Promise<CheckpointNote | undefined> {
  const path = checkpointNoteFile(home)
  const found = await readText(path)
  if (found.type === 'missing') return undefined
  if (found.type === 'unreadable') throw noteError(path, `cannot be read: ${found.why}`)
  try {
    return noteSchema.parse(JSON.parse(found.text))
  } catch (error) {
    throw noteError(path, 'was changed: it is not the note of the checkpoints any more', error)
  }
}

/** Signs and writes the note. The store has that there is one with a signature, so that one without is missed. */
export async function writeCheckpointNote(
  home: string,
  { targets }: Pick<CheckpointNote, 'targets'>,
  { key, store }: { readonly key: Pick<AuditKey, 'sign'>; readonly store: Pick<SessionStore, 'value' | 'putValue'> },
): Promise<CheckpointNote> {
  const note = { targets, signature: key.sign(statementOf(targets)) }
  await writeFileAtomically(checkpointNoteFile(home), `${JSON.stringify(note, undefined, 2)}\n`)
  if ((await store.value(NOTE_IS_SIGNED)) !== true) await store.putValue(NOTE_IS_SIGNED, true)
  return note
}

const NOTE_IS_SIGNED = 'audit.noteIsSigned'

/** What is wrong with the signature of a note, as a clause. Notes had none before the store says that they have. */
export async function noteFault(
  { targets, signature }: CheckpointNote,
  { publicKey }: Pick<AuditKey, 'publicKey'>,
  store: Pick<SessionStore, 'value'> | undefined,
): Promise<string | undefined> {
  if (signature !== undefined && isSignature(signature, statementOf(targets), publicKey)) return undefined
  if (signature !== undefined) return 'was changed: its signature does not match'
  return (await store?.value(NOTE_IS_SIGNED)) === true ? 'was changed: its signature is gone' : undefined
}

function statementOf(targets: CheckpointNote['targets']) {
  return { purpose: 'audit-checkpoints', targets }
}

const checkpoint = z
  .unknown()
  .transform((value) => parseCheckpoint(JSON.stringify(value) ?? ''))
  .refine((value) => value !== undefined)

const noteSchema: z.ZodType<CheckpointNote> = z.object({
  targets: z.record(
    z.string(),
    z.object({
      written: checkpoint.optional(),
      waiting: z.array(checkpoint),
      failure: z.object({ since: z.string(), message: z.string() }).optional(),
    }),
  ),
  signature: z.string().optional(),
})

function noteError(path: string, why: string, cause?: unknown): ForewordError {
  const hint = 'Restore the file from a backup, or move it aside: the next start writes another one and records that.'
  return new ForewordError('file', `The file ${path} ${why}.`, { path }, { hint, cause })
}
