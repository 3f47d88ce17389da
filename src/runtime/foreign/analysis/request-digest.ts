import type { ForeignAssembly } from '../../../foreign.ts'
import { type DigestPlace, digestFrom } from '../growing-digest.ts'

/** The digest of a request, with what the next one needs that has the same objects at its beginning. */
export interface RequestDigest {
  readonly sha256: string
  readonly request: ForeignAssembly['request']
  /** After so many messages. */
  readonly places: readonly DigestPlace[]
}

/** Messages between two places. */
const APART = 16

/** The SHA-256 of `canonical(request)`. Messages that the request before has as the same objects are not hashed again. */
export function requestDigest(request: ForeignAssembly['request'], before?: RequestDigest): RequestDigest {
  const { tools, messages } = request
  const { at, hash, places } = digestFrom(before?.places ?? [], before ? sameMessages(request, before.request) : -1)
  if (at === 0) hash.update(`{"tools":${JSON.stringify(tools)},"messages":[`)
  for (let from = at; from < messages.length; from += APART) {
    const text = JSON.stringify(messages.slice(from, from + APART)).slice(1, -1)
    hash.update(from === 0 ? text : `,${text}`)
    if (from + APART <= messages.length) places.push({ at: from + APART, hash: hash.copy() })
  }
  return { sha256: hash.update(']}').digest('hex'), request, places }
}

/** How many messages at the beginning are the same objects; -1: the tools are not. */
function sameMessages(one: ForeignAssembly['request'], other: ForeignAssembly['request']): number {
  if (one.tools.length !== other.tools.length || one.tools.some((tool, at) => tool !== other.tools[at])) return -1
  const first = one.messages.findIndex((message, at) => message !== other.messages[at])
  return first < 0 ? one.messages.length : first
}
