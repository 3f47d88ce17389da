import type { Clock, FileLibrary } from '../../capability.ts'
import { isHalfFull, messageText, ContextOverflowError } from '../../context.ts'
import { defined } from '../../platform.ts'
import { type InputOptions, type SessionStore, withEdits, type CallRecord } from '../../session.ts'
import type { BudgetService } from '../budgets/budget-service.ts'
import { cacheLifeOf, restOfCache } from '../calls/cache-life.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { ModelChoice } from '../models/model-choice.ts'
import { type SessionState, type SessionStates, wasRead } from '../sessions/session-state.ts'
import type { PreparedTurn, SaidInTurn } from '../turn/prepare-turn.ts'
import type { EndedTurn } from '../turn/note-hook.ts'
import type { SentAssembly } from '../turn/record-call.ts'
import { withPictures } from '../calls/attachments.ts'
import { assembleInSlices, type Counters } from '../models/counters.ts'
import { type CallInput, isVerbatim, restoreInput } from '../calls/call-input.ts'
import { seal } from '../calls/seal.ts'

/** Sessions in which nothing happens, and whose prompt is in the cache of a provider. */
export type IdleSessions = ReturnType<typeof idleSessions>

/** A cache that lives longer is known of no provider. */
const LONGEST_LIFE_MS = 24 * 3_600_000
/** The most sessions that are looked at after a restart, and the calls of each. */
const MOST_SESSIONS = 100
const MOST_CALLS = 4

export function idleSessions(parts: {
  readonly store: SessionStore
  readonly clock: Clock
  readonly states: SessionStates
  readonly models: Pick<ModelChoice, 'resolve'>
  readonly counters: Counters
  readonly library: FileLibrary | undefined
  readonly budgets: BudgetService
  readonly readFingerprint: Ledger['readFingerprint']
  readonly prepare: (state: Partial<SessionState>, asked: InputOptions, said: SaidInTurn) => Promise<PreparedTurn>
}) {
  const { store, clock, states, models } = parts
  const now = () => Date.parse(clock.time())

  return {
    /** What a note after the last call of a session is written with. `undefined` where something has happened since, or its prompt is gone. */
    async read(session: string, call: string, signal: AbortSignal) {
      const state = await states.of(session)
      const record = await store.call(call)
      if (!state || !record?.turn || !isIdle(state, call) || !(await isNewest(session, record.turn))) return undefined
      const { turn } = record
      const entries = [...withEdits(await store.entries(session, { turn }))]
      const input = entries.find((entry) => entry.type === 'input')
      if (input?.type !== 'input') return undefined
      const files = input.attachments?.map(({ file }) => file)
      const said = { turn, text: messageText(input.message), ...defined({ attachments: files }), keeps: false, signal }
      const prepared = await parts.prepare(state, input.options ?? {}, said)
      if (prepared.model.id !== record.model) return undefined
      const last = await readAnsweredCall(parts, record)
      const waitMs = restOfCache(state.readCall, prepared.model, now())
      if (!last || waitMs === undefined || !isIdle(state, call) || signal.aborted) return undefined
      const { budgets, readFingerprint } = parts
      const ended: EndedTurn = { ...prepared, state, id: turn, entries, clock, budgets, readFingerprint }
      return { ended, last }
    },
    /** The last calls of sessions whose prompt is still in a cache after a restart: how long from now, ms. */
    async *recent() {
      const since = new Date(now() - LONGEST_LIFE_MS).toISOString()
      for (const { id, updated } of await store.sessions({ limit: MOST_SESSIONS })) {
        if (updated < since) continue
        const record = (await store.calls(id, { last: MOST_CALLS })).findLast(({ kind }) => kind === undefined)
        if (!record?.outcome || !wasRead(record.outcome) || !isHalfFull(record.manifest)) continue
        const model = await models.resolve(record.model).catch(() => undefined)
        const waitMs = model && restOfCache({ at: Date.parse(record.time), life: cacheLifeOf(record) }, model, now())
        if (waitMs !== undefined) yield { session: id, call: record.id, waitMs }
      }
    },
  }

  /** Whether the conversation goes on after a turn, which was not taken back. */
  async function isNewest(session: string, turn: string): Promise<boolean> {
    const [row, made] = await Promise.all([store.session(session), store.turn(session, turn)])
    return made !== undefined && made.state !== 'undone' && (row?.head === undefined || row.head === turn)
  }
}

function isIdle({ running, beside, queue, stalled, words, noteAsked, readCall }: SessionState, call: string): boolean {
  return !running && !beside && queue.length === 0 && !stalled && !words && !noteAsked && readCall?.call === call
}

interface CallReader {
  readonly store: SessionStore
  readonly counters: Counters
  readonly library: FileLibrary | undefined
}

/** Reads a call back as it was sent. `undefined` where it cannot be built again with the same bytes. */
async function readAnsweredCall(
  { store, counters, library }: CallReader,
  record: CallRecord,
): Promise<SentAssembly | undefined> {
  if (isVerbatim(record) || record.requestDigest === '') return undefined
  const input = await restoreInput(store, record, counters)
  const outcome = await assembleInSlices(store.clock, input)
  if (outcome instanceof ContextOverflowError) return undefined
  if (seal(outcome).manifest.requestDigest !== record.requestDigest) return undefined
  const { request, missing } = await withPictures(outcome.request, library)
  if (missing.length > 0) return undefined
  const { options } = record.input as CallInput
  return { input, outcome, prepared: { call: record.id, request, ...defined({ options }) } }
}
