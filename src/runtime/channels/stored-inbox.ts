import type { ChannelInbox } from '../../capability.ts'
import type { Clock } from '../../platform.ts'
import type { SessionStore } from '../../session.ts'
import { editValue } from '../edit-value.ts'

/** What is in an inbox, as one value of the store. */
interface InboxContent {
  /** In the order in which it came. */
  readonly waiting: readonly { readonly id: string; readonly value: unknown }[]
  /** Ids of what was handled, the newest last: a service repeats what is recent. */
  readonly handled: readonly string[]
}

const EMPTY: InboxContent = { waiting: [], handled: [] }
const REMEMBERED = 1_000
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
    return (await editValue(store, key, (was) => change((was as InboxContent | undefined) ?? EMPTY))) !== undefined
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
