import { systemClock } from '../../platform.ts'
import type { Readable, Writable } from 'node:stream'
import type { CommandCall, Io } from '../../capability.ts'
import type { HostedRuntime } from '../../runtime.ts'
import { jsonOption } from '../arguments.ts'
import { onInterrupt } from '../interrupt.ts'
import { note, programCapabilities } from '../io.ts'
import { clients, printConfig } from '../mcp-config.ts'
import { commandWithSubcommands } from '../subcommand.ts'
import { version } from '../version.ts'
import { withClaim } from '../open-store.ts'

export const mcpCommand = commandWithSubcommands({
  name: 'mcp',
  group: 'set-up',
  summary: 'serve the context and tools of this home to other programs over MCP',
  details:
    'Without a subcommand, speaks MCP on standard input and output until the input ends, with or without a running gateway. ' +
    'Programs start it themselves. `config` prints what to paste into the settings of a program, with the ' +
    `paths of this machine. CLIENT is one of ${Object.keys(clients).join(', ')}. With --http it prints the address of the ` +
    'gateway with a new token instead, which opens nothing else; keep it as secret as a password.',
  options: {
    http: { summary: 'connect to the gateway instead of starting a process' },
    json: { ...jsonOption, summary: 'with config: print {client, file, text}' },
  },
  first: 'serve',
  subcommands: { serve: { run: serveMcp }, config: { usage: '[CLIENT] [--http] [--json]', run: printConfig } },
})

/** Serves MCP until the client disconnects, beside a running gateway. Standard output carries only the protocol. */
async function serveMcp({ home }: CommandCall, io: Io): Promise<number> {
  const { environment } = io
  const warn = (text: string) => note(io, `foreword mcp: ${text}`)
  let opening: Promise<HostedRuntime> | undefined
  let hasEnded = false
  const open = (): Promise<HostedRuntime> => (opening = openHome(home, io, warn))
  // On a terminal, a person has started it and can correct a failure at once.
  const first = io.stdin.isTTY ? await open() : undefined
  const { serveMcpOverStdio } = await import('../../server/mcp.ts')
  const { configuredCapabilities } = await import('../../runtime/configured-capabilities.ts')
  const { capabilities: known } = await configuredCapabilities({
    home,
    environment,
    capabilities: await programCapabilities(io),
  })
  const homeConnection = (runtime: HostedRuntime) => {
    const { capabilities, mcp } = runtime.contributed
    return { runtime, additions: capabilities.flatMap(({ name }) => mcp(name) ?? []) }
  }
  const connection = serveMcpOverStdio({
    home,
    definitions: await Promise.all(known.flatMap(({ mcp }) => (mcp ? [Promise.resolve(mcp.definitions())] : []))),
    // The client cannot fix a failure, so it is also written to the error output, which is the log of the client.
    open: async () => {
      if (first !== undefined) return homeConnection(first)
      if (hasEnded) throw new Error('the client has disconnected')
      try {
        return homeConnection(await open())
      } catch (error) {
        warn(faultText(error, io))
        throw error
      }
    },
    // A process has these streams; tests pass streams of the same kind.
    stdin: io.stdin as Readable,
    stdout: io.stdout as Writable,
    version: version(),
    clock: systemClock,
    // A tool could be its own client and answer the questions to a person.
    asksPersons: environment.FOREWORD_TOOL !== '1',
    unexpected: (error) => warn(faultText(error, io)),
  })
  const stop = onInterrupt(io, () => void connection.close())
  if (io.stdin.isTTY) {
    warn(
      'waiting for an MCP client on this terminal. Ctrl-C stops it. `foreword mcp config` prints how programs start it.',
    )
  }
  await connection.ended
  hasEnded = true
  stop()
  const runtime = await opening?.catch(() => undefined)
  await runtime?.close()
  if (runtime !== undefined) await takeCheckpoint(home, io, warn).catch((error: unknown) => warn(faultText(error, io)))
  return 0
}

/** Takes a checkpoint of the audit, as a gateway does when it stops. Where one runs, it takes its own. */
async function takeCheckpoint(home: string, io: Io, warn: (text: string) => void): Promise<void> {
  const [{ loadValidConfiguration }, { findHomeStore, withWritableStore }, { takeHomeCheckpoint }, session] =
    await Promise.all([
      import('../load-configuration.ts'),
      import('../open-store.ts'),
      import('../../runtime.ts'),
      import('../../session.ts'),
    ])
  if (session.readClaim(home)) return
  const [configuration, kept] = await Promise.all([loadValidConfiguration(home, io), findHomeStore(home, io)])
  const { environment } = io
  await withClaim(home, io, () =>
    withWritableStore(kept, (store) =>
      takeHomeCheckpoint({ home, environment, configuration, store, clock: systemClock, warn }),
    ),
  )
}

async function openHome(home: string, io: Io, warn: (text: string) => void): Promise<HostedRuntime> {
  const [{ loadWithWarnings }, { openRuntime }] = await Promise.all([
    import('../load-configuration.ts'),
    import('../../runtime.ts'),
  ])
  const { capabilities, configuration } = await loadWithWarnings(home, io)
  const { environment } = io
  return openRuntime({ capabilities, home, configuration, environment, version: version(), recovers: false, warn })
}

function faultText(error: unknown, io: Io): string {
  if (!(error instanceof Error)) return String(error)
  return (io.environment.FOREWORD_DEBUG ? error.stack : undefined) ?? error.message
}
