import {
  type ForeignSessionService,
  RuntimeError,
  type SessionProgram,
  type SessionFindings,
} from '../../capability.ts'
import {
  type ForeignAssembly,
  callFindings,
  type ForeignFinding,
  type ForeignReuse,
  type SessionCall,
} from '../../foreign.ts'
import type { CallRecord, SessionRow, SessionStore } from '../../session.ts'
import { sessionNotFound, programOf } from '../sessions/not-found.ts'
import { isForeign } from './foreign-input.ts'
import { type ExchangeSources, exchangeReader, readAnswerOf } from './session-exchanges.ts'
import { defined } from '../../platform.ts'
import type { Price } from '../../context.ts'
import type { SealedManifest } from '../ledger/seal.ts'

interface Sources extends ExchangeSources, FindingSources {
  /** Rejects with `missing-content`. */
  takeApart(call: CallRecord): Promise<ForeignAssembly>
}

/** The sessions of other programs, read from what was recorded of their calls. */
export function createForeignSessionService(sources: Sources): ForeignSessionService {
  const { store, takeApart } = sources
  const exchanges = exchangeReader(sources)

  async function requireSession(session: string): Promise<void> {
    if (!(await store.session(session))) throw sessionNotFound(session)
  }

  return {
    programs: (sessions) => sessionPrograms(store, sessions),
    async exchanges(session, options) {
      await requireSession(session)
      return exchanges(session, options)
    },
    async findings(session) {
      await requireSession(session)
      return { session, ...(await sessionFindings(sources, session)) }
    },
    async parts(id) {
      const call = await store.call(id)
      if (!call) throw new RuntimeError('not-found', `No call has the id ${id}.`, { call: id })
      if (!isForeign(call)) {
        const hint = 'GET /api/calls/CALL/scenario has what a call of this gateway was assembled from.'
        throw new RuntimeError('not-found', `The call ${id} was made by this gateway itself.`, { call: id }, { hint })
      }
      const { manifest, pieces, request } = await takeApart(call)
      return { manifest, pieces, messages: request.messages }
    },
  }
}

async function sessionPrograms(
  store: Pick<SessionStore, 'entries' | 'calls'>,
  sessions: readonly SessionRow[],
): Promise<ReadonlyMap<string, SessionProgram>> {
  const programs = new Map<string, SessionProgram>()
  for (const { id, turns, entries } of sessions) {
    // A turn is of this gateway: a session that has one belongs to no other program.
    const name = turns > 0 ? undefined : await programOf(store, id)
    if (name === undefined) continue
    const [newest] = await store.calls(id, { last: 1 })
    programs.set(id, { name, ...defined({ version: newest?.foreign?.version }), calls: Math.max(0, entries - 1) })
  }
  return programs
}

const MOST_CALLS = 1_000

interface FindingSources {
  readonly store: SessionStore
  priceOf(model: string): Promise<Price | undefined>
}

/** What calls paid for without need, by kind and agent: a title in between breaks no cache. Repeats count once. */
async function sessionFindings(
  { store, priceOf }: FindingSources,
  session: string,
): Promise<Omit<SessionFindings, 'session'>> {
  const calls = (await store.calls(session, { last: MOST_CALLS })).filter(isPaid)
  const lines = Map.groupBy(calls, ({ foreign }) => `${foreign?.kind} ${foreign?.session ?? ''}`)
  const found: ForeignFinding[] = []
  for (const line of lines.values()) {
    const looked: SessionCall[] = []
    for (const call of line) looked.push(await sessionCall(store, call))
    found.push(...callFindings(looked, await priceOf(line.at(-1)!.model), line.at(-1)!.foreign?.client))
  }
  const tokens = found.reduce((sum, { cost }) => sum + cost.tokens, 0)
  const isPriced = found.length > 0 && found.every(({ cost }) => cost.money !== undefined)
  const money = isPriced ? Number(found.reduce((sum, { cost }) => sum + cost.money!, 0).toFixed(9)) : undefined
  return { calls: calls.length, sum: { tokens, ...defined({ money }) }, findings: found.toSorted(byCost) }
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
