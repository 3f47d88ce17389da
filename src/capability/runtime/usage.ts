import type { SumRange } from '../../session.ts'

/** Which calls are added up, and by what. */
export interface UsageOptions extends SumRange {
  readonly by: UsageReport['by']
  /** Name of the time zone that says when a day begins, such as `Europe/Berlin`. UTC unless given. */
  readonly zone?: string
  /** The most rows; the others are added up in `rest`. 100 unless given. */
  readonly limit?: number
}

/** The usage of some calls as their providers reported it, added up; tokens. */
export interface UsageSums {
  readonly calls: number
  /** Of the whole time: calls that wait for a budget. They were not sent, and are in no row. Absent where none does. */
  readonly waiting?: number
  /** Of them, calls whose provider did not report the prompt or the answer: they are not in the tokens. */
  readonly unreported: number
  /** Of them, calls without a price, or whose provider did not report the usage: they are not in the money. */
  readonly unpriced: number
  /** The whole prompts: `fresh`, `cached`, `written` and `undivided` together. */
  readonly prompt: number
  readonly fresh: number
  readonly cached: number
  readonly written: number
  /** Of prompts whose provider did not report what came from its cache. */
  readonly undivided: number
  readonly output: number
  /** US dollars of the other calls, by the prices that are known now. Absent where there are none. */
  readonly money?: number
}

/** The calls of one day, model or session. */
export interface CallUsageRow extends UsageSums {
  /** The day (`2026-01-31`), the model or the session; `null` for calls outside every session. */
  readonly key: string | null
  /** Of a session: its title, or how it begins. */
  readonly title?: string
}

/** What one layer took in prompts. */
export interface LayerUsageRow {
  /** The name of the layer; `history`, `input` and `tools` for what is no layer. */
  readonly key: string
  readonly calls: number
  /** By the counters of the accounts. */
  readonly tokens: number
}

/** What one tool took in prompts, and what it gave to models. */
export interface ToolUsageRow {
  readonly key: string
  readonly calls: number
  readonly definitions: number
  /** How often a model called it, refused calls included. */
  readonly results: number
  /** Tokens of those results, each counted once. */
  readonly resultTokens: number
}

/** What the calls of a time used. */
export type UsageReport = SumRange & {
  readonly zone: string
  /** Of all calls of the time, whatever the rows are about. */
  readonly total: UsageSums
} & (
    | {
        readonly by: 'day' | 'model' | 'session'
        readonly rows: readonly CallUsageRow[]
        readonly rest?: UsageSums & { readonly rows: number }
      }
    | {
        readonly by: 'layer'
        /** Prompt tokens by the counters of the accounts: the sum of the rows. */
        readonly counted: number
        /** The same prompts in the tokens of their providers: as reported, and else as expected before the call. */
        readonly expected: number
        readonly rows: readonly LayerUsageRow[]
      }
    | {
        readonly by: 'tool'
        /** As by layer. */
        readonly counted: number
        readonly expected: number
        readonly rows: readonly ToolUsageRow[]
      }
  )
