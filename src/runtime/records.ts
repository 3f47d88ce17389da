import type { z } from 'zod'
import { type RecordVersion, type RecordStore, StoreError } from '../session.ts'
import type { Clock } from './clock.ts'
import { RuntimeError } from './runtime-error.ts'
import { runtimeFailure } from './runtime-failure.ts'

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
  readonly kind: 'agent' | 'project'
  readonly schema: z.ZodType<Value>
  /** No two have the same, whatever the case. */
  readonly nameOf: (value: Value) => string
  /** Throws for what cannot be used, where it differs from `before`. */
  readonly check?: (value: Value, before: Value | undefined) => Promise<void>
}

export function createRecords<Value>(
  { store, clock }: { readonly store: RecordStore; readonly clock: Clock },
  { kind, schema, nameOf, check }: RecordKind<Value>,
): Records<Value> {
  /** One change after another, so that of two that take one name the second is refused. */
  let changing: Promise<unknown> = Promise.resolve()

  async function list() {
    const records = await store.records(kind)
    return records.map((record) => ({ ...kept(record), value: record.value as Value }))
  }

  async function find(id: string) {
    const record = await store.record(kind, id)
    return record && record.value !== null ? { ...kept(record), value: record.value as Value } : undefined
  }

  async function get(id: string) {
    const found = await find(id)
    if (!found) throw noSuchRecord(kind, id)
    return found
  }

  async function put(id: string, value: Value | null, after: number | undefined): Promise<Kept<Value>> {
    try {
      const change = { kind, id, value, ...(after === undefined ? {} : { after }) }
      return kept(await store.putRecord(change, clock.time()))
    } catch (error) {
      if (error instanceof StoreError && error.code === 'conflict') throw changed(kind, id)
      throw runtimeFailure(error)
    }
  }

  async function checked(given: unknown, own: string | undefined): Promise<Value> {
    const read = schema.safeParse(given)
    if (!read.success) {
      const problems = read.error.issues.map(({ path, message }) => `${path.join('.') || 'it'}: ${message}`)
      throw new RuntimeError('invalid-input', `This is no ${kind}. ${problems.join('; ')}.`, { problems })
    }
    const name = nameOf(read.data)
    const taken = (await list()).find(({ id, value }) => id !== own && sameName(nameOf(value), name))
    if (taken) throw new RuntimeError('invalid-input', `There is ${article(kind)} named ${name} already: ${taken.id}.`)
    return read.data
  }

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = changing.then(work)
    changing = next.catch(() => {})
    return next
  }

  return {
    list,
    find,
    get,
    create: (given) =>
      inTurn(async () => {
        const value = await checked(given, undefined)
        await check?.(value, undefined)
        return put(clock.newId(kind), value, 0)
      }),
    change: (id, given, after) =>
      inTurn(async () => {
        const before = await get(id)
        const value = await checked(given, id)
        await check?.(value, before.value)
        return put(id, value, after)
      }),
    remove: (id) =>
      inTurn(async () => {
        await get(id)
        await put(id, null, undefined)
      }),
    async versions(id) {
      const versions = await store.recordVersions(kind, id)
      if (versions.length === 0) throw noSuchRecord(kind, id)
      return versions.map((version) => kept<Value>(version))
    },
    restore: (id, version) =>
      inTurn(async () => {
        const versions = await store.recordVersions(kind, id)
        const found = versions.find((each) => each.version === version)
        if (!found || found.value === null) throw noSuchRecord(kind, id, version)
        return put(id, await checked(found.value, id), undefined)
      }),
  }
}

function kept<Value>({ id, version, time, value }: RecordVersion): Kept<Value> {
  return { id, version, time, value: value === null ? undefined : (value as Value) }
}

function sameName(left: string, right: string): boolean {
  return left.normalize('NFC').toLowerCase() === right.normalize('NFC').toLowerCase()
}

function article(kind: string): string {
  return kind === 'agent' ? 'an agent' : `a ${kind}`
}

function noSuchRecord(kind: string, id: string, version?: number): RuntimeError {
  const message =
    version === undefined
      ? `There is no ${kind} ${id}. List them with \`foreword ${kind}s\`.`
      : `There is no version ${version} of the ${kind} ${id} that could be restored. List them with \`foreword ${kind}s versions ${id}\`.`
  return new RuntimeError('not-found', message, { kind, id, ...(version !== undefined && { version }) })
}

function changed(kind: string, id: string): RuntimeError {
  return new RuntimeError('changed', `The ${kind} ${id} was changed meanwhile. Look at it again.`, { kind, id })
}
