import type { SessionStore } from '../session.ts'
import type { Channel } from './channel.ts'
import type { Clock } from './clock.ts'
import { publish, type SessionDesk } from './session-desk.ts'
import { turnView } from './turn-view.ts'

/** Carries the replies of settled turns to the channels their sessions are bound to. */
export interface Outbox {
  /** Delivers what a session has settled and not yet delivered, in order. */
  deliver(desk: SessionDesk): Promise<void>
}

/** Settled turns of a session that are looked at for replies that were never delivered. */
const LOOK_BACK = 50

/** `delivered` is written with the channel's own message id, and what stands as delivered is never sent again. */
export function createOutbox(
  store: SessionStore,
  channels: readonly Channel[],
  clock: Clock,
  warn: (text: string) => void,
): Outbox {
  const byName = new Map(channels.map((channel) => [channel.name, channel]))
  const busy = new Map<string, Promise<void>>()

  async function deliverAll(desk: SessionDesk): Promise<void> {
    const binding = (await store.session(desk.session))?.binding
    const channel = binding && byName.get(binding.channel)
    if (!binding || !channel) return
    for (const { turn, state } of (await store.turns(desk.session, { limit: LOOK_BACK })).toReversed()) {
      if (state === 'queued' || state === 'running') continue
      if ((await store.entries(desk.session, { turn, types: ['delivered'] })).length > 0) continue
      const { text } = await turnView(store, desk.session, turn)
      const { conversation } = binding
      const { messageId } = await channel.deliver({ conversation, session: desk.session, turn, text })
      const written = await store.append(
        desk.session,
        [{ type: 'delivered', turn, channel: channel.name, messageId }],
        clock.time(),
      )
      publish(desk, written)
    }
  }

  return {
    async deliver(desk) {
      if (byName.size === 0) return
      const before = busy.get(desk.session) ?? Promise.resolve()
      const now = before
        .then(() => deliverAll(desk))
        .catch((error: unknown) => warn(`A reply of ${desk.session} could not be delivered: ${String(error)}`))
      busy.set(desk.session, now)
      await now
      if (busy.get(desk.session) === now) busy.delete(desk.session)
    },
  }
}
