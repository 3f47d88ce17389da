import type { Binding, Entry, LogStore, TurnOutcome, TurnRow } from '../../session.ts'
import type { Channel, Reply, SentPart } from './channel.ts'
import { turnView } from '../turns/turn-view.ts'

/** A reply that has to be carried, and what carries it. */
export interface DueReply {
  readonly channel: Channel
  readonly reply: Reply
}

/** Settled turns of a session that are looked at for replies that were never delivered. */
const LOOK_BACK = 50

/** What a session has settled and not delivered, in order. Each is read when it is asked for. */
export async function* dueReplies(
  store: LogStore,
  channels: ReadonlyMap<string, Channel>,
  session: string,
): AsyncGenerator<DueReply> {
  const place = await conversationOfSession(store, session)
  const channel = place && channels.get(place.binding.channel)
  if (!place || !channel) return
  const { conversation } = place.binding
  for (const row of (await store.turns(session, { limit: LOOK_BACK })).toReversed()) {
    if (!(await isDue(store, row, channel, place.left))) continue
    const { turn } = row
    const [{ text, outcome }, sent] = await Promise.all([
      turnView(store, session, turn),
      store.entries(session, { turn, types: ['sent'] }),
    ])
    if (!outcome || (text === '' && !needsTelling(outcome))) continue
    yield { channel, reply: { conversation, session, turn, text, outcome, sent: sentParts(sent) } }
  }
}

/** Of a turn without words: people have to be told why, unless they stopped it. Logs of old call a blank answer `completed`. */
function needsTelling({ type }: TurnOutcome): boolean {
  return type !== 'cancelled' && type !== 'completed'
}

/** Whether the newest settled turn of a session is not the newest that was delivered. */
export async function isBehind(store: LogStore, session: string): Promise<boolean> {
  const [[ended], [delivered]] = await Promise.all([
    store.entries(session, { types: ['turn-end'], last: 1 }),
    store.entries(session, { types: ['delivered'], last: 1 }),
  ])
  return ended?.type === 'turn-end' && (delivered?.type !== 'delivered' || delivered.turn !== ended.turn)
}

/** Where a session began, whatever it is bound to now. */
export async function startedAt(store: LogStore, session: string): Promise<Binding | undefined> {
  const [start] = await store.entries(session, { limit: 1 })
  return start?.type === 'session-start' ? start.channel : undefined
}

/** Where a session is talked about, or was begun. `left`: its conversation has gone on to a new session. */
export async function conversationOfSession(
  store: LogStore,
  session: string,
): Promise<{ readonly binding: Binding; readonly left: boolean } | undefined> {
  const row = await store.session(session)
  if (!row) return undefined
  if (row.binding) return { binding: row.binding, left: false }
  const binding = await startedAt(store, session)
  return binding && { binding, left: true }
}

/** In a session that its conversation has left, only what was said there is answered there. */
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
  for (const entry of entries) if (entry.type === 'sent') parts.set(entry.part, entry.messageId)
  return [...parts].map(([part, messageId]) => ({ part, messageId })).toSorted((a, b) => a.part - b.part)
}
