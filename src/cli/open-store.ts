import type { SessionStore, StoreDriver } from '../session.ts'
import { CommandFailure } from './failure.ts'
import { programCapabilities } from './io.ts'
import type { Io } from '../capability.ts'

/** The store driver of a home and its data folder. */
export interface HomeStore {
  readonly driver: StoreDriver
  readonly folder: string
}

/** Finds the store that the configuration of a home names. */
export async function findHomeStore(home: string, io: Io): Promise<HomeStore> {
  const { homeAt, homeStoreDriver } = await import('../runtime.ts')
  return { driver: await homeStoreDriver(home, io.environment, programCapabilities(io)), folder: homeAt(home).data }
}

/** Reads the store without a gateway. Returns `absent()` where nothing was ever written. */
export async function withStore<T>(
  { driver, folder }: HomeStore,
  work: (store: SessionStore) => Promise<T>,
  absent: () => T,
): Promise<T> {
  if (!(await driver.exists(folder))) return absent()
  const store = await openForReading({ driver, folder })
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

/** Opens the store for reading beside the process that writes. */
async function openForReading({ driver, folder }: HomeStore): Promise<SessionStore> {
  const { StoreError } = await import('../session.ts')
  try {
    return await driver.open({ folder, readOnly: true })
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'older') throw error
    // Written by an older version: opening it for writing brings it up to date.
    return await driver.open({ folder })
  }
}

/** Writes to the store. Beside a running gateway, write only what it does not keep in memory, such as a new session. */
export async function withWritableStore<T>(
  { driver, folder }: HomeStore,
  work: (store: SessionStore) => Promise<T>,
): Promise<T> {
  const store = await driver.open({ folder })
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

/** The failure for a session that does not exist. */
export function unknownSession(id: string): CommandFailure {
  return new CommandFailure('not-found', `No session matches "${id}".`, {
    hint: 'List the sessions with `foreword sessions`.',
  })
}
