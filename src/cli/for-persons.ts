import { CommandFailure } from './failure.ts'
import type { Io } from './io.ts'

/** Refuses what only a person may do to a command that a tool has started. Tools run with `FOREWORD_TOOL=1`. */
export function refuseTools(io: Io, what: string): void {
  if (io.environment.FOREWORD_TOOL !== '1') return
  throw new CommandFailure('not-a-person', `this was called by a tool: a model cannot ${what}.`, {
    hint: 'Run it yourself, in a terminal of your own.',
  })
}
