/** What runs here. */
export interface RuntimeStatus {
  readonly version: string
  readonly home: string
  readonly model: { readonly id: string; readonly why: string }
  readonly running: number
  readonly queued: number
  /** Calls that wait for a person; their turns are among those that run. */
  readonly waiting: number
  readonly recovered: number
  readonly warnings: readonly string[]
  /** Facts of the capabilities, by key. */
  readonly facts: Readonly<Record<string, unknown>>
  readonly started: string
}
