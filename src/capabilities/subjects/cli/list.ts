import type { CommandCall, Connection, Io } from '../../../capability.ts'
import {
  ask,
  connected,
  exactLine,
  fittedTable,
  lineLimit,
  note,
  oneLine,
  print,
  printJson,
  theOneNamed,
  timeText,
  width,
} from '../../../cli.ts'
import type { SubjectFacts } from '../core.ts'

/** One subject a line. */
export async function listSubjects(call: CommandCall, io: Io): Promise<number> {
  const { subjects, waiting } = await connected(call.home, io, 'read', fetchSubjects)
  if (call.json) for (const subject of subjects) printJson(io, subject)
  else if (subjects.length === 0) note(io, 'There are no subjects. `foreword subjects new ID` makes one.')
  else print(io, subjectTable(subjects, io))
  if (waiting > 0 && !call.json) note(io, waitingText(waiting))
  return 0
}

/** One subject a line, with a head. */
function subjectTable(subjects: readonly ListedSubject[], io: Io): string {
  const now = new Date()
  const rows = subjects.map(({ id, title, updated, waiting }) => [
    exactLine(id),
    oneLine(exactLine(title), Math.max(20, width(io) - 60)),
    exactLine(timeText(updated, now)),
    waiting === 0 ? '' : String(waiting),
  ])
  return fittedTable([['id', 'title', 'updated', 'waiting'], ...rows], { columns: lineLimit(io), spare: [2] })
}

function waitingText(count: number): string {
  const proposals = count === 1 ? 'One proposal waits' : `${count} proposals wait`
  return `${proposals} for you: \`foreword subjects proposals\` shows ${count === 1 ? 'it' : 'them'}.`
}

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

async function fetchSubjects(connection: Connection): Promise<SubjectList> {
  return await ask<SubjectList>(connection, '/api/subjects')
}

/** The one whose id a word is, in any case, or begins. */
export async function findSubject(connection: Connection, word: string): Promise<ListedSubject> {
  const { subjects } = await fetchSubjects(connection)
  return theOneNamed(word, subjects, ({ id }) => ({ id, name: id }), 'subject')
}
