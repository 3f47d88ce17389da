import type { Entry, SessionRow } from '../../session.ts'
import { ask, pathTo } from '../answer.ts'
import type { Connection, Io } from '../../capability.ts'
import type { Conversation } from './conversation.ts'
import { CommandFailure } from '../failure.ts'
import { findSession } from '../find-session.ts'
import { refuseTools } from '../for-persons.ts'
import { note, print, width } from '../io.ts'
import { sessionTable, withTitle } from '../sessions/session-table.ts'
import { oneLine } from '../table.ts'
import { costText, pricesOver, sessionCost } from './session-cost.ts'

/** `/sessions`: lists the newest, or goes on in the one that a word means. */
export async function changeSession(conversation: Conversation, io: Io, word: string | undefined): Promise<void> {
  if (word === undefined) return await listSessions(conversation, io)
  const id = await findSession(conversation.connection, word)
  const { turns } = await ask<SessionRow>(conversation.connection, pathTo('/api/sessions/', id))
  conversation.session = id
  conversation.attachments = []
  note(io, `Session ${id} goes on: ${turns} ${turns === 1 ? 'turn' : 'turns'} so far.`)
}

const LISTED = 20

async function listSessions({ connection, session }: Conversation, io: Io): Promise<void> {
  const { sessions } = await ask<{ readonly sessions: readonly SessionRow[] }>(
    connection,
    `/api/sessions?limit=${LISTED}`,
  )
  if (sessions.length === 0) return note(io, 'There are no sessions yet. Your first message begins one.')
  print(io, sessionTable(await Promise.all(sessions.map((row) => titled(connection, row))), io, session))
}

async function titled(connection: Connection, row: SessionRow): Promise<SessionRow> {
  if (row.title) return row
  const path = pathTo('/api/sessions/', row.id, '/entries?limit=5')
  const { entries } = await ask<{ readonly entries: readonly Entry[] }>(connection, path)
  return withTitle(
    row,
    entries.find(({ type }) => type === 'input'),
  )
}

/** `/cost`: what the calls of the session used. */
export async function showCost({ connection, session }: Conversation, io: Io): Promise<void> {
  if (session === undefined) return note(io, 'Nothing was sent yet.')
  print(io, costText(await sessionCost(connection, session, pricesOver(connection))))
}

/** `/undo`: takes the last turn back. */
export async function undoTurn({ connection, session }: Conversation, io: Io): Promise<void> {
  if (session === undefined) throw new CommandFailure('nothing-to-undo', 'nothing was said in this session yet.')
  refuseTools(io, 'take a turn back')
  const { undone } = await ask<{ readonly undone: { readonly text: string } }>(
    connection,
    pathTo('/api/sessions/', session, '/undo'),
    { method: 'POST' },
  )
  note(io, `Taken back: ${oneLine(undone.text, Math.max(20, width(io) - 14))}`)
  note(io, 'The model reads it no more. What tools did stays done.')
}
