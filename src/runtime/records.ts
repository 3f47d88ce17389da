import { type Clock, type StoredRecord, type RecordKind, type Records, RuntimeError } from '../capability.ts'
import { defined, foldCase, serialQueue } from '../platform.ts'
import { type RecordStore, type RecordVersion, StoreError } from '../session.ts'
import { runtimeFailure } from './failure.ts'
import type { SharedRecords } from './people/shared-records.ts'

export function createRecords<Value>(
  {
    store,
    clock,
    shared,
  }: {
    readonly store: RecordStore
    readonly clock: Clock
    /** What the owner shares, in the home of a person. */
    readonly shared?: SharedRecords | undefined
  },
  { kind, schema, nameOf, command = `${kind}s`, check }: RecordKind<Value>,
): Records<Value> {
  /** One change after another, so that of two that use one name the second is refused. */
  const changes = serialQueue()

  async function ownRecords() {
    const records = await store.records(kind)
    return records.map((record) => ({ ...keptVersion(record), value: record.value as Value }))
  }

  async function ofOwner() {
    const records = (await shared?.list(kind)) ?? []
    return records.map((record) => ({
      ...keptVersion(record),
      value: record.value as Value,
      shared: true as const,
    }))
  }

  /** One of its own hides a shared one of the same name. */
  async function list() {
    const records = await ownRecords()
    const others = await ofOwner()
    const isFree = (name: string) => !records.some(({ value }) => sameName(nameOf(value), name))
    return [...records, ...others.filter(({ value }) => isFree(nameOf(value)))]
  }

  async function find(id: string) {
    const record = await store.record(kind, id)
    if (record === undefined) return (await ofOwner()).find((each) => each.id === id)
    return record.value === null ? undefined : { ...keptVersion(record), value: record.value as Value }
  }

  async function get(id: string) {
    const found = await find(id)
    if (!found) throw noSuchRecord({ kind, command }, id)
    return found
  }

  async function put(id: string, value: Value | null, after: number | undefined): Promise<StoredRecord<Value>> {
    try {
      const change = { kind, id, value, ...defined({ after }) }
      return keptVersion(await store.putRecord(change, clock.time()))
    } catch (error) {
      if (error instanceof StoreError && error.code === 'conflict')
        throw new RuntimeError(
          'changed',
          `The ${kind} ${id} has changed meanwhile.`,
          { kind, id },
          { hint: 'Look at it again.' },
        )
      throw runtimeFailure(error)
    }
  }

  async function checked(given: unknown, own: string | undefined): Promise<Value> {
    const read = schema.safeParse(given)
    if (!read.success) {
      const problems = read.error.issues.map(({ path, message }) => `${path.join('.') || 'it'}: ${message}`)
      throw new RuntimeError('invalid-input', `Invalid ${kind}: ${problems.join('; ')}.`, { problems })
    }
    if (shared && (read.data as { readonly sharedWith?: unknown }).sharedWith !== undefined)
      throw new RuntimeError('invalid-input', 'Only the owner of the gateway can share: leave out `sharedWith`.')
    const name = nameOf(read.data)
    const taken = (await list()).find(({ id, value }) => id !== own && sameName(nameOf(value), name))
    if (taken) throw new RuntimeError('invalid-input', `There is ${article(kind)} named ${name} already: ${taken.id}.`)
    return read.data
  }

  /** One that can be changed here. */
  async function getOwn(id: string) {
    const found = await get(id)
    if ('shared' in found) throw ofOwnerAlone(kind, nameOf(found.value))
    return found
  }

  return {
    list,
    find,
    get,
    create: (given) =>
      changes.add(async () => {
        const value = await checked(given, undefined)
        await check?.(value, undefined)
        return put(clock.newId(kind), value, 0)
      }),
    change: (id, given, after) =>
      changes.add(async () => {
        const before = await getOwn(id)
        const value = await checked(given, id)
        await check?.(value, before.value)
        return put(id, value, after)
      }),
    remove: (id) =>
      changes.add(async () => {
        await getOwn(id)
        await put(id, null, undefined)
      }),
    async removed() {
      const removed = await store.removedRecords(kind)
      const versions = await Promise.all(removed.map(({ id }) => store.recordVersions(kind, id)))
      const last = versions.flatMap((each) => each.find(({ value }) => value !== null) ?? [])
      return last.map((record) => ({ ...keptVersion(record), value: record.value as Value }))
    },
    async versions(id) {
      const versions = await store.recordVersions(kind, id)
      // Of what is shared the versions before are the owner's alone.
      if (versions.length === 0) return [await get(id)]
      return versions.map((version) => keptVersion<Value>(version))
    },
    restore: (id, version) =>
      changes.add(async () => {
        const versions = await store.recordVersions(kind, id)
        if (versions.length === 0) await getOwn(id)
        const found = versions.find((each) => each.version === version)
        if (!found || found.value === null) throw noSuchRecord({ kind, command }, id, version)
        return put(id, await checked(found.value, id), undefined)
      }),
  }
}

function keptVersion<Value>({ id, version, time, value }: RecordVersion): StoredRecord<Value> {
  return { id, version, time, value: value === null ? undefined : (value as Value) }
}

function sameName(left: string, right: string): boolean {
  return foldCase(left) === foldCase(right)
}

function article(kind: string): string {
  return kind === 'agent' ? 'an agent' : `a ${kind}`
}

function noSuchRecord(
  { kind, command }: { readonly kind: string; readonly command: string },
  id: string,
  version?: number,
): RuntimeError {
  const [message, list] =
    version === undefined
      ? [`No ${kind} has the id ${id}.`, `foreword ${command}`]
      : [
          `No version of the ${kind} ${id} that could be restored has the number ${version}.`,
          `foreword ${command} versions ${id}`,
        ]
  const facts = { kind, id, ...(version !== undefined && { version }) }
  return new RuntimeError('not-found', message, facts, { hint: `List them with \`${list}\`.` })
}

/** In the home of a person: a record of the owner cannot be changed. */
export function ofOwnerAlone(kind: string, name: string): RuntimeError {
  const hint = `Make ${article(kind)} of your own with what you need of it.`
  return new RuntimeError('forbidden', `Only the owner of the gateway can change ${name}.`, { kind }, { hint })
}
