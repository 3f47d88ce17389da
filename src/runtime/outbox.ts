import type { SessionStore } from '../session.ts'
import type { Channel } from './channel.ts'
import type { Clock } from './clock.ts'
import { type Desks, publish, type SessionDesk } from './session-desk.ts'
import { turnView } from './turn-view.ts'

/** Carries the replies of settled turns to the channels their sessions are bound to. */
export interface Outbox {
  /** Delivers what a session has settled and not yet delivered, in order. */
  deliver(desk: SessionDesk): Promise<void>
  /** Delivers what a former process settled and did not deliver. Does not wait for it. */
  recover(desks: Desks): void
  /** Waits for what is on its way, so that it is not sent again at the next start, and sends nothing more. */
  stop(): Promise<void>
}

/** Settled turns of a session that are looked at for replies that were never delivered. */
const LOOK_BACK = 50
const PAGE = 500

/** `delivered` is written with the channel's own message id, and what stands as delivered is never sent again. */
export function createOutbox(
  store: SessionStore,
  channels: readonly Channel[],
  clock: Clock,
  warn: (text: string) => void,
): Outbox {
  const byName = new Map(channels.map((channel) => [channel.name, channel]))
  const busy = new Map<string, Promise<void>>()
  let recovering: Promise<void> | undefined
  let stopped = false

  async function deliverAll(desk: SessionDesk): Promise<void> {
    const binding = (await store.session(desk.session))?.binding
    const channel = binding && byName.get(binding.channel)
    if (!binding || !channel) return
    for (const { turn, state } of (await store.turns(desk.session, { limit: LOOK_BACK })).toReversed()) {
      if (stopped) return
      if (state === 'queued' || state === 'running') continue
      if ((await store.entries(desk.session, { turn, types: ['delivered'] })).length > 0) continue
      const { text, outcome } = await turnView(store, desk.session, turn)
      if (!outcome || (text === '' && outcome.type !== 'failed')) continue
      const { conversation } = binding
      const { messageId } = await channel.deliver({ conversation, session: desk.session, turn, text, outcome })
      const written = await store.append(
        desk.session,
        [{ type: 'delivered', turn, channel: channel.name, messageId }],
        clock.time(),
      )
      publish(desk, written)
    }
  }

  async function deliver(desk: SessionDesk): Promise<void> {
    if (byName.size === 0 || stopped) return
    const before = busy.get(desk.session) ?? Promise.resolve()
    const now = before
      .then(() => deliverAll(desk))
      .catch((error: unknown) => warn(`A reply of ${desk.session} could not be delivered: ${String(error)}`))
    busy.set(desk.session, now)
    await now
    if (busy.get(desk.session) === now) busy.delete(desk.session)
  }

  async function recoverAll(desks: Desks): Promise<void> {
    for (let offset = 0; ; offset += PAGE) {
      const sessions = await store.sessions({ offset, limit: PAGE })
      for (const { id, binding } of sessions) {
        if (stopped) return
        if (!binding || !byName.has(binding.channel) || !(await isBehind(id))) continue
        const desk = await desks.of(id)
        if (desk) void deliver(desk)
      }
      if (sessions.length < PAGE) return
    }
  }

  /** Whether the newest settled turn is not the newest that was delivered. */
  async function isBehind(session: string): Promise<boolean> {
    const [[ended], [delivered]] = await Promise.all([
      store.entries(session, { types: ['turn-end'], last: 1 }),
      store.entries(session, { types: ['delivered'], last: 1 }),
    ])
    return ended?.type === 'turn-end' && (delivered?.type !== 'delivered' || delivered.turn !== ended.turn)
  }

  return {
    deliver,
    recover(desks) {
      if (byName.size === 0) return
      recovering = recoverAll(desks).catch((error: unknown) =>
        warn(`It could not be found out which replies were not delivered: ${String(error)}`),
      )
    },
    async stop() {
      stopped = true
      await recovering
      await Promise.all(busy.values())
    },
  }
}
