import type { NotesPage } from '../core.ts'
import { ask, connected, harmless, note, pathTo, print, printJson, usageFailure } from '../../../cli.ts'
import type { CommandCall, Io } from '../../../capability.ts'
import { findSubject } from './find-subject.ts'

/** A part of the notes as they stand in their file. */
export async function showNotes(call: CommandCall, io: Io): Promise<number> {
  const query = pageQuery(call)
  const { id, page } = await connected(call.home, io, 'read', async (connection) => {
    const { id: subject } = await findSubject(connection, call.words[1]!)
    const path = `${pathTo('/api/subjects/', subject, '/notes')}${query}`
    return { id: subject, page: await ask<NotesPage>(connection, path) }
  })
  if (call.json) printJson(io, page)
  else tellNotes(id, page, io)
  return 0
}

function pageQuery(call: CommandCall): string {
  const given = ['offset', 'limit'].flatMap((name) => {
    const text = call.text(name)
    if (text === undefined) return []
    if (!/^\d{1,9}$/.test(text)) throw usageFailure(`--${name} takes a number of lines, not ${text}.`)
    return [`${name}=${text}`]
  })
  return given.length === 0 ? '' : `?${given.join('&')}`
}

function tellNotes(id: string, { text, offset, lines, total, next_offset: next }: NotesPage, io: Io): void {
  if (lines > 0) print(io, harmless(text.replace(/\n$/, ''), io.stdout))
  if (total === 0) return note(io, `${id} has no notes.`)
  if (lines === 0) return note(io, `The notes have ${total} lines.`)
  if (offset === 0 && next === null) return
  const more = next === null ? '' : `; \`--offset ${next}\` goes on`
  note(io, `Lines ${offset + 1} to ${offset + lines} of ${total}${more}.`)
}
