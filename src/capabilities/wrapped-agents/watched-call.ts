import type { GatewayConnection } from '../../capability.ts'
import { apiPath, requestJson, requestList } from '../../cli.ts'
import { exactMoneyText, type CallFigures, type CutRecord, inNanos, numberText } from '../../context.ts'
import { defined } from '../../platform.ts'
import type { ForeignEnd, ForeignFacts } from '../../session.ts'

export interface WatchedCall {
  readonly id: string
  readonly session?: string
  readonly time: string
  readonly model: string
  readonly token?: string
  /** Prompt tokens as counted before the call. */
  readonly used: number
  readonly figures: CallFigures
  readonly available?: number
  /** US dollars; absent where it is not known. */
  readonly cost?: number
  readonly kind?: string
  /** Of a call of another program. */
  readonly foreign?: ForeignFacts
  /** Against the call before: what a prompt cache can reuse, and where the change begins. */
  readonly reuse?: {
    readonly tokens: number
    readonly again?: number
    readonly firstChange?: { readonly id: string; readonly slot: string; readonly cause: string }
  }
  readonly cutRecord?: CutRecord
  readonly outcome?: {
    readonly usage?: {
      readonly promptTokens?: number
      readonly cachedTokens?: number
      readonly outputTokens?: number
    }
    readonly usageEstimated?: true
    readonly error?: { readonly code: string; readonly message: string }
    readonly durationMs?: number
    readonly foreign?: ForeignEnd
  }
}

/** As many as the gateway lists at once. */
export const MOST_CALLS = 1_000

/** The newest calls of a session, at most `MOST_CALLS`, oldest first. */
export async function fetchSessionCalls(
  connection: GatewayConnection,
  session: string,
): Promise<readonly WatchedCall[]> {
  const path = apiPath('/api/sessions/', session, `/calls?limit=${MOST_CALLS}`)
  return await requestList<WatchedCall>(connection, path, 'calls')
}

/** Every call of all sessions that began at this time (ISO 8601) or later, newest first, however many they are. */
export async function fetchCallsSince(connection: GatewayConnection, since: string): Promise<readonly WatchedCall[]> {
  const found: WatchedCall[] = []
  for (let before = ''; ; before = `&before=${encodeURIComponent(found.at(-1)!.id)}`) {
    const path = `/api/calls?limit=${MOST_CALLS}${before}`
    // oxlint-disable-next-line no-await-in-loop -- a page begins where the one before it ended
    const page = await requestList<WatchedCall>(connection, path, 'calls')
    found.push(...page.filter(({ time }) => time >= since))
    if (page.length < MOST_CALLS || page.at(-1)!.time < since) return found
  }
}

/** What calls used and cost together. */
export interface CallSums {
  readonly calls: number
  readonly promptTokens: number
  /** Absent where no provider reported it. */
  readonly cachedTokens?: number
  readonly outputTokens: number
  readonly unreported: number
  /** US dollars of the calls whose cost is known. */
  readonly cost: number
  readonly unpriced: number
}

/** Calls that only count tokens cost nothing, and their answers report no usage. */
export function sumCalls(calls: readonly WatchedCall[]): CallSums {
  let [promptTokens, outputTokens, unreported, cost, unpriced] = [0, 0, 0, 0, 0]
  let cachedTokens: number | undefined
  for (const { outcome, cost: own, foreign, figures } of calls) {
    if (foreign?.kind === 'count') continue
    const isReported = figures.basis === 'reported'
    promptTokens += isReported ? figures.total : 0
    if (isReported && figures.cached !== undefined) cachedTokens = (cachedTokens ?? 0) + figures.cached
    outputTokens += outcome?.usage?.outputTokens ?? 0
    if (!isReported || outcome?.usageEstimated) unreported += 1
    cost += own ?? 0
    if (own === undefined) unpriced += 1
  }
  return {
    calls: calls.length,
    promptTokens,
    outputTokens,
    unreported,
    cost: inNanos(cost),
    unpriced,
    ...defined({ cachedTokens }),
  }
}

/** `12 calls`, `1 call`. */
export function callsText(calls: number): string {
  return `${numberText(calls)} ${calls === 1 ? 'call' : 'calls'}`
}

/** `41,200 tokens read (88 % from the cache), 512 written`; `usage not reported` where no answer said it. */
export function tokensText({ calls, promptTokens, cachedTokens, outputTokens, unreported }: CallSums): string {
  if (unreported === calls && promptTokens === 0) return 'usage not reported'
  const read = `${numberText(promptTokens)} tokens read`
  return `${read} (${cacheText(cachedTokens, promptTokens)}), ${numberText(outputTokens)} written`
}

/** `$0.21`; `at least $0.21` where a cost is not known; `cost unknown` where none is. */
export function knownCostText({ calls, cost, unpriced }: CallSums): string {
  if (unpriced === 0) return exactMoneyText(cost)
  return unpriced === calls ? 'cost unknown' : `at least ${exactMoneyText(cost)}`
}

/** `88 % from the cache`. */
export function cacheText(cached: number | undefined, whole: number): string {
  return cached === undefined ? 'cache not reported' : `${shareText(cached, whole)} from the cache`
}

export function shareText(part: number, whole: number): string {
  return `${whole === 0 ? 0 : Math.floor((part / whole) * 100)} %`
}

export async function modelWindow(connection: GatewayConnection, id: string): Promise<number | undefined> {
  try {
    const found = await requestJson<ModelAnswer>(connection, `/api/model?id=${encodeURIComponent(id)}`)
    return found.facts?.assumed?.includes('window') === true ? undefined : found.window
  } catch {
    return undefined
  }
}

interface ModelAnswer {
  readonly window: number
  readonly facts?: { readonly assumed?: readonly string[] }
}
