import { countedText } from '../../context.ts'
import { costText, type GatewayConnection, type Io, type SessionTotals, sumCosts } from '../../capability.ts'
import { defined } from '../../platform.ts'
import { type SessionRow, usedTokens } from '../../session.ts'
import { requestJson, apiPath, requestList } from '../answer.ts'
import { CommandFailure, refuseTools } from '../failure.ts'
import { fetchAllCalls, findSession } from '../find-session.ts'
import { note, print, width } from '../io.ts'
import { type ListedSession, sessionTable, withTitle } from '../sessions/session-table.ts'
import { singleLine } from '../table.ts'
import type { Chat } from './conversation.ts'

/** `/sessions`: lists the newest, or switches to the one that a word means. */
export async function changeSession(conversation: Chat, io: Io, word: string | undefined): Promise<void> {
  if (word === undefined) return await listSessions(conversation, io)
  const id = await findSession(conversation.connection, word)
  const { turns } = await requestJson<SessionRow>(conversation.connection, apiPath('/api/sessions/', id))
  conversation.session = id
  conversation.attachments = []
  note(io, `Continuing session ${id} (${countedText(turns, 'turn')}).`)
}

const LISTED = 20

async function listSessions({ connection, session }: Chat, io: Io): Promise<void> {
  const sessions = await requestList<ListedSession>(connection, `/api/sessions?limit=${LISTED}&cost=true`, 'sessions')
  if (sessions.length === 0) return note(io, 'No sessions yet. Start one with your first message.')
  print(io, sessionTable(sessions.map(withTitle), io, session))
}

export async function showCost({ connection, session }: Chat, io: Io): Promise<void> {
  if (session === undefined) return note(io, 'No calls yet.')
  print(io, costText(await fetchSessionCost(connection, session)))
}

export async function undoTurn({ connection, session }: Chat, io: Io): Promise<void> {
  if (session === undefined) throw new CommandFailure('nothing-to-undo', 'This session has no turn to undo.')
  refuseTools(io, 'undo a turn')
  const { undone } = await requestJson<{ readonly undone: { readonly text: string } }>(
    connection,
    apiPath('/api/sessions/', session, '/undo'),
    { method: 'POST' },
  )
  note(io, `Undone: ${singleLine(undone.text, Math.max(20, width(io) - 10))}`)
  note(io, 'The model no longer reads it. Effects of tools remain.')
}

/** What the calls of a session used and cost, and those of its newest turn. */
interface SessionCost extends SessionTotals {
  readonly lastTurn: SessionTotals
}

export async function fetchSessionCost(connection: GatewayConnection, session: string): Promise<SessionCost> {
  const calls = await fetchAllCalls(connection, session)
  const counted = calls.map(({ turn, outcome, cost }) => ({
    turn,
    ...defined({ usage: usedTokens(outcome), paid: cost }),
  }))
  const last = counted.at(-1)?.turn
  return { ...sumCosts(counted), lastTurn: sumCosts(counted.filter(({ turn }) => turn === last)) }
}
