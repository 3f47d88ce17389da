import type { SessionStore } from '../session.ts'

/** Somewhere to keep a store, empty at first. */
export interface StorePlace {
  /** Opens what is kept here. May be called again after `close`. */
  open(): Promise<SessionStore>
  remove(): Promise<void>
}

/** The `test` of `node:test`, or anything of its shape. */
export type Test = (name: string, run: () => Promise<void>) => unknown

/** Runs one case on a store of its own and cleans up behind it. */
export type StoreCase = (name: string, run: (store: SessionStore, place: StorePlace) => Promise<void>) => void
