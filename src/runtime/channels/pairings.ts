import { createHash, timingSafeEqual } from 'node:crypto'
import type { Clock, OfOwner, PairedChat, Pairings } from '../../capability.ts'
import { defined, serialQueue, sha256 } from '../../platform.ts'
import { type AuditFacts, type SessionStore, StoreError, type Write } from '../../session.ts'
import { runtimeFailure } from '../failure.ts'

/** How long a code is valid, ms. */
const HOLDS = 10 * 60 * 1000

/** What is kept of a code: nobody who reads the store can use it. */
interface KeptCode {
  readonly digest: string
  readonly home?: string
  readonly expires: string
}

interface KeptRecord {
  readonly id: string
  readonly code: KeptCode | undefined
  readonly version: number
}

/** Each person has a code of their own beside that of the owner. */
const codeId = (channel: string, home: string | undefined) => (home === undefined ? channel : `${channel} ${home}`)
const isOfChannel = (id: string, channel: string) => id === channel || id.startsWith(codeId(channel, ''))

/** Pairings in the store, each with its history. A code is used up in the write that pairs its chat, so it works once. */
export function createPairings(parts: {
  readonly store: SessionStore
  readonly clock: Clock
  /** So many bytes of chance. */
  readonly random: (size: number) => Uint8Array
  /** In the home of a person: the chats that talk to it, which the owner has. */
  readonly ofOwner?: Pick<OfOwner, 'chats' | 'newCode' | 'unpair'> | undefined
}): Pairings {
  const { store, clock, random, ofOwner } = parts
  /** One try after another, so that none is left uncounted. */
  const queue = serialQueue()

  /** Those of the owner and of people; always one, so that a wrong code takes as long where there is none. */
  async function kept(channel: string): Promise<readonly KeptRecord[]> {
    const found = (await store.records('pairing-code')).filter(({ id }) => isOfChannel(id, channel))
    const codes = found.map(({ id, value, version }) => ({
      id,
      code: (value ?? undefined) as KeptCode | undefined,
      version,
    }))
    return codes.length > 0 ? codes : [{ id: channel, code: undefined, version: 0 }]
  }

  async function attempt(given: string, chat: Omit<PairedChat, 'time'>): Promise<boolean> {
    const { channel } = chat
    const tried = await Promise.all(
      (await kept(channel)).map(async ({ id, code, version }) => {
        const wanted = code?.digest ?? codeDigest(channel, '')
        const tries = triesFrom(await store.value(triesKey(id)), wanted)
        const fits = timingSafeEqual(Buffer.from(codeDigest(channel, given)), Buffer.from(wanted))
        const isLive = code !== undefined && clock.time() < code.expires && !isSpent(tries, chat.chat)
        // A group is nobody's own.
        const mayPair = code?.home === undefined || chat.kind === 'person'
        return { id, version, home: code?.home, tries, isLive, isRight: fits && isLive && mayPair }
      }),
    )
    const right = tried.find(({ isRight }) => isRight)
    if (right) return pair({ ...chat, ...defined({ home: right.home }), time: clock.time() }, right)
    for (const { id, tries, isLive } of tried)
      await store.putValue(triesKey(id), isLive ? withTry(tries, chat.chat) : tries)
    return false
  }

  async function pair(chat: PairedChat, { id, version }: Pick<KeptRecord, 'id' | 'version'>): Promise<boolean> {
    const used: RecordChange = { kind: 'pairing-code', id, value: null, after: version }
    const paired: RecordChange = { kind: 'pairing', id: pairingId(chat.channel, chat.chat), value: chat }
    return write(chat.time, used, paired, pairingAudit('paired', chat))
  }

  /** Returns `false` where the first of the records has changed meanwhile. */
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
    if (ofOwner) return (await ofOwner.chats()).find((each) => each.channel === channel && each.chat === chat)
    return ((await store.record('pairing', pairingId(channel, chat)))?.value ?? undefined) as PairedChat | undefined
  }

  return {
    find,
    async newCode(channel, home) {
      if (ofOwner) return ofOwner.newCode(channel)
      const code = drawCode(random)
      const expires = new Date(Date.parse(clock.time()) + HOLDS).toISOString()
      const value: KeptCode = { digest: codeDigest(channel, code), expires, ...defined({ home }) }
      await write(clock.time(), { kind: 'pairing-code', id: codeId(channel, home), value })
      return { channel, code, expires }
    },
    redeem(code, chat) {
      return queue.add(() => attempt(code, chat))
    },
    async list(channel) {
      const chats = (await ofOwner?.chats()) ?? (await store.records('pairing')).map(({ value }) => value as PairedChat)
      const wanted = chats.filter((each) => channel === undefined || each.channel === channel)
      return wanted.toSorted((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0))
    },
    async remove(channel, chat, by) {
      if (ofOwner) return (await find(channel, chat)) !== undefined && ofOwner.unpair(channel, chat)
      const id = pairingId(channel, chat)
      const record = await store.record('pairing', id)
      if (!record || record.value === null) return false
      const removed: RecordChange = { kind: 'pairing', id, value: null, after: record.version }
      return write(clock.time(), removed, {
        ...pairingAudit('unpaired', record.value as PairedChat),
        ...defined({ by }),
      })
    },
    async move(channel, chat, to) {
      const id = pairingId(channel, chat)
      const record = await store.record('pairing', id)
      if (!record || record.value === null) return false
      const before = record.value as PairedChat
      const moved: PairedChat = { ...before, chat: to }
      return write(
        clock.time(),
        { kind: 'pairing', id, value: null, after: record.version },
        { kind: 'pairing', id: pairingId(channel, to), value: moved },
        pairingAudit('unpaired', before),
        pairingAudit('paired', moved),
      )
    },
  }
}

type RecordChange = Parameters<SessionStore['putRecord']>[0]

function pairingId(channel: string, chat: string): string {
  return JSON.stringify([channel, chat])
}

function triesKey(channel: string): string {
  return `pairing-tries.${channel}`
}

/** The title stays out of it: anybody chooses that for himself. */
function pairingAudit(rule: 'paired' | 'unpaired', { channel, chat, person, kind }: PairedChat): AuditFacts {
  return { kind: 'change', rule, input: JSON.stringify({ channel, chat, person, kind }) }
}

/** 32 signs, none of which is easily taken for another: no I, O, 0 or 1. */
const SIGNS = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'
const LENGTH = 8

/** 40 bits of chance, as `XXXX-XXXX`. */
function drawCode(random: (size: number) => Uint8Array): string {
  const signs = Array.from(random(LENGTH), (byte) => SIGNS[byte % SIGNS.length]!).join('')
  return `${signs.slice(0, LENGTH / 2)}-${signs.slice(LENGTH / 2)}`
}

/** SHA-256 of a code as people may write it: case, dashes and blanks make no difference. */
function codeDigest(channel: string, code: string): string {
  const signs = code
    .slice(0, 100)
    .replaceAll(/[\p{Pd}\s]/gu, '')
    .toUpperCase()
  return createHash('sha256')
    .update(JSON.stringify([channel, signs]))
    .digest('hex')
}

/** Wrong codes since the code of this digest was made: by anybody, and by chat. */
interface Tries {
  readonly digest: string
  readonly wrong: number
  /** By a digest of the chat, so that its size is known. */
  readonly chats: Readonly<Record<string, number>>
}

/** After this many wrong tries a code is no longer valid. */
const MOST = 5
/** So many of them may be of one chat: a stranger alone cannot make a code invalid. */
const MOST_OF_ONE = 3

/** What was counted for this code; nothing yet where it was for another. */
function triesFrom(value: unknown, digest: string): Tries {
  const fresh: Tries = { digest, wrong: 0, chats: {} }
  if (typeof value !== 'object' || value === null || !('digest' in value)) return fresh
  return value.digest === digest ? (value as Tries) : fresh
}

function isSpent({ wrong, chats }: Tries, chat: string): boolean {
  return wrong >= MOST || (chats[sha256(chat)] ?? 0) >= MOST_OF_ONE
}

function withTry({ digest, wrong, chats }: Tries, chat: string): Tries {
  const key = sha256(chat)
  return { digest, wrong: wrong + 1, chats: { ...chats, [key]: (chats[key] ?? 0) + 1 } }
}
