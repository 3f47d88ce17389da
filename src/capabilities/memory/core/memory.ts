import { z } from 'zod'
import type { Clock, Runtime } from '../../../capability.ts'
import { type LayoutChoice, layoutOf, type TokenCounter } from '../../../context.ts'
import { defined, errorMessage } from '../../../platform.ts'
import { sessionNotFound } from '../../../runtime.ts'
import type { RankedPassage, Recall } from '../../../search.ts'
import type { SessionStore } from '../../../session.ts'
import {
  memoryLayerNames,
  memoryLayers,
  type MemoryReading,
  NOTHING_REMEMBERED,
  type RememberedText,
  sessionsIn,
  memoryIn,
  type MemorySettings,
} from './memory-layers.ts'
import { createSessionSummaries, minuteText, rememberedLine, sessionSummary } from './session-summaries.ts'

export type Memory = ReturnType<typeof createMemory>

export type SessionMemory = z.infer<typeof sessionMemory>

/** What a session receives from earlier ones, and its own summary. */
export const sessionMemory = z.object({
  session: z.string(),
  on: z.object({ previousSession: z.boolean(), toolHistory: z.boolean() }).describe('In the configured layout.'),
  layers: z.array(
    z.object({
      id: z.enum(memoryLayerNames),
      text: z.string().describe('The text as the model reads it. Empty if there is none.'),
      tokens: z.number(),
      from: z.array(z.string()).describe('Sessions that its text comes from.'),
      origin: z.string(),
    }),
  ),
  own: sessionSummary
    .optional()
    .describe('Summary of this session for the next one. Absent if the session has no messages.'),
  forgotten: z.boolean().describe('Whether other sessions receive nothing from this one.'),
})

export interface TurnMemory {
  readonly whole: MemoryReading | undefined
  /** Whether there is anything that a turn of this session could remember: the same for all of its turns, whatever they find. */
  readonly hasAny: boolean
  /** Without texts of sessions that were deleted or forgotten meanwhile. */
  now(): MemoryReading | undefined
}

export interface MemoryQuestion {
  /** Absent for a session that does not exist yet. */
  readonly session?: string | undefined
  readonly turn?: string | undefined
  readonly text: string
  readonly layout: LayoutChoice
  /** `false`: nothing is written, and no model is asked. */
  readonly keeps: boolean
  readonly signal?: AbortSignal | undefined
}

interface MemoryParts {
  readonly store: SessionStore
  readonly clock: Clock
  readonly settings: MemorySettings
  readonly layout: LayoutChoice
  readonly counter: TokenCounter
  readonly complete: Runtime['complete']
  readonly recall: Recall
  readonly warn: (text: string) => void
}

type Asking = Pick<MemoryQuestion, 'keeps' | 'signal'>

export function createMemory(parts: MemoryParts) {
  const { store, settings, counter, recall, warn } = parts
  const { previousSession } = settings
  const summaries = createSessionSummaries({ ...parts, ...previousSession })
  const forgottenNow = new Set<string>()
  /** Summaries that were requested ahead of a turn. */
  const running = new Set<Promise<unknown>>()

  const isForgotten = async (session: string) =>
    forgottenNow.has(session) || (await store.value(forgottenKey(session))) === true

  /** Of the sessions of one conversation, those that may be remembered in this one. */
  async function remembered(session: string, sessions: readonly string[]): Promise<readonly string[]> {
    const forgotten = await Promise.all(sessions.map(async (id) => id !== session && isForgotten(id)))
    return sessions.filter((_, index) => !forgotten[index])
  }

  /** The earlier sessions that a session may remember, newest first. */
  async function earlier(session: string): Promise<readonly string[]> {
    const ids = await recall.conversationSessions(session)
    return remembered(
      session,
      ids.filter((id) => id !== session),
    )
  }

  async function previous(ids: readonly string[], { keeps, signal }: Asking): Promise<RememberedText> {
    for (const id of ids) {
      const row = await store.session(id)
      const summary = row && (await summaries.find(row, keeps, signal))
      if (!summary) continue
      const { text, by } = summary
      return { text, sessions: [id], foreign: await readsForeign(store, id), ...defined({ by }) }
    }
    return NOTHING_REMEMBERED
  }

  function tools({ text, turn }: MemoryQuestion, sessions: readonly string[]): Promise<RememberedText> {
    return toolHistory(recall, { text, turn, sessions, maxTokens: settings.toolHistory.maxTokens, counter })
  }

  /** A turn can be answered without memory; the owner gets a warning. */
  async function orNothing<Value>(work: Promise<Value>, nothing: Value, signal?: AbortSignal): Promise<Value> {
    return work.catch((error: unknown) => {
      // A cancelled turn ends itself.
      if (signal?.aborted) return nothing
      warn(`Earlier sessions could not be read, so the turn has no memory: ${errorMessage(error)}`)
      return nothing
    })
  }

  /** Read once, before the first step of a turn. */
  async function read(question: MemoryQuestion): Promise<TurnMemory> {
    const { session, layout, signal } = question
    const on = memoryIn(settings, layoutOf(layout))
    if (!on.previousSession && !on.toolHistory) return { whole: undefined, hasAny: false, now: () => undefined }
    const ids = session === undefined ? [] : await orNothing(earlier(session), [])
    const own = session === undefined ? [] : [session]
    const whole = {
      ...(on.previousSession ? { previous: await orNothing(previous(ids, question), NOTHING_REMEMBERED, signal) } : {}),
      ...(on.toolHistory ? { tools: await orNothing(tools(question, [...own, ...ids]), NOTHING_REMEMBERED) } : {}),
    }
    const isFound = Object.values(whole).some(({ text }) => text !== '')
    const hasAny = isFound || (on.toolHistory && ids.length > 0)
    return { whole, hasAny, now: () => withoutForgotten(whole, forgottenNow) }
  }

  async function forget(session: string): Promise<void> {
    forgottenNow.add(session)
    await summaries.forget(session)
  }

  return {
    read,

    /** Called for a new session. If a model summarizes, it summarizes the previous session at once. */
    askAhead(session: string): void {
      if (!previousSession.summarize || !memoryIn(settings, layoutOf(parts.layout)).previousSession) return
      const asked = earlier(session).then((ids) => previous(ids, { keeps: true }))
      const work = orNothing(asked, NOTHING_REMEMBERED).finally(() => running.delete(work))
      running.add(work)
    },
    async show(session: string, input: string): Promise<SessionMemory> {
      const row = await store.session(session)
      if (!row) throw sessionNotFound(session)
      const layout = layoutOf(parts.layout)
      const { whole: found = {} } = await read({ session, text: input, layout, keeps: false })
      const forgotten = await isForgotten(session)
      const own = forgotten ? undefined : await summaries.find(row, false)
      return {
        session,
        on: memoryIn(settings, layout),
        layers: memoryLayers(found, layout).map(({ id, renditions, origin }) => {
          const { text } = renditions[0]!
          const tokens = text === '' ? 0 : counter.text(text) + counter.perMessage
          return { id, text, tokens, from: sessionsIn(found, id), origin: origin!.ref }
        }),
        forgotten,
        ...defined({ own }),
      }
    },

    /** From now on no other session remembers this one. Its log stays. */
    async forget(session: string): Promise<void> {
      if (!(await store.session(session))) throw sessionNotFound(session)
      await store.putValue(forgottenKey(session), true)
      await forget(session)
      await store.withdrawSession(session)
    },
    remembered,
    sessionDeleted: forget,
    idle: () => (running.size > 0 ? Promise.all(running) : summaries.idle()),
    async close(): Promise<void> {
      await summaries.stop()
      await Promise.all(running)
    },
  }
}

/** Entries of one page of a log. */
const PAGE = 500

/** Whether a call of the session has read texts of others, which its answers may repeat: also in what it remembered itself. */
async function readsForeign(store: Pick<SessionStore, 'entries'>, session: string): Promise<boolean> {
  for (let after = 0; ;) {
    const entries = await store.entries(session, { types: ['input', 'edit', 'assembly'], after, limit: PAGE })
    const isForeign = entries.some((entry) => {
      const texts = entry.type === 'assembly' ? entry.foreign : 'attachments' in entry ? entry.attachments : undefined
      return texts !== undefined && texts.length > 0
    })
    if (isForeign || entries.length < PAGE) return isForeign
    after = entries.at(-1)!.seq
  }
}

function forgottenKey(session: string): string {
  return `memory/forgotten/${session}`
}

/** A text about several sessions is dropped whole if one of them is forgotten. */
function withoutForgotten({ previous, tools }: MemoryReading, forgottenNow: ReadonlySet<string>): MemoryReading {
  const kept = (part: RememberedText) => (part.sessions.some((id) => forgottenNow.has(id)) ? NOTHING_REMEMBERED : part)
  return { ...(previous ? { previous: kept(previous) } : {}), ...(tools ? { tools: kept(tools) } : {}) }
}

/** BEHAVIOURS §2.1. */
const MOST_CALLS = 5

interface ToolHistoryQuestion {
  readonly text: string
  readonly sessions: readonly string[]
  readonly turn?: string | undefined
  readonly maxTokens: number
  readonly counter: TokenCounter
}

/** Newest first, one in a line, and the sessions they are from. */
async function toolHistory(
  recall: Pick<Recall, 'find'>,
  { text, sessions, turn, maxTokens, counter }: ToolHistoryQuestion,
): Promise<{ readonly text: string; readonly sessions: readonly string[] }> {
  if (text.trim() === '') return { text: '', sessions: [] }
  const { passages, found } = await recall.find({
    text,
    sessions,
    kinds: ['call'],
    ...(turn === undefined ? {} : { exceptTurns: [turn] }),
    limit: MOST_CALLS,
    order: 'newest',
  })
  const shown: RankedPassage[] = []
  let lines = ''
  for (const passage of found === 'words' ? passages : []) {
    const more = [...(lines === '' ? [] : [lines]), callLine(passage)].join('\n')
    if (counter.text(more) > maxTokens) break
    lines = more
    shown.push(passage)
  }
  return { text: lines, sessions: [...new Set(shown.map(({ session }) => session))] }
}

function callLine({ time, call, text }: RankedPassage): string {
  if (!call) return `- [${minuteText(time)}] ${rememberedLine(text, 300)}`
  const outcome = call.ok === false ? 'failed' : 'ok'
  const input = rememberedLine(call.input, 160)
  return `- [${minuteText(time)}] ${rememberedLine(call.name, 64)} ${input}: ${outcome}: ${rememberedLine(call.outcome, 200)}`
}
