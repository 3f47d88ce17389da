import type { CommandCall, Io } from '../../../capability.ts'
import {
  connected,
  exactLine,
  fittedTable,
  lineLimit,
  note,
  oneLine,
  print,
  printJson,
  timeText,
  width,
} from '../../../cli.ts'
import { fetchSubjects, type ListedSubject } from './find-subject.ts'

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
