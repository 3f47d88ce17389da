import { type Clock, timeSlice } from '../platform.ts'
import type { AuditFacts } from '../session.ts'
import { HttpFailure } from './failure.ts'

/** Slows down those who try wrong tokens, or sign in wrongly, and notes it. What is right never passes here. */
export type Brake = ReturnType<typeof createBrake>

/** What is counted, as the audit and the refusal name it. */
interface Counted {
  readonly rule: string
  readonly one: string
  readonly many: string
  /** What is answered at once. */
  readonly hint: string
}

const wrongTokens: Counted = {
  rule: 'token',
  one: 'wrong token',
  many: 'wrong tokens',
  hint: 'A right token is answered at once.',
}

export const failedSignIns: Counted = {
  rule: 'sign-in',
  one: 'failed sign-in',
  many: 'failed sign-ins',
  hint: 'Tokens are answered at once.',
}

interface BrakeOptions {
  /** Wrong tokens unless given. */
  readonly counted?: Counted
  readonly record: (facts: AuditFacts, time: string) => Promise<void>
  readonly clock: Clock
}

/** So many wrong tokens are answered without a wait: of one address, and of all together. */
const FREE = { each: 5, all: 50 } as const
/** So many requests wait at the same time: of one address, and of all together. Others are refused at once. */
const WAITING = { each: 4, all: 64 } as const
/** The first wait, and the longest, ms. Each is twice the one before. */
const FIRST_WAIT = 250
const LONGEST_WAIT = 10_000
/** Without a wrong token for this time, ms, an address begins from zero and a burst is over. */
const QUIET = 60_000
/** A burst that goes on is recorded after this time, ms. */
const LONGEST_BURST = 3_600_000
const MOST_ADDRESSES = 1_000

interface Tries {
  count: number
  waiting: number
  last: number
}

export function createBrake({ record, clock, counted = wrongTokens }: BrakeOptions) {
  const addresses = new Map<string, Tries>()
  const all: Tries = { count: 0, waiting: 0, last: -Infinity }
  const waits = new Set<() => void>()
  let burst: Burst | undefined
  let stop: (() => void) | undefined
  let recording: Promise<void> = Promise.resolve()
  const slice = timeSlice(clock)
  let refused: Promise<void> = Promise.resolve()

  function triesOf(address: string, now: number): Tries {
    const known = addresses.get(address)
    if (known !== undefined) return known
    if (addresses.size >= MOST_ADDRESSES) forgetQuiet(addresses, now)
    // The brake for all together still holds.
    const tries = { count: 0, waiting: 0, last: now }
    if (addresses.size < MOST_ADDRESSES) addresses.set(address, tries)
    return tries
  }

  function note(address: string, now: number): void {
    if (burst !== undefined && now - burst.first >= LONGEST_BURST) endBurst()
    burst ??= { count: 0, first: now, last: now, addresses: new Set() }
    burst.count += 1
    burst.last = now
    if (burst.addresses.size < NAMED_ADDRESSES) burst.addresses.add(address)
    stop ??= clock.timer(QUIET, endQuietBurst, { idle: true })
  }

  /** One timer for the whole burst: it is set again for what is left of the quiet time. */
  function endQuietBurst(): void {
    const left = (burst?.last ?? 0) + QUIET - clock.now()
    if (left <= 0) return endBurst()
    stop = clock.timer(left, endQuietBurst, { idle: true })
  }

  function endBurst(): void {
    stop?.()
    stop = undefined
    const over = burst
    burst = undefined
    if (over === undefined) return
    recording = recording.then(() => record(burstFacts(over, counted), clock.time())).catch(() => {})
  }

  function waitFor(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        stopWait()
        waits.delete(end)
        resolve()
      }
      const stopWait = clock.timer(milliseconds, end, { idle: true })
      waits.add(end)
    })
  }

  /** Refusals are one after another, in slices: a thousand that come at once hold up nobody else. */
  function turn(): Promise<void> {
    refused = refused.then(() => (slice.isOver() ? slice.rest() : undefined))
    return refused
  }

  return {
    /** Waits for its turn, then returns the failure to answer with: `refusal`, or `too-many-attempts` where too many wait. */
    async refuse(address: string, refusal: HttpFailure) {
      const now = clock.now()
      note(address, now)
      const own = triesOf(address, now)
      const wait = Math.max(countTry(own, FREE.each, now), countTry(all, FREE.all, now))
      const isFull = own.waiting >= WAITING.each || all.waiting >= WAITING.all
      if (wait > 0 && !isFull) {
        own.waiting += 1
        all.waiting += 1
        await waitFor(wait)
        own.waiting -= 1
        all.waiting -= 1
      }
      await turn()
      return wait > 0 && isFull ? tooManyAttempts({ wait, own: own.count, all: all.count }, counted) : refusal
    },
    release() {
      for (const end of waits) end()
    },
    /** Records the wrong tokens of this time that are not recorded yet. Never rejects. */
    async settle() {
      endBurst()
      await recording
    },
  }
}

/** Counts one more, and returns for how long it waits, ms. */
function countTry(tries: Tries, free: number, now: number): number {
  if (now - tries.last >= QUIET) tries.count = 0
  tries.count += 1
  tries.last = now
  const over = tries.count - free
  return over <= 0 ? 0 : Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** Math.min(over - 1, 20))
}

function forgetQuiet(addresses: Map<string, Tries>, now: number): void {
  for (const [address, { last, waiting }] of addresses) {
    if (waiting === 0 && now - last >= QUIET) addresses.delete(address)
  }
}

/** Wrong tokens, one soon after the other. */
interface Burst {
  count: number
  readonly first: number
  last: number
  readonly addresses: Set<string>
}

const NAMED_ADDRESSES = 5

function burstFacts({ count, first, last, addresses }: Burst, { one, many, rule }: Counted): AuditFacts {
  const times = [first, last].map((time) => new Date(time).toISOString())
  const what = count === 1 ? `1 ${one}` : `${count} ${many}`
  const more = addresses.size === NAMED_ADDRESSES ? ' and perhaps others' : ''
  const reason = `${what} from ${[...addresses].join(', ')}${more}, first ${times[0]}, last ${times[1]}`
  return { kind: 'decision', decision: 'refused', rule, reason }
}

interface Refused {
  /** Ms. */
  readonly wait: number
  /** Tries of this address, and of all together. */
  readonly own: number
  readonly all: number
}

function tooManyAttempts({ wait, own, all }: Refused, { many, hint }: Counted): HttpFailure {
  const seconds = Math.ceil(wait / 1_000)
  const [tries, from] = own > FREE.each ? [own, 'your address'] : [all, 'all addresses']
  return new HttpFailure(
    'too-many-attempts',
    `Too many ${many}: ${tries} from ${from}, each within a minute of the one before.`,
    { tries, retryAfterSeconds: seconds },
    { hint: `Try again in ${seconds} s. ${hint}`, headers: { 'retry-after': String(seconds) } },
  )
}
