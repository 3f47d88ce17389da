import { defined } from '../../platform.ts'
import { messageText, wholeCharacter } from '../../context.ts'
import {
  type Binding,
  type EntryBody,
  type SessionRow,
  type SessionStore,
  StoreError,
  type TurnRow,
  turnsTo,
  turnsToHead,
  withEdits,
  type LogStore,
} from '../../session.ts'
import { requireLiveTurn } from './admission.ts'
import { sessionNotFound } from './not-found.ts'
import {
  type Clock,
  type NewSession,
  type RunningCapabilities,
  type Runtime,
  RuntimeError,
  type Branch,
} from '../../capability.ts'
import type { ModelChoice } from '../models/model-choice.ts'
import { runtimeFailure } from '../failure.ts'
import type { SessionStates, SessionState } from './session-state.ts'
import type { TurnCache } from '../calls/history-loader.ts'

/** Sessions as such: how one is made, found, given a model and deleted. */
interface Sessions extends Pick<
  Runtime,
  | 'newSession'
  | 'sessionFor'
  | 'setModel'
  | 'choose'
  | 'undo'
  | 'goOnFrom'
  | 'branches'
  | 'deleteSession'
  | 'label'
  | 'importSession'
> {
  sessionState(session: string): Promise<SessionState>
}

export function createSessions(parts: {
  readonly store: SessionStore
  readonly states: SessionStates
  readonly queue: { cancel(state: SessionState, turn: string): Promise<boolean> }
  readonly cache: TurnCache
  readonly models: ModelChoice
  readonly clock: Clock
  readonly capabilities: Pick<RunningCapabilities, 'checkChoices' | 'sessionStarted' | 'sessionDeleted'>
  readonly forgetHistory: (session: string) => Promise<void>
  /** Throws once the runtime accepts no more input. */
  readonly refuseWhenClosing: () => void
}): Sessions {
  const { store, states, queue, cache, models, clock, capabilities, refuseWhenClosing } = parts
  /** Two first messages of one conversation ask at the same time for a session, and get the same. */
  const boundSoon = new Map<string, Promise<string>>()

  async function openState(session: string): Promise<SessionState> {
    const state = await states.of(session)
    if (state) return state
    throw sessionNotFound(session)
  }

  async function newSession({ title, binding, after, model, choices = {} }: NewSession = {}): Promise<SessionRow> {
    refuseWhenClosing()
    if (after !== undefined) await openState(after)
    if (model !== undefined) await models.assertUsable(model)
    await capabilities.checkChoices(choices)
    const session = clock.newId('session')
    const start = {
      type: 'session-start' as const,
      ...defined({ title }),
      ...(binding ? { channel: binding } : {}),
      ...defined({ after }),
    }
    const bodies: readonly EntryBody[] = [
      start,
      ...(model === undefined ? [] : [{ type: 'model' as const, model }]),
      ...choiceEntries(choices),
    ]
    try {
      await store.transaction([
        { type: 'append', session, bodies, time: clock.time() },
        ...(binding ? [{ type: 'binding' as const, binding, session }] : []),
      ])
    } catch (error) {
      throw runtimeFailure(error)
    }
    capabilities.sessionStarted(session)
    return (await store.session(session))!
  }

  async function findOrBind(binding: Binding): Promise<string> {
    return (await store.bound(binding)) ?? (await newSession({ binding })).id
  }

  async function note(session: string, ...bodies: readonly EntryBody[]): Promise<void> {
    try {
      await store.append(session, bodies, clock.time())
    } catch (error) {
      throw runtimeFailure(error)
    }
  }

  async function noteHead(session: string, turn: string, head: string | undefined): Promise<void> {
    try {
      await store.append(session, [{ type: 'head', turn, head: head ?? null }], clock.time())
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== 'conflict') throw runtimeFailure(error)
      throw new RuntimeError('changed', `The session ${session} has changed meanwhile. Look at it again.`, { session })
    }
  }

  return {
    sessionState: openState,
    newSession,
    sessionFor(binding) {
      const name = JSON.stringify([binding.channel, binding.conversation])
      const under = boundSoon.get(name) ?? findOrBind(binding).finally(() => boundSoon.delete(name))
      boundSoon.set(name, under)
      return under
    },
    async setModel(session, model) {
      await openState(session)
      if (model !== undefined) await models.assertUsable(model)
      await note(session, { type: 'model', model: model ?? null })
    },
    async choose(session, choices) {
      await openState(session)
      await capabilities.checkChoices(choices)
      await note(session, ...choiceEntries(choices))
    },
    async label(session, label) {
      await openState(session)
      await note(session, { type: 'label', ...label })
    },
    async importSession(lines, options = {}) {
      refuseWhenClosing()
      const { importSession } = await import('../../session.ts')
      try {
        return await importSession(store, lines, { ...options, endsTurnsAt: clock.time() })
      } catch (error) {
        throw importFailure(error)
      }
    },
    async undo(session) {
      refuseWhenClosing()
      const state = await openState(session)
      if (state.running || state.beside || state.queue.length > 0) {
        throw new RuntimeError('invalid-input', `A turn of ${session} is running. Cancel it first.`, { session })
      }
      const { last, head, followed } = await newestTurns(store, session)
      if (last === undefined) {
        throw new RuntimeError('not-found', `Session ${session} has no turn to undo.`, { session })
      }
      const [input] = withEdits(await store.entries(session, { turn: last.turn, types: ['input', 'edit'] }))
      // A turn that other branches go on from stays as it is: only this one goes on without it.
      if (followed) await note(session, { type: 'branch', head: head?.turn ?? null })
      else await noteHead(session, last.turn, head?.turn)
      return {
        session,
        turn: last.turn,
        text: input?.type === 'input' ? messageText(input.message) : '',
        head: head?.turn,
      }
    },
    async goOnFrom(session, turn) {
      refuseWhenClosing()
      await openState(session)
      if (turn !== null) await requireLiveTurn(store, session, turn)
      await note(session, { type: 'branch', head: turn })
    },
    async branches(session) {
      await openState(session)
      return sessionBranches(store, session)
    },
    async deleteSession(session) {
      const state = await states.of(session)
      if (!state) return false
      // From the back, so that none of them begins meanwhile.
      for (let turn = state.queue.at(-1); turn !== undefined; turn = state.queue.at(-1)) await queue.cancel(state, turn)
      if (state.running || state.beside) {
        throw new RuntimeError('invalid-input', `A turn of ${session} is running. Cancel it first.`, { session })
      }
      states.forget(session)
      cache.forget(`${session} `)
      await capabilities.sessionDeleted(session)
      const found = await store.deleteSession(session)
      // After its log, so that it is not indexed again meanwhile.
      await parts.forgetHistory(session)
      return found
    },
  }
}

function importFailure(error: unknown): unknown {
  if (!(error instanceof StoreError) || (error.code !== 'conflict' && error.code !== 'invalid')) {
    return runtimeFailure(error)
  }
  const hint = error.code === 'conflict' ? 'Import it under another id.' : error.hint
  return new RuntimeError('invalid-input', error.message, { store: error.code }, { ...defined({ hint }), cause: error })
}

/** The last turn before the head of a session, the one before it, and whether turns of other branches follow the last. */
async function newestTurns(
  store: SessionStore,
  session: string,
): Promise<{ readonly last?: TurnRow; readonly head?: TurnRow; readonly followed: boolean }> {
  const row = await store.session(session)
  if (row?.head === undefined) {
    const [last, head] = await liveTurns(store, session)
    return { ...defined({ last, head }), followed: false }
  }
  const turns = await store.turns(session)
  const path = turnsToHead(row, turns)
  const last = path.at(-1)
  const followed = turns.some(({ turn }) => turn !== last?.turn && turnsTo(turns, turn).some((one) => one === last))
  return { ...defined({ last, head: path.at(-2) }), followed }
}

/** The two newest turns of a session without branches that were not taken back, newest first. */
async function liveTurns(store: SessionStore, session: string): Promise<readonly TurnRow[]> {
  const live: TurnRow[] = []
  for (let before: number | undefined; live.length < 2;) {
    const page = await store.turns(session, { limit: 50, ...defined({ before }) })
    live.push(...page.filter(({ state }) => state !== 'undone'))
    before = page.at(-1)?.ordinal
    if (page.length < 50) break
  }
  return live.slice(0, 2)
}

function choiceEntries(choices: Readonly<Record<string, string | null>>): readonly EntryBody[] {
  return Object.entries(choices).map(([choice, value]) => ({ type: 'choice', choice, value }))
}

/** Of the first words of a branch, characters. */
const WORDS = 100

async function sessionBranches(store: LogStore, session: string): Promise<readonly Branch[]> {
  const [row, turns] = await Promise.all([store.session(session), store.turns(session)])
  if (!row) return []
  const head = turnsToHead(row, turns)
  const onHead = new Set(head)
  const paths = lastTurns(turns).map((leaf) => turnsTo(turns, leaf.turn))
  // Where the head is in the middle of branches, it belongs to the newest of those that go on after it.
  const current = paths.find((path) => path.length >= head.length && head.every((one, index) => path[index] === one))
  const ordered = current ? [current, ...paths.filter((path) => path !== current)] : paths
  return Promise.all(
    ordered.map(async (path): Promise<Branch> => {
      const shared = path === current ? path.slice(0, -1) : path.filter((one) => onHead.has(one))
      const first = path[shared.length] ?? path.at(-1)!
      const [input] = withEdits(await store.entries(session, { turn: first.turn, types: ['input', 'edit'] }))
      const words = input?.type === 'input' ? messageText(input.message).replaceAll(/\s+/g, ' ').trim() : ''
      return {
        leaf: path.at(-1)!.turn,
        current: path === current,
        after: shared.at(-1)?.turn ?? null,
        time: first.inputTime,
        words: words.slice(0, wholeCharacter(words, Math.min(words.length, WORDS))),
        turns: path.length,
      }
    }),
  )
}

/** Turns that no other follows, newest first. */
function lastTurns(turns: readonly TurnRow[]): readonly TurnRow[] {
  const followed = new Set<string | undefined>()
  const live = turns.filter(({ state }) => state !== 'undone')
  const byOrdinal = new Map(turns.map((row) => [row.ordinal, row]))
  const byTurn = new Map(turns.map((row) => [row.turn, row]))
  for (const { ordinal, parent } of live) {
    let before = parent === undefined ? byOrdinal.get(ordinal - 1) : byTurn.get(parent ?? '')
    while (before?.state === 'undone') {
      before = before.parent === undefined ? byOrdinal.get(before.ordinal - 1) : byTurn.get(before.parent ?? '')
    }
    followed.add(before?.turn)
  }
  return live.filter(({ turn }) => !followed.has(turn)).toSorted((one, other) => other.ordinal - one.ordinal)
}
