import type { SessionFindings } from '../../capability.ts'
import type { Price } from '../../context.ts'
import { callFindings, type ForeignFinding, type ForeignReuse, type SessionCall } from '../../foreign.ts'
import { defined } from '../../platform.ts'
import type { CallRecord, SessionStore } from '../../session.ts'
import type { SealedManifest } from '../ledger/seal.ts'
import { readAnswerOf } from './session-exchanges.ts'

/** The newest calls of a session that are looked at. */
const MOST_CALLS = 1_000

export interface FindingSources {
  readonly store: SessionStore
  priceOf(model: string): Promise<Price | undefined>
}

/**
 * What the calls of a session paid for without need. Calls of one kind and one agent are looked at together: a title or a
 * sub-agent between two steps of a conversation breaks no cache of it. What repeats another call counts once.
 */
export async function sessionFindings(
  { store, priceOf }: FindingSources,
  session: string,
): Promise<Omit<SessionFindings, 'session'>> {
  const calls = (await store.calls(session, { last: MOST_CALLS })).filter(isPaid)
  const lines = Map.groupBy(calls, ({ foreign }) => `${foreign?.kind} ${foreign?.session ?? ''}`)
  const found: ForeignFinding[] = []
  for (const line of lines.values()) {
    const looked: SessionCall[] = []
    for (const call of line) looked.push(await sessionCall(store, call))
    found.push(...callFindings(looked, await priceOf(line.at(-1)!.model)))
  }
  return { calls: calls.length, findings: found.toSorted(byCost) }
}

function isPaid({ foreign, outcome }: CallRecord): boolean {
  return foreign !== undefined && outcome?.usage !== undefined && !WITHOUT_CACHE.has(foreign.kind)
}

/** Kinds of calls that nothing is kept of from one to the next. */
const WITHOUT_CACHE: ReadonlySet<string> = new Set(['count', 'quota', 'embedding'])

/** Where it began to differ was written when it came, with the texts at hand. */
async function sessionCall(store: SessionStore, call: CallRecord): Promise<SessionCall> {
  const { reuse } = call.manifest as SealedManifest
  const answer = await readAnswerOf(store, call)
  const usage = call.outcome?.usage
  return {
    id: call.id,
    assembly: { manifest: call.manifest, pieces: [] },
    reuse: (reuse ?? { tokens: 0 }) as Omit<ForeignReuse, 'pieces'>,
    answer: { calls: answer?.calls ?? [], ...defined({ usage }) },
  }
}

function byCost({ cost: one }: ForeignFinding, { cost: other }: ForeignFinding): number {
  return (other.money ?? 0) - (one.money ?? 0) || other.tokens - one.tokens
}
