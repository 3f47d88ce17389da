import type { RecordChange, RecordVersion } from '../record.ts'

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
}
