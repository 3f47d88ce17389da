import type { Price } from '../../model.ts'
import type { CallRecord } from '../../session.ts'
import { ask, pathTo } from '../answer.ts'
import type { Connection } from '../../capability.ts'
import { fetchModels } from '../model-table.ts'

/** What the calls of a session used together, as the providers reported it. Tokens, and US dollars. */
export interface SessionCost {
  readonly calls: number
  readonly prompt: number
  readonly cached: number
  readonly output: number
  /** Calls of which it is not known what they used. */
  readonly silent: number
  /** Absent where the price of a model is not known, or a provider was silent. */
  readonly money?: number
}

/** Prices by model, asked for once in a talk. */
export type Prices = (model: string) => Promise<Price | undefined>

export function pricesOver(connection: Connection): Prices {
  let models: ReturnType<typeof fetchModels> | undefined
  return async (model) => {
    models ??= fetchModels(connection).catch(() => [])
    return (await models).find(({ id }) => id === model)?.facts?.price
  }
}

/** Calls that are summed up: the newest ones of a very long session. */
const MOST = 1_000

export async function sessionCost(connection: Connection, session: string, prices: Prices): Promise<SessionCost> {
  const { costOf } = await import('../../model.ts')
  let cost: SessionCost = { calls: 0, prompt: 0, cached: 0, output: 0, silent: 0, money: 0 }
  const path = pathTo('/api/sessions/', session, `/calls?limit=${MOST}`)
  for (const { model, outcome } of (await ask<{ readonly calls: readonly CallRecord[] }>(connection, path)).calls) {
    const { usage } = outcome ?? {}
    const price = await prices(model)
    const paid = usage && price ? costOf(usage, price) : undefined
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

/** In words, a figure a line. */
export function costText({ calls, prompt, cached, output, silent, money }: SessionCost): string {
  const number = (tokens: number) => tokens.toLocaleString('en')
  return [
    `${calls === MOST ? 'The newest ' : ''}${number(calls)} ${calls === 1 ? 'call' : 'calls'}: ${number(prompt)} prompt tokens (${number(cached)} of them cached), ${number(output)} output tokens, as reported.`,
    ...(silent === 0 ? [] : [`The provider did not report what ${silent} of them used.`]),
    money === undefined ? `The cost is not known${silent === 0 ? ': a model has no price.' : '.'}` : moneyText(money),
  ].join('\n')
}

/** US dollars; small amounts in parts of a cent. */
export function moneyText(dollars: number): string {
  return `$${dollars.toFixed(dollars < 1 ? 4 : 2)}`
}
