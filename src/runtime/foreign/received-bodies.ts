import type { Clock, ForeignCallService, IncomingBody } from '../../capability.ts'
import { identifyCall } from '../../foreign.ts'
import { LARGE_BODY } from './analysis/analysed-body.ts'
import type { DigestPlace } from './growing-digest.ts'

/** What was found out of a body, for the one that begins with the same bytes. */
export interface BodyFindings {
  /** The call that it was taken apart for. */
  call?: string
  digests?: readonly DigestPlace[]
  /** It contains none of so many secrets: all that were known then. */
  withoutSecrets?: number
}

/** A body, and what it has in common with the one before in its conversation. */
export interface KnownBeginning {
  /** How many bytes at its beginning are the same. */
  readonly same: number
  /** What was found out of the one before. */
  readonly before: Readonly<BodyFindings>
  /** What is found out of this one. */
  readonly found: BodyFindings
}

/** The memory of the last body of a conversation. The next one is written over it, from the first byte on that differs. */
interface BodyMemory {
  readonly key: string
  bytes: Buffer
  length: number
  found: BodyFindings
  isInUse: boolean
}

/** What is kept of all of them, and how long without a call, ms. */
const MOST_KEPT = 8
const MOST_BYTES = 64 * 1024 * 1024
const KEPT_MS = 60_000

/** A conversation may grow by so much before its bytes are moved. */
const GROWTH = 1.5

/**
 * Receives the bodies of calls. A conversation sends all of it again with each call: what is the same as before takes no memory
 * of its own, and need not be hashed, searched and taken apart again.
 */
export function createReceivedBodies(clock: Clock) {
  /** Those that were used last are at the end. */
  let kept: readonly BodyMemory[] = []
  let stopWaiting: (() => void) | undefined
  const beginnings = new WeakMap<Uint8Array, KnownBeginning>()

  function keep(memory: BodyMemory): void {
    kept = [...kept.filter((each) => each !== memory), memory].slice(-MOST_KEPT)
    while (kept.length > 1 && kept.reduce((sum, { bytes }) => sum + bytes.length, 0) > MOST_BYTES) kept = kept.slice(1)
    stopWaiting?.()
    stopWaiting = clock.timer(KEPT_MS, () => void (kept = []), { idle: true })
  }

  const receive: ForeignCallService['receive'] = ({ provider, head, caller }, size): IncomingBody => {
    const { client, session = '' } = identifyCall(head, undefined)
    const key = JSON.stringify([provider, caller.by, head.path, client.name, session])
    const known = kept.findLast((each) => each.key === key && !each.isInUse)
    const memory: BodyMemory = known ?? { key, bytes: Buffer.alloc(0), length: 0, found: {}, isInUse: true }
    memory.isInUse = true
    const before = memory.found
    /** Where the body is from its first byte on that differs; `undefined` before there is one. */
    let target: Buffer | undefined
    let at = 0
    let same = 0

    function begin(): Buffer {
      same = at
      if (size > memory.bytes.length) {
        const moved = Buffer.allocUnsafeSlow(size > LARGE_BODY ? size : Math.ceil(size * GROWTH))
        memory.bytes.copy(moved, 0, 0, same)
        memory.bytes = moved
      }
      memory.length = same
      return memory.bytes
    }

    return {
      push(part) {
        const more = target ? 0 : sameBytes(part, memory.bytes.subarray(at, Math.min(memory.length, size)))
        at += more
        if (more === part.length) return
        target ??= begin()
        target.set(part.subarray(more), at)
        at += part.length - more
      },
      end() {
        target ??= begin()
        memory.length = at
        memory.found = {}
        const body = memory.bytes.subarray(0, at)
        beginnings.set(body, { same, before, found: memory.found })
        return body
      },
      release() {
        memory.isInUse = false
        if (memory.length <= LARGE_BODY) keep(memory)
        else kept = kept.filter((each) => each !== memory)
      },
    }
  }

  return { receive, beginningOf: (body: Uint8Array): KnownBeginning | undefined => beginnings.get(body) }
}

export type ReceivedBodies = ReturnType<typeof createReceivedBodies>

/** How many bytes at the beginning of two are the same. */
function sameBytes(one: Uint8Array, other: Uint8Array): number {
  let least = 0
  let most = Math.min(one.length, other.length)
  if (isSame(one, other, most)) return most
  while (most - least > 1) {
    const middle = (least + most) >> 1
    if (isSame(one, other, middle)) least = middle
    else most = middle
  }
  return least
}

function isSame(one: Uint8Array, other: Uint8Array, length: number): boolean {
  return Buffer.compare(one.subarray(0, length), other.subarray(0, length)) === 0
}
