import type { GatewayConnection } from '../../capability.ts'
import { apiPath, requestJson } from '../../cli.ts'
import type { CutRecord } from '../../context.ts'
import type { ForeignEnd, ForeignFacts } from '../../session.ts'

export interface WatchedCall {
  readonly id: string
  readonly session?: string
  readonly time: string
  readonly model: string
  readonly token?: string
  /** Prompt tokens as counted before the call. */
  readonly used: number
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

/** The most calls that are added up. */
const MOST_CALLS = 1_000

export async function fetchSessionCalls(
  connection: GatewayConnection,
  session: string,
): Promise<readonly WatchedCall[]> {
  const path = apiPath('/api/sessions/', session, `/calls?limit=${MOST_CALLS}`)
  return (await requestJson<{ readonly calls: readonly WatchedCall[] }>(connection, path)).calls
}

/** The newest calls of all sessions, newest first, without their costs. */
export async function fetchNewestCalls(connection: GatewayConnection): Promise<readonly WatchedCall[]> {
  const path = `/api/calls?limit=${MOST_CALLS}`
  return (await requestJson<{ readonly calls: readonly WatchedCall[] }>(connection, path)).calls
}
