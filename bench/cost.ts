// What a long conversation costs under policies for a full window: `npm run bench:cost [-- --record]`. Nothing is sent: the requests are
// made, and what a provider would find in its cache is the beginning that a request shares with the call before it.
import { type Policy, policies, type SentCall } from './cost/policies.ts'
import { keepFigures } from './history.ts'
import { newTokens, type Trace, traces } from './cost/traces.ts'

/** How vendors bill prompts: price of a cached and of a written token, as shares of a fresh one, and how long a cache lives, s. */
const rules = [
  { name: 'reads 0.1, writes 1.25', read: 0.1, write: 1.25, life: 300 },
  { name: 'reads 0.1', read: 0.1, write: 1, life: 1_800 },
  { name: 'reads 0.25', read: 0.25, write: 1, life: 3_600 },
] as const

/** Of an answer, as a share of a fresh prompt token. */
const OUTPUT = 5

interface Sums {
  readonly fullPrice: number
  readonly mean: number
  readonly underHalf: number
  readonly side: number
  readonly bills: readonly number[]
}

function sums(calls: readonly SentCall[]): Sums {
  const answers = calls.filter(({ side }) => side === undefined)
  const counted = reuse(calls, Number.POSITIVE_INFINITY)
  return {
    fullPrice: counted.reduce((sum, { fresh, call }) => sum + fresh + call.output, 0),
    mean: answers.reduce((sum, call) => sum + total(call), 0) / answers.length,
    underHalf: counted.slice(1).filter(({ fresh, call }) => call.side === undefined && fresh > total(call) / 2).length,
    side: calls.reduce((sum, call) => sum + (call.side === undefined ? 0 : total(call) + call.output), 0),
    bills: rules.map(({ read, write, life }) =>
      reuse(calls, life).reduce(
        (sum, { fresh, call }) => sum + fresh * write + (total(call) - fresh) * read + call.output * OUTPUT,
        0,
      ),
    ),
  }
}

/** What each call has that its cache has not. A prompt of its own finds nothing and leaves the conversation's cache as it was. */
function reuse(calls: readonly SentCall[], life: number) {
  let before: SentCall | undefined
  return calls.map((call) => {
    let same = 0
    if (before && call.side !== 'apart' && call.pause <= life) {
      for (const [at, { key, tokens }] of call.parts.entries()) {
        if (before.parts[at]?.key !== key) break
        same += tokens
      }
    }
    if (call.side !== 'apart') before = call
    return { call, fresh: total(call) - same }
  })
}

function total({ parts }: SentCall): number {
  return parts.reduce((sum, { tokens }) => sum + tokens, 0)
}

function line(trace: Trace, policy: Policy): readonly string[] {
  const { fullPrice, mean, underHalf, side, bills } = sums(policy.calls(trace))
  return [
    policy.name,
    `${(fullPrice / newTokens(trace)).toFixed(2)} x`,
    `${(mean / 1000).toFixed(1)}k`,
    String(underHalf),
    `${(side / 1000).toFixed(1)}k`,
    ...bills.map((bill) => `${(bill / 1000).toFixed(0)}k`),
  ]
}

const head = ['policy', 'full price', 'mean prompt', 'under half', 'side tokens', ...rules.map(({ name }) => name)]
for (const trace of traces) {
  const calls = policies[0]!.calls(trace).filter(({ side }) => side === undefined).length
  console.log(`\n${trace.name}: ${calls} calls, ${Math.round(newTokens(trace) / 1000)}k tokens are new`)
  const rows = [head, ...policies.map((policy) => line(trace, policy))]
  const widths = head.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  for (const row of rows)
    console.log(
      row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!))).join('  '),
    )
}
const [talk] = traces as readonly [Trace]
const share = (name: string) =>
  sums(policies.find((policy) => policy.name === name)!.calls(talk)).fullPrice / newTokens(talk)
keepFigures('bench:cost', {
  [`${talk.name}: full price over what is new`]: { value: share('notes by a model'), beside: share('drop the oldest') },
})
console.log(
  '\nBills in thousands of fresh prompt tokens. Full price: prompt tokens outside the cache and answers of side calls, over what is new.',
)
