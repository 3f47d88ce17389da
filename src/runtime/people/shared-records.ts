import { everybody, groupNamed } from '../../capability.ts'
import type { RecordStore, RecordVersion } from '../../session.ts'
import { isThere, type People, type Person } from '../tokens/people.ts'

/** What the owner of a gateway shares with one person. */
export type SharedRecords = ReturnType<typeof sharedRecords>

/** Reads the records of the owner that a person has too, as they are now: a record says with whom it is shared. */
export function sharedRecords(
  owner: () => { readonly people: Pick<People, 'find'>; readonly records: Pick<RecordStore, 'records'> },
  name: string,
) {
  return {
    /** The newest versions of those of a kind, without who else has them. */
    async list(kind: string): Promise<readonly RecordVersion[]> {
      const { people, records } = owner()
      const person = people.find(name)
      if (!isThere(person)) return []
      return (await records.records(kind)).flatMap((record) => {
        const { sharedWith = [], ...value } = record.value as { readonly sharedWith?: readonly string[] }
        return isAmong(person, sharedWith) ? [{ ...record, value }] : []
      })
    },
  }
}

function isAmong({ name, groups = [] }: Person, whom: readonly string[]): boolean {
  const own = new Set([everybody, name, ...groups.map(groupNamed)])
  return whom.some((each) => own.has(each))
}
