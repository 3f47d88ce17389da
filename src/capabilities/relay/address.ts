import { decodeUrlPart } from '../../platform.ts'

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

/** The first segment of a path, without its slash, and what is behind it. */
export function splitSegment(path: string): readonly [segment: string, rest: string] {
  const found = /^\/([^/?]*)(.*)$/s.exec(path)
  return found ? [found[1]!, found[2]!] : ['', path]
}

export interface Target {
  readonly server: URL
  /** The path of the configured address, without a slash at its end. */
  readonly base: string
  /** With its query. */
  readonly path: string
}
