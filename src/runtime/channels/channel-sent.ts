import type { LogStore } from '../../session.ts'
import type { ChannelDesk, SentPart } from './channel.ts'
import type { Clock } from '../clock.ts'
import { runtimeFailure } from '../runtime-failure.ts'

/** Writes `sent` entries for channels. The same message for the same part is written once. */
export function noteSent(parts: {
  readonly store: LogStore
  readonly clock: Clock
}): (channel: string) => ChannelDesk['sent'] {
  const { store, clock } = parts
  const under = new Map<string, Promise<void>>()

  async function note(channel: string, session: string, turn: string, { part, messageId }: SentPart): Promise<void> {
    try {
      const entries = await store.entries(session, { turn, types: ['sent'] })
      const newest = entries.findLast((entry) => entry.type === 'sent' && entry.part === part)
      if (newest?.type === 'sent' && newest.messageId === messageId) return
      await store.append(session, [{ type: 'sent', turn, channel, part, messageId }], clock.time())
    } catch (error) {
      throw runtimeFailure(error)
    }
  }

  return (channel) => (session, turn, sent) => {
    const name = JSON.stringify([session, turn, sent.part, sent.messageId])
    const noting = under.get(name) ?? note(channel, session, turn, sent).finally(() => under.delete(name))
    under.set(name, noting)
    return noting
  }
}
