import type { ForeignCallStart, ForeignCallState } from '../../capability.ts'
import { type Activity, defined, errorMessage, keyedQueue } from '../../platform.ts'
import { beginRecord, type BegunRecord } from './begin-record.ts'
import type { RecordParts } from './record-parts.ts'
import { endRecord } from './end-record.ts'
import type { BegunCall, EndedCall } from './foreign-call.ts'
import type { HeldForeignCall } from './foreign-limits.ts'

/** Writes calls of other programs beside their way: a fault in here stops no call, is counted, and is reported. */
export interface CallRecorder {
  /**
   * Begins the record of a call that leaves now, or was refused, once a moment has passed: many calls may leave at once, and their
   * answers come first. A process that dies later than that leaves a call without an end on record.
   */
  begin(start: ForeignCallStart, call: () => Promise<BegunCall>): BegunRecording
  /** Counts a call that came, until the function that it returns is called. */
  opened(): () => void
  /** Runs work on the way of a call. `undefined`: it threw, which is noted. */
  guarded<Result>(what: string, work: () => Result): Result | undefined
  /** Notes a fault of ours that a call did not wait for. */
  note(what: string, error: unknown): void
  state(): ForeignCallState
  /** Writes what has ended so far at once, and resolves when it is on record; `undefined`: all of it is. */
  idle(): Promise<void> | undefined
}

export interface BegunRecording {
  /** `over`: of `opened`, called once the end is on record. */
  end(ended: EndedCall, held: HeldForeignCall | undefined, over: () => void): void
}

export function createCallRecorder(
  parts: RecordParts & { readonly activity: Activity; readonly warn: (text: string) => void },
): CallRecorder {
  const queue = keyedQueue<string>()
  const pauses = new Set<() => void>()
  let [open, recorded, lost] = [0, 0, 0]
  let lastFault: string | undefined

  function note(what: string, error: unknown): void {
    lastFault = `${what}: ${errorMessage(error)}`
    parts.warn(`A call of another program went on, although its record is not whole: ${lastFault}`)
  }

  function guarded<Result>(what: string, work: () => Result): Result | undefined {
    try {
      return work()
    } catch (error) {
      note(what, error)
      return undefined
    }
  }

  return {
    begin(start, call) {
      const moment = pause()
      // Calls of one program are written in their order: each is compared with the one before.
      const key = `${start.head.headers['user-agent'] ?? ''} ${start.caller.by}`
      let begun: BegunRecord | undefined
      void queue.add(key, async () => {
        try {
          await moment.over
          begun = await beginRecord(parts, await call())
        } catch (error) {
          lost += 1
          note('it was not recorded', error)
        }
      })
      return {
        end(ended, held, over) {
          // What it held of a budget is given back at once.
          if (held) moment.end()
          void queue.add(key, async () => {
            try {
              if (begun) {
                const outcome = await endRecord(parts, begun, ended)
                held?.settle(outcome)
                recorded += 1
                return
              }
            } catch (error) {
              lost += 1
              note('its end was not recorded', error)
            } finally {
              over()
            }
            guarded('what it cost was not counted', () => held?.settle(undefined))
          })
        },
      }
    },
    opened() {
      open += 1
      const end = parts.activity.begin()
      return () => {
        open -= 1
        end()
      }
    },
    guarded,
    note,
    state: () => ({ open, recorded, lost, ...defined({ lastFault }) }),
    idle() {
      for (const end of pauses) end()
      return queue.idle()
    },
  }

  function pause(): { readonly over: Promise<void>; end(): void } {
    const { promise, resolve } = Promise.withResolvers<void>()
    const cancel = parts.store.clock.timer(MOMENT_MS, end)
    pauses.add(end)
    function end(): void {
      pauses.delete(end)
      cancel()
      resolve()
    }
    return { over: promise, end }
  }
}

const MOMENT_MS = 100
