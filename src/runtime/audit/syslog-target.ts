import { existsSync } from 'node:fs'
import type { Environment } from '../configuration/value.ts'
import type { CheckpointTarget } from './checkpoint-target.ts'
import { runHostProgram } from './host-program.ts'

/** The log of the system, by its program `logger`. Only the system can read it back. */
export function syslogTarget({
  name,
  socket,
  environment,
}: {
  readonly name: string
  /** An absolute path; the socket of the system unless given. */
  readonly socket?: string
  readonly environment: Environment
}): CheckpointTarget {
  const to = socket === undefined ? [] : ['--socket', socket, '--socket-errors=on']
  return {
    name,
    async append(line, signal) {
      // Without a socket `logger` says nothing and succeeds.
      const where = socket ?? '/dev/log'
      if (!existsSync(where)) throw new Error(`there is no ${where}`)
      const words = ['-t', 'foreword-audit', '-p', 'authpriv.notice', ...to, '--', line]
      await runHostProgram('logger', words, { environment, signal })
    },
  }
}
