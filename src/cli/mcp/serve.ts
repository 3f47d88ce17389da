import type { Readable, Writable } from 'node:stream'
import type { CommandCall } from '../command.ts'
import { onInterrupt } from '../interrupt.ts'
import { type Io, note } from '../io.ts'
import { validConfiguration } from '../load-configuration.ts'
import { version } from '../version.ts'

/**
 * Speaks MCP until the client has gone. The home is opened beside whatever works on it: nothing is claimed, and what is
 * written here may be written by several processes at once. The standard output carries the protocol alone.
 */
export async function serveMcp(call: CommandCall, io: Io): Promise<number> {
  const configuration = await validConfiguration(call.home, io)
  const { environment } = io
  const [{ openRuntime }, { serveMcpOverStdio }] = await Promise.all([
    import('../../runtime.ts'),
    import('../../server.ts'),
  ])
  const warn = (text: string) => note(io, `foreword mcp: ${text}`)
  const runtime = await openRuntime({
    home: call.home,
    configuration,
    environment,
    version: version(),
    recovers: false,
    warn,
  })
  try {
    const connection = await serveMcpOverStdio(runtime, {
      // In a process these are what they seem to be; tests hand in streams of the same kind.
      stdin: io.stdin as Readable,
      stdout: io.stdout as Writable,
      version: version(),
      // Whoever runs as a tool could be its own client, and answer what a person is asked.
      asksPersons: environment.FOREWORD_TOOL !== '1',
      unexpected: (error) => warn(faultText(error, io)),
    })
    const stop = onInterrupt(io, () => void connection.close())
    if (io.stdin.isTTY) {
      warn(
        'waits for an MCP client on this terminal. Ctrl-C ends it; `foreword mcp config` says how programs start it.',
      )
    }
    await connection.ended
    stop()
  } finally {
    await runtime.close()
  }
  return 0
}

function faultText(error: unknown, io: Io): string {
  if (!(error instanceof Error)) return String(error)
  return (io.environment.FOREWORD_DEBUG ? error.stack : undefined) ?? error.message
}
