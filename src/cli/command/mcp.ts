import type { Readable, Writable } from 'node:stream'
import type { Command, CommandCall, Io } from '../../capability.ts'
import type { HostedRuntime } from '../../runtime.ts'
import { jsonOption } from '../arguments.ts'
import { onInterrupt } from '../interrupt.ts'
import { note } from '../io.ts'
import { loadWithWarnings } from '../load-configuration.ts'
import { clients, printConfig } from '../mcp/config.ts'
import { runSubcommand, type Subcommand } from '../subcommand.ts'
import { version } from '../version.ts'

export const mcpCommand: Command = {
  name: 'mcp',
  summary: 'serve the context and tools of this home to other programs over MCP',
  usage: ['mcp', 'mcp config [CLIENT] [--http] [--json]'],
  details:
    'Without a subcommand, speaks MCP on standard input and output until the input ends, with or without a running gateway. ' +
    'Programs start it themselves. config prints what to paste into the settings of a program, with the ' +
    `paths of this machine. CLIENT is one of ${Object.keys(clients).join(', ')}. With --http it prints the address of the ` +
    'gateway and its token instead; keep those as secret as a password.',
  words: { least: 0, most: 2 },
  options: {
    http: { summary: 'connect to the gateway instead of starting a process' },
    json: { ...jsonOption, summary: 'with config: print {client, file, text}' },
  },
  run: (call, io) => runSubcommand(mcpCommand, subcommands, 'serve', call, io),
}

const subcommands: Readonly<Record<string, Subcommand>> = {
  serve: { least: 0, most: 0, run: serveMcp },
  config: { least: 0, most: 1, run: printConfig },
}

/**
 * Speaks MCP until the client has gone. The home is opened beside whatever works on it: nothing is claimed, and what is
 * written here may be written by several processes at once. The standard output carries the protocol alone.
 */
async function serveMcp({ home }: CommandCall, io: Io): Promise<number> {
  const { environment } = io
  const warn = (text: string) => note(io, `foreword mcp: ${text}`)
  let opening: Promise<HostedRuntime> | undefined
  let hasEnded = false
  const open = (): Promise<HostedRuntime> => (opening = opened(home, io, warn))
  // At a terminal a person has started it, who can correct what is wrong at once.
  const first = io.stdin.isTTY ? await open() : undefined
  const { serveMcpOverStdio } = await import('../../server/mcp.ts')
  const { configuredCapabilities } = await import('../../runtime/configured-capabilities.ts')
  const { capabilities: known } = await configuredCapabilities({
    home,
    environment,
    capabilities: io.capabilities ?? [],
  })
  const opensHome = (runtime: HostedRuntime) => {
    const { capabilities, mcp } = runtime.contributed
    return { runtime, additions: capabilities.flatMap(({ name }) => mcp(name) ?? []) }
  }
  const connection = serveMcpOverStdio({
    home,
    definitions: await Promise.all(known.flatMap(({ mcp }) => (mcp ? [Promise.resolve(mcp.definitions())] : []))),
    // A client can do no more than to be told; its log, and whoever reads that, hears of it as well.
    open: async () => {
      if (first !== undefined) return opensHome(first)
      if (hasEnded) throw new Error('the client has gone')
      try {
        return opensHome(await open())
      } catch (error) {
        warn(faultText(error, io))
        throw error
      }
    },
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
    warn('waits for an MCP client on this terminal. Ctrl-C ends it; `foreword mcp config` says how programs start it.')
  }
  await connection.ended
  hasEnded = true
  stop()
  const runtime = await opening?.catch(() => undefined)
  await runtime?.close()
  return 0
}

async function opened(home: string, io: Io, warn: (text: string) => void): Promise<HostedRuntime> {
  const { capabilities, configuration } = await loadWithWarnings(home, io)
  const { openRuntime } = await import('../../runtime.ts')
  const { environment } = io
  return openRuntime({ capabilities, home, configuration, environment, version: version(), recovers: false, warn })
}

function faultText(error: unknown, io: Io): string {
  if (!(error instanceof Error)) return String(error)
  return (io.environment.FOREWORD_DEBUG ? error.stack : undefined) ?? error.message
}
