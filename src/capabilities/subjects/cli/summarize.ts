import type { NotesSummary } from '../../../runtime.ts'
import { ask, connected, exactLine, harmless, note, pathTo, print, printJson } from '../../../cli.ts'
import type { CommandCall, Io } from '../../../capability.ts'
import { findSubject } from './find-subject.ts'

/** Has a model put the notes of a subject into words. */
export async function summarizeNotes(call: CommandCall, io: Io): Promise<number> {
  const summary = await connected(call.home, io, 'write', async (connection) => {
    const { id } = await findSubject(connection, call.words[1]!)
    return await ask<NotesSummary>(connection, pathTo('/api/subjects/', id, '/summary'), { method: 'POST' })
  })
  if (call.json) printJson(io, summary)
  else {
    print(io, harmless(summary.text, io.stdout))
    const kept = 'It is kept as long as the notes stay the same.'
    note(io, `${exactLine(summary.model)} put ${summary.lines} lines into words. ${kept}`)
  }
  return 0
}
