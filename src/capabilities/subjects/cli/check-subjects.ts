import { ok, warning } from '../../../cli.ts'
import type { CheckContext, Finding } from '../../../capability.ts'
import type { SubjectList } from './find-subject.ts'

/** How many subjects there are, and how many proposals wait. Nothing where there is neither. */
export async function checkSubjects({ get }: CheckContext<unknown>): Promise<readonly Finding[]> {
  const listed = await get<SubjectList>('/api/subjects')
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
