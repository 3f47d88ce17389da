import { connected, ok, warning } from '../../../cli.ts'
import type { Finding, Io } from '../../../capability.ts'
import { fetchSubjects } from './find-subject.ts'

/** How many subjects there are, and how many proposals wait. Nothing where there is neither. */
export async function checkSubjects(home: string, hasStore: boolean, io: Io): Promise<readonly Finding[]> {
  if (io.connect === undefined && !hasStore) return []
  // A gateway that cannot be asked is what the check of the tools tells of.
  const listed = await connected(home, io, 'read', fetchSubjects).catch(() => undefined)
  if (!listed) return []
  const { subjects, waiting } = listed
  if (waiting > 0) {
    const wait = waiting === 1 ? '1 proposal waits' : `${waiting} proposals wait`
    return [
      warning('subjects', `${wait} for you`, '`foreword subjects proposals` shows what a model would like to write.'),
    ]
  }
  return subjects.length === 0 ? [] : [ok('subjects', `${subjects.length}`)]
}
