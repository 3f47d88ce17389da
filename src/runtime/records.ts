import { type Clock, type StoredRecord, type RecordKind, type Records, RuntimeError } from '../capability.ts'
import { defined, foldCase, serialQueue } from '../platform.ts'
import { type RecordStore, type RecordVersion, StoreError } from '../session.ts'
import { runtimeFailure } from './failure.ts'

export function createRecords<Value>(
  { store, clock }: { readonly store: RecordStore; readonly clock: Clock },
  { kind, schema, nameOf, command = `${kind}s`, check }: RecordKind<Value>,
): Records<Value> {
  /** One change after another, so that of two that use one name the second is refused. */
  const changes = serialQueue()

  async function list() {
    const records = await store.records(kind)
    return records.map((record) => ({ ...keptVersion(record), value: record.value as Value }))
  }

  async function find(id: string) {
    const record = await store.record(kind, id)
    return record && record.value !== null ? { ...keptVersion(record), value: record.value as Value } : undefined
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
      if (error instanceof StoreError && error.code === 'conflict') throw changedError(kind, id)
      throw runtimeFailure(error)
    }
  }

  async function checked(given: unknown, own: string | undefined): Promise<Value> {
    const read = schema.safeParse(given)
    if (!read.success) {
      const problems = read.error.issues.map(({ path, message }) => `${path.join('.') || 'it'}: ${message}`)
      throw new RuntimeError('invalid-input', `Invalid ${kind}: ${problems.join('; ')}.`, { problems })
    }
    const name = nameOf(read.data)
    const taken = (await list()).find(({ id, value }) => id !== own && sameName(nameOf(value), name))
    if (taken) throw new RuntimeError('invalid-input', `There is ${article(kind)} named ${name} already: ${taken.id}.`)
    return read.data
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
        const before = await get(id)
        const value = await checked(given, id)
        await check?.(value, before.value)
        return put(id, value, after)
      }),
    remove: (id) =>
      changes.add(async () => {
        await get(id)
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
      if (versions.length === 0) throw noSuchRecord({ kind, command }, id)
      return versions.map((version) => keptVersion<Value>(version))
    },
    restore: (id, version) =>
      changes.add(async () => {
        const versions = await store.recordVersions(kind, id)
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

function changedError(kind: string, id: string): RuntimeError {
  const hint = 'Look at it again.'
  return new RuntimeError('changed', `The ${kind} ${id} has changed meanwhile.`, { kind, id }, { hint })
}
