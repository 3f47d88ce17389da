import {
  type Channel,
  type ChannelContext,
  type Clock,
  type Reply,
  type SentPart,
  UndeliverableError,
} from '../../capability.ts'
import { type Activity, createActivity, defined, settlesWithin, singleFlight } from '../../platform.ts'
import type { Binding, Entry, LogStore, SessionRow, TurnRow } from '../../session.ts'
import { delayAfter, failureSentence, growingDelaysMs, runtimeFailure } from '../failure.ts'
import type { SessionState, SessionStates } from '../sessions/session-state.ts'
import { readTurnView } from '../sessions/turn-view.ts'

/** Carries the replies of settled turns to the channels their sessions are bound to. */
export type Outbox = ReturnType<typeof createOutbox>

/** Times of an outbox; usual ones where absent. */
export interface OutboxOptions {
  /** Nothing is delivered before this has resolved, such as before the channels were started. */
  readonly opens?: Promise<void>
  /** Counts what is being sent, and not what waits for its next try. */
  readonly activity?: Activity
  /** Rejects where another gateway has this home. */
  readonly hasHome?: () => Promise<void>
  /** Waits between tries, ms; the last one repeats. */
  readonly retryDelaysMs?: readonly number[]
  readonly stopTimeoutMs?: number
}

interface Lane {
  again: boolean
  /** Ends the wait for the next try. */
  wake: () => void
}

const PAGE = 500
/** In the place of the id of a message that is about to be sent. */
const UNKNOWN = '?'

/** What is marked as `delivered`, with the channel's own message id, is never sent again. No session delays another. */
export function createOutbox(
  store: LogStore,
  channels: readonly Channel[],
  clock: Clock,
  warn: (text: string) => void,
  {
    opens = Promise.resolve(),
    activity = createActivity(),
    hasHome = async () => {},
    retryDelaysMs = growingDelaysMs,
    stopTimeoutMs = 5_000,
  }: OutboxOptions = {},
) {
  const byName = new Map(channels.map((channel) => [channel.name, channel]))
  const lanes = new Map<string, Lane>()
  const work = new Set<Promise<void>>()
  const stopping = new AbortController()
  const { signal: stopped } = stopping
  const ending = new Promise<void>((resolve) => stopped.addEventListener('abort', () => resolve(), { once: true }))
  /** What has arrived and could not be written yet; what will never arrive. By `SESSION TURN`. */
  const arrived = new Map<string, string>()
  const passedOver = new Set<string>()
  const notes = singleFlight<string, void>()
  /** By session: the notes of parts that have arrived and could not be written yet, the newest of each part. */
  const unwritten = new Map<string, Map<string, () => Promise<void>>>()

  async function run(lane: Lane, state: SessionState): Promise<void> {
    await Promise.race([opens, ending])
    let lastProblem: string | undefined
    for (let failures = 0; !stopped.aborted;) {
      const wake = new AbortController()
      Object.assign(lane, { again: false, wake: () => wake.abort() })
      const problem = await deliverAll(state).then(() => undefined, failureSentence)
      if (stopped.aborted) return
      if (problem === undefined && !lane.again) break
      failures = problem === undefined ? 0 : failures + 1
      if (problem === undefined) continue
      if (problem !== lastProblem)
        warn(`Could not deliver a reply of ${state.session}: ${problem} Foreword tries again.`)
      lastProblem = problem
      const woken = AbortSignal.any([wake.signal, stopped])
      await activity.rest(state.session, clock.sleep(delayAfter(failures, retryDelaysMs), woken))
    }
    lanes.delete(state.session)
    if (unwritten.get(state.session)?.size === 0) unwritten.delete(state.session)
  }

  async function deliverAll(state: SessionState): Promise<void> {
    // Before they are noted, a channel would send these parts again.
    for (const [part, note] of unwritten.get(state.session) ?? []) {
      await note()
      unwritten.get(state.session)?.delete(part)
    }
    for await (const due of dueReplies(store, byName, state.session)) {
      if (stopped.aborted) return
      const { session, turn } = due.reply
      const name = `${session} ${turn}`
      if (passedOver.has(name)) continue
      const messageId = arrived.get(name) ?? (await handOver(due))
      if (messageId === undefined) {
        passedOver.add(name)
        continue
      }
      arrived.set(name, messageId)
      const delivered = { type: 'delivered', turn, channel: due.channel.name, messageId } as const
      await store.append(session, [delivered], clock.time())
      arrived.delete(name)
    }
  }

  /** Writes that a part has arrived. The same message for the same part is written once. */
  async function noteSent(channel: string, session: string, turn: string, sent: SentPart): Promise<void> {
    if ((await newestSent(session, turn, sent.part)) === sent.messageId) return
    await store.append(session, [{ type: 'sent', turn, channel, ...sent }], clock.time())
  }

  async function newestSent(session: string, turn: string, part: number): Promise<string | undefined> {
    const entries = await store.entries(session, { turn, types: ['sent'] })
    const newest = entries.findLast((entry) => entry.type === 'sent' && entry.part === part)
    return newest?.type === 'sent' ? newest.messageId : undefined
  }

  /** `undefined`: it will never arrive. */
  async function handOver({ channel, reply }: DueReply): Promise<string | undefined> {
    try {
      return (await channel.deliver(reply)).messageId
    } catch (error) {
      if (!(error instanceof UndeliverableError)) throw error
      warn(
        `Cannot deliver the reply of ${reply.turn} in ${reply.session}: ${failureSentence(error)} Foreword skips it.`,
      )
      return undefined
    }
  }

  function deliver(state: SessionState): Promise<void> {
    if (byName.size === 0 || stopped.aborted) return Promise.resolve()
    const under = lanes.get(state.session)
    if (under) {
      under.again = true
      under.wake()
      return Promise.resolve()
    }
    const lane: Lane = { again: false, wake: () => {} }
    lanes.set(state.session, lane)
    return running(activity.run(state.session, run(lane, state)))
  }

  async function recoverAll(states: SessionStates): Promise<void> {
    for (let after: SessionRow | undefined; ;) {
      const sessions = await store.sessions({ after, limit: PAGE })
      for (const { id, binding } of sessions) {
        if (stopped.aborted) return
        // A session that its conversation has left can only be behind if something happened in it of late.
        const place = binding ?? (after === undefined ? await startedAt(store, id) : undefined)
        if (!place || !byName.has(place.channel) || !(await isBehind(store, id))) continue
        const state = await states.of(id)
        if (state) void deliver(state)
      }
      if (sessions.length < PAGE) return
      after = sessions.at(-1)
    }
  }

  function running(one: Promise<void>): Promise<void> {
    work.add(one)
    return one.finally(() => work.delete(one))
  }

  return {
    /** What a channel notes with. What has arrived and cannot be written is written before anything more of the session is delivered. */
    openSent(channel: string): Pick<ChannelContext, 'sending' | 'sent'> {
      /** What this process is about to send, by `TURN PART`: whether another one was before. */
      const begun = new Map<string, boolean>()
      const sending = async (session: string, turn: string, part: number): Promise<boolean> => {
        const key = `${turn} ${part}`
        const known = begun.get(key)
        if (known !== undefined) {
          await hasHome()
          return known
        }
        const before = (await newestSent(session, turn, part)) === UNKNOWN
        await store.append(session, [{ type: 'sent', turn, channel, part, messageId: UNKNOWN }], clock.time())
        begun.set(key, before)
        return before
      }
      const sent: ChannelContext['sent'] = async (session, turn, message) => {
        const part = `${turn} ${message.part}`
        begun.delete(part)
        const note = () =>
          notes.run(JSON.stringify([session, turn, message.part, message.messageId]), () =>
            noteSent(channel, session, turn, message),
          )
        try {
          await note()
          unwritten.get(session)?.delete(part)
        } catch (error) {
          const others = unwritten.get(session) ?? new Map<string, () => Promise<void>>()
          unwritten.set(session, others.set(part, note))
          throw runtimeFailure(error)
        }
      }
      return { sending, sent }
    },
    /** Delivers what a session has settled and not yet delivered, in order, and tries again until all of it has arrived. */
    deliver,
    recover(states: SessionStates) {
      if (byName.size === 0) return
      const recovering = recoverAll(states).catch((error: unknown) =>
        warn(`Could not find out which replies are undelivered: ${failureSentence(error)}`),
      )
      void running(activity.run(undefined, recovering))
    },
    /** Waits for what is being sent, so that it is not sent again at the next start, and sends nothing more. */
    async stop() {
      stopping.abort()
      if (await settlesWithin(clock, Promise.all(work), stopTimeoutMs)) return
      warn('A reply was still being sent when the gateway stopped. It may be sent again at the next start.')
    },
  }
}

interface DueReply {
  readonly channel: Channel
  readonly reply: Reply
}

/** Turns of a session that are read at a time. */
const LOOK_BACK = 50

/** The turns after the newest delivered reply, oldest first, and some before it: one of them may have been passed over. */
async function recentTurns(store: LogStore, session: string): Promise<readonly TurnRow[]> {
  const [newest] = await store.entries(session, { types: ['delivered'], last: 1 })
  const rows: TurnRow[] = []
  for (;;) {
    const page = await store.turns(session, { limit: LOOK_BACK, ...defined({ before: rows.at(-1)?.ordinal }) })
    rows.push(...page)
    const isReached = newest?.type === 'delivered' && page.some(({ turn }) => turn === newest.turn)
    if (isReached || page.length < LOOK_BACK) return rows.toReversed()
  }
}

/** What a session has settled and not delivered, in order. Each is read when it is asked for. */
async function* dueReplies(
  store: LogStore,
  channels: ReadonlyMap<string, Channel>,
  session: string,
): AsyncGenerator<DueReply> {
  const place = await sessionConversation(store, session)
  const channel = place && channels.get(place.binding.channel)
  if (!place || !channel) return
  const { conversation } = place.binding
  for (const row of await recentTurns(store, session)) {
    if (!(await isDue(store, row, channel, place.left))) continue
    const { turn } = row
    const [{ text, outcome }, sent] = await Promise.all([
      readTurnView(store, session, turn),
      store.entries(session, { turn, types: ['sent'] }),
    ])
    if (!outcome || (text === '' && !(outcome.type !== 'cancelled' && outcome.type !== 'completed'))) continue
    yield { channel, reply: { conversation, session, turn, text, outcome, sent: sentParts(sent) } }
  }
}

/** Whether the newest settled turn of a session is not the newest that was delivered. */
async function isBehind(store: LogStore, session: string): Promise<boolean> {
  const [[ended], [delivered]] = await Promise.all([
    store.entries(session, { types: ['turn-end'], last: 1 }),
    store.entries(session, { types: ['delivered'], last: 1 }),
  ])
  return ended?.type === 'turn-end' && (delivered?.type !== 'delivered' || delivered.turn !== ended.turn)
}

/** Where a session began, whatever it is bound to now. */
async function startedAt(store: LogStore, session: string): Promise<Binding | undefined> {
  const [start] = await store.entries(session, { limit: 1 })
  return start?.type === 'session-start' ? start.channel : undefined
}

/** Where a session is talked about, or was begun. `left`: its conversation has gone on to a new session. */
export async function sessionConversation(
  store: LogStore,
  session: string,
): Promise<{ readonly binding: Binding; readonly left: boolean } | undefined> {
  const row = await store.session(session)
  if (!row) return undefined
  if (row.binding) return { binding: row.binding, left: false }
  const binding = await startedAt(store, session)
  return binding && { binding, left: true }
}

/** In a session that its conversation has left, only messages of that session are answered there. */
async function isDue(store: LogStore, row: TurnRow, channel: Channel, left: boolean): Promise<boolean> {
  const { session, turn, state, firstSeq } = row
  if (state === 'queued' || state === 'running') return false
  if ((await store.entries(session, { turn, types: ['delivered'] })).length > 0) return false
  if (!left) return true
  const [input] = await store.entries(session, { after: firstSeq - 1, upTo: firstSeq })
  return input?.type === 'input' && (input.idempotencyKey?.startsWith(`${channel.name}:`) ?? false)
}

/** In the order of their parts; of two messages for one part the newer one counts. */
function sentParts(entries: readonly Entry[]): readonly SentPart[] {
  const parts = new Map<number, string>()
  for (const entry of entries)
    if (entry.type === 'sent' && entry.messageId !== UNKNOWN) parts.set(entry.part, entry.messageId)
  return [...parts].map(([part, messageId]) => ({ part, messageId })).toSorted((a, b) => a.part - b.part)
}
