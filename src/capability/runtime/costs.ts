import type { SumRange } from '../../session.ts'
import { serviceKey } from '../service.ts'
import type { UsageOptions, UsageReport } from './usage.ts'

/** What the calls of a home used and cost, added up. */
export interface CostService {
  /** What the calls of a time used and cost. Rejects with `invalid-input` for a time zone that does not exist. */
  usage(options: UsageOptions): Promise<UsageReport>
  /** What those calls cost, divided exactly. */
  costs(options: CostOptions): Promise<CostReport>
  /** What all calls of each session cost, by its id. */
  sessionCosts(sessions: readonly string[]): Promise<ReadonlyMap<string, CostSums>>
}

export const costService = serviceKey<CostService>('costs')

/** What money can be divided by, besides what capabilities add. */
export const costGroups = [
  'day',
  'model',
  'layer',
  'tool',
  'agent',
  'channel',
  'token',
  'session',
  'turn',
  'call',
] as const

/** Which calls are added up, and by what. */
export interface CostOptions extends SumRange {
  /** One of `costGroups`, or one that a capability adds. */
  readonly by: string
  /** Name of the time zone that says when a day begins. UTC unless given. */
  readonly zone?: string
  readonly session?: string
  /** The most rows; the others are added up in `rest`. 100 unless given. */
  readonly limit?: number
}

/** Money of some calls. Integers of nano-dollars (a billionth of a US dollar): sums of them are exact. */
export interface CostSums {
  /** Calls that have some of it: those that were sent. */
  readonly calls: number
  /** Calls beside them that wait for a budget: they were not sent, and cost nothing yet. Absent where none does. */
  readonly waiting?: number
  /** Of them, calls without a price, or whose provider did not report the usage: they are not in the money. */
  readonly unpriced: number
  readonly nanoDollars: number
  /** The same in US dollars. Absent where no call has a price. */
  readonly money?: number
  /** What reading from caches saved against the full price, less what writing to them cost. Absent where a call is divided. */
  readonly savedNanoDollars?: number
}

/** The money of one key; `null` for what belongs to none, or is not known. */
export interface CostRow extends CostSums {
  readonly key: string | null
  /** Of a session: its title, or how it begins. */
  readonly title?: string
}

/** What one call cost by what its provider reported, US dollars. */
export interface CallPrice {
  readonly money: number
  /** The provider reported the money itself, not the tokens alone. */
  readonly reported?: true
  /** What the price list says, where the provider reported something else. */
  readonly listed?: number
  /** By the price list: what reading from the cache saved against the full price, less what writing to it cost more. */
  readonly saved: number
  /** The four parts add up to `money`. */
  readonly parts: { readonly cached: number; readonly written: number; readonly fresh: number; readonly output: number }
  /** The share of each entry of the manifest, in their order: with the output they add up to `money`. */
  readonly entries: readonly number[]
}

/** What calls cost. The rows and `rest` add up to `total` exactly. */
export interface CostReport extends SumRange {
  readonly by: string
  readonly zone: string
  readonly total: CostSums & { readonly savedNanoDollars: number }
  readonly rows: readonly CostRow[]
  readonly rest?: CostSums & { readonly rows: number }
}
