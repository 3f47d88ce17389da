import type { SubjectFacts } from '../core.ts'
import { ask, theOneNamed } from '../../../cli.ts'
import type { Connection } from '../../../capability.ts'

/** A subject as the gateway lists it. */
export type ListedSubject = SubjectFacts & {
  /** Proposals about its notes that wait for a person. */
  readonly waiting: number
}

export interface SubjectList {
  readonly subjects: readonly ListedSubject[]
  /** Proposals that wait for a person, those about tastes too. */
  readonly waiting: number
}

export async function fetchSubjects(connection: Connection): Promise<SubjectList> {
  return await ask<SubjectList>(connection, '/api/subjects')
}

/** The one whose id a word is, in any case, or begins. */
export async function findSubject(connection: Connection, word: string): Promise<ListedSubject> {
  const { subjects } = await fetchSubjects(connection)
  return theOneNamed(word, subjects, ({ id }) => ({ id, name: id }), 'subject')
}
