import { type Io, moneyText } from '../../capability.ts'
import { defined } from '../../platform.ts'
import { bar, fetchPreview } from '../preview.ts'
import { cutToCells } from '../table.ts'
import type { Chat } from './conversation.ts'
import { type Prices, fetchSessionCost } from './session-actions.ts'

/** Fetches the status of the next call of a chat. Only the model where the call cannot be assembled. */
export async function fetchChatStatus(conversation: Chat, prices: Prices): Promise<ChatStatus> {
  const { connection, session } = conversation
  try {
    const { model, manifest } = await fetchPreview(connection, { session })
    const { window, reserve } = manifest.budget
    // Where the model has no price there is no cost to add up.
    const known = session !== undefined && (await prices(model)) !== undefined
    const { money, lastTurn } = known ? await fetchSessionCost(connection, session, prices) : {}
    return { model, used: manifest.used, window, reserve, ...defined({ money, turnMoney: lastTurn?.money }) }
  } catch {
    return { model: await conversation.model().catch(() => '?') }
  }
}

/** The next call as the status line shows it, in tokens and US dollars. */
export interface ChatStatus {
  readonly model: string
  /** The size of its prompt without a new message. */
  readonly used?: number
  readonly window?: number
  readonly reserve?: number
  /** The cost of the session so far; absent where a price is unknown. */
  readonly money?: number
  /** Of its newest turn. */
  readonly turnMoney?: number
}

/** One line of at most `columns` columns. The least important parts are left out first. */
export function statusText(status: ChatStatus, columns: number, io: Pick<Io, 'environment'>): string {
  const { model, used, window, reserve, money, turnMoney } = status
  if (used === undefined || window === undefined) return cutToCells(model, columns)
  const cost = money === undefined ? [] : [moneyText(money)]
  const costs =
    turnMoney === undefined ? cost : [`last turn ${moneyText(turnMoney)}`, ...cost.map((all) => `session ${all}`)]
  const drawn = (cells: number) => bar({ used, whole: window, ...defined({ reserved: reserve }) }, cells, io)
  const kept = reserve === undefined ? [] : [`reserve ${reserve.toLocaleString('en')}`]
  const exact = `${used.toLocaleString('en')} of ${window.toLocaleString('en')} tokens`
  const brief = `${drawn(10)} ${short(used)}/${short(window)}`
  const forms = [
    [model, `${drawn(20)} ${exact}`, ...kept, ...costs],
    [model, `${drawn(10)} ${exact}`, ...kept, ...costs],
    [model, `${drawn(10)} ${exact}`, ...costs],
    [model, brief, ...costs],
    [model, brief, ...cost],
    [model, `${short(used)}/${short(window)}`],
  ].map((parts) => parts.join(' · '))
  return forms.find((form) => form.length <= columns) ?? cutToCells(forms.at(-1)!, columns)
}

function short(tokens: number): string {
  if (tokens < 1_000) return String(tokens)
  if (tokens < 1_000_000) return `${(tokens / 1_000).toFixed(tokens < 10_000 ? 1 : 0)}k`
  return `${(tokens / 1_000_000).toFixed(1)}M`
}
