import { type RecordStore, type RecordVersion, StoreError } from '../../src/session.ts'

/** Records of a store in memory, with all their versions. */
export function scriptedRecords(): RecordStore {
  const kept: RecordVersion[] = []
  const versions = (kind: string, id: string) =>
    kept.filter((each) => each.kind === kind && each.id === id).toReversed()
  return {
    async putRecord({ kind, id, value, after }, time) {
      const newest = versions(kind, id)[0]?.version ?? 0
      if (after !== undefined && after !== newest) throw new StoreError('conflict', `${kind} ${id} is at ${newest}`)
      const record = { kind, id, version: newest + 1, time, value }
      kept.push(record)
      return record
    },
    record: async (kind, id) => versions(kind, id)[0],
    recordVersions: async (kind, id) => versions(kind, id),
    async records(kind) {
      const ids = new Set(kept.filter((each) => each.kind === kind).map(({ id }) => id))
      return [...ids].map((id) => versions(kind, id)[0]!).filter(({ value }) => value !== null)
    },
    async removedRecords(kind) {
      const ids = new Set(kept.filter((each) => each.kind === kind).map(({ id }) => id))
      return [...ids].map((id) => versions(kind, id)[0]!).filter(({ value }) => value === null)
    },
  }
}
