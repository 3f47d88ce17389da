import type { z } from 'zod'

/** Something that people edit, in one of its versions. */
export interface Kept<Value> {
  readonly id: string
  readonly version: number
  /** ISO 8601. */
  readonly time: string
  /** `undefined`: it was removed in this version. */
  readonly value: Value | undefined
}

/** A kind of things that people make, change, remove and bring back. Every version is kept. */
export interface Records<Value> {
  /** Those that are not removed, in the order in which they were made. */
  list(): Promise<readonly (Kept<Value> & { readonly value: Value })[]>
  /** `undefined` where there is none, or none any more. */
  find(id: string): Promise<(Kept<Value> & { readonly value: Value }) | undefined>
  /** Rejects with `not-found`. */
  get(id: string): Promise<Kept<Value> & { readonly value: Value }>
  /** What cannot be is `invalid-input`, with every fault named; a name that is taken too. */
  create(value: unknown): Promise<Kept<Value>>
  /** With `after`, the version that was looked at, a change of somebody else in between is `changed`. */
  change(id: string, value: unknown, after?: number): Promise<Kept<Value>>
  remove(id: string): Promise<void>
  /** Newest first. */
  versions(id: string): Promise<readonly Kept<Value>[]>
  /** Makes an earlier version the newest, also of something that was removed. */
  restore(id: string, version: number): Promise<Kept<Value>>
}

/** What a kind of records is called, and what its values look like. */
export interface RecordKind<Value> {
  readonly kind: string
  readonly schema: z.ZodType<Value>
  /** No two have the same, whatever the case. */
  readonly nameOf: (value: Value) => string
  /** Throws for what cannot be used, where it differs from `before`. */
  readonly check?: (value: Value, before: Value | undefined) => Promise<void>
}
