import { type SessionStore, StoreError } from '../session.ts'

/** How often a change is tried where others change the same value. */
const TRIES = 20

/** Does work again, from its beginning, where others were first (StoreError `conflict`), 20 times at the most. */
export async function untilFirst<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== 'conflict' || attempt === TRIES) throw error
    }
  }
}

/**
 * Changes a value of a store that other processes change, too: of two at once, one makes its change again, of what the other has left.
 * `change` is given the value as it is, and returns the next one, `undefined` where there is nothing to do. `also` is written together with
 * it. Resolves with the next value, `undefined` where nothing was changed.
 *
 * @throws StoreError `conflict` where others were first each time, and what `change` throws
 */
export async function editValue<Value>(
  store: Pick<SessionStore, 'value' | 'transaction'>,
  key: string,
  change: (was: unknown) => Value | undefined,
  also: Parameters<SessionStore['transaction']>[0] = [],
): Promise<Value | undefined> {
  return untilFirst(async () => {
    const was = await store.value(key)
    const value = change(was)
    if (value !== undefined) await store.transaction([{ type: 'value', key, value, was: { value: was } }, ...also])
    return value
  })
}
