import { RuntimeError } from '../../capability.ts'
import { errorMessage, sha256 } from '../../platform.ts'
import type { AuditFacts, RecordStore, Write } from '../../session.ts'
import { isWider, narrowAccess, readAccess } from '../../tool.ts'
import { editFile, type FileEdit } from '../home/edit-file.ts'
import { fileVersionWrites } from '../home/file-versions.ts'
import { accessFilePath } from '../home/home.ts'
import { acceptedAccess, acceptedWrite, isAccepted, readAccepted } from './accepted-policy.ts'

export interface EditedAccess {
  readonly file: string
  readonly isChanged: boolean
  readonly before: string
  readonly after: string
}

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
      const mark = text.startsWith('\uFEFF') ? '\uFEFF' : ''
      before = text.slice(mark.length)
      after = change(before)
      return mark + after
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

export function accessFailure(error: unknown): unknown {
  if (error instanceof RuntimeError) return error
  const hint = 'Correct the file, or put back an earlier content.'
  return new RuntimeError('invalid-input', errorMessage(error), {}, { hint, cause: error })
}
