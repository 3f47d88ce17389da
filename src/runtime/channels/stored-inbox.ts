import type { ChannelInbox } from '../../capability.ts'
import type { Clock } from '../../platform.ts'
import { type SessionStore, StoreError } from '../../session.ts'

/** What is in an inbox, as one value of the store. */
interface InboxContent {
  /** In the order in which it came. */
  readonly waiting: readonly { readonly id: string; readonly value: unknown }[]
  /** Ids of what was handled, the newest last: a service repeats what is recent. */
  readonly handled: readonly string[]
}

const EMPTY: InboxContent = { waiting: [], handled: [] }
const REMEMBERED = 1_000
/** How often a change is tried where others change the same inbox. */
const TRIES = 20
/** How often it is looked for what others have put in, ms. */
const LOOK_MS = 1_000

/**
 * An inbox in the store of a home, for a store that several machines reach: what came in goes on where the home goes on, and a gateway that
 * lost the home puts in nothing more.
 */
export function openStoredInbox(
  store: Pick<SessionStore, 'value' | 'transaction'>,
  channel: string,
  clock: Clock,
): ChannelInbox {
  const key = `inbox/${channel}`
  const read = async () => (await store.value(key)) as InboxContent | undefined

  /** Returns whether anything was changed: `change` gives `undefined` where there is nothing to do. */
  async function edit(change: (content: InboxContent) => InboxContent | undefined): Promise<boolean> {
    for (let attempt = 1; ; attempt += 1) {
      const was = await read()
      const value = change(was ?? EMPTY)
      if (value === undefined) return false
      try {
        await store.transaction([{ type: 'value', key, value, was: { value: was } }])
        return true
      } catch (error) {
        if (!(error instanceof StoreError) || error.code !== 'conflict' || attempt === TRIES) throw error
      }
    }
  }

  return {
    accept: (id, value) =>
      edit(({ waiting, handled }) =>
        handled.includes(id) || waiting.some((each) => each.id === id)
          ? undefined
          : { waiting: [...waiting, { id, value }], handled },
      ),
    waiting: async () => ((await read()) ?? EMPTY).waiting,
    async done(id) {
      await edit(({ waiting, handled }) =>
        handled.includes(id)
          ? undefined
          : { waiting: waiting.filter((each) => each.id !== id), handled: [...handled, id].slice(-REMEMBERED) },
      )
    },
    watch: (look) => clock.every(LOOK_MS, () => void look().catch(() => {}), { idle: true }),
  }
}
