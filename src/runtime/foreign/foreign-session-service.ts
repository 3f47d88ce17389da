import {
  type ForeignSessionService,
  RuntimeError,
  type SessionProgram,
  type SessionFindings,
  type SubAgent,
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
import { type ExchangeSources, exchangeReader, readAnswerOf, firstWords } from './session-exchanges.ts'
import { defined, fieldsOf } from '../../platform.ts'
import { callCost, inNanos, type Price } from '../../context.ts'
import type { SealedManifest } from '../calls/seal.ts'

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

interface FindingSources extends Pick<ExchangeSources, 'assembleAgain'> {
  readonly store: SessionStore
  priceOf(model: string): Promise<Price | undefined>
}

/** What calls paid for without need, by kind and agent: a title in between breaks no cache. Repeats count once. */
async function sessionFindings(sources: FindingSources, session: string): Promise<Omit<SessionFindings, 'session'>> {
  const { store, priceOf } = sources
  const calls = (await store.calls(session, { last: MOST_CALLS })).filter(isPaid)
  const lines = Map.groupBy(calls, ({ foreign }) => `${foreign?.kind} ${foreign?.session ?? ''}`)
  const found: ForeignFinding[] = []
  const inputs: unknown[] = []
  for (const line of lines.values()) {
    const looked: SessionCall[] = []
    for (const call of line) looked.push(await sessionCall(store, call))
    inputs.push(...looked.flatMap(({ answer }) => answer?.calls ?? []).map(({ input }) => input))
    found.push(...callFindings(looked, await priceOf(line.at(-1)!.model), line.at(-1)!.foreign?.client))
  }
  const tokens = found.reduce((sum, { cost }) => sum + cost.tokens, 0)
  const isPriced = found.length > 0 && found.every(({ cost }) => cost.money !== undefined)
  const money = isPriced ? Number(found.reduce((sum, { cost }) => sum + cost.money!, 0).toFixed(9)) : undefined
  const agents = await subAgents(sources, calls, inputs)
  return { calls: calls.length, sum: { tokens, ...defined({ money }) }, findings: found.toSorted(byCost), agents }
}

/** `inputs`: of all tools that were called in the session. One of them gave an agent its task. */
async function subAgents(
  { priceOf, assembleAgain }: FindingSources,
  calls: readonly CallRecord[],
  inputs: readonly unknown[],
): Promise<readonly SubAgent[]> {
  const agents = Map.groupBy(
    calls.filter(({ foreign }) => foreign?.kind === 'sub-agent'),
    ({ foreign }) => foreign?.session ?? '',
  )
  const rows: SubAgent[] = []
  for (const [id, own] of agents) {
    const [first] = own as [CallRecord, ...CallRecord[]]
    const assembly = await assembleAgain(first)
    const name = taskName(assembly && firstWords(assembly), inputs)
    const { parent } = first.foreign!
    let money: number | undefined = 0
    for (const { model, time, outcome } of own) {
      const cost = callCost(outcome!.usage!, await priceOf(model), time)
      money = money === undefined || cost === undefined ? undefined : inNanos(money + cost)
    }
    const isOfAgent = parent !== undefined && parent !== id && agents.has(parent)
    rows.push({ id, calls: own.length, ...defined({ name, money, parent: isOfAgent ? parent : undefined }) })
  }
  return rows.toSorted((one, other) => (other.money ?? 0) - (one.money ?? 0) || other.calls - one.calls)
}

/** Characters of a task that is found within the first words of an agent; a shorter one is all of them. */
const LEAST_TASK = 20

/** What the call that gave an agent these words says of it: its kind, and its task in few words. */
function taskName(words: string | undefined, inputs: readonly unknown[]): string | undefined {
  const said = words?.trim()
  if (!said) return undefined
  const gives = (value: unknown) =>
    typeof value === 'string' && (value.trim() === said || (value.length >= LEAST_TASK && said.includes(value.trim())))
  const input = inputs.map(fieldsOf).find((fields) => Object.values(fields).some(gives))
  const names = [input?.['subagent_type'] ?? input?.['agent_type'], input?.['description'] ?? input?.['name']]
  return (
    names
      .filter((name) => typeof name === 'string' && name !== '')
      .join(': ')
      .slice(0, 200) || undefined
  )
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
