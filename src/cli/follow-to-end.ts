import { defined } from '../platform.ts'
import { askingAlone, personIsHere } from './approval/asking.ts'
import { leavable, type LeavableWatch } from './approval/leavable.ts'
import { personWatch } from './approval/person-watch.ts'
import { absentWatch } from './approval/watch.ts'
import type { Connection, Io } from '../capability.ts'
import { interruptible } from './interrupt.ts'
import { cancel, follow, type TurnEnd, type TurnPlace } from './turn.ts'
import type { TurnDisplay } from './turn-display.ts'

export interface FollowToEndOptions {
  readonly display?: TurnDisplay | undefined
  /** Whether a person may be asked about calls, where there is one at a terminal. */
  readonly asks: boolean
  /** The last event that is known; from the beginning of the turn where absent. */
  readonly after?: string
}

/**
 * Follows a turn, with whoever is here. A signal to end (Ctrl-C, SIGTERM, SIGHUP) cancels a turn that works, and leaves one
 * that waits for a person as it is: on disk, with its question.
 */
export async function followToEnd(
  connection: Connection,
  turn: TurnPlace,
  io: Io,
  { display, asks, after }: FollowToEndOptions,
): Promise<TurnEnd> {
  let watch: LeavableWatch | undefined
  return await interruptible(
    io,
    () => {
      if (watch?.leave() !== true) void cancel(connection, turn).catch(() => {})
    },
    (interrupt) => {
      const person = asks && personIsHere(io)
      watch = leavable(person ? personWatch(connection, io, askingAlone(io, interrupt)) : absentWatch(connection, io))
      return follow(connection, turn, { display, watch, ...defined({ after }) })
    },
  )
}
