/** Something that people edit and that has a history: the system prompt, a custom agent, a project. */
export interface RecordVersion {
  /** Such as `prompt`, `agent` or `project`. */
  readonly kind: string
  readonly id: string
  /** 1, 2, 3 … for each record, without gaps. */
  readonly version: number
  /** ISO 8601, UTC. */
  readonly time: string
  /** JSON. `null`: it was removed, and can be brought back from an earlier version. */
  readonly value: unknown
}

/** A new version of a record. */
export interface RecordChange {
  readonly kind: string
  readonly id: string
  readonly value: unknown
  /** The version that was looked at; 0 for a record that should be new. Where another one stands by then, nothing is written. */
  readonly after?: number
}
