import {
  type AnyCapability,
  costGroups,
  type CostOptions,
  type CostReport,
  type CostRow,
  type CostSums,
  dayIn,
  moneyOfCall,
  RuntimeError,
  weighEntries,
} from '../../capability.ts'
import { divideExactly, type ManifestEntry, type Price, type AnyMessage, toolResults } from '../../context.ts'
import { defined, timeSlice } from '../../platform.ts'
import { type CallRecord, type CallSum, layerOf, type SessionStore, type Entry, toolSumsOf } from '../../session.ts'
import { shownRows, type UsageSources } from './usage-report.ts'

/** Adds up what the calls of a time cost. The money of each call is divided among its keys without a rest. */
export async function costReport(
  sources: UsageSources & { readonly capabilities: readonly AnyCapability[] },
  options: CostOptions,
): Promise<CostReport> {
  const { by, zone = 'UTC', limit = 100, from, before } = options
  const range = defined({ from, before })
  const dayOf = dayIn(zone)
  const naming = namingTool(sources.capabilities, by)
  const isDividing = by === 'layer' || by === 'tool' || naming !== undefined
  const facts = createFactReader(sources.store)
  const total = createAdder()
  const rows = new Map<string | null, ReturnType<typeof createAdder>>()
  const held = (await sources.heldCalls?.()) ?? NONE
  await eachCall(sources, options, held, async (call, price) => {
    const isHeld = held.has(idOf(call))
    const money = isHeld ? undefined : moneyOfCall(call, price)
    total.add(isHeld ? 'waits' : money?.nano, money?.saved)
    const shares = await sharesOf(by, { call, money, dayOf, facts, naming })
    for (const [key, nano] of shares) {
      const row = rows.get(key) ?? createAdder()
      rows.set(key, row)
      row.add(isHeld ? 'waits' : money && nano, isDividing ? undefined : money?.saved)
    }
  })
  const all = [...rows].map(([key, adder]): CostRow => ({ key, ...adder.sums(!isDividing) }))
  const shown = await shownRows(all, { by, limit, store: sources.store, order: dearestFirst, add: addRows })
  return { ...range, by, zone, total: { savedNanoDollars: 0, ...total.sums(true) }, ...shown }
}

export async function sessionCosts(
  sources: UsageSources,
  sessions: readonly string[],
): Promise<ReadonlyMap<string, CostSums>> {
  const costs = new Map<string, CostSums>()
  const held = (await sources.heldCalls?.()) ?? NONE
  for (const session of sessions) {
    const adder = createAdder()
    await eachCall(sources, { by: 'session', session }, held, async (call, price) => {
      const isHeld = held.has(idOf(call))
      const money = isHeld ? undefined : moneyOfCall(call, price)
      adder.add(isHeld ? 'waits' : money?.nano, money?.saved)
    })
    costs.set(session, adder.sums(true))
  }
  return costs
}

const NONE: ReadonlySet<string> = new Set()

function idOf({ id, record }: CallSum): string {
  return id ?? record?.id ?? ''
}

/** The tool whose calls name the keys of a group that a capability adds. Rejects a group that there is not. */
function namingTool(capabilities: readonly AnyCapability[], by: string): string | undefined {
  if (costGroups.some((group) => group === by)) return undefined
  const added = Object.assign({}, ...capabilities.map((each) => each.reports?.costGroups)) as Readonly<
    Record<string, string>
  >
  if (Object.hasOwn(added, by)) return added[by]
  const names = [...costGroups, ...Object.keys(added)].join(', ')
  throw new RuntimeError('invalid-input', `Costs are not divided by "${by}".`, { by }, { hint: `Use one of ${names}.` })
}

type CallMoney = NonNullable<ReturnType<typeof moneyOfCall>>

interface Asked {
  readonly call: CallSum
  readonly money: CallMoney | undefined
  readonly dayOf: (time: string) => string
  readonly facts: (session: string | undefined) => Promise<SessionFacts | undefined>
  readonly naming: string | undefined
}

/** Nano-dollars by key. A call without a price has its keys, too. */
async function sharesOf(
  by: string,
  { call, money, dayOf, facts, naming }: Asked,
): Promise<ReadonlyMap<string | null, number>> {
  const whole = (key: string | null | undefined) => new Map([[key ?? null, money?.nano ?? 0]])
  const { record } = call
  const turn = record?.turn
  switch (by) {
    case 'day':
      return whole(dayOf(call.time))
    case 'model':
      return whole(call.model)
    case 'session':
      return whole(call.session)
    case 'call':
      return whole(record?.id)
    case 'turn':
      return whole(record && turnKey(record))
    case 'agent':
      return whole((await facts(call.session))?.chosen('agent', record?.upTo ?? Number.MAX_SAFE_INTEGER))
    case 'channel':
      return whole(turn === undefined ? null : (await facts(call.session))?.channelOf(turn))
    case 'token':
      // A call of another program says itself whose token it came with.
      return whole(turn === undefined || record?.foreign ? record?.token : (await facts(call.session))?.tokenOf(turn))
    default:
      return divided(by, { call, money, naming, facts: await facts(call.session) })
  }
}

/** Where a program names no turns, they are counted in each of its conversations again. */
function turnKey({ id, session, turn, foreign }: CallRecord): string | undefined {
  const isCounted = foreign !== undefined && foreign.turn === undefined && turn !== id
  return isCounted ? `${session}/${turn}` : turn
}

type Weights = readonly (readonly [key: string | null, weight: number])[]

function divided(
  by: string,
  {
    call,
    money,
    naming,
    facts,
  }: Pick<Asked, 'call' | 'money' | 'naming'> & { readonly facts: SessionFacts | undefined },
): ReadonlyMap<string | null, number> {
  const { record } = call
  if (!record) return new Map([[null, money?.nano ?? 0]])
  // What has no price is divided as if all of it had one: its keys are counted.
  const known = money ?? { nano: 0, saved: 0, parts: { cached: 0, written: 0, fresh: 1, output: 0 } }
  const { entries, prompt, output } = weighEntries(record.manifest, money ? call : { ...call, cachedTokens: 0 }, known)
  const weights: Weights = [
    ...entries.flatMap(({ entry, weight }) =>
      by === 'layer' ? [[layerOf(entry), weight] as const] : resultWeights(naming, entry, weight, record, facts),
    ),
    [null, prompt],
    [by === 'layer' ? 'answer' : null, output],
  ]
  const parts = divideExactly(
    known.nano,
    weights.map(([, weight]) => weight),
  )
  const shares = new Map<string | null, number>()
  weights.forEach(([key, weight], index) => {
    if (weight > 0 || parts[index]! > 0) shares.set(key, (shares.get(key) ?? 0) + parts[index]!)
  })
  return shares.size === 0 ? new Map([[null, known.nano]]) : shares
}

/** A definition belongs to its tool. Of messages, results have their share of the tokens of the turn. */
function resultWeights(
  naming: string | undefined,
  entry: ManifestEntry,
  weight: number,
  { upTo = Number.MAX_SAFE_INTEGER, foreign }: CallRecord,
  facts: SessionFacts | undefined,
): Weights {
  if (entry.slot === 'tools') return [[naming === undefined ? entry.id : null, weight]]
  // What tools gave to another program is an entry of its own each, with the tool as its origin.
  if (foreign) return [[naming === undefined && entry.origin.kind === 'tool' ? entry.origin.ref : null, weight]]
  const isTurn = entry.layer === 'turn'
  if (!isTurn && entry.layer !== 'tool') return [[null, weight]]
  const turn = entry.id.split('/', 1)[0]!
  const given = facts?.given(turn, { upTo, isFull: (entry.form ?? 'full') === 'full' })
  if (!given || given.results.length === 0) return [[null, weight]]
  const results = given.results.reduce((sum, { tokens }) => sum + tokens, 0)
  // A message of its own has nothing but results.
  const all = isTurn ? Math.max(given.tokens, results) : results
  if (all <= 0) return [[null, weight]]
  const keyOf = ({ tool, named }: (typeof given.results)[number]) =>
    naming === undefined ? tool : tool === naming ? (named ?? null) : null
  return [
    ...given.results.map((result) => [keyOf(result), (weight * result.tokens) / all] as const),
    [null, (weight * (all - results)) / all],
  ]
}

function createAdder() {
  let [calls, waiting, unpriced, nano, saved] = [0, 0, 0, 0, 0]
  return {
    /** `waits`: the call was not sent. `undefined`: its price is not known. */
    add(money: number | 'waits' | undefined, cacheSaved: number | undefined) {
      if (money === 'waits') {
        waiting += 1
        return
      }
      calls += 1
      if (money === undefined) unpriced += 1
      nano += money ?? 0
      saved += cacheSaved ?? 0
    },
    sums: (withSaved: boolean): CostSums => ({
      calls,
      ...(waiting > 0 ? { waiting } : {}),
      unpriced,
      nanoDollars: nano,
      ...(calls > unpriced ? { money: nano / 1e9 } : {}),
      ...(withSaved ? { savedNanoDollars: saved } : {}),
    }),
  }
}

function addRows(rows: readonly CostRow[]): CostSums {
  const sum = (of: (row: CostRow) => number) => rows.reduce((all, row) => all + of(row), 0)
  const nanoDollars = sum((row) => row.nanoDollars)
  const waiting = sum((row) => row.waiting ?? 0)
  return {
    calls: sum(({ calls }) => calls),
    ...(waiting > 0 ? { waiting } : {}),
    unpriced: sum(({ unpriced }) => unpriced),
    nanoDollars,
    ...(rows.some(({ money }) => money !== undefined) ? { money: nanoDollars / 1e9 } : {}),
    ...(rows.some(({ savedNanoDollars }) => savedNanoDollars !== undefined)
      ? { savedNanoDollars: sum(({ savedNanoDollars }) => savedNanoDollars ?? 0) }
      : {}),
  }
}

/** What is read of a session is kept while its calls are added up. */
function createFactReader(store: SessionStore): Asked['facts'] {
  const known = new Map<string, Promise<SessionFacts>>()
  return async (session) => {
    if (session === undefined) return undefined
    const before = known.get(session)
    if (before) return before
    const oldest = known.keys().next().value
    if (known.size >= MOST_SESSIONS && oldest !== undefined) known.delete(oldest)
    const read = readSessionFacts(store, session)
    known.set(session, read)
    return read
  }
}

const MOST_SESSIONS = 200
/** Whole calls that are read at once: a manifest may have hundreds of kilobytes. */
const PAGE = 50
/** Calls without their manifests. */
const WIDE_PAGE = 250

const narrow: ReadonlySet<string> = new Set(['day', 'model', 'session'])

async function eachCall(
  { store, priceOf }: UsageSources,
  { by, from, before, session }: CostOptions,
  held: ReadonlySet<string>,
  take: (call: CallSum, price: Price | undefined) => Promise<void>,
): Promise<void> {
  const prices = new Map<string, Price | undefined>()
  const work = timeSlice(store.clock)
  const records = !narrow.has(by)
  const limit = records ? PAGE : WIDE_PAGE
  let after: CallSum | undefined
  for (;;) {
    const page = await store.callSums({
      ...defined({ from, before, after, session }),
      limit,
      records,
      ids: held.size > 0,
    })
    for (const call of page) {
      if (!prices.has(call.model)) prices.set(call.model, await priceOf(call.model))
      await take(call, prices.get(call.model))
      if (work.isOver()) await work.rest()
    }
    if (page.length < limit) return
    after = page.at(-1)
  }
}

function dearestFirst(one: CostRow, other: CostRow): number {
  return other.nanoDollars - one.nanoDollars || other.calls - one.calls
}

type SessionFacts = Awaited<ReturnType<typeof readSessionFacts>>

interface GivenInTurn {
  readonly tokens: number
  readonly results: readonly Given[]
}

/** One result. `named`: what the model named in its call. */
interface Given {
  readonly tool: string
  readonly named?: string
  readonly tokens: number
}

interface Counted {
  readonly seq: number
  readonly full: number
  readonly least: number
  readonly results: readonly Given[]
}

const none: GivenInTurn = { tokens: 0, results: [] }

async function readSessionFacts(store: SessionStore, session: string) {
  const types = ['session-start', 'input', 'edit', 'choice', 'message'] as const
  const entries = await store.entries(session, { types })
  const turns = new Map<string, Counted[]>()
  const inputs = new Map<string, Extract<Entry, { readonly type: 'input' }>>()
  const choices: Extract<Entry, { readonly type: 'choice' }>[] = []
  let bound: string | undefined
  const named = new Map<string, string>()
  for (const entry of entries) {
    if (entry.type === 'session-start') bound = entry.channel?.channel
    if (entry.type === 'choice') choices.push(entry)
    if (entry.type === 'input') inputs.set(entry.turn, entry)
    if (entry.type !== 'input' && entry.type !== 'message') continue
    noteNames(entry.message, named)
    const counted = turns.get(entry.turn) ?? []
    turns.set(entry.turn, counted)
    counted.push(countedEntry(entry, named))
  }
  return {
    channelOf: (turn: string) => inputs.get(turn)?.options?.channel ?? bound,
    tokenOf: (turn: string) => inputs.get(turn)?.options?.token,
    chosen: (choice: string, upTo: number) =>
      choices.findLast((entry) => entry.choice === choice && entry.seq <= upTo)?.value ?? undefined,
    /** What tools gave in a turn up to an entry, and all tokens of the turn, both in full or in their least form. */
    given(turn: string, { upTo, isFull }: { readonly upTo: number; readonly isFull: boolean }) {
      const counted = turns.get(turn)?.filter(({ seq }) => seq <= upTo)
      if (!counted) return none
      return {
        tokens: counted.reduce((sum, { full, least }) => sum + (isFull ? full : least), 0),
        results: counted.flatMap(({ full, least, results }) =>
          isFull || full === 0
            ? results
            : results.map((result) => ({ ...result, tokens: (result.tokens * least) / full })),
        ),
      }
    },
  }
}

function countedEntry(entry: Extract<Entry, { readonly type: 'input' | 'message' }>, named: Map<string, string>) {
  const ids = toolResults(entry.message satisfies AnyMessage)
  const results = toolSumsOf(entry).map((sum, index): Given => {
    const name = named.get(ids[index]?.toolCallId ?? '')
    return { ...sum, ...(name === undefined ? {} : { named: name }) }
  })
  return { seq: entry.seq, full: entry.tokens.full, least: entry.tokens.least, results }
}

function noteNames({ role, content }: AnyMessage, named: Map<string, string>): void {
  if (role !== 'assistant' || typeof content === 'string') return
  for (const part of content) {
    if (part.type !== 'tool-call' || typeof part.input !== 'object' || part.input === null) continue
    const name: unknown = 'name' in part.input ? part.input.name : undefined
    if (typeof name === 'string') named.set(part.toolCallId, name)
  }
}
