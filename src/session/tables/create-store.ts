import { timeSlice } from '../../platform.ts'
import type { CallListener } from '../call.ts'
import { contentHash } from '../content.ts'
import { StoreError } from '../store-error.ts'
import type { Entry } from '../entry.ts'
import type { EntryListener } from '../log-store.ts'
import type { SessionStore, Write } from '../session-store.ts'
import { type LastAppends, readEntries, readEntry } from './entry-table.ts'
import { readAuditHead, readAuditRecords } from './audit-table.ts'
import { callsAnswered, createNewestCalls, readCall, readCalls, findCalls, withIds, withRecords } from './call-table.ts'
import {
  readContentInSlices,
  contentWasRemoved,
  putContent,
  putHeldContent,
  removeHeldContents,
  removeRestingContents,
  setRemoved,
} from './content-table.ts'
import { deleteFile, readFileRow, readFileRows, sumFiles, putFile, setFileOwner, setFileState } from './file-table.ts'
import { findDamage, type MemoryStore } from './find-damage.ts'
import { recentTurns } from './recent-turns.ts'
import {
  bind,
  readBinding,
  deleteSessionRow,
  freeSession,
  readSessionRow,
  readSessionFolders,
  findSessions,
  readSessionRows,
} from './session-table.ts'
import { markUnfinished, readUnfinishedSessions, removeRows, unmarkUnfinished, writeParts } from './session-parts.ts'
import { forEach, type Sql, type SqlReader } from './sql.ts'
import { readCallSums, readToolSums } from './sum-table.ts'
import { hasTextParts, LONGEST_IN_ROW, removeTexts, removeTextsWithoutRow, writeTexts } from './text-parts.ts'
import { endedCalls, type PreparedWrite, prepareContent, prepareWrite } from './prepared-write.ts'
import { readTurn, readTurnByKey, readTurnsBefore, readUnfinishedTurns } from './turn-table.ts'
import { putValue, readValue } from './value-table.ts'
import { putRecord, readNewestRecord, readRecords, readRecordVersions } from './record-table.ts'

const KNOWN_HASHES = 2_000 // 64 characters each: some 200 KB.
const ALL = Number.MAX_SAFE_INTEGER
/** Only a write that appends returns a list. */
const isEntries = Array.isArray as (written: unknown) => written is readonly Entry[]

export interface StoreDatabase extends SqlReader {
  /** How errors name it: a path, or an address without its password. */
  readonly place: string
  readonly readOnly: boolean
  readonly beside?: boolean // Another process writes, too: what that has not finished stays.
  readonly queue: StoreQueue
  /** A store in memory, to compare with. */
  openMemory(): MemoryStore | Promise<MemoryStore>
  close(): void | Promise<void>
}

/** The writes of a store. See `createWriteQueue`. */
export interface StoreQueue {
  readonly failed: Promise<unknown>
  push<Result>(work: () => Sql<Result>, options?: QueuedWriteOptions<Result>): Promise<Result>
  onDisk(): Promise<void>
  idle(): Promise<void> | undefined
}

/** What the queue needs to know about a write. */
export interface QueuedWriteOptions<Result> {
  /** Called once the write is on the disk: in the order of the writes, and before any of their promises resolves. */
  readonly written?: (result: Result) => void
  /** About how much it writes. Two large writes are never grouped, so that other work can run between them. */
  readonly characters?: number
}

/** Opens the store that a database has, and removes what a crash has left of writes in parts. */
export async function createStore(database: StoreDatabase): Promise<SessionStore> {
  const { removeUnfinished, ...store } = storeOf(database, await database.read(readUnfinishedSessions()))
  await removeUnfinished()
  return store
}

function storeOf(database: StoreDatabase, unfinishedBefore: readonly string[]) {
  const { queue, clock } = database
  const known = createKnownHashes(KNOWN_HASHES)
  const newest = createNewestCalls()
  const lastAppends: LastAppends = new Map()
  // In objects, so that a listener that is added twice is called twice.
  const listeners = new Set<{ readonly listener: EntryListener }>()
  const callListeners = new Set<{ readonly listener: CallListener }>()
  /** The sessions that nobody sees: they are written or removed in parts. */
  const unfinished = new Set(unfinishedBefore)
  /** The writes whose long texts are being written, by their session. */
  const longWrites = new Map<string | symbol, Promise<unknown>>()
  let closed: Promise<void> | undefined
  let removals = 0
  const forgetContents = () => {
    known.clear()
    removals += 1
  }

  const store: SessionStore & { removeUnfinished(): Promise<void> } = {
    clock,
    append: (session, bodies, time) => transaction([{ type: 'append', session, bodies, time }]),
    transaction,
    async putSession(session, writes) {
      const entries: (readonly Entry[])[] = []
      const calls: string[] = []
      let isOurs = false
      try {
        for await (const { writes: part, prepared, characters } of writeParts(database, writes, prepare)) {
          const isFirst = entries.length === 0
          const run = function* () {
            if (!isOurs && unfinished.has(session)) throw notWhole(session)
            const written = yield* forEach(prepared, (each) => each.run())
            if (isFirst) yield* markUnfinished(session)
            unfinished.add(session)
            isOurs = true
            return written
          }
          entries.push(...(await writePrepared(prepared, run, { characters })).filter(isEntries))
          calls.push(...endedCalls(part))
          for (const { call } of prepared) if (call) newest.add(call)
        }
        await write(() => unmarkUnfinished(session), {
          written() {
            unfinished.delete(session)
            tell(entries, calls)
          },
        })
      } catch (error) {
        if (entries.length > 0) await removeInParts(session).catch(() => {})
        else if (isOurs) unfinished.delete(session)
        throw error
      }
    },
    watch(listener) {
      const own = { listener }
      listeners.add(own)
      return () => void listeners.delete(own)
    },
    watchCalls(listener) {
      const own = { listener }
      callListeners.add(own)
      return () => void callListeners.delete(own)
    },
    async deleteSession(id) {
      if (unfinished.has(id) || !(await database.read(readSessionRow(id)))) return false
      await removeInParts(id)
      return true
    },
    async removeUnfinished() {
      if (database.readOnly || database.beside) return
      for (const session of unfinished) await removeInParts(session)
      if (await database.read(hasTextParts())) await write(removeTextsWithoutRow)
    },
    withdrawSession(id) {
      const withdrawn = function* () {
        if (!(yield* readSessionRow(id))) throw new StoreError('not-found', `there is no session ${id} to withdraw`)
        yield* setRemoved(id, true)
        return yield* removeHeldContents(id)
      }
      return write(withdrawn, { written: forgetContents })
    },
    async removeRestingContents(options) {
      let removed = 0
      for (let key: string | undefined; ; await clock.yield()) {
        const page = await write(() => removeRestingContents(options, key), { written: forgetContents })
        removed += page.removed
        key = page.next
        if (key === undefined) return removed
      }
    },
    bind: (binding, session) => write(() => bind(binding, session)),
    async putCall(record) {
      await transaction([{ type: 'call', record }])
    },
    async finishCall(id, outcome) {
      await transaction([{ type: 'call-outcome', id, outcome }])
    },
    putValue: (key, named) => write(() => putValue(key, named)),
    putRecord: (change, time) => write(() => putRecord(change, time)),
    putFile: (row) => write(() => putFile(row)),
    setFileState: (id, state) => write(() => setFileState(id, state)),
    setFileOwner: (id, owner) => write(() => setFileOwner(id, owner)),
    deleteFile: (id) => write(() => deleteFile(id)),
    async putContent(text, holds, { shared = false } = {}) {
      const work = timeSlice(clock)
      const hash = contentHash(text)
      if (text.length > LONGEST_IN_ROW) {
        if (holds || !known.has(hash)) {
          const content = prepareContent({ text, hash, shared, ...(holds && { holds }) })
          await writePrepared([content], () => content.run(), content)
        }
        if (!holds) known.add(hash)
        return hash
      }
      if (holds) return write(() => putHeldContent(text, hash, holds, shared), { characters: text.length })
      if (known.has(hash)) return hash
      if (work.isOver()) await work.rest()
      await write(() => putContent(text, hash), { characters: text.length })
      known.add(hash)
      return hash
    },

    entries: async (session, options) => (unfinished.has(session) ? [] : database.read(readEntries(session, options))),
    async inputByKey(session, idempotencyKey) {
      const row = unfinished.has(session) ? undefined : await database.read(readTurnByKey(session, idempotencyKey))
      // Its sender hears that this input is safe.
      if (row) await queue.onDisk()
      return row && database.read(readEntry(session, row.firstSeq))
    },
    recentTurns: async (session, options) => recentTurns(database, session, options),
    unfinishedTurns: async () => database.read(readUnfinishedTurns()),
    turn: async (session, id) => (unfinished.has(session) ? undefined : database.read(readTurn(session, id))),
    turns: async (session, { limit = ALL, before = ALL } = {}) =>
      unfinished.has(session) ? [] : database.read(readTurnsBefore(session, before, limit)),
    sessions: async (by) => (by?.words === undefined ? database.read(readSessionRows(by)) : findSessions(database, by)),
    sessionFolders: async () => database.read(readSessionFolders()),
    session: async (id) => database.read(readSessionRow(id)),
    bound: async (binding) => database.read(readBinding(binding)),
    content: async (hash) => readContentInSlices(database, hash),
    contentRemovals: () => removals,
    contentWasRemoved: async (hash) => database.read(contentWasRemoved(hash)),
    call: async (id) => database.read(readCall(id)),
    calls: async (session, options) => (unfinished.has(session) ? [] : database.read(readCalls(session, options))),
    findCalls: async (options) => database.read(findCalls(options)),
    callsAnswered: async (id) => database.read(callsAnswered(id)),
    callSums: async (options) => {
      const found = await database.read(readCallSums(options))
      const sums = options.ids ? await database.read(withIds(found)) : found
      return options.records ? database.read(withRecords(sums)) : sums
    },
    toolSums: async (range) => readToolSums(database, range),
    value: async (key) => database.read(readValue(key)),
    audit: async (options) => database.read(readAuditRecords(options)),
    auditHead: async () => database.read(readAuditHead()),
    record: async (kind, id) => database.read(readNewestRecord(kind, id)),
    recordVersions: async (kind, id) => database.read(readRecordVersions(kind, id)),
    records: async (kind) => database.read(readRecords(kind)),
    removedRecords: async (kind) => database.read(readRecords(kind, { removed: true })),
    file: async (id) => database.read(readFileRow(id)),
    files: async (which) => database.read(readFileRows(which)),
    fileTotals: async () => database.read(sumFiles()),

    damage: (session) => findDamage(database, database.openMemory, session),
    failed: queue.failed,
    idle,
    close: () => (closed ??= end()),
  }
  return store

  async function end(): Promise<void> {
    try {
      await idle()
    } finally {
      await database.close()
    }
  }

  function idle(): Promise<void> | undefined {
    if (longWrites.size === 0) return queue.idle()
    return Promise.allSettled(longWrites.values()).then(idle)
  }

  async function transaction(writes: readonly Write[]): Promise<readonly Entry[]> {
    refuseClosed()
    // What comes after a long write of its session stays after it.
    for (const each of longWrites.size > 0 ? writes : []) {
      while (each.type === 'append' && longWrites.has(each.session)) await longWrites.get(each.session)?.catch(() => {})
    }
    const prepared = writes.map(prepare)
    const run = () => {
      for (const each of writes)
        if (each.type === 'append' && unfinished.has(each.session)) throw notWhole(each.session)
      return forEach(prepared, (each) => each.run())
    }
    const characters = prepared.reduce((sum, each) => sum + each.characters, 0)
    let entries: readonly (readonly Entry[])[] = []
    await writePrepared(prepared, run, {
      characters,
      written(written) {
        for (const { call } of prepared) if (call) newest.add(call)
        tell((entries = written.filter(isEntries)), endedCalls(writes))
      },
    })
    return entries.flat()
  }

  /** Writes what was prepared, in one transaction. Long texts are written before it, in several. */
  async function writePrepared<Result>(
    prepared: readonly PreparedWrite[],
    run: () => Sql<Result>,
    options: QueuedWriteOptions<Result>,
  ): Promise<Result> {
    let isLong = false
    for (const { long } of prepared) isLong ||= long !== undefined
    if (!isLong) return queue.push(run, options)
    const written = writeLong(prepared, run, options)
    const of = prepared.find(({ session }) => session !== undefined)?.session ?? Symbol('no session')
    longWrites.set(of, written)
    return written.finally(() => longWrites.delete(of))
  }

  async function writeLong<Result>(
    prepared: readonly PreparedWrite[],
    run: () => Sql<Result>,
    options: QueuedWriteOptions<Result>,
  ): Promise<Result> {
    const before: string[] = []
    try {
      for (const { texts, put } of prepared.flatMap(({ long = [] }) => long)) {
        const push = (part: () => Sql<number>) => queue.push(part, { characters: LONGEST_IN_ROW })
        const parts = await writeTexts(push, texts)
        before.push(parts)
        put(parts)
      }
      return await queue.push(run, options)
    } catch (error) {
      for (const parts of before) await queue.push(() => removeTexts(parts)).catch(() => {})
      throw error
    }
  }

  function prepare(each: Write): PreparedWrite {
    return prepareWrite(each, newest.bySession, lastAppends)
  }

  /**
   * Removes a session, which nobody sees from the first part on. What is left where a part fails or the process ends is removed when
   * the store is opened.
   */
  async function removeInParts(id: string): Promise<void> {
    const begin = function* () {
      yield* removeHeldContents(id)
      yield* setRemoved(id, false)
      yield* freeSession(id)
      return yield* removePart()
    }
    const removePart = function* () {
      const isMore = yield* removeRows(id)
      if (isMore) yield* markUnfinished(id)
      else {
        yield* deleteSessionRow(id)
        yield* unmarkUnfinished(id)
      }
      lastAppends.delete(id)
      return isMore
    }
    const written = (isMore: boolean) => {
      forgetContents()
      newest.forget(id)
      if (isMore) unfinished.add(id)
    }
    let isMore = await write(begin, { written })
    while (isMore) isMore = await write(removePart)
    unfinished.delete(id)
  }

  function tell(written: readonly (readonly Entry[])[], calls: readonly string[]): void {
    for (const entries of written) if (entries.length > 0) for (const { listener } of listeners) listener(entries)
    for (const call of calls) for (const { listener } of callListeners) listener(call)
  }

  async function write<Result>(run: () => Sql<Result>, options?: QueuedWriteOptions<Result>): Promise<Result> {
    refuseClosed()
    return queue.push(run, options)
  }

  function refuseClosed(): void {
    if (closed) throw new StoreError('closed', `the store ${database.place} is closed`)
    if (database.readOnly) {
      throw new StoreError('readonly', `the store ${database.place} was opened for reading: write through the gateway`)
    }
  }
}

function notWhole(session: string): StoreError {
  return new StoreError('conflict', `Session ${session} is being written or removed. Try again when that has ended.`)
}

/** Contents that are known to be on the disk, so that storing them again costs nothing. */
function createKnownHashes(most: number) {
  const hashes = new Set<string>()
  return {
    has(hash: string) {
      if (!hashes.delete(hash)) return false
      hashes.add(hash)
      return true
    },
    add(hash: string) {
      hashes.add(hash)
      if (hashes.size > most) hashes.delete(hashes.values().next().value!)
    },
    clear: () => hashes.clear(),
  }
}
