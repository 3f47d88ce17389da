import { existsSync } from 'node:fs'
import { systemClock } from '../platform.ts'
import type { SessionStore } from '../session.ts'
import { CommandFailure } from './failure.ts'

/** The store of a home, for commands without a gateway. */
export interface HomeStore {
  readonly path: string
  readonly open: (options?: { readonly readOnly: boolean }) => Promise<SessionStore>
}

export async function findHomeStore(home: string): Promise<HomeStore> {
  const { homeAt } = await import('../runtime.ts')
  const { openStore, storePath } = await import('../session.ts')
  const path = storePath(homeAt(home).data)
  return {
    path,
    open: (options) => openStore({ path, clock: systemClock, ...options }),
  }
}

/** Reads the store without a gateway. Returns `absent()` where nothing was ever written. */
export async function withStore<T>(
  home: HomeStore,
  work: (store: SessionStore) => Promise<T>,
  absent: () => T | Promise<T>,
): Promise<T> {
  if (!existsSync(home.path)) return await absent()
  const store = await openForReading(home)
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

async function openForReading({ open }: HomeStore): Promise<SessionStore> {
  const { StoreError } = await import('../session.ts')
  try {
    return await open({ readOnly: true })
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'older') throw error
    // Written by an older version: opening it for writing brings it up to date.
    return await open()
  }
}

/** Writes to the store. Beside a running gateway, write only what it does not keep in memory, such as a new session. */
export async function withWritableStore<T>({ open }: HomeStore, work: (store: SessionStore) => Promise<T>): Promise<T> {
  const store = await open()
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

export function unknownSession(id: string): CommandFailure {
  return new CommandFailure('not-found', `No session matches "${id}".`, {
    hint: 'List the sessions with `foreword sessions`.',
  })
}
