import { messageText } from '../../context.ts'
import {
  type Binding,
  type EntryBody,
  type SessionRow,
  type SessionStore,
  StoreError,
  type TurnRow,
} from '../../session.ts'
import { noSuchSession } from './admission.ts'
import { SubjectError, type Subjects } from '../../capabilities/subjects/core.ts'
import type { Clock, Records } from '../../capability.ts'
import type { NewSession, Runtime } from '../contract.ts'
import { RuntimeError } from '../../capability/runtime-error.ts'
import type { ModelChoice } from '../models/model-choice.ts'
import { runtimeFailure } from '../runtime-failure.ts'
import type { Desks, SessionDesk } from './session-desk.ts'
import type { TurnQueue } from '../turns/turn-queue.ts'
import type { TurnShelf } from '../turns/turn-shelf.ts'

/** Sessions as such: how one is made, found, given a model and deleted. */
export interface Sessions extends Pick<
  Runtime,
  'newSession' | 'sessionFor' | 'setModel' | 'setAgent' | 'setProject' | 'setSubject' | 'undo' | 'deleteSession'
> {
  /** Rejects with `not-found`. */
  deskOf(session: string): Promise<SessionDesk>
}

export interface SessionsParts {
  readonly store: SessionStore
  readonly desks: Desks
  readonly queue: TurnQueue
  readonly shelf: TurnShelf
  readonly models: ModelChoice
  readonly clock: Clock
  readonly agents: Pick<Records<unknown>, 'get'>
  readonly projects: Pick<Records<unknown>, 'get'>
  readonly subjects: Pick<Subjects, 'context'>
  /** Files of the session go with it. */
  readonly forgetFiles: (session: string) => Promise<void>
  /** So does what the search of the history knows of it. */
  readonly forgetHistory: (session: string) => Promise<void>
  /** It was made, and may have been begun in a conversation. */
  readonly begun: (session: string) => void
  /** What is remembered of it goes with it. */
  readonly forgetMemory: (session: string) => Promise<void>
  /** Throws once the runtime takes no more input. */
  readonly refuseWhenClosing: () => void
}

/** Every session of a store, as the doors of a runtime work on it. */
export function createSessions(parts: SessionsParts): Sessions {
  const { store, desks, queue, shelf, models, clock, refuseWhenClosing } = parts
  /** Two first messages of one conversation ask at the same time for a session, and get the same. */
  const boundSoon = new Map<string, Promise<string>>()

  async function deskOf(session: string): Promise<SessionDesk> {
    const desk = await desks.of(session)
    if (desk) return desk
    throw noSuchSession(session)
  }

  async function newSession({
    title,
    binding,
    after,
    model,
    agent,
    project,
    subject,
  }: NewSession = {}): Promise<SessionRow> {
    refuseWhenClosing()
    if (after !== undefined) await deskOf(after)
    if (model !== undefined) await models.assertUsable(model)
    if (agent !== undefined) await parts.agents.get(agent)
    if (project !== undefined) await parts.projects.get(project)
    if (subject !== undefined) await knownSubject(parts.subjects, subject)
    const session = clock.newId('session')
    const start = {
      type: 'session-start' as const,
      ...(title === undefined ? {} : { title }),
      ...(binding ? { channel: binding } : {}),
      ...(after === undefined ? {} : { after }),
    }
    const bodies: readonly EntryBody[] = [
      start,
      ...(model === undefined ? [] : [{ type: 'model' as const, model }]),
      ...Object.entries({ agent, project, subject }).flatMap(([choice, value]) =>
        value === undefined ? [] : [{ type: 'choice' as const, choice, value }],
      ),
    ]
    try {
      await store.transaction([
        { type: 'append', session, bodies, time: clock.time() },
        ...(binding ? [{ type: 'binding' as const, binding, session }] : []),
      ])
    } catch (error) {
      throw runtimeFailure(error)
    }
    if (binding || after !== undefined) parts.begun(session)
    return (await store.session(session))!
  }

  async function findOrBind(binding: Binding): Promise<string> {
    return (await store.bound(binding)) ?? (await newSession({ binding })).id
  }

  async function note(session: string, body: EntryBody): Promise<void> {
    try {
      await store.append(session, [body], clock.time())
    } catch (error) {
      throw runtimeFailure(error)
    }
  }

  async function noteHead(session: string, turn: string, head: string | undefined): Promise<void> {
    try {
      await store.append(session, [{ type: 'head', turn, head: head ?? null }], clock.time())
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== 'conflict') throw runtimeFailure(error)
      throw new RuntimeError('changed', `The session ${session} has gone on meanwhile. Look at it again.`, { session })
    }
  }

  return {
    deskOf,
    newSession,
    sessionFor(binding) {
      const name = JSON.stringify([binding.channel, binding.conversation])
      const under = boundSoon.get(name) ?? findOrBind(binding).finally(() => boundSoon.delete(name))
      boundSoon.set(name, under)
      return under
    },
    async setModel(session, model) {
      await deskOf(session)
      if (model !== undefined) await models.assertUsable(model)
      await note(session, { type: 'model', model: model ?? null })
    },
    async setAgent(session, agent) {
      await deskOf(session)
      if (agent !== undefined) await parts.agents.get(agent)
      await note(session, { type: 'choice', choice: 'agent', value: agent ?? null })
    },
    async setProject(session, project) {
      await deskOf(session)
      if (project !== undefined) await parts.projects.get(project)
      await note(session, { type: 'choice', choice: 'project', value: project ?? null })
    },
    async setSubject(session, subject) {
      await deskOf(session)
      if (subject !== undefined) await knownSubject(parts.subjects, subject)
      await note(session, { type: 'choice', choice: 'subject', value: subject ?? null })
    },
    async undo(session) {
      refuseWhenClosing()
      const desk = await deskOf(session)
      if (desk.running || desk.queue.length > 0) {
        throw new RuntimeError('invalid-input', `A turn of ${session} is running. Cancel it first.`, { session })
      }
      const [last, head] = await liveTurns(store, session)
      if (last === undefined) {
        throw new RuntimeError('not-found', `Session ${session} has no turn to take back.`, { session })
      }
      const [input] = await store.entries(session, { turn: last.turn, types: ['input'] })
      await noteHead(session, last.turn, head?.turn)
      return {
        session,
        turn: last.turn,
        text: input?.type === 'input' ? messageText(input.message) : '',
        head: head?.turn,
      }
    },
    async deleteSession(session) {
      const desk = await desks.of(session)
      if (!desk) return false
      // From the back, so that none of them begins meanwhile.
      for (let turn = desk.queue.at(-1); turn !== undefined; turn = desk.queue.at(-1)) await queue.cancel(desk, turn)
      if (desk.running) {
        throw new RuntimeError('invalid-input', `A turn of ${session} is running. Cancel it first.`, { session })
      }
      desks.forget(session)
      shelf.forget(`${session} `)
      await parts.forgetMemory(session)
      await parts.forgetFiles(session)
      const found = await store.deleteSession(session)
      // After its log, so that nobody indexes it again meanwhile.
      await parts.forgetHistory(session)
      return found
    },
  }
}

/** The two newest turns that were not taken back, newest first. */
async function liveTurns(store: SessionStore, session: string): Promise<readonly TurnRow[]> {
  const live: TurnRow[] = []
  for (let before: number | undefined; live.length < 2;) {
    const page = await store.turns(session, { limit: 50, ...(before === undefined ? {} : { before }) })
    live.push(...page.filter(({ state }) => state !== 'undone'))
    before = page.at(-1)?.ordinal
    if (page.length < 50) break
  }
  return live.slice(0, 2)
}

async function knownSubject(subjects: Pick<Subjects, 'context'>, subject: string): Promise<void> {
  try {
    await subjects.context(subject)
  } catch (error) {
    if (!(error instanceof SubjectError)) throw error
    const code = error.code === 'not-found' ? 'not-found' : 'invalid-input'
    throw new RuntimeError(code, error.message, error.facts, { cause: error })
  }
}
