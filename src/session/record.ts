import { StoreError } from './store-error.ts'

/** One version of a record that people edit: the system prompt, a custom agent, a project. */
export interface RecordVersion {
  /** Such as `prompt`, `agent` or `project`. */
  readonly kind: string
  readonly id: string
  /** 1, 2, 3 … for each record, without gaps. */
  readonly version: number
  /** ISO 8601, UTC. */
  readonly time: string
  /** JSON. `null`: it was removed, and can be restored from an earlier version. */
  readonly value: unknown
}

/** A new version of a record. */
export interface RecordChange {
  readonly kind: string
  readonly id: string
  readonly value: unknown
  /** The version that the change is based on; 0 for a new record. Where a newer one exists, nothing is written. */
  readonly after?: number
}

/** The next version of a record. Throws `conflict` where `after` is not the newest, and `invalid`. */
export function nextVersion(change: RecordChange, newest: RecordVersion | undefined, time: string): RecordVersion {
  const { kind, id, value, after } = change
  const json: string | undefined = JSON.stringify(value)
  if (json === undefined) throw new StoreError('invalid', `the ${kind} ${id} has no JSON: use null to remove it`)
  const before = newest?.version ?? 0
  if (after !== undefined && after !== before) throw conflictError(change, before)
  return { kind, id, version: before + 1, time, value: JSON.parse(json) }
}

function conflictError({ kind, id, after }: RecordChange, newest: number): StoreError {
  const expected = after === 0 ? 'it should be new' : `the change is based on version ${after}`
  const found = newest === 0 ? 'it does not exist' : `its newest version is ${newest}`
  return new StoreError('conflict', `the ${kind} ${id} was not changed: ${expected}, but ${found}. Read it again`)
}

/** What people edit, with its history: the system prompt, custom agents, projects. */
export interface RecordStore {
  /** Writes a new version. `conflict` where `after` is not the newest. */
  putRecord(change: RecordChange, time: string): Promise<RecordVersion>
  /** The newest version, removed ones too. */
  record(kind: string, id: string): Promise<RecordVersion | undefined>
  /** Newest first. */
  recordVersions(kind: string, id: string): Promise<readonly RecordVersion[]>
  /** The newest version of each record that is not removed, in the order in which the records were made. */
  records(kind: string): Promise<readonly RecordVersion[]>
  /** The newest version of each record that is removed: its value is `null`. In the order in which the records were made. */
  removedRecords(kind: string): Promise<readonly RecordVersion[]>
}
