import type { ListedServer } from '../../../src/capabilities/mcp-client/http/server-answers.ts'

/** A server as `config.json` has it. */
export interface WrittenServer {
  readonly command?: string
  readonly args?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly directory?: string
  readonly sandbox?: Confinement
  readonly url?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly enabled?: boolean
  readonly connectTimeoutMs?: number
}

/** How a program is confined: not at all, to the workspace with the network, or without it. */
export type Confinement = 'off' | 'network' | 'closed'

/** A server as a person types it: lists have a line for each item. */
export interface ServerFields {
  readonly name: string
  readonly kind: 'program' | 'address'
  readonly command: string
  readonly args: string
  readonly environment: string
  readonly directory: string
  readonly sandbox: Confinement
  readonly url: string
  readonly headers: string
  readonly enabled: boolean
  readonly connectTimeoutMs: string
}

export function fieldsOf(name: string, written: WrittenServer = {}): ServerFields {
  return {
    name,
    kind: written.url === undefined ? 'program' : 'address',
    command: written.command ?? '',
    args: (written.args ?? []).join('\n'),
    environment: pairLines(written.environment),
    directory: written.directory ?? '',
    sandbox: written.sandbox ?? 'off',
    url: written.url ?? '',
    headers: pairLines(written.headers),
    enabled: written.enabled ?? true,
    connectTimeoutMs: written.connectTimeoutMs === undefined ? '' : String(written.connectTimeoutMs),
  }
}

/** What is written of the fields: an empty one is left out. */
export function serverOf(fields: ServerFields): WrittenServer {
  const { kind, command, args, directory, sandbox, url, enabled, connectTimeoutMs } = fields
  const environment = pairsIn(fields.environment)
  const headers = pairsIn(fields.headers)
  const own: WrittenServer =
    kind === 'program'
      ? {
          command: command.trim(),
          ...(args === '' ? {} : { args: args.split('\n') }),
          ...(environment === undefined ? {} : { environment }),
          ...(directory.trim() === '' ? {} : { directory: directory.trim() }),
          ...(sandbox === 'off' ? {} : { sandbox }),
        }
      : { url: url.trim(), ...(headers === undefined ? {} : { headers }) }
  return {
    ...own,
    ...(enabled ? {} : { enabled: false }),
    ...(connectTimeoutMs.trim() === '' ? {} : { connectTimeoutMs: Number(connectTimeoutMs) }),
  }
}

function pairLines(pairs: Readonly<Record<string, string>> = {}): string {
  return Object.entries(pairs)
    .map(([name, variable]) => `${name}=${variable}`)
    .join('\n')
}

/** `NAME=VARIABLE` in each line; a name alone is also the name of the variable. */
function pairsIn(text: string): Readonly<Record<string, string>> | undefined {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  if (lines.length === 0) return undefined
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf('=')
      return at === -1 ? [line, line] : [line.slice(0, at).trim(), line.slice(at + 1).trim()]
    }),
  )
}

export const SERVERS = '/api/mcp-servers'

/** A server as the gateway lists it, and as `config.json` has it. */
export type ShownServer = ListedServer & { readonly written?: WrittenServer }

export interface ServerList {
  readonly digest: string
  readonly servers: readonly ShownServer[]
}

/** A change of the servers: one of them, all as they were, or (`null`) one less. */
export type ServerChange =
  | { readonly name: string; readonly server: WrittenServer | null }
  | { readonly version: number }

export interface ServerPreview {
  readonly digest: string
  readonly difference: string
  readonly problems: readonly string[]
  readonly warnings: readonly string[]
}
