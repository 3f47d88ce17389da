import { existsSync } from 'node:fs'
import type { SessionStore } from '../session.ts'
import { CommandFailure } from './failure.ts'

/** The store for reading beside whoever writes; `undefined` where nothing was ever written. */
async function openForReading(home: string): Promise<SessionStore | undefined> {
  const { storePath } = await import('../runtime.ts')
  const path = storePath(home)
  if (!existsSync(path)) return undefined
  const { openSqliteStore, StoreError } = await import('../session.ts')
  try {
    return await openSqliteStore({ path, readOnly: true })
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'older') throw error
    // Written by an older version: opening it for writing brings it up to date.
    return await openSqliteStore({ path })
  }
}

/** Reads in the store without asking a gateway. `absent` answers where nothing was ever written. */
export async function withStore<T>(
  home: string,
  work: (store: SessionStore) => Promise<T>,
  absent: () => T,
): Promise<T> {
  const store = await openForReading(home)
  if (store === undefined) return absent()
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

/** Writes in the store. Beside a running gateway only what it does not know of, such as a new session. */
export async function withWritableStore<T>(home: string, work: (store: SessionStore) => Promise<T>): Promise<T> {
  const { storePath } = await import('../runtime.ts')
  const { openSqliteStore } = await import('../session.ts')
  const store = await openSqliteStore({ path: storePath(home) })
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

export function noSuchSession(id: string): CommandFailure {
  return new CommandFailure('not-found', `there is no session ${id}.`, {
    hint: '`foreword sessions` lists the sessions.',
  })
}
