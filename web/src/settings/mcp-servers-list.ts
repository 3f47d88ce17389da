import type { WrittenServer } from './mcp-servers-fields.ts'

export const SERVERS = '/api/mcp-servers'

/** A server as `GET /api/mcp-servers` lists it. */
export interface ListedServer {
  readonly name: string
  readonly state: 'running' | 'starting' | 'failed' | 'unusable' | 'disabled'
  readonly why?: string
  readonly hint?: string
  readonly warnings: readonly string[]
  readonly stderr: readonly string[]
  readonly tools: readonly { readonly name: string; readonly tokens: number; readonly digest: string }[]
  readonly withheld: readonly string[]
  readonly written?: WrittenServer
}

export interface ServerList {
  readonly digest: string
  readonly servers: readonly ListedServer[]
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
