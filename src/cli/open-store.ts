import { existsSync } from 'node:fs'
import type { Io } from '../capability.ts'
import { systemClock } from '../platform.ts'
import type { DatabasePlace, SessionStore } from '../session.ts'
import { CommandFailure } from './failure.ts'

/** The store of a home, for commands without a gateway. */
export interface HomeStore {
  /** How people name it: a path, or an address without its password. */
  readonly path: string
  /** How a database is reached; absent where the store is a file. */
  readonly database?: DatabasePlace
  /** Whether anything was ever written. A database is asked when it is opened. */
  readonly exists: () => boolean
  readonly open: (options?: { readonly readOnly: boolean }) => Promise<SessionStore>
}

/** @throws ConfigurationError */
export async function findHomeStore(home: string, { environment }: Pick<Io, 'environment'>): Promise<HomeStore> {
  const { homeStorePlace } = await import('../runtime.ts')
  const { databaseName, isPostgresAddress, openStore } = await import('../session.ts')
  const place = await homeStorePlace({ home, environment })
  const database = isPostgresAddress(place.path) ? { ...place, address: place.path } : undefined
  return {
    path: database ? databaseName(database) : place.path,
    ...(database && { database }),
    exists: () => database !== undefined || existsSync(place.path),
    open: ({ readOnly } = { readOnly: false }) =>
      openStore({ ...place, clock: systemClock, readOnly, beside: !readOnly }),
  }
}

/** Reads the store without a gateway. Returns `absent()` where nothing was ever written. */
export async function withStore<T>(
  home: HomeStore,
  work: (store: SessionStore) => Promise<T>,
  absent: () => T | Promise<T>,
): Promise<T> {
  const store = home.exists() ? await openForReading(home) : undefined
  if (store === undefined) return await absent()
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

async function openForReading({ open }: HomeStore): Promise<SessionStore | undefined> {
  const { StoreError } = await import('../session.ts')
  try {
    return await open({ readOnly: true })
  } catch (error) {
    if (error instanceof StoreError && error.code === 'not-found') return undefined
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

/** Runs `work` while this process holds the claim on the home. Throws where another process holds it. */
export async function withClaim<Result>(
  home: string,
  io: Pick<Io, 'environment'>,
  work: () => Promise<Result>,
): Promise<Result> {
  const { claimHome, readClaim, StoreError } = await import('../session.ts')
  try {
    const claim = await claimHome(home, { pid: process.pid, started: new Date().toISOString() }, io)
    try {
      return await work()
    } finally {
      claim.release()
    }
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'claimed') throw error
    const pid = readClaim(home)?.pid
    throw new CommandFailure(
      'home-busy',
      `${home} is in use by ${pid === undefined ? 'a gateway' : `process ${pid}`}.`,
      { hint: 'Stop it, then try again.', cause: error },
    )
  }
}
