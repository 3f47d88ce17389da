import type { Price } from '../../context.ts'
import { defined, timeSlice } from '../../platform.ts'
import type { BudgetLedger, CallSum, CountedCall, Entry, SessionStore } from '../../session.ts'
import { parseAccount, type AccountName } from './call-budgets.ts'
import { reportedCost } from './call-bound.ts'

export interface EarlierSources {
  readonly store: SessionStore
  priceOf(model: string): Promise<Price | undefined>
  readonly dayOf: (time: string) => string
}

/** Counts in accounts what the log has of them, each once; an account that is named again waits for the same. */
export function createAccountFiller(
  sources: EarlierSources,
  ledger: () => Pick<BudgetLedger, 'count'>,
): (accounts: readonly string[]) => Promise<void> {
  const filled = new Map<string, Promise<void>>()
  const fill = async (account: string): Promise<void> => {
    try {
      for await (const calls of earlierCalls(sources, account)) {
        if (calls.length > 0) await ledger().count(account, calls, true)
      }
    } catch (error) {
      filled.delete(account)
      throw error
    }
  }
  return async (accounts) => {
    if (filled.size > MOST_FILLED) filled.clear()
    const filling = [...new Set(accounts)].map((account) => {
      const begun = filled.get(account) ?? fill(account)
      filled.set(account, begun)
      return begun
    })
    await Promise.all(filling)
  }
}

/** So many accounts are remembered: to look again into the log changes nothing. */
const MOST_FILLED = 10_000

const PAGE = 1_000
const PAGE_OF_RECORDS = 50

/** A day begins up to 14 hours before that of UTC. */
const ZONE_MS = 15 * 60 * 60 * 1000

/**
 * The logged calls of an account, by page; without a report nothing says what they cost. A turn has none before it, and what members of
 * a group share counts from when it is there.
 */
async function* earlierCalls(
  { store, priceOf, dayOf }: EarlierSources,
  account: string,
): AsyncGenerator<readonly CountedCall[]> {
  const name = parseAccount(account)
  const { per, period } = name
  if (per === 'turn' || name.group !== undefined) return
  const range = per === 'session' ? { session: period } : { from: beginning(period) }
  const isIn = (time: string) => per === 'session' || dayOf(time).startsWith(period)
  const isAbout = ownerTest(store, name)
  const limit = isAbout ? PAGE_OF_RECORDS : PAGE
  const prices = new Map<string, Price | undefined>()
  const work = timeSlice(store.clock)
  for (let after: CallSum | undefined; ;) {
    const page = await store.callSums({
      ...range,
      ...defined({ after }),
      limit,
      ids: true,
      records: isAbout !== undefined,
    })
    const counted: CountedCall[] = []
    for (const sum of page) {
      if (!isIn(sum.time) || (isAbout && !(await isAbout(sum)))) continue
      if (!prices.has(sum.model)) prices.set(sum.model, await priceOf(sum.model))
      const cost = reportedCost(sum, prices.get(sum.model), sum.time)
      if (cost && sum.id !== undefined) counted.push({ call: sum.id, time: sum.time, cost })
    }
    yield counted
    if (page.length < limit) return
    after = page.at(-1)
    if (work.isOver()) await work.rest()
  }
}

function beginning(period: string): string {
  const first = period.length === 7 ? `${period}-01` : period
  return new Date(Date.parse(`${first}T00:00:00.000Z`) - ZONE_MS).toISOString()
}

/** Whether a call is of the agent, token, channel or owner; `undefined` where every call is. */
function ownerTest(store: SessionStore, { agent, token, channel, whose }: AccountName) {
  if ([agent, token, channel, whose].every((name) => name === undefined)) return undefined
  const known = new Map<string, Promise<readonly Entry[]>>()
  const factsOf = (session: string) => {
    if (known.size >= MOST_SESSIONS) known.clear()
    const read = known.get(session) ?? store.entries(session, { types: ['input', 'choice'] })
    known.set(session, read)
    return read
  }
  return async ({ record, session }: CallSum): Promise<boolean> => {
    if (session === undefined)
      return record?.token === token && [agent, channel, whose].every((name) => name === undefined)
    const entries = await factsOf(session)
    const upTo = record?.upTo ?? Number.MAX_SAFE_INTEGER
    const input = entries.find((entry) => entry.type === 'input' && entry.turn === record?.turn)
    const options = input?.type === 'input' ? (input.options ?? {}) : {}
    const chosen = entries.findLast((entry) => entry.type === 'choice' && entry.choice === 'agent' && entry.seq <= upTo)
    return (
      (agent === undefined || (chosen?.type === 'choice' && chosen.value === agent)) &&
      (token === undefined || options.token === token) &&
      (channel === undefined || options.channel === channel) &&
      (whose === undefined || options.budgets?.some(({ owner }) => owner === whose) === true)
    )
  }
}

const MOST_SESSIONS = 200
