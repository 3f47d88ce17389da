import type { PairedChat, Pairings } from '../../capability.ts'
import { timingSafeEqual } from 'node:crypto'
import { type AuditFacts, type SessionStore, StoreError, type Write } from '../../session.ts'
import type { Clock } from '../../capability.ts'
import { codeDigest, drawCode } from './pairing-code.ts'
import { isSpent, triesFrom, withTry } from './pairing-tries.ts'
import { runtimeFailure } from '../runtime-failure.ts'

/** How long a code holds, ms. */
const HOLDS = 10 * 60 * 1000

/** What is kept of a code: nobody who reads the store can use it. */
interface KeptCode {
  readonly digest: string
  readonly expires: string
}

/**
 * Pairings that stand in the store, each with its history. A code is used up in the same write that pairs its chat, so
 * that it works once whoever else looks at the store.
 */
export function createPairings(parts: {
  readonly store: SessionStore
  readonly clock: Clock
  /** So many bytes of chance. */
  readonly random: (size: number) => Uint8Array
}): Pairings {
  const { store, clock, random } = parts
  /** One try after another, so that none is left uncounted. */
  let trying: Promise<unknown> = Promise.resolve()

  async function kept(channel: string): Promise<{ code: KeptCode | undefined; version: number }> {
    const record = await store.record('pairing-code', channel)
    return { code: (record?.value ?? undefined) as KeptCode | undefined, version: record?.version ?? 0 }
  }

  async function attempt(given: string, chat: Omit<PairedChat, 'time'>): Promise<boolean> {
    const { channel } = chat
    const { code, version } = await kept(channel)
    const wanted = code?.digest ?? codeDigest(channel, '')
    const tries = triesFrom(await store.value(triesKey(channel)), wanted)
    const fits = timingSafeEqual(Buffer.from(codeDigest(channel, given)), Buffer.from(wanted))
    const isLive = code !== undefined && clock.time() < code.expires && !isSpent(tries, chat.chat)
    if (fits && isLive) return pair({ ...chat, time: clock.time() }, version)
    await store.putValue(triesKey(channel), isLive ? withTry(tries, chat.chat) : tries)
    return false
  }

  async function pair(chat: PairedChat, version: number): Promise<boolean> {
    const used: RecordChange = { kind: 'pairing-code', id: chat.channel, value: null, after: version }
    const paired: RecordChange = { kind: 'pairing', id: idOf(chat.channel, chat.chat), value: chat }
    return write(chat.time, used, paired, audited('paired', chat))
  }

  /** Answers `false` where somebody else has changed the first of the records meanwhile. */
  async function write(time: string, ...changes: readonly (RecordChange | AuditFacts)[]): Promise<boolean> {
    const writes = changes.map((each): Write =>
      'id' in each ? { type: 'record', change: each, time } : { type: 'audit', facts: each, time },
    )
    try {
      await store.transaction(writes)
      return true
    } catch (error) {
      if (error instanceof StoreError && error.code === 'conflict') return false
      throw runtimeFailure(error)
    }
  }

  async function find(channel: string, chat: string): Promise<PairedChat | undefined> {
    return ((await store.record('pairing', idOf(channel, chat)))?.value ?? undefined) as PairedChat | undefined
  }

  return {
    find,
    async newCode(channel) {
      const code = drawCode(random)
      const expires = new Date(Date.parse(clock.time()) + HOLDS).toISOString()
      const value: KeptCode = { digest: codeDigest(channel, code), expires }
      await write(clock.time(), { kind: 'pairing-code', id: channel, value })
      return { channel, code, expires }
    },
    redeem(code, chat) {
      const next = trying.then(() => attempt(code, chat))
      trying = next.catch(() => {})
      return next
    },
    async list(channel) {
      const chats = (await store.records('pairing')).map(({ value }) => value as PairedChat)
      const wanted = chats.filter((each) => channel === undefined || each.channel === channel)
      return wanted.toSorted((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0))
    },
    async remove(channel, chat) {
      const id = idOf(channel, chat)
      const record = await store.record('pairing', id)
      if (!record || record.value === null) return false
      const removed: RecordChange = { kind: 'pairing', id, value: null, after: record.version }
      return write(clock.time(), removed, audited('unpaired', record.value as PairedChat))
    },
  }
}

interface RecordChange {
  readonly kind: 'pairing' | 'pairing-code'
  readonly id: string
  readonly value: unknown
  readonly after?: number
}

function idOf(channel: string, chat: string): string {
  return JSON.stringify([channel, chat])
}

function triesKey(channel: string): string {
  return `pairing-tries.${channel}`
}

/** The title stays out of it: anybody chooses that for himself. */
function audited(rule: 'paired' | 'unpaired', { channel, chat, person, kind }: PairedChat): AuditFacts {
  return { kind: 'change', rule, input: JSON.stringify({ channel, chat, person, kind }) }
}
