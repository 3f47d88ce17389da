import type { Clock } from '../../platform.ts'

/** A place outside the store to which checkpoints are appended, one line each. Nothing that was written is ever changed. */
export interface CheckpointTarget {
  readonly name: string
  /** The file or folder on this machine, which tools must keep away from. */
  readonly path?: string
  /** Resolves when the line is there. Rejects with what happened; the line is then written again later. */
  append(line: string, signal: AbortSignal, clock: Clock): Promise<void>
  /** All lines, oldest first; none where nothing was ever written. Absent where the place cannot be read back. */
  read?(): Promise<readonly string[]>
}
