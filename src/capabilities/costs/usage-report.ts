import {
  type CallUsageRow,
  createUsageAdder,
  dayIn,
  type LayerUsageRow,
  type ToolUsageRow,
  type UsageOptions,
  type UsageReport,
  type UsageSums,
} from '../../capability.ts'
import { calibratedTokens, inNanos, type Price } from '../../context.ts'
import { defined, timeSlice } from '../../platform.ts'
import {
  type CallSum,
  figuresOfCall,
  type SessionStore,
  type SumRange,
  type PromptParts,
  type ToolSum,
} from '../../session.ts'

export interface UsageSources {
  readonly store: SessionStore
  priceOf(model: string): Promise<Price | undefined>
  /** Ids of calls that wait for a budget: they were not sent. None where absent. */
  heldCalls?(): Promise<ReadonlySet<string>>
}

/** Adds up the calls of a time. In a report by day, model or session each call is in exactly one row. */
export async function usageReport(sources: UsageSources, options: UsageOptions): Promise<UsageReport> {
  const { by, zone = 'UTC', limit = 100, from, before } = options
  const range = defined({ from, before })
  const dayOf = dayIn(zone)
  if (by === 'layer' || by === 'tool') return { zone, ...(await readPromptUsage(sources, by, range)) }
  const keyOf = { day: ({ time }: CallSum) => dayOf(time), model: modelOf, session: sessionOf }[by]
  const total = createUsageAdder()
  const adders = new Map<string | null, ReturnType<typeof createUsageAdder>>()
  await eachPage(sources, range, (calls, prices, held) => {
    for (const call of calls) {
      if (held.has(call.id ?? '')) {
        total.wait()
        continue
      }
      const key = keyOf(call)
      const adder = adders.get(key) ?? createUsageAdder()
      adders.set(key, adder)
      const price = prices.get(call.model)
      adder.add(call, price)
      total.add(call, price)
    }
  })
  const rows = [...adders].map(([key, adder]): CallUsageRow => ({ key, ...adder.sums() }))
  const shown = await shownRows(rows, { by, limit, store: sources.store, order: dearestFirst, add: addUsage })
  return { ...range, zone, by, total: total.sums(), ...shown }
}

/** The first rows, those of sessions with their titles, and the others together. Days are in order of time. */
export async function shownRows<Row extends { readonly key: string | null }, Sums>(
  rows: readonly Row[],
  {
    by,
    limit,
    store,
    order,
    add,
  }: {
    readonly by: string
    readonly limit: number
    readonly store: SessionStore
    readonly order: (one: Row, other: Row) => number
    readonly add: (rows: readonly Row[]) => Sums
  },
) {
  const newestFirst = (one: Row, other: Row) => ((other.key ?? '') > (one.key ?? '') ? 1 : -1)
  const sorted = rows.toSorted(by === 'day' ? newestFirst : order)
  const shown = sorted.slice(0, limit)
  const others = sorted.slice(limit)
  return {
    rows: by === 'session' ? await Promise.all(shown.map(withTitle)) : shown,
    ...(others.length === 0 ? {} : { rest: { rows: others.length, ...add(others) } }),
  }

  async function withTitle(row: Row): Promise<Row & { readonly title?: string }> {
    const session = row.key === null ? undefined : await store.session(row.key)
    return { ...row, ...defined({ title: session?.title ?? session?.opening }) }
  }
}

async function readPromptUsage(sources: UsageSources, by: 'layer' | 'tool', range: SumRange) {
  const total = createUsageAdder()
  const adder = createTokenAdder()
  const silent: CallSum[] = []
  let counted = 0
  await eachPage(sources, { ...range, parts: true, ids: true }, (all, prices, held) => {
    const calls = all.filter(({ id = '' }) => !held.has(id))
    for (let waits = calls.length; waits < all.length; waits += 1) total.wait()
    for (const call of calls) {
      total.add(call, prices.get(call.model))
      counted += call.used
      if (call.promptTokens === undefined) silent.push(call)
      if (by === 'layer') adder.add(call.parts?.layers ?? {}, 1)
    }
    if (by === 'tool') addToolDefinitions(adder, calls)
  })
  const sums = { ...range, total: total.sums(), counted }
  const expected = sums.total.prompt + (await expectedTokens(sources.store, silent))
  if (by === 'layer') return { ...sums, by, expected, rows: adder.rows() }
  const rows = toolUsageRows(adder.rows(), await sources.store.toolSums(range))
  return { ...sums, by, expected, rows }
}

/** Calls without a report whose accounts are read, which takes a moment each: the others are sized in proportion. */
const MOST_ACCOUNTS = 1_000

/** The prompts of calls without a report, in the tokens that were expected of their providers. */
async function expectedTokens(store: SessionStore, calls: readonly CallSum[]): Promise<number> {
  const work = timeSlice(store.clock)
  let [total, used] = [0, 0]
  for (const call of calls.slice(-MOST_ACCOUNTS)) {
    const record = await store.call(call.id!)
    total += record ? figuresOfCall(record, undefined).total : call.used
    used += call.used
    if (work.isOver()) await work.rest()
  }
  return calibratedTokens(
    calls.reduce((sum, call) => sum + call.used, 0),
    total,
    used,
  )
}

const modelOf = ({ model }: CallSum): string => model
const sessionOf = ({ session }: CallSum): string | null => session ?? null

/** Calls that are read at once: some milliseconds of work. */
const PAGE = 250

/** Passes the calls on by time, page by page, with the prices of their models. Each model is asked about once. */
async function eachPage(
  { store, priceOf, heldCalls }: UsageSources,
  options: SumRange & { readonly parts?: boolean; readonly ids?: boolean },
  take: (calls: readonly CallSum[], prices: ReadonlyMap<string, Price | undefined>, held: ReadonlySet<string>) => void,
): Promise<void> {
  const prices = new Map<string, Price | undefined>()
  const work = timeSlice(store.clock)
  const held = (await heldCalls?.()) ?? new Set()
  let after: CallSum | undefined
  for (;;) {
    const page = await store.callSums({
      ...options,
      limit: PAGE,
      ids: options.ids === true || held.size > 0,
      ...defined({ after }),
    })
    const unknown = [...new Set(page.map(modelOf))].filter((model) => !prices.has(model))
    const found = await Promise.all(unknown.map(priceOf))
    unknown.forEach((model, index) => prices.set(model, found[index]))
    take(page, prices, held)
    if (page.length < PAGE) return
    after = page.at(-1)
    if (work.isOver()) await work.rest()
  }
}

function dearestFirst(one: CallUsageRow, other: CallUsageRow): number {
  return (other.money ?? 0) - (one.money ?? 0) || other.prompt + other.output - one.prompt - one.output
}

type TokenAdder = ReturnType<typeof createTokenAdder>

function createTokenAdder() {
  const sums = new Map<string, { calls: number; tokens: number }>()
  return {
    add(tokens: Readonly<Record<string, number>>, calls: number) {
      for (const [name, own] of Object.entries(tokens)) {
        const sum = sums.get(name) ?? { calls: 0, tokens: 0 }
        sum.calls += calls
        sum.tokens += own * calls
        sums.set(name, sum)
      }
    },
    rows: () => [...sums].map(([key, sum]) => ({ key, ...sum })).toSorted((one, other) => other.tokens - one.tokens),
  }
}

/** The same tools are offered in call after call: they are added up once for all of them. */
function addToolDefinitions(adder: TokenAdder, calls: readonly { readonly parts?: PromptParts }[]): void {
  const times = new Map<PromptParts['tools'], number>()
  for (const { parts } of calls) if (parts) times.set(parts.tools, (times.get(parts.tools) ?? 0) + 1)
  for (const [tools, count] of times) adder.add(tools, count)
}

/** Tools that were offered, and tools that only gave results. What took most tokens comes first. */
function toolUsageRows(offered: readonly LayerUsageRow[], given: readonly ToolSum[]): readonly ToolUsageRow[] {
  const definitions = new Map(offered.map((row) => [row.key, row]))
  const results = new Map(given.map((sum) => [sum.tool, sum]))
  const names = [...new Set([...definitions.keys(), ...results.keys()])]
  return names
    .map((key) => ({
      key,
      calls: definitions.get(key)?.calls ?? 0,
      definitions: definitions.get(key)?.tokens ?? 0,
      results: results.get(key)?.results ?? 0,
      resultTokens: results.get(key)?.tokens ?? 0,
    }))
    .toSorted((one, other) => other.definitions + other.resultTokens - one.definitions - one.resultTokens)
}

/** The sum of rows whose calls are different ones. */
export function addUsage(rows: readonly UsageSums[]): UsageSums {
  const sum = (name: Exclude<keyof UsageSums, 'money' | 'waiting'>) => rows.reduce((all, row) => all + row[name], 0)
  const money = rows.flatMap((row) => row.money ?? [])
  return {
    calls: sum('calls'),
    unreported: sum('unreported'),
    unpriced: sum('unpriced'),
    prompt: sum('prompt'),
    fresh: sum('fresh'),
    cached: sum('cached'),
    written: sum('written'),
    undivided: sum('undivided'),
    output: sum('output'),
    ...(money.length === 0 ? {} : { money: inNanos(money.reduce((all, each) => all + each, 0)) }),
  }
}
