import type { CallOutcome, CallRecord } from '../call.ts'
import {
  type CallSum,
  type CallSumsOptions,
  callSum,
  type PromptParts,
  reportedSum,
  type SumRange,
  type ToolSum,
} from '../call-sums.ts'
import { MOST_TOKENS } from '../../wire.ts'
import { all, insertInto, run, type Sql, type SqlReader, statement, tuples } from './sql.ts'
import { ofWholeSession } from './session-parts.ts'

export interface CallSumColumns extends ReportedColumns {
  readonly time: string
  readonly session: string | null
  readonly model: string
  readonly used: number
  /** What took the tokens of the prompt, JSON: by layer, and the definitions by tool. */
  readonly layers: string
  readonly tools: string
}

/** Adds up a call for `insertCallSum`. To be done before the transaction, which blocks other writes. */
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

/** Adds what the provider reported. */
export function* finishCallSum(number: number, outcome: CallOutcome): Sql<void> {
  yield* run(setReported, { number, ...reportedColumns(reportedSum(outcome)) }, 'unread')
}

/** Reported tokens and cost; `null` where the provider reported none. */
type ReportedColumns = Readonly<Record<keyof typeof REPORTED, number | null>>

/** What each column has of a sum. */
const REPORTED = {
  prompt: 'promptTokens',
  cached: 'cachedTokens',
  written: 'cacheWrittenTokens',
  longer: 'cacheWrittenLongerTokens',
  output: 'outputTokens',
  cost: 'cost',
} as const

function reportedColumns(reported: ReturnType<typeof reportedSum>): ReportedColumns {
  const values = Object.entries(REPORTED).map(([column, name]) => [column, reported[name] ?? null])
  return Object.fromEntries(values) as ReportedColumns
}

const START = ''
const END = '\u{10FFFF}'

export function* readCallSums(options: CallSumsOptions): Sql<readonly CallSum[]> {
  const { from = START, before = END, after, limit, parts = false, session } = options
  const range = { time: after?.time ?? from, number: after?.number ?? -1, before, limit }
  if (!parts && session !== undefined) return (yield* tuples(sumsOfSession, { ...range, session })).map(toCallSum)
  if (!parts) return (yield* tuples(sumsAfter, range)).map(toCallSum)
  // Most calls have the same tools as another one.
  const parsed = new Map<string, PromptParts['tools']>()
  return (yield* tuples(wholeSumsAfter, { ...range, session: session ?? null })).map((row) => {
    const [layers, text] = [row[11], row[12]]
    const tools = parsed.get(text) ?? (JSON.parse(text) as PromptParts['tools'])
    parsed.set(text, tools)
    return { ...toCallSum(row), parts: { layers: JSON.parse(layers) as PromptParts['layers'], tools } }
  })
}

/** Results that are added up at once: a few milliseconds of work. */
const PAGE = 10_000

/** Adds up part after part of a range, and lets other work run between them. */
export async function readToolSums(
  database: SqlReader,
  { from = START, before = END }: SumRange,
): Promise<readonly ToolSum[]> {
  const sums = new Map<string, ToolSum>()
  for (let start = from; ;) {
    const end = await database.read(partEnd({ start, before }))
    for (const { tool, results, tokens } of await database.read(
      all(toolsInRange, { from: start, before: end ?? before }),
    )) {
      const sum = sums.get(tool)
      sums.set(tool, { tool, results: results + (sum?.results ?? 0), tokens: tokens + (sum?.tokens ?? 0) })
    }
    if (end === undefined) return [...sums.values()].toSorted((one, other) => (one.tool < other.tool ? -1 : 1))
    start = end
    // oxlint-disable-next-line no-await-in-loop -- that is what the parts are for
    await database.clock.yield()
  }
}

/** The time at which the part after this one begins; `undefined` for the last part. Results of one time are in one part. */
function* partEnd(range: { start: string; before: string }): Sql<string | undefined> {
  const time = (yield* tuples(timeInRange, { ...range, offset: PAGE }))[0]?.[0]
  return time === range.start ? (yield* tuples(timeAfter, range))[0]?.[0] : time
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
  cost: number | null,
]

function toCallSum([number, time, session, model, used, ...reported]: readonly [...SumRow, ...unknown[]]): CallSum {
  const figures = Object.values(REPORTED).flatMap((name, at) => (reported[at] === null ? [] : [[name, reported[at]]]))
  return {
    number,
    time,
    ...(session === null ? {} : { session }),
    model,
    used,
    ...(Object.fromEntries(figures) as ReturnType<typeof reportedSum>),
  }
}

const reportedNames = Object.keys(REPORTED)
const columns = ['number', 'time', 'session', 'model', 'used', ...reportedNames]

/** What is read of `sums`: a count that no call can have is none. A store may hold one beyond the numbers of JavaScript. */
const read = columns
  .map((column) =>
    reportedNames.includes(column)
      ? `case when sums.${column} <= ${MOST_TOKENS} then sums.${column} end`
      : `sums.${column}`,
  )
  .join(', ')

export const insertCallSum = statement<CallSumColumns & { number: number }>(
  insertInto('call_sums', [...columns, 'layers', 'tools']),
)
const setReported = statement<ReportedColumns & { number: number }>(
  `update call_sums set ${reportedNames.map((column) => `${column} = :${column}`).join(', ')} where number = :number`,
)
export const insertToolSum = statement<{
  session: string
  seq: number
  part: number
  time: string
  tool: string
  tokens: number
}>(insertInto('tool_sums', ['session', 'seq', 'part', 'time', 'tool', 'tokens']))

interface Range {
  readonly time: string
  readonly number: number
  readonly before: string
  readonly limit: number
}

/** Read from the index alone. */
const sumsAfter = statement<Range, SumRow>(
  `select ${read} from call_sums as sums
    where (time, number) > (:time, :number) and time < :before and ${ofWholeSession}
    order by time, number limit :limit`,
)

/** By the index of calls by session: a list of sessions asks for each of them. */
const sumsOfSession = statement<Range & { readonly session: string }, SumRow>(
  `select ${read}
    from calls join call_sums as sums on sums.number = calls.number
    where calls.session = :session and (sums.time, sums.number) > (:time, :number) and sums.time < :before
    order by sums.time, sums.number limit :limit`,
)

/** `session` is `null` for all sessions, and none. */
const wholeSumsAfter = statement<
  Range & { readonly session: string | null },
  readonly [...SumRow, layers: string, tools: string]
>(
  `select ${read}, layers, tools from call_sums as sums
    where (time, number) > (:time, :number) and (cast(:session as text) is null or session = :session) and time < :before and ${ofWholeSession}
    order by time, number limit :limit`,
)

const timeInRange = statement<{ start: string; before: string; offset: number }, readonly [time: string]>(
  'select time from tool_sums where time >= :start and time < :before order by time limit 1 offset :offset',
)
const timeAfter = statement<{ start: string; before: string }, readonly [time: string]>(
  'select time from tool_sums where time > :start and time < :before order by time limit 1',
)
const toolsInRange = statement<{ from: string; before: string }, ToolSum>(
  `select tool, count(*) as results, sum(tokens) as tokens from tool_sums
    where time >= :from and time < :before and ${ofWholeSession} group by tool order by tool`,
)
