import { fileURLToPath } from 'node:url'
import type { CommandCall } from '../command.ts'
import { CommandFailure, usageFailure } from '../failure.ts'
import { refuseTools } from '../for-persons.ts'
import { homeDirectory } from '../home-directory.ts'
import { type Io, note, print, printJson } from '../io.ts'
import { validConfiguration } from '../load-configuration.ts'
import { nearestName } from '../../platform.ts'
import { runningGateway } from '../running-gateway.ts'
import { clients, type McpClient, type ServerEntry } from './clients.ts'

const program = fileURLToPath(new URL('../../../bin/foreword.js', import.meta.url))

/** Prints what to paste into the settings of a program. Where it belongs stands on the error output. */
export async function printConfig(call: CommandCall, io: Io): Promise<number> {
  const [name = 'claude-desktop'] = call.words.slice(1)
  const client = clientNamed(name)
  const entry = call.has('http') ? await gatewayEntry(call, io) : programEntry(call, io)
  const text = client.text(entry)
  if (text === undefined) {
    throw new CommandFailure('unsupported', `${client.title} starts its servers itself and takes no address.`, {
      hint: `Leave --http out: \`foreword mcp config ${name}\`.`,
    })
  }
  if (call.json) {
    printJson(io, { client: name, file: client.file, text })
    return 0
  }
  note(io, `For ${client.title}: ${client.file}`)
  if (entry.type === 'http') note(io, 'It holds the token of the gateway: keep it as you keep a password.')
  print(io, text)
  if (client.command === undefined) return 0
  if (entry.type === 'stdio') note(io, `Or: ${client.command(entry)}`)
  // A command stands in the history of a shell; the token is in the text above and nowhere else.
  else
    note(
      io,
      `Or, with the token in the place of THE-TOKEN: ${client.command({ ...entry, headers: bearer('THE-TOKEN') })}`,
    )
  return 0
}

function clientNamed(name: string): McpClient {
  const client = Object.hasOwn(clients, name) ? clients[name] : undefined
  if (client !== undefined) return client
  const near = nearestName(name, Object.keys(clients))
  throw usageFailure(
    `There is no form for a program named \`${name}\`.`,
    near === undefined
      ? `There is one for ${Object.keys(clients).join(', ')}. Most others read that of claude-desktop.`
      : `Did you mean \`${near}\`?`,
  )
}

function programEntry({ home }: CommandCall, { environment }: Io): ServerEntry {
  const { FOREWORD_HOME: _home, ...others } = environment
  const isDefault = home === homeDirectory(undefined, others)
  const env = { ...(isDefault ? {} : { FOREWORD_HOME: home }), ...foldersIn(environment) }
  return { type: 'stdio', command: process.execPath, args: [program, 'mcp'], env }
}

/** Where subjects and tastes are, if this terminal says so: programs that start on a desktop do not hear of it. */
function foldersIn(environment: Io['environment']): Readonly<Record<string, string>> {
  const set = FOLDERS.map((name) => [name, environment[name]] as const)
  return Object.fromEntries(set.filter((pair): pair is readonly [string, string] => Boolean(pair[1])))
}

const FOLDERS = ['FOREWORD_SUBJECTS_DIRECTORY', 'FOREWORD_SUBJECTS_TASTES', 'CHEMIGRAM_TASTES_DIR']

async function gatewayEntry({ home }: CommandCall, io: Io): Promise<ServerEntry> {
  refuseTools(io, 'read the token')
  const { readToken } = await import('../../runtime.ts')
  const [token, running] = await Promise.all([readToken(home), runningGateway(home)])
  const url = running.type === 'gateway' ? running.address : await configuredAddress(home, io)
  if (token === undefined || url === undefined) {
    throw new CommandFailure('no-gateway', `no gateway has been started on the home ${home} yet.`, {
      hint: 'Start one with `foreword start`, then ask again.',
    })
  }
  if (running.type !== 'gateway') note(io, 'No gateway runs on this home now: this is where the configuration puts it.')
  return { type: 'http', url: `${url}/mcp`, headers: bearer(token) }
}

function bearer(token: string): Readonly<Record<string, string>> {
  return { Authorization: `Bearer ${token}` }
}

async function configuredAddress(home: string, io: Io): Promise<string | undefined> {
  const { port, bind } = (await validConfiguration(home, io)).gateway
  return port === 0 ? undefined : `http://${bind.includes(':') ? `[${bind}]` : bind}:${port}`
}
