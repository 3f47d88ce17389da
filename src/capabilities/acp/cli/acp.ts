import { resolve } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import type { Command, CommandCall, Io } from '../../../capability.ts'
import { note, onInterrupt, refuseTools, version } from '../../../cli.ts'
import { systemClock, errorMessage, ForewordError } from '../../../platform.ts'
import { gatewayLink } from '../gateway-link.ts'

export const acpCommand: Command = {
  name: 'acp',
  group: 'talk',
  summary: 'let an editor use the agent of this home, over the Agent Client Protocol',
  usage: ['acp [--workspace DIRECTORY]'],
  details:
    'Speaks the protocol on standard input and output until the input ends. Editors start it themselves. Where a gateway runs, ' +
    'it uses that one; otherwise it opens the home in this process.',
  words: { least: 0, most: 0 },
  options: {
    workspace: {
      value: 'DIRECTORY',
      summary:
        'the folder that the tools work in, where no gateway runs: `.` is the folder that the editor starts it in',
    },
  },
  run: runAcp,
}

async function runAcp(call: CommandCall, io: Io): Promise<number> {
  // A tool could answer the questions that are for a person.
  refuseTools(io, 'use the agent as an editor')
  const warn = (text: string) => note(io, `foreword acp: ${text}`)
  const link = gatewayLink(call.home, ownIo(io, call.text('workspace')))
  const opening = link.open()
  // On a terminal, a person has started it and can correct a failure at once.
  if (io.stdin.isTTY) await opening
  // An editor reads the failure in the answer to its first request; its log has it, too.
  else opening.catch((error: unknown) => warn(failureText(error)))
  const { serveAcp } = await import('../serve-acp.ts')
  const connection = serveAcp({
    link,
    clock: systemClock,
    // A process has these streams; tests pass streams of the same kind.
    stdin: io.stdin as Readable,
    stdout: io.stdout as Writable,
    version: version(),
    warn,
  })
  const stop = onInterrupt(io, connection.close)
  if (io.stdin.isTTY) warn('waiting for an editor on this terminal. Ctrl-C stops it.')
  await connection.ended
  stop()
  // Turns that run in this process are kept, and go on at the next start.
  await link.close()
  return 0
}

function failureText(error: unknown): string {
  const hint = error instanceof ForewordError && error.hint !== undefined ? ` ${error.hint}` : ''
  return `${errorMessage(error)}${hint}`
}

/** Messages of the gateway never reach standard output. */
function ownIo(io: Io, workspace: string | undefined): Io {
  const environment =
    workspace === undefined ? io.environment : { ...io.environment, FOREWORD_AGENT_WORKSPACE: resolve(workspace) }
  return { ...io, environment, stdout: io.stderr }
}
