import { sql } from 'kysely'
import type { CallOutcome, CallRecord } from '../call.ts'
import {
  type CallSum,
  type CallSumsOptions,
  callSum,
  type PromptParts,
  reportedSum,
  type SumRange,
  type ToolSum,
  type ToolSums,
} from '../call-sums.ts'
import type { StoreConnection } from './connection.ts'
import { columns, plan, type Parameter, type Tables, tables } from './tables.ts'

/** The sum of a call as its row has it, without the number of the row. */
export type CallSumColumns = Omit<Tables['call_sums'], 'number'>

/** Adds up a call for `putCallSum`. To be done before the transaction, which blocks other writes. */
export function callSumColumns(record: CallRecord): CallSumColumns {
  const { time, session = null, model, used, parts, ...reported } = callSum(record)
  return {
    time,
    session,
    model,
    used,
    ...reportedColumns(reported),
    layers: JSON.stringify(parts.layers),
    tools: JSON.stringify(parts.tools),
  }
}

/** Writes the sum of a call whose row has this number. */
export function putCallSum(connection: StoreConnection, number: number, sum: CallSumColumns): void {
  connection.run(insertCallSum, { number, ...sum })
}

/** Adds what the provider reported. */
export function finishCallSum(connection: StoreConnection, number: number, outcome: CallOutcome): void {
  connection.run(setReported, { number, ...reportedColumns(reportedSum(outcome)) })
}

type ReportedColumns = Pick<Tables['call_sums'], 'prompt' | 'cached' | 'written' | 'longer' | 'output'>

function reportedColumns(reported: ReturnType<typeof reportedSum>): ReportedColumns {
  const { promptTokens, cachedTokens, cacheWrittenTokens, cacheWrittenLongerTokens, outputTokens } = reported
  return {
    prompt: promptTokens ?? null,
    cached: cachedTokens ?? null,
    written: cacheWrittenTokens ?? null,
    longer: cacheWrittenLongerTokens ?? null,
    output: outputTokens ?? null,
  }
}

/** Writes the results of tools in an entry. */
export function putToolSums(
  connection: StoreConnection,
  { session, seq, time }: { readonly session: string; readonly seq: number; readonly time: string },
  sums: ToolSums,
): void {
  sums.forEach(({ tool, tokens }, part) => {
    connection.run(insertToolSum, { session, seq, part, time, tool, tokens })
  })
}

const START = ''
const END = '\u{10FFFF}'

export function readCallSums(connection: StoreConnection, options: CallSumsOptions): readonly CallSum[] {
  const { from = START, before = END, after, limit, parts = false, session } = options
  const range = { time: after?.time ?? from, number: after?.number ?? -1, before, limit }
  if (!parts && session !== undefined) return connection.tuples(sumsOfSession, { ...range, session }).map(toCallSum)
  if (!parts) return connection.tuples(sumsAfter, range).map(toCallSum)
  // Most calls have the same tools as another one.
  const parsed = new Map<string, PromptParts['tools']>()
  return connection.tuples(wholeSumsAfter, { ...range, session: session ?? null }).map((row) => {
    const [layers, text] = [row[10], row[11]]
    const tools = parsed.get(text) ?? (JSON.parse(text) as PromptParts['tools'])
    parsed.set(text, tools)
    return { ...toCallSum(row), parts: { layers: JSON.parse(layers) as PromptParts['layers'], tools } }
  })
}

/** Results that are added up at once: a few milliseconds of work. */
const PAGE = 10_000

/** Adds up part after part of a range, and lets other work run between them. */
export async function readToolSums(
  connection: StoreConnection,
  { from = START, before = END }: SumRange,
): Promise<readonly ToolSum[]> {
  const sums = new Map<string, ToolSum>()
  for (let start = from; ;) {
    const end = partEnd(connection, { start, before })
    for (const { tool, results, tokens } of connection.all(toolsInRange, { from: start, before: end ?? before })) {
      const sum = sums.get(tool)
      sums.set(tool, { tool, results: results + (sum?.results ?? 0), tokens: tokens + (sum?.tokens ?? 0) })
    }
    if (end === undefined) return [...sums.values()].toSorted((one, other) => (one.tool < other.tool ? -1 : 1))
    start = end
    // oxlint-disable-next-line no-await-in-loop -- that is what the parts are for
    await connection.clock.yield()
  }
}

/** The time at which the part after this one begins; `undefined` for the last part. Results of one time are in one part. */
function partEnd(connection: StoreConnection, range: { start: string; before: string }): string | undefined {
  const time = connection.tuples(timeInRange, { ...range, offset: PAGE })[0]?.[0]
  return time === range.start ? connection.tuples(timeAfter, range)[0]?.[0] : time
}

type SumRow = readonly [
  number: number,
  time: string,
  session: string | null,
  model: string,
  used: number,
  prompt: number | null,
  cached: number | null,
  written: number | null,
  longer: number | null,
  output: number | null,
]

function toCallSum([number, time, session, model, used, ...reported]: readonly [...SumRow, ...unknown[]]): CallSum {
  const [prompt, cached, written, longer, output] = reported
  return {
    number,
    time,
    ...(session === null ? {} : { session }),
    model,
    used,
    ...(prompt === null ? {} : { promptTokens: prompt }),
    ...(cached === null ? {} : { cachedTokens: cached }),
    ...(written === null ? {} : { cacheWrittenTokens: written }),
    ...(longer === null ? {} : { cacheWrittenLongerTokens: longer }),
    ...(output === null ? {} : { outputTokens: output }),
  }
}

const insertCallSum = plan((param: Parameter<Tables['call_sums']>) =>
  tables
    .insertInto('call_sums')
    .values(
      columns(
        param,
        'number',
        'time',
        'session',
        'model',
        'used',
        'prompt',
        'cached',
        'written',
        'longer',
        'output',
        'layers',
        'tools',
      ),
    ),
)

const setReported = plan((param: Parameter<ReportedColumns & { number: number }>) =>
  tables
    .updateTable('call_sums')
    .set(columns(param, 'prompt', 'cached', 'written', 'longer', 'output'))
    .where('number', '=', param('number')),
)

const insertToolSum = plan((param: Parameter<Tables['tool_sums']>) =>
  tables.insertInto('tool_sums').values(columns(param, 'session', 'seq', 'part', 'time', 'tool', 'tokens')),
)

interface Range {
  readonly time: string
  readonly number: number
  readonly before: string
  readonly limit: number
}

const narrow = [
  'number',
  'time',
  'session',
  'model',
  'used',
  'prompt',
  'cached',
  'written',
  'longer',
  'output',
] as const

/** Read from the index alone. */
const sumsAfter = plan((param: Parameter<Range>) =>
  tables
    .selectFrom('call_sums')
    .select(narrow)
    .where(sql<boolean>`(time, number) > (${param('time')}, ${param('number')})`)
    .where('time', '<', param('before'))
    .orderBy('time')
    .orderBy('number')
    .limit(param('limit'))
    .$castTo<SumRow>(),
)

/** By the index of calls by session: a list of sessions asks for each of them. */
const sumsOfSession = plan((param: Parameter<Range & { readonly session: string }>) =>
  tables
    .selectFrom('calls')
    .innerJoin('call_sums', 'call_sums.number', 'calls.number')
    .select(narrow.map((column) => `call_sums.${column}` as const))
    .where('calls.session', '=', param('session'))
    .where(sql<boolean>`(call_sums.time, call_sums.number) > (${param('time')}, ${param('number')})`)
    .where('call_sums.time', '<', param('before'))
    .orderBy('call_sums.time')
    .orderBy('call_sums.number')
    .limit(param('limit'))
    .$castTo<SumRow>(),
)

/** `null`: of all sessions, and of none. */
const wholeSumsAfter = plan((param: Parameter<Range & { readonly session: string | null }>) =>
  tables
    .selectFrom('call_sums')
    .select([...narrow, 'layers', 'tools'])
    .where(sql<boolean>`(time, number) > (${param('time')}, ${param('number')})`)
    .where(sql<boolean>`(${param('session')} is null or session = ${param('session')})`)
    .where('time', '<', param('before'))
    .orderBy('time')
    .orderBy('number')
    .limit(param('limit'))
    .$castTo<readonly [...SumRow, layers: string, tools: string]>(),
)

const toolTimes = tables.selectFrom('tool_sums').select('time').orderBy('time').$castTo<readonly [time: string]>()

const timeInRange = plan((param: Parameter<{ start: string; before: string; offset: number }>) =>
  toolTimes
    .where('time', '>=', param('start'))
    .where('time', '<', param('before'))
    .limit(sql.lit(1))
    .offset(param('offset')),
)

const timeAfter = plan((param: Parameter<{ start: string; before: string }>) =>
  toolTimes.where('time', '>', param('start')).where('time', '<', param('before')).limit(sql.lit(1)),
)

const toolsInRange = plan((param: Parameter<{ from: string; before: string }>) =>
  tables
    .selectFrom('tool_sums')
    .select(({ fn }) => ['tool', fn.countAll<number>().as('results'), fn.sum<number>('tokens').as('tokens')])
    .where('time', '>=', param('from'))
    .where('time', '<', param('before'))
    .groupBy('tool')
    .orderBy('tool'),
)
