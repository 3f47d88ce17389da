import type { Command, CommandCall, GatewayConnection, Io, SessionNote, SessionNotes } from '../../capability.ts'
import { apiPath, requestJson } from '../answer.ts'
import { jsonOption } from '../arguments.ts'
import { withConnection } from '../connection.ts'
import { findSession } from '../find-session.ts'
import { applyStyle, print, printJson, safeForTerminal } from '../io.ts'

export const notesCommand: Command = {
  name: 'notes',
  summary: 'show the notes that stand in the place of turns that were cut out of a session',
  usage: ['notes SESSION [--json]', 'notes SESSION --write [--json]', 'notes SESSION --forget [--json]'],
  details:
    'A conversation that no longer fits its window is cut: the first turns and the newest stay, and a note takes the place of ' +
    'the others. `--write` has the newest note written again by the model of the session; what is behind it is then sent again ' +
    'at its full price. `--forget` leaves the notes out from the next call on. `context.notes` in config.json decides whether ' +
    'the model writes notes (`model`), an index is made (`index`), or nothing (`off`).',
  words: { least: 1, most: 1 },
  options: {
    write: { summary: 'have the newest note written again' },
    forget: { summary: 'leave the notes out from the next call on' },
    json: jsonOption,
  },
  run: (call, io) =>
    withConnection(call.home, io, call.has('write') || call.has('forget') ? 'write' : 'read', (connection) =>
      run(connection, call, io),
    ),
}

async function run(connection: GatewayConnection, call: CommandCall, io: Io): Promise<number> {
  const session = await findSession(connection, call.words[0]!)
  const path = apiPath('/api/sessions/', session, '/notes')
  if (call.has('forget')) {
    const answer = await requestJson<{ readonly forgotten: number }>(connection, path, { method: 'DELETE' })
    if (call.json) printJson(io, answer)
    else print(io, answer.forgotten === 1 ? '1 note is left out.' : `${answer.forgotten} notes are left out.`)
    return 0
  }
  if (call.has('write')) {
    const note = await requestJson<SessionNote>(connection, path, { method: 'POST' })
    if (call.json) printJson(io, note)
    else print(io, noteText(note, io))
    return 0
  }
  const answer = await requestJson<SessionNotes>(connection, path)
  if (call.json) printJson(io, answer)
  else print(io, notesText(answer, io))
  return 0
}

function notesText({ notes, first, ready, fault, noWords }: SessionNotes, io: Io): string {
  const lines = [
    ...(notes.length === 0
      ? ['There are no notes: nothing was cut out of this session, or its notes are left out.']
      : notes.map((note) => noteText(note, io))),
    ...(first.length > 0
      ? [`The first ${first.length === 1 ? 'turn stays' : `${first.length} turns stay`} as said.`]
      : []),
    ...(ready ? [`Words for the next note are ready (call ${ready.call}).`] : []),
    ...(fault === undefined ? [] : [`The last answer of the model became no note (${fault}): the note is an index.`]),
    ...(noWords === undefined ? [] : [noWords]),
  ]
  return lines.join('\n\n')
}

function noteText({ id, turns, from, to, tokens, by, text }: SessionNote, io: Io): string {
  const covered = turns === 1 ? `turn ${from}` : `${turns} turns, ${from} to ${to}`
  const writer = by === undefined ? 'an index' : `words of call ${by}`
  const head = applyStyle(io, 'bold', `${id}  ${covered}, ${tokens} tokens, ${writer}`)
  return `${head}\n${safeForTerminal(text, io.stdout)}`
}
