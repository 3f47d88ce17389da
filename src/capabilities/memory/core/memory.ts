import { type LayoutChoice, layoutOf, type TokenCounter } from '../../../context.ts'
import { type Clock, type MemoryReading, type RememberedText } from '../../../capability.ts'
import { memoryPlugin } from '../memory.ts'
import type { Recall } from '../../../search.ts'
import type { SessionStore } from '../../../session.ts'
import { noSuchSession } from '../../../runtime/sessions/admission.ts'
import type { Runtime, SessionMemory } from '../../../runtime/features.ts'
import { sessionsIn } from '../sessions-in.ts'
import { errorMessage } from '../../../platform.ts'
import { memoryIn, type MemorySettings } from './memory-settings.ts'
import { createSessionSummaries } from './session-summaries.ts'
import { toolHistory } from './tool-history.ts'

/** What turns are given of earlier sessions (BEHAVIOURS §2.1), and how it is shown and forgotten. */
export interface Memory {
  /** Read once, before the first step of a turn. */
  read(question: MemoryQuestion): Promise<TurnMemory>
  /** A session has begun: where a model is to put the one before into words, it is asked at once. */
  begun(session: string): void
  show(session: string, input: string): Promise<SessionMemory>
  /** The session and the earlier ones of its conversation, newest first, without those that are forgotten. */
  conversationOf(session: string): Promise<readonly string[]>
  /** From now on nothing of the session is remembered in any other. Its log stays. */
  forget(session: string): Promise<void>
  /** To be called before a session is deleted. */
  forgetDeleted(session: string): Promise<void>
  close(): Promise<void>
}

/** What a turn was given of earlier sessions. */
export interface TurnMemory {
  readonly whole: MemoryReading | undefined
  /** Whether there is anything that a turn of this session could be given: the same for all of its turns, whatever they find. */
  readonly hasAny: boolean
  /** Without anything of a session that was deleted or forgotten meanwhile. */
  now(): MemoryReading | undefined
}

export interface MemoryQuestion {
  /** Absent for a session that is not there yet: there is nothing before it. */
  readonly session?: string | undefined
  readonly turn?: string | undefined
  /** The new message. */
  readonly text: string
  readonly layout: LayoutChoice
  /** `false`: nothing is written, and no model is asked. */
  readonly keeps: boolean
  /** Of the turn. */
  readonly signal?: AbortSignal | undefined
}

export interface MemoryParts {
  readonly store: SessionStore
  readonly clock: Pick<Clock, 'time'>
  readonly settings: MemorySettings
  readonly layout: LayoutChoice
  readonly counter: TokenCounter
  readonly complete: Runtime['complete']
  readonly recall: Recall
  readonly warn: (text: string) => void
}

type Asking = Pick<MemoryQuestion, 'keeps' | 'signal'>

export function createMemory(parts: MemoryParts): Memory {
  const { store, clock, settings, counter, recall, warn } = parts
  const { previousSession } = settings
  const summaries = createSessionSummaries({ ...parts, ...previousSession })
  const gone = new Set<string>()
  /** What is asked ahead of a turn. */
  const begun = new Set<Promise<unknown>>()

  const isForgotten = async (session: string) => gone.has(session) || (await store.value(keyOf(session))) === true

  /** What may be remembered in a session: earlier ones of its conversation, newest first. */
  async function earlier(session: string): Promise<readonly string[]> {
    const ids = (await recall.conversationOf(session)).filter((id) => id !== session)
    const forgotten = await Promise.all(ids.map(isForgotten))
    return ids.filter((_, index) => !forgotten[index])
  }

  async function previous(ids: readonly string[], { keeps, signal }: Asking): Promise<RememberedText> {
    for (const id of ids) {
      const row = await store.session(id)
      const summary = row && (await summaries.summaryOf(row, keeps, signal))
      if (summary)
        return { text: summary.text, sessions: [id], ...(summary.by === undefined ? {} : { by: summary.by }) }
    }
    return NOTHING
  }

  function tools({ text, turn }: MemoryQuestion, sessions: readonly string[]): Promise<RememberedText> {
    return toolHistory(recall, { text, turn, sessions, maxTokens: settings.toolHistory.maxTokens, counter })
  }

  /** A turn can be answered without its memory; the owner is told. */
  async function orNothing<Value>(work: Promise<Value>, nothing: Value, signal?: AbortSignal): Promise<Value> {
    return work.catch((error: unknown) => {
      // The turn ends itself where it is cancelled.
      if (signal?.aborted) return nothing
      warn(`Nothing of earlier sessions was looked up: ${errorMessage(error)}`)
      return nothing
    })
  }

  async function reading(question: MemoryQuestion): Promise<Omit<TurnMemory, 'now'>> {
    const { session, layout, signal } = question
    const on = memoryIn(settings, layoutOf(layout))
    if (!on.previousSession && !on.toolHistory) return { whole: undefined, hasAny: false }
    const ids = session === undefined ? [] : await orNothing(earlier(session), [])
    const own = session === undefined ? [] : [session]
    const whole = {
      ...(on.previousSession ? { previous: await orNothing(previous(ids, question), NOTHING, signal) } : {}),
      ...(on.toolHistory ? { tools: await orNothing(tools(question, [...own, ...ids]), NOTHING) } : {}),
    }
    const isFound = Object.values(whole).some(({ text }) => text !== '')
    return { whole, hasAny: isFound || (on.toolHistory && ids.length > 0) }
  }

  async function forget(session: string): Promise<void> {
    gone.add(session)
    await summaries.forget(session)
  }

  return {
    async read(question) {
      const { whole, hasAny } = await reading(question)
      return { whole, hasAny, now: () => whole && withoutGone(whole, gone) }
    },
    begun(session) {
      if (!previousSession.summarize || !memoryIn(settings, layoutOf(parts.layout)).previousSession) return
      const asked = earlier(session).then((ids) => previous(ids, { keeps: true }))
      const work = orNothing(asked, NOTHING).finally(() => begun.delete(work))
      begun.add(work)
    },
    async show(session, input) {
      const row = await store.session(session)
      if (!row) throw noSuchSession(session)
      const layout = layoutOf(parts.layout)
      const { whole: found = {} } = await reading({ session, text: input, layout, keeps: false })
      const layers = (await memoryPlugin().layers?.({ time: clock.time(), layout, tools: [], memory: found })) ?? []
      const forgotten = await isForgotten(session)
      const own = forgotten ? undefined : await summaries.summaryOf(row, false)
      return {
        session,
        on: memoryIn(settings, layout),
        layers: layers.flatMap(({ id, renditions, origin, withheld }) => {
          const { text } = renditions[0]!
          if (withheld) return []
          const tokens = text === '' ? 0 : counter.text(text) + counter.perMessage
          return [
            {
              id,
              text,
              tokens,
              from: sessionsIn(found, id),
              origin: origin!.ref,
            },
          ]
        }),
        forgotten,
        ...(own ? { own } : {}),
      }
    },
    async forget(session) {
      if (!(await store.session(session))) throw noSuchSession(session)
      await store.putValue(keyOf(session), true)
      await forget(session)
      await store.withdrawSession(session)
    },
    conversationOf: async (session) => [session, ...(await earlier(session))],
    forgetDeleted: forget,
    async close() {
      await summaries.stop()
      await Promise.all(begun)
    },
  }
}

const NOTHING: RememberedText = { text: '', sessions: [] }

function keyOf(session: string): string {
  return `memory/forgotten/${session}`
}

/** Lines of several sessions are one text: with one of them it goes whole. */
function withoutGone({ previous, tools }: MemoryReading, gone: ReadonlySet<string>): MemoryReading {
  const kept = (part: RememberedText) => (part.sessions.some((id) => gone.has(id)) ? NOTHING : part)
  return { ...(previous ? { previous: kept(previous) } : {}), ...(tools ? { tools: kept(tools) } : {}) }
}
