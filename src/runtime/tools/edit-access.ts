import { RuntimeError } from '../../capability.ts'
import { errorMessage, sha256, defined } from '../../platform.ts'
import type { AuditFacts, RecordStore, Write } from '../../session.ts'
import { isWider, narrowAccess, readAccess, type AccessRead } from '../../tool.ts'
import { editFile, type FileEdit } from '../home/edit-file.ts'
import { fileVersionWrites } from '../home/file-versions.ts'
import { accessFilePath } from '../home/home.ts'

/** A change of `tool-access.json` that was made. */
export interface EditedAccess {
  /** The file of the policy, absolute. */
  readonly file: string
  /** `false` where it already had this content. */
  readonly isChanged: boolean
  readonly before: string
  readonly after: string
}

/** The name under which the contents of the file are kept. */
export const ACCESS_FILE = 'tool-access.json'

/**
 * Writes `tool-access.json` atomically, and only what the reader of the policy can read again. `record` is called before the
 * new content counts: where it rejects, nothing is changed, so no change is without its record.
 *
 * @throws RuntimeError `invalid-input` for what it cannot read; FileEditError; and what `change` throws
 */
export async function editAccess(
  { home, clock }: Pick<FileEdit, 'home' | 'clock'>,
  change: (text: string) => string,
  record?: (edited: Pick<EditedAccess, 'before' | 'after'>) => Promise<void>,
): Promise<EditedAccess> {
  const file = await accessFilePath(home)
  let before = ''
  let after = ''
  const isChanged = await editFile({
    home,
    clock,
    path: file,
    change(text) {
      before = text
      after = change(text)
      return after
    },
    async check(text) {
      const read = readAccess(text, {})
      if (read.type === 'faulty') {
        const { problems } = read
        const message = `The file would not be valid: ${problems.join('; ')}.`
        const hint = 'Correct the line that is named. Nothing was written.'
        throw new RuntimeError('invalid-input', message, { problems }, { hint })
      }
      await record?.({ before, after })
    },
  })
  return { file, isChanged, before, after }
}

/**
 * What is kept of a change by a person: the content before and after, what is accepted with it, and a record in the audit for
 * each of `facts`. Where a change by other means waits, nothing wider is accepted with it.
 *
 * @throws RuntimeError `changed` where the change is wider than a file that waits itself
 */
export async function accessWrites(
  store: Pick<RecordStore, 'record'>,
  { before, after }: Pick<EditedAccess, 'before' | 'after'>,
  facts: readonly AuditFacts[],
  time: string,
): Promise<readonly Write[]> {
  return [
    ...(await fileVersionWrites(store, { file: ACCESS_FILE, before, after, time })),
    ...(await acceptedWith(store, { before, after }, time)),
    ...facts.map((each): Write => ({ type: 'audit', facts: { ...each, digest: sha256(after) }, time })),
  ]
}

async function acceptedWith(
  store: Pick<RecordStore, 'record'>,
  { before, after }: Pick<EditedAccess, 'before' | 'after'>,
  time: string,
): Promise<readonly Write[]> {
  const accepted = await readAccepted(store)
  const file = readAccess(before, {})
  const waits =
    accepted !== undefined &&
    !isAccepted(accepted, before) &&
    isWider(narrowAccess(acceptedAccess(accepted), file), file)
  if (!waits) return [acceptedWrite({ text: after }, time)]
  if (!isWider(file, readAccess(after, {}))) return []
  const message = 'The file tool-access.json has a change that waits until you accept it. Nothing was written.'
  const hint =
    'Show what waits with `foreword accept`. Accept it, or take it back in the file. Then make the change again.'
  throw new RuntimeError('changed', message, {}, { hint })
}

/** The error of an edit in the words of the runtime. */
export function accessFailure(error: unknown): unknown {
  if (error instanceof RuntimeError) return error
  const hint = 'Correct the file, or put back an earlier content.'
  return new RuntimeError('invalid-input', errorMessage(error), {}, { hint, cause: error })
}

const KIND = 'accepted-policy'
const ID = 'tool-access.json'

/** What a person has accepted of `tool-access.json`. */
export interface AcceptedPolicy {
  readonly text: string
  /** Where the file has forbidden more since then: the policy that remains, as a text of the same form. */
  readonly narrowed?: string
  /** SHA-256 of the text of the file that is in the audit as waiting. */
  readonly waiting?: string
  /** What could run without a sandbox when the file was changed by other means: then what is wider waits until a person accepts. */
  readonly unconfined?: string
}

/** Rejects where the store cannot be read. `undefined`: nothing was accepted ever. What is no record accepts nothing. */
export async function readAccepted(store: Pick<RecordStore, 'record'>): Promise<AcceptedPolicy | undefined> {
  const record = await store.record(KIND, ID)
  if (!record) return undefined
  const { text, narrowed, waiting, unconfined } = (record.value ?? {}) as Partial<AcceptedPolicy>
  const areTexts = [text, narrowed ?? '', waiting ?? '', unconfined ?? ''].every((each) => typeof each === 'string')
  return areTexts ? (record.value as AcceptedPolicy) : { text: '' }
}

/** `after`: the version that it is based on. */
export function acceptedWrite(value: AcceptedPolicy, time: string, after?: number): Write {
  return { type: 'record', change: { kind: KIND, id: ID, value, ...defined({ after }) }, time }
}

export function acceptedAccess({ text, narrowed }: AcceptedPolicy): AccessRead {
  return readAccess(narrowed ?? text, {})
}

/** Whether a text of the file is exactly what was accepted. */
export function isAccepted({ text: accepted, narrowed }: AcceptedPolicy, text: string): boolean {
  return narrowed === undefined && accepted === text
}
