import { join } from 'node:path'
import type { CommandCall, Io } from '../capability.ts'
import { defined, nearestHint, quoteForShell } from '../platform.ts'
import type { MadeToken } from '../runtime.ts'
import { homeDirectory } from './arguments.ts'
import { CommandFailure, refuseTools, usageFailure } from './failure.ts'
import { loadedCapabilities, note, print, printJson } from './io.ts'
import { withNamedTokens } from './tokens.ts'

const program = join(import.meta.dirname, '../../bin/foreword.js')

/** Prints what to paste into the settings of a program. The error output names the file. */
export async function printConfig(call: CommandCall, io: Io): Promise<number> {
  const [name = 'claude-desktop'] = call.words.slice(1)
  const client = clientNamed(name)
  if (call.has('http') && client.text(exampleEntry) === undefined) {
    throw new CommandFailure('unsupported', `${client.title} starts its servers itself and accepts no address.`, {
      hint: `Run \`foreword mcp config ${name}\` without --http.`,
    })
  }
  const { entry, made } = call.has('http') ? await gatewayEntry(call, io, name) : await programEntry(call, io)
  const text = client.text(entry)!
  if (call.json) return printJson(io, { client: name, file: client.file, text, ...defined({ token: made }) })
  note(io, `For ${client.title}: ${client.file}`)
  if (made !== undefined) {
    note(io, `It contains the new token ${made}, which opens /mcp and nothing else. Keep it as secret as a password.`)
    note(io, `\`foreword token revoke ${made}\` ends it.`)
  }
  print(io, text)
  if (client.command === undefined) return 0
  if (entry.type === 'stdio') note(io, `Or: ${client.command(entry)}`)
  // Shells record commands, so this one does not contain the token.
  else
    note(io, `Or, with the token in place of THE-TOKEN: ${client.command({ ...entry, headers: bearer('THE-TOKEN') })}`)
  return 0
}

function clientNamed(name: string): McpClient {
  const client = Object.hasOwn(clients, name) ? clients[name] : undefined
  if (client !== undefined) return client
  const names = Object.keys(clients)
  const all = `Use one of ${names.join(', ')}. Most other programs read the form of claude-desktop.`
  throw usageFailure(
    `Unknown program "${name}".`,
    nearestHint(name, names, all, (near) => `\`${near}\``),
  )
}

interface NewEntry {
  readonly entry: ServerEntry
  readonly made?: string
}

async function programEntry({ home }: CommandCall, io: Io): Promise<NewEntry> {
  const { FOREWORD_HOME: _home, ...others } = io.environment
  const isDefault = home === homeDirectory(undefined, others)
  const env = { ...(isDefault ? {} : { FOREWORD_HOME: home }), ...(await folderVariables(home, io)) }
  return { entry: { type: 'stdio', command: process.execPath, args: [program, 'mcp'], env } }
}

/** The variables of this environment that set a folder of the configuration. A program started on a desktop lacks them. */
async function folderVariables(home: string, io: Io) {
  const { environment } = io
  const capabilities = await loadedCapabilities(io)
  const [{ factsAt, loadConfiguration, variableName }, { schemaKeys }] = await Promise.all([
    import('../runtime.ts'),
    import('./effective-values.ts'),
  ])
  const { schema } = await loadConfiguration({ home, environment, capabilities })
  const set: Record<string, string> = {}
  for (const key of schemaKeys(schema.json)) {
    const path = key.split('.')
    const { path: kind, variables = [] } = factsAt(schema.whole, path)
    if (kind !== 'folder') continue
    for (const name of [variableName(path), ...variables]) if (environment[name]) set[name] = environment[name]
  }
  return set
}

/** An entry with a new token for this client alone. That of the owner is in no text of a client. */
async function gatewayEntry({ home }: CommandCall, io: Io, client: string): Promise<NewEntry> {
  refuseTools(io, 'make a token')
  const [{ readToken }, { findGateway }] = await Promise.all([import('../runtime.ts'), import('./connection.ts')])
  const [wasStarted, running] = await Promise.all([readToken(home), findGateway(home)])
  const url = running.type === 'gateway' ? running.address : await configuredAddress(home, io)
  if (wasStarted === undefined || url === undefined) {
    throw new CommandFailure('no-gateway', `No gateway was ever started on the home ${home}.`, {
      hint: 'Start one with `foreword start`, then run this command again.',
    })
  }
  if (running.type !== 'gateway')
    note(io, 'No gateway runs on this home now. The address comes from the configuration.')
  const { name, token } = await makeClientToken(home, io, client)
  return { entry: { type: 'http', url: `${url}/mcp`, headers: bearer(token) }, made: name }
}

/** Named after the client, with a number where there is one already: an older configuration goes on working. */
function makeClientToken(home: string, io: Io, client: string): Promise<MadeToken> {
  return withNamedTokens(home, io, (named) => {
    const names = new Set(named.list().map((each) => each.name))
    let name = `mcp-${client}`
    for (let number = 2; names.has(name); number += 1) name = `mcp-${client}-${number}`
    return named.make({ name, scope: 'mcp' }, 'cli')
  })
}

function bearer(token: string): Readonly<Record<string, string>> {
  return { Authorization: `Bearer ${token}` }
}

async function configuredAddress(home: string, io: Io): Promise<string | undefined> {
  const { loadValidConfiguration } = await import('./load-configuration.ts')
  const { port, bind } = (await loadValidConfiguration(home, io)).gateway
  return port === 0 ? undefined : `http://${bind.includes(':') ? `[${bind}]` : bind}:${port}`
}

/** How a program starts the server as a process of its own, or reaches a running one. */
export type ServerEntry =
  | {
      readonly type: 'stdio'
      readonly command: string
      readonly args: readonly string[]
      readonly env: Readonly<Record<string, string>>
    }
  | { readonly type: 'http'; readonly url: string; readonly headers: Readonly<Record<string, string>> }

/** Shows whether a client accepts an address, before a token is made for it. */
const exampleEntry: ServerEntry = { type: 'http', url: '', headers: {} }

/** A program that speaks MCP, and the form in which its settings name a server. */
interface McpClient {
  readonly title: string
  /** The file that the text belongs in, as the documentation of the program names it. */
  readonly file: string
  /** The text to paste there; `undefined` where the program cannot connect that way. */
  readonly text: (entry: ServerEntry) => string | undefined
  readonly command?: (entry: ServerEntry) => string
}

const NAME = 'foreword'

/** By their name on the command line. Most programs read the form of the first one. */
export const clients: Readonly<Record<string, McpClient>> = {
  'claude-desktop': {
    title: 'Claude Desktop',
    file: 'claude_desktop_config.json (Settings, Developer, Edit Config)',
    text: (entry) => (entry.type === 'http' ? undefined : json('mcpServers', started(entry))),
  },
  'claude-code': {
    title: 'Claude Code',
    file: '.mcp.json in the folder of the project',
    text: (entry) => json('mcpServers', loadedAtOnce(entry)),
    command: (entry) =>
      `claude mcp add-json --scope user ${NAME} ${quoteForShell(JSON.stringify(loadedAtOnce(entry)))}`,
  },
  cursor: {
    title: 'Cursor',
    file: '~/.cursor/mcp.json, or .cursor/mcp.json in the folder of the project',
    text: (entry) => json('mcpServers', entry.type === 'http' ? withoutType(entry) : started(entry)),
  },
  vscode: {
    title: 'Visual Studio Code',
    file: '.vscode/mcp.json in the workspace, or the one that "MCP: Open User Configuration" opens',
    text: (entry) => json('servers', entry),
  },
  windsurf: {
    title: 'Windsurf',
    file: '~/.codeium/windsurf/mcp_config.json',
    text: (entry) =>
      json('mcpServers', entry.type === 'http' ? { serverUrl: entry.url, headers: entry.headers } : started(entry)),
  },
  zed: {
    title: 'Zed',
    file: '~/.config/zed/settings.json',
    text: (entry) =>
      json('context_servers', entry.type === 'http' ? withoutType(entry) : { source: 'custom', ...started(entry) }),
  },
  'gemini-cli': {
    title: 'Gemini CLI',
    file: '~/.gemini/settings.json',
    text: (entry) =>
      json('mcpServers', entry.type === 'http' ? { httpUrl: entry.url, headers: entry.headers } : started(entry)),
  },
  codex: {
    title: 'Codex',
    file: '~/.codex/config.toml',
    text: (entry) =>
      entry.type === 'http'
        ? toml({ url: entry.url, ...atOnce }, { http_headers: entry.headers })
        : toml(
            { command: entry.command, args: entry.args, ...atOnce },
            Object.keys(entry.env).length === 0 ? {} : { env: entry.env },
          ),
  },
}

/** With `alwaysLoad`, Claude Code sends the tools in its first request; otherwise a model has to search for them. */
function loadedAtOnce(entry: ServerEntry): object {
  return { ...entry, alwaysLoad: true }
}

/** Codex waits for such a server. Tools that arrive later would change the beginning of its requests and lose the cache. */
const atOnce = { required: true }

function withoutType({ type: _type, ...rest }: ServerEntry): object {
  return rest
}

function started({ command, args, env }: Extract<ServerEntry, { type: 'stdio' }>): object {
  return { command, args, env }
}

function json(key: string, entry: object): string {
  return JSON.stringify({ [key]: { [NAME]: entry } }, undefined, 2)
}

/** Strings and lists of strings are written the same in TOML and in JSON. */
function toml(values: object, tables: Readonly<Record<string, Readonly<Record<string, string>>>>): string {
  const written = (value: unknown): string =>
    Array.isArray(value) ? `[${value.map(written).join(', ')}]` : JSON.stringify(value)
  const lines = Object.entries(values).map(([key, value]) => `${key} = ${written(value)}`)
  const inline = Object.entries(tables).map(([key, table]) => {
    const pairs = Object.entries(table).map(([name, value]) => `${JSON.stringify(name)} = ${JSON.stringify(value)}`)
    return `${key} = { ${pairs.join(', ')} }`
  })
  return [`[mcp_servers.${NAME}]`, ...lines, ...inline].join('\n')
}
