import type { CommandCall, GatewayConnection, Io } from '../../../capability.ts'
import {
  requestJson,
  withConnection,
  fittedTable,
  lineLimit,
  note,
  singleLine,
  printList,
  findByName,
  timeText,
  width,
} from '../../../cli.ts'
import { exactLine } from '../../../context.ts'
import type { SubjectFacts } from '../core.ts'

export async function listSubjects(call: CommandCall, io: Io): Promise<number> {
  const { subjects, waiting } = await withConnection(call.home, io, 'read', fetchSubjects)
  const empty = 'No subjects yet. Create one with `foreword subjects new ID`.'
  printList(subjects, { empty, table: subjectTable }, call, io)
  if (waiting > 0 && !call.json) note(io, waitingText(waiting))
  return 0
}

function subjectTable(subjects: readonly ListedSubject[], io: Io): string {
  const now = new Date()
  const rows = subjects.map(({ id, title, updated, waiting }) => [
    exactLine(id),
    singleLine(exactLine(title), Math.max(20, width(io) - 60)),
    exactLine(timeText(updated, now)),
    waiting === 0 ? '' : String(waiting),
  ])
  return fittedTable([['id', 'title', 'updated', 'waiting'], ...rows], { columns: lineLimit(io), spare: [2] })
}

function waitingText(count: number): string {
  const proposals = count === 1 ? 'One proposal is' : `${count} proposals are`
  return `${proposals} waiting for you. Show ${count === 1 ? 'it' : 'them'} with \`foreword subjects proposals\`.`
}

export type ListedSubject = SubjectFacts & {
  /** Waiting proposals about its notes. */
  readonly waiting: number
}

export interface SubjectList {
  readonly subjects: readonly ListedSubject[]
  /** All waiting proposals, including those about tastes. */
  readonly waiting: number
}

async function fetchSubjects(connection: GatewayConnection): Promise<SubjectList> {
  return await requestJson<SubjectList>(connection, '/api/subjects')
}

export async function findSubject(connection: GatewayConnection, word: string): Promise<ListedSubject> {
  const { subjects } = await fetchSubjects(connection)
  return findByName(word, subjects, ({ id }) => ({ id, name: id }), 'subject')
}
