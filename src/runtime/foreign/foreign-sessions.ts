import type { Clock } from '../../capability.ts'
import { type ForeignIdentity, knownClients } from '../../foreign.ts'
import { defined, keyedQueue, sha256 } from '../../platform.ts'
import { type CallRecord, openingOf, type SessionStore } from '../../session.ts'
import type { Sealed } from '../calls/seal.ts'
import { type BodyAnalysis, type BodySearch, type ComparedBodies, cutName } from './analysis/analysed-body.ts'
import { bodyOnRecord } from './foreign-again.ts'
import { type KeptCache, keptEntryOf, withKeptPieces } from './kept-conversation.ts'
import { readAnswerOf } from './session-exchanges.ts'

/** Which session a call of another program belongs to. */
export type ForeignSessions = ReturnType<typeof createForeignSessions>

export interface SessionClues {
  readonly identity: ForeignIdentity
  /** The name of the caller's token; absent for the owner. */
  readonly token: string | undefined
  readonly provider: string
  /** The name of its body; absent where it could not be taken apart. */
  readonly body: string | undefined
  readonly words: string | undefined
}

type NamedCall = Pick<SessionClues, 'identity' | 'token' | 'provider'>

interface SessionMatch {
  readonly session: string
  /** The session's last call of the same kind, to compare this one with it. */
  readonly last: EarlierCall | undefined
  /** The call that this one goes on from by what the provider keeps. */
  readonly kept: EarlierCall | undefined
}

/** A call, and the names of what its program said and of what left, which is the same unless a cut of ours was made. */
export interface EarlierCall {
  readonly record: Pick<
    CallRecord,
    'id' | 'turn' | 'model' | 'time' | 'outcome' | 'foreign' | 'input' | 'manifest' | 'requestDigest'
  >
  readonly said: string
  readonly left: string
  readonly fingerprint: Sealed['fingerprint']
}

interface ForeignSessionsParts {
  readonly store: SessionStore
  readonly clock: Clock
  readonly analysis: BodyAnalysis
}

/** Sessions of one program and token that a call without ids is compared with. */
const MOST_COMPARED = 8
const MOST_REMEMBERED = 32

export function createForeignSessions({ store, clock, analysis }: ForeignSessionsParts) {
  const threads = new Map<string, string>()
  /** When a call was last placed in a session, by this process. */
  const placed = new Map<string, string>()
  /** By session, kind and thread. */
  const remembered = new Map<string, EarlierCall | undefined>()
  const queue = keyedQueue<string>()

  async function lastOf(session: string, { kind, session: thread }: ForeignIdentity): Promise<EarlierCall | undefined> {
    const key = lineOf(session, kind, thread)
    if (remembered.has(key)) return remembered.get(key)
    const isOfLine = ({ foreign }: CallRecord) => foreign?.kind === kind && foreign.session === thread
    const record = (await store.calls(session, { last: 50 })).findLast(isOfLine)
    const last = record && (await recalled(record))
    remember(key, last)
    return last
  }

  /** The call whose conversation the provider keeps for this one; `undefined` where it keeps none, or one that is not on record. */
  async function keptBefore({ identity, token, provider }: NamedCall): Promise<CallRecord | undefined> {
    const { kept, session } = identity
    if (kept === undefined) return undefined
    const isOurs = (call: CallRecord) =>
      call.token === token &&
      call.model.startsWith(`${provider}/`) &&
      call.foreign?.client === identity.client.name &&
      isAnswered(call)
    if ('answer' in kept) return (await store.callsAnswered(kept.answer)).find(isOurs)
    const known = await named(channelOf(identity), session)
    const calls = known === undefined ? [] : await store.calls(known, { last: 50 })
    return calls.findLast((call) => call.foreign?.conversation === kept.conversation && isOurs(call))
  }

  /** What a cache that the call names holds; `undefined` where it names none, or one that no call on record has made or read. */
  async function cacheOf({ identity, token, provider }: NamedCall): Promise<KeptCache | undefined> {
    const { cache: id, session } = identity
    if (id === undefined) return undefined
    const isOurs = (call: CallRecord) =>
      call.token === token && call.model.startsWith(`${provider}/`) && isAnswered(call)
    const made = (await store.callsAnswered(id)).find(isOurs)
    const tokens = made?.outcome?.usage?.promptTokens
    if (tokens !== undefined) return { id, tokens, from: made!.id }
    const known = await named(channelOf(identity), session)
    for (const each of known === undefined ? await unnamedSessions(store, identity, token) : [known]) {
      const calls = await store.calls(each, { last: 10 })
      const last = calls.findLast((call) => call.foreign?.cache === id && isOurs(call))
      const read = last?.outcome?.usage?.cachedTokens
      if (read !== undefined) return { id, tokens: read, from: last!.id }
    }
    return undefined
  }

  async function recalled(record: CallRecord): Promise<EarlierCall | undefined> {
    const names = { said: record.id, left: cutName(record.id) }
    const account = await takeAgain({ record, ...names }, 'left')
    if (!account) return undefined
    const kept = keptEntryOf(record.manifest)
    return { record, ...names, fingerprint: kept ? withKeptPieces(account, kept, undefined) : account.fingerprint }
  }

  /** Takes apart what is on record. `undefined` where that is not possible any more. */
  async function takeAgain(last: Omit<EarlierCall, 'fingerprint'>, which: 'said' | 'left') {
    const body = await bodyOnRecord(store, last.record, which)
    return body && (await analysis.take({ ...body, id: last[which] }).catch(() => undefined))?.account
  }

  function remember(key: string, last: EarlierCall | undefined): void {
    remembered.delete(key)
    remembered.set(key, last)
    for (const old of remembered.keys()) if (remembered.size > MOST_REMEMBERED) remembered.delete(old)
  }

  async function begin(call: SessionClues, conversation: string): Promise<string> {
    const { identity, words } = call
    const session = clock.newId('session')
    const binding = { channel: channelOf(identity), conversation }
    const opening = words === undefined || identity.kind !== 'turn' ? undefined : openingOf(words)
    const title = isAlone(call) ? `Other calls of ${today()}` : opening
    const start = {
      type: 'session-start',
      ...defined({ title }),
      channel: binding,
      foreign: identity.client.name,
    } as const
    await store.transaction([
      { type: 'append', session, bodies: [start], time: clock.time() },
      { type: 'binding', binding, session },
    ])
    return session
  }

  /**
   * The newest session that a call goes on from: the whole prompt of its last call, or most of it, is at its beginning. A
   * conversation that was compacted goes on with a summary behind the same tools and system text, and a call for a summary
   * quotes what it is of.
   */
  async function joined({ identity, body, token }: SessionClues): Promise<string | undefined> {
    if (body === undefined) return undefined
    const isSummary = identity.kind === 'compaction'
    const search = isSummary ? { quotes: true as const } : undefined
    let compacted: string | undefined
    let most = 0
    for (const id of await unnamedSessions(store, identity, token)) {
      const last = await lastOf(id, isSummary ? { ...identity, kind: 'turn' } : identity)
      const summary = last && !isSummary ? await compactionIn(id) : undefined
      const compared = last && (await compare(last, 'said', body, summary ?? search))
      if (!compared) continue
      if (compared.goesOn) return id
      if (compared.quotes > most) compacted = id
      most = Math.max(most, compared.quotes)
      if (summary && compared.hasSameHead && compared.isSummed) compacted ??= id
    }
    return compacted
  }

  /** The summary that the last call of a session gave, where that asked for one. */
  async function compactionIn(session: string): Promise<{ readonly summary: string | undefined } | undefined> {
    const calls = await store.calls(session, { last: 10 })
    const last = calls.findLast(({ foreign }) => foreign?.kind === 'turn' || foreign?.kind === 'compaction')
    if (last?.foreign?.kind !== 'compaction' || !isAnswered(last)) return undefined
    return { summary: (await readAnswerOf(store, last))?.text }
  }

  /** How a body goes on from what an earlier call `said` or `left`. `undefined` where one cannot be taken apart any more. */
  async function compare(
    last: EarlierCall,
    which: 'said' | 'left',
    after: string,
    search?: BodySearch,
  ): Promise<ComparedBodies | undefined> {
    const known = await analysis.compare(last[which], after, search)
    if (known) return known
    // It is kept for a while only.
    return (await takeAgain(last, which)) ? analysis.compare(last[which], after, search) : undefined
  }

  /** The session that an id of the client belongs to, be it its own or that of one that it started. */
  async function named(channel: string, id: string | undefined): Promise<string | undefined> {
    if (id === undefined) return undefined
    return threads.get(`${channel} ${id}`) ?? store.bound({ channel, conversation: id })
  }

  async function find(call: SessionClues, channel: string, kept: CallRecord | undefined): Promise<string | undefined> {
    const { session, parent } = call.identity
    if (isAlone(call)) return store.bound({ channel, conversation: othersOf(call) })
    if (session === undefined && parent === undefined) {
      const name = keptName(call)
      return kept?.session ?? (name === undefined ? joined(call) : store.bound({ channel, conversation: name }))
    }
    const found = (await named(channel, session)) ?? (await named(channel, parent))
    return found !== undefined && (await store.session(found)) ? found : undefined
  }

  /** A session that began with a call that is nobody's words, such as for a title, is named by the first one that is. */
  async function entitle(session: string, { identity, words }: SessionClues): Promise<void> {
    if (identity.kind !== 'turn' || words === undefined || (await store.session(session))?.title !== undefined) return
    await store.append(session, [{ type: 'label', ...defined({ title: openingOf(words) }) }], clock.time())
  }

  /** The session of those calls of a program and a token on one day that are of no conversation, such as embeddings. */
  function othersOf({ token }: SessionClues): string {
    return `${tokenMark(token)}others_${today()}`
  }

  function today(): string {
    return clock.time().slice(0, 10)
  }

  return {
    /** The session of a call, made where there is none yet. */
    sessionOf(call: SessionClues): Promise<SessionMatch> {
      const { identity, token } = call
      const channel = channelOf(identity)
      // Calls of one program are placed one after another, so that two of one conversation find the same session.
      return queue.add(`${channel} ${token ?? ''}`, async () => {
        const kept = await keptBefore(call)
        const known = await find(call, channel, kept)
        const conversation =
          identity.parent ??
          identity.session ??
          keptName(call) ??
          (isAlone(call) ? othersOf(call) : `${tokenMark(token)}${clock.newId('conversation')}`)
        const session = known ?? (await begin(call, conversation))
        placed.set(session, clock.time())
        if (known !== undefined) await entitle(session, call)
        if (identity.session !== undefined) noteThread(`${channel} ${identity.session}`, session)
        // A call that counts tokens goes on from none: the one before it counted something else.
        const isFirst = known === undefined || identity.kind === 'count'
        const last = isFirst ? undefined : await lastOf(session, identity)
        return { session, last, kept: kept && (last?.record.id === kept.id ? last : await recalled(kept)) }
      })
    },
    note(session: string, last: EarlierCall): void {
      const { kind = '', session: thread } = last.record.foreign ?? {}
      remember(lineOf(session, kind, thread), last)
    },
    /** Whether a call was placed in a session since then, ISO 8601: its bodies may not be written yet. */
    isUsedSince(session: string, time: string): boolean {
      if ((placed.get(session) ?? '') >= time) return true
      placed.delete(session)
      return false
    },
    ended(session: string, record: CallRecord): void {
      const { kind = '', session: thread } = record.foreign ?? {}
      const key = lineOf(session, kind, thread)
      const last = remembered.get(key)
      // Another call may have begun meanwhile.
      if (last?.record.id === record.id) remembered.set(key, { ...last, record })
    },
    compare,
    keptBefore,
    cacheOf,
  }

  function noteThread(name: string, session: string): void {
    threads.delete(name)
    threads.set(name, session)
    for (const old of threads.keys()) if (threads.size > MOST_THREADS) threads.delete(old)
  }
}

const MOST_THREADS = 2_000

/** Kinds of calls that belong to no conversation, or say nothing of which. */
const BESIDE: ReadonlySet<string> = new Set(['count', 'quota', 'embedding', 'other'])

/** Calls of one kind and one thread of a session go on from each other. */
function lineOf(session: string, kind: string, thread: string | undefined): string {
  return `${session} ${kind} ${thread ?? ''}`
}

/** The newest sessions of a program and a token whose conversations have no id of the program's own: some of them. */
export async function unnamedSessions(
  store: Pick<SessionStore, 'sessions'>,
  identity: ForeignIdentity,
  token: string | undefined,
): Promise<readonly string[]> {
  const channel = channelOf(identity)
  const newest = await store.sessions({ limit: 200 })
  const own = newest.filter(
    ({ binding }) =>
      binding?.channel === channel &&
      /^(?:[0-9a-f]{8}\/)?conversation_/.test(binding.conversation) &&
      binding.conversation.startsWith(tokenMark(token)),
  )
  return own.slice(0, MOST_COMPARED).map(({ id }) => id)
}

/** The channel that the sessions of a program are bound in: its own name where it is known. Any other could take that of a channel. */
export function channelOf({ client: { name } }: ForeignIdentity): string {
  return knownClients.has(name) ? name : `program:${name}`
}

/** The name of a conversation that began elsewhere: that of the answer with which it was begun. */
function keptName({ identity: { kept }, token }: SessionClues): string | undefined {
  return kept && 'answer' in kept ? `${tokenMark(token)}${kept.answer}` : undefined
}

function isAnswered({ outcome }: CallRecord): boolean {
  return outcome !== undefined && outcome.error === undefined
}

/** Whether nothing says which conversation a call belongs to: no id, and no prompt that goes on from another. */
function isAlone({ identity: { kind, session, parent }, body }: SessionClues): boolean {
  return session === undefined && parent === undefined && (body === undefined || BESIDE.has(kind))
}

/** Conversations without an id of the client's are kept apart by token. */
function tokenMark(token: string | undefined): string {
  return token === undefined ? '' : `${sha256(token).slice(0, 8)}/`
}
