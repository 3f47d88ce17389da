import type { GatewayConnection, Io } from '../../capability.ts'
import type { Price } from '../../model.ts'
import type { CallRecord, SessionRow } from '../../session.ts'
import { requestJson, apiPath } from '../answer.ts'
import { CommandFailure, refuseTools } from '../failure.ts'
import { findSession } from '../find-session.ts'
import { note, print, width } from '../io.ts'
import { fetchModels } from '../model-table.ts'
import { sessionTable, withTitle } from '../sessions/session-table.ts'
import { singleLine } from '../table.ts'
import type { Chat } from './conversation.ts'

/** `/sessions`: lists the newest, or switches to the one that a word means. */
export async function changeSession(conversation: Chat, io: Io, word: string | undefined): Promise<void> {
  if (word === undefined) return await listSessions(conversation, io)
  const id = await findSession(conversation.connection, word)
  const { turns } = await requestJson<SessionRow>(conversation.connection, apiPath('/api/sessions/', id))
  conversation.session = id
  conversation.attachments = []
  note(io, `Continuing session ${id} (${turns} ${turns === 1 ? 'turn' : 'turns'}).`)
}

const LISTED = 20

async function listSessions({ connection, session }: Chat, io: Io): Promise<void> {
  const { sessions } = await requestJson<{ readonly sessions: readonly SessionRow[] }>(
    connection,
    `/api/sessions?limit=${LISTED}`,
  )
  if (sessions.length === 0) return note(io, 'No sessions yet. Start one with your first message.')
  print(io, sessionTable(sessions.map(withTitle), io, session))
}

/** `/cost`: prints what the calls of the session used. */
export async function showCost({ connection, session }: Chat, io: Io): Promise<void> {
  if (session === undefined) return note(io, 'No calls yet.')
  print(io, costText(await fetchSessionCost(connection, session, priceLookup(connection))))
}

/** `/undo`: removes the last turn from what the model reads. */
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

/** The total usage of the calls of a session, as the providers reported it, in tokens and US dollars. */
interface SessionCost {
  readonly calls: number
  readonly prompt: number
  readonly cached: number
  readonly output: number
  /** Calls without reported usage. */
  readonly silent: number
  /** Absent where a price is unknown or a provider reported no usage. */
  readonly money?: number
}

/** Looks up the price of a model. */
export type Prices = (model: string) => Promise<Price | undefined>

/** Looks up prices through a connection and fetches the models once. */
export function priceLookup(connection: GatewayConnection): Prices {
  let models: ReturnType<typeof fetchModels> | undefined
  return async (model) => {
    models ??= fetchModels(connection).catch(() => [])
    return (await models).find(({ id }) => id === model)?.facts?.price
  }
}

/** How many calls are added up, the newest first. */
const MOST = 1_000

/** Adds up the reported usage of the calls of a session, and its price. */
export async function fetchSessionCost(
  connection: GatewayConnection,
  session: string,
  prices: Prices,
): Promise<SessionCost> {
  const { callCost } = await import('../../model.ts')
  let cost: SessionCost = { calls: 0, prompt: 0, cached: 0, output: 0, silent: 0, money: 0 }
  const path = apiPath('/api/sessions/', session, `/calls?limit=${MOST}`)
  for (const { model, outcome } of (await requestJson<{ readonly calls: readonly CallRecord[] }>(connection, path))
    .calls) {
    const { usage } = outcome ?? {}
    const price = await prices(model)
    const paid = usage && price ? callCost(usage, price) : undefined
    const { money, ...sums } = cost
    cost = {
      calls: sums.calls + 1,
      prompt: sums.prompt + (usage?.promptTokens ?? 0),
      cached: sums.cached + (usage?.cachedTokens ?? 0),
      output: sums.output + (usage?.outputTokens ?? 0),
      silent: sums.silent + (usage?.promptTokens === undefined || usage.outputTokens === undefined ? 1 : 0),
      ...(money === undefined || paid === undefined ? {} : { money: money + paid }),
    }
  }
  return cost
}

/** The cost as text, one figure per line. */
export function costText({ calls, prompt, cached, output, silent, money }: SessionCost): string {
  const number = (tokens: number) => tokens.toLocaleString('en')
  return [
    `${calls === MOST ? 'The newest ' : ''}${number(calls)} ${calls === 1 ? 'call' : 'calls'}: ${number(prompt)} prompt tokens (${number(cached)} of them cached), ${number(output)} output tokens, as reported.`,
    ...(silent === 0 ? [] : [`The provider did not report the usage of ${silent} of them.`]),
    money === undefined
      ? `The cost is unknown${silent === 0 ? ', because a model has no price.' : '.'}`
      : moneyText(money),
  ].join('\n')
}

/** US dollars, with four decimals below one dollar. */
export function moneyText(dollars: number): string {
  return `$${dollars.toFixed(dollars < 1 ? 4 : 2)}`
}
