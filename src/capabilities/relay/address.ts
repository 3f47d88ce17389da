import { decodeUrlPart } from '../../platform.ts'
import type { ProviderServer } from '../../model.ts'

export const THROUGH = '/through/'

/** Beginning of every address whose conversations are cut where they do not fit. */
export const ASSEMBLE = '/assemble/'

/** How a call is handled: passed on byte by byte, or cut where it does not fit. */
export type RelayMode = 'through' | 'assemble'

interface ThroughAddress {
  readonly mode: RelayMode
  /** A token of this gateway, for clients that can send no header of their own. */
  readonly token?: string
  /** As in the configuration; empty where the address names none. */
  readonly provider: string
  /** Behind the provider, as it came, with its query: `/v1/messages?beta=true`. */
  readonly path: string
}

/** Reads the path of a request: `/through/PROVIDER/…` or `/through/@TOKEN/PROVIDER/…`, or the same with `assemble`. Nothing behind the provider is decoded. */
export function readThroughAddress(url: string): ThroughAddress {
  const mode = url.startsWith(ASSEMBLE) ? 'assemble' : 'through'
  const [first, rest] = splitSegment(url.slice(mode.length + 1))
  if (!first.startsWith('@')) return { mode, provider: decodeUrlPart(first), path: rest }
  const [provider, path] = splitSegment(rest)
  return { mode, token: decodeUrlPart(first.slice(1)), provider: decodeUrlPart(provider), path }
}

function splitSegment(path: string): readonly [segment: string, rest: string] {
  const found = /^\/([^/?]*)(.*)$/s.exec(path)
  return found ? [found[1]!, found[2]!] : ['', path]
}

/** Segments with which the paths of an API begin, whether the address of a provider ends with one or not. */
const VERSIONS: ReadonlySet<string> = new Set(['v1', 'api'])

/** Whether a path has segments that lead upwards, encoded or not: behind the address of a provider is more than its API. */
export function leadsUp(path: string): boolean {
  const plain = path
    .replace(/[?#].*$/s, '')
    .replaceAll(/%2e/gi, '.')
    .replaceAll(/%2f|%5c|\\/gi, '/')
  return plain.split('/').some((segment) => segment === '.' || segment === '..')
}

export interface Target {
  readonly server: URL
  /** With its query, exactly as it came. */
  readonly path: string
}

/** The address at the provider. The beginning (`/v1`) may be in the path, in the configured address, or in both. */
export function targetOf({ baseURL }: Pick<ProviderServer, 'baseURL'>, path: string): Target {
  const server = new URL(baseURL)
  const own = server.pathname.replace(/\/+$/, '')
  const last = own.slice(own.lastIndexOf('/') + 1)
  const [first] = splitSegment(path)
  const prefix = VERSIONS.has(first) && VERSIONS.has(last) ? own.slice(0, -last.length - 1) : own
  return { server, path: `${prefix}${path}` || '/' }
}
