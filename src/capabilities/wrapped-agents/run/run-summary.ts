import type { GatewayConnection } from '../../../capability.ts'
import { requestJson } from '../../../cli.ts'
import { systemClock } from '../../../platform.ts'
import { callsText, type CallSums, knownCostText, sumCalls, tokensText } from '../call-sums.ts'
import { fetchNewestCalls, fetchSessionCalls } from '../watched-call.ts'

export interface RunSummary extends CallSums {
  readonly sessions: readonly string[]
  /** Calls that were answered with an error, or not to their end. One that the program gave up is none. */
  readonly failed: number
}

/** How long the record of the last call may take, ms. */
const RECORD_LIMIT = 3_000

/** Adds up the calls that were made with a token since a time, once all of them are on record. */
export async function summarizeRun(
  connection: GatewayConnection,
  { token, since }: { readonly token: string; readonly since: string },
): Promise<RunSummary> {
  await recorded(connection)
  const own = (await fetchNewestCalls(connection)).filter((call) => call.token === token && call.time >= since)
  const sessions = [...new Set(own.flatMap(({ session }) => (session === undefined ? [] : [session])))]
  const ids = new Set(own.map(({ id }) => id))
  const priced = (await Promise.all(sessions.map((session) => fetchSessionCalls(connection, session)))).flat()
  const calls = priced.filter(({ id }) => ids.has(id))
  const failed = calls.filter((call) => {
    const { end, status = 200 } = call.outcome?.foreign ?? {}
    return end !== 'left' && (call.outcome?.error !== undefined || status >= 400)
  })
  return { ...sumCalls(calls), sessions, failed: failed.length }
}

/** `foreword: 3 calls · 41,200 tokens read (88 % from the cache), 512 written · $0.21 · foreword calls session_…`. */
export function summaryLine(summary: RunSummary, title: string): string {
  if (summary.calls === 0) {
    return `foreword: no call of ${title} came through. \`foreword wrap --help\` says what can be the cause.`
  }
  const { calls, failed, sessions } = summary
  const look = sessions
    .slice(0, 3)
    .map((session) => `foreword calls ${session}`)
    .join(', ')
  const failures = failed === 0 ? [] : [`${failed} failed`]
  return `foreword: ${[callsText(calls), ...failures, tokensText(summary), knownCostText(summary), look].join(' · ')}`
}

/** Waits until no call is open, as far as the gateway says so. */
async function recorded(connection: GatewayConnection): Promise<void> {
  for (const since = systemClock.now(); systemClock.now() - since < RECORD_LIMIT; await systemClock.sleep(50)) {
    const { through } = await requestJson<{ readonly through?: { readonly open: number } }>(connection, '/api/status')
    if (through === undefined || through.open === 0) return
  }
}
