import type { Clock } from '../capability.ts'
import { type SessionStore, StoreError, type StoreErrorCode } from '../session.ts'

/** Whether the store takes what is written, by what became of the last write. */
export interface StoreHealth {
  /**
   * Why nothing can be written; `undefined`: the last write went well, or there was none. Where the last one failed, a small write of
   * its own finds out whether that is over, at most one a second.
   */
  fault(): Promise<StoreErrorCode | undefined>
}

/**
 * The same store, which tells how many records of the audit each write adds, and how its writes end. The health costs no write while
 * nothing fails.
 */
export function watchStore(
  store: SessionStore,
  clock: Pick<Clock, 'monotonic'>,
  onRecords: (records: number) => void = () => {},
  /** Waited for before it is closed. */
  beforeClose?: () => Promise<void>,
): { readonly store: SessionStore; readonly health: StoreHealth } {
  let fault: StoreErrorCode | undefined
  let tried = -Infinity
  const watched =
    <Given extends readonly unknown[], Result>(write: (...given: Given) => Promise<Result>) =>
    async (...given: Given): Promise<Result> => {
      try {
        const result = await write(...given)
        fault = undefined
        return result
      } catch (error) {
        if (error instanceof StoreError && OF_DISK.has(error.code)) fault = error.code
        throw error
      }
    }
  const transaction = watched(async (writes: Parameters<SessionStore['transaction']>[0]) => {
    const entries = await store.transaction(writes)
    let records = 0
    for (const { type } of writes) if (type === 'audit') records += 1
    if (records > 0) onRecords(records)
    return entries
  })
  void store.failed.then(() => (fault = 'not-synced'))
  // A store may be an object with private fields, which no copy of it has.
  const proxy = new Proxy(store, {
    get(target, name) {
      if (name === 'transaction') return transaction
      if (name === 'close' && beforeClose) return closeAfter(beforeClose, target)
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      const method = value.bind(target) as (...given: readonly unknown[]) => Promise<unknown>
      return WRITES.has(name) ? watched(method) : method
    },
  })
  return {
    store: proxy,
    health: {
      async fault() {
        if (fault !== undefined && clock.monotonic() - tried >= BETWEEN_TRIES_MS) {
          tried = clock.monotonic()
          await canWrite(proxy)
        }
        return fault
      },
    },
  }
}

function closeAfter(before: () => Promise<void>, store: SessionStore): () => Promise<void> {
  return async () => {
    await before()
    await store.close()
  }
}

/** Failures that concern every write. */
const OF_DISK: ReadonlySet<StoreErrorCode> = new Set([
  'full',
  'busy',
  'io',
  'not-synced',
  'taken-over',
  'readonly',
  'closed',
])

/** The methods that write, besides `transaction`. */
const WRITES: ReadonlySet<string | symbol> = new Set<keyof SessionStore>([
  'append',
  'putValue',
  'putRecord',
  'putFile',
  'putSession',
])

const BETWEEN_TRIES_MS = 1_000

/** Writes what a few entries of a turn may need, and removes it: room for one line is not enough to go on. */
export async function canWrite(store: Pick<SessionStore, 'putValue'>): Promise<boolean> {
  try {
    await store.putValue(PROBE, ' '.repeat(PROBE_CHARACTERS))
    await store.putValue(PROBE, null)
    return true
  } catch {
    return false
  }
}

const PROBE_CHARACTERS = 64 * 1024
const PROBE = 'storage-probe'
