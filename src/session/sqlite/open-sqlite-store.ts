import { timeSlice } from '../../platform.ts'
import type { CallListener } from '../call.ts'
import { contentHash } from '../content.ts'
import { StoreError } from '../store-error.ts'
import type { Entry } from '../entry.ts'
import type { EntryListener } from '../log-store.ts'
import { endedCalls, type SessionStore, type Write } from '../session-store.ts'
import { type LastAppends, readEntries, readEntry } from './entry-table.ts'
import { readAuditHead, readAuditRecords } from './audit-table.ts'
import { callsAnswered, createNewestCalls, readCall, readCalls, findCalls, withIds, withRecords } from './call-table.ts'
import { type StoreConnection, type SqliteStoreOptions, openStoreConnection } from './connection.ts'
import {
  readContentInSlices,
  contentWasRemoved,
  putContent,
  putHeldContent,
  removeHeldContents,
  removeRestingContents,
  setRemoved,
} from './content-table.ts'
import { deleteFile, readFileRow, readFileRows, putFile, setFileOwner, setFileState } from './file-table.ts'
import { findDamage } from './find-damage.ts'
import { migrate, refuseOtherVersions } from './migrations.ts'
import { recentTurns } from './recent-turns.ts'
import {
  bind,
  readBinding,
  deleteSessionRow,
  freeSession,
  readSessionRow,
  readSessionFolders,
  readSessionRows,
} from './session-table.ts'
import { markUnfinished, readUnfinishedSessions, removeRows, unmarkUnfinished, writeParts } from './session-parts.ts'
import { readCallSums, readToolSums } from './sum-table.ts'
import { hasTextParts, LONGEST_IN_ROW, removeTexts, removeTextsWithoutRow, writeTexts } from './text-parts.ts'
import { type PreparedWrite, prepareContent, prepareWrite } from './prepared-write.ts'
import { readTurn, readTurnByKey, readTurnsBefore, readUnfinishedTurns } from './turn-table.ts'
import { putValue, readValue } from './value-table.ts'
import { createWriteQueue, type QueuedWriteOptions } from './write-queue.ts'
import { putRecord, readNewestRecord, readRecords, readRecordVersions } from './record-table.ts'

/** Hashes of 64 characters each: some 200 KB. */
const KNOWN_HASHES = 2_000
const ALL = Number.MAX_SAFE_INTEGER

/** See `openStore`. */
export async function openStoreFile(options: SqliteStoreOptions): Promise<SessionStore> {
  refuseOtherVersions(options.path)
  const connection = openStoreConnection(options)
  try {
    migrate(connection)
  } catch (error) {
    connection.close()
    throw error
  }
  const store = createStore(connection)
  await store.removeUnfinished()
  return store
}

function createStore(connection: StoreConnection): SessionStore & { removeUnfinished(): Promise<void> } {
  const queue = createWriteQueue(connection)
  const known = createKnownHashes(KNOWN_HASHES)
  const newest = createNewestCalls()
  const lastAppends: LastAppends = new Map()
  const listeners = new Set<EntryListener>()
  const callListeners = new Set<CallListener>()
  /** The sessions that nobody sees: they are written or removed in parts. */
  const unfinished = new Set(readUnfinishedSessions(connection))
  /** The writes whose long texts are being written, by their session. */
  const longWrites = new Map<string | symbol, Promise<unknown>>()
  let closed: Promise<void> | undefined
  let removals = 0
  const forgetContents = () => {
    known.clear()
    removals += 1
  }

  return {
    clock: connection.clock,
    append: (session, bodies, time) => transaction([{ type: 'append', session, bodies, time }]),
    transaction,
    async putSession(session, writes) {
      const entries: (readonly Entry[])[] = []
      const calls: string[] = []
      let isOurs = false
      try {
        for await (const { writes: part, prepared, characters } of writeParts(connection, writes, prepare)) {
          const isFirst = entries.length === 0
          const run = () => {
            if (!isOurs && unfinished.has(session)) throw notWhole(session)
            const written = prepared.map((each) => each.run(connection))
            if (isFirst) markUnfinished(connection, session)
            unfinished.add(session)
            isOurs = true
            return written
          }
          entries.push(...(await writePrepared(prepared, run, { characters })))
          calls.push(...endedCalls(part))
          for (const { call } of prepared) if (call) newest.add(call)
        }
        await write(() => unmarkUnfinished(connection, session), {
          written() {
            unfinished.delete(session)
            entries.forEach(tell)
            calls.forEach(tellCall)
          },
        })
      } catch (error) {
        if (entries.length > 0) await removeInParts(session).catch(() => {})
        else if (isOurs) unfinished.delete(session)
        throw error
      }
    },
    watch(listener) {
      // A new function, so that a listener that is added twice is called twice.
      const own: EntryListener = (written) => listener(written)
      listeners.add(own)
      return () => void listeners.delete(own)
    },
    watchCalls(listener) {
      const own: CallListener = (call) => listener(call)
      callListeners.add(own)
      return () => void callListeners.delete(own)
    },
    async deleteSession(id) {
      if (unfinished.has(id) || !readSessionRow(connection, id)) return false
      await removeInParts(id)
      return true
    },
    async removeUnfinished() {
      for (const session of connection.readOnly ? [] : unfinished) await removeInParts(session)
      if (!connection.readOnly && hasTextParts(connection)) await write(() => removeTextsWithoutRow(connection))
    },
    withdrawSession(id) {
      const withdrawn = () => {
        if (!readSessionRow(connection, id)) throw new StoreError('not-found', `there is no session ${id} to withdraw`)
        setRemoved(connection, id, true)
        return removeHeldContents(connection, id)
      }
      return write(withdrawn, { written: forgetContents })
    },
    async removeRestingContents(options) {
      let removed = 0
      for (let key: string | undefined; ; await connection.clock.yield()) {
        const page = await write(() => removeRestingContents(connection, options, key), { written: forgetContents })
        removed += page.removed
        key = page.next
        if (key === undefined) return removed
      }
    },
    bind: (binding, session) => write(() => bind(connection, binding, session)),
    async putCall(record) {
      await transaction([{ type: 'call', record }])
    },
    async finishCall(id, outcome) {
      await transaction([{ type: 'call-outcome', id, outcome }])
    },
    putValue: (key, named) => write(() => putValue(connection, key, named)),
    putRecord: (change, time) => write(() => putRecord(connection, change, time)),
    putFile: (row) => write(() => putFile(connection, row)),
    setFileState: (id, state) => write(() => setFileState(connection, id, state)),
    setFileOwner: (id, owner) => write(() => setFileOwner(connection, id, owner)),
    deleteFile: (id) => write(() => deleteFile(connection, id)),
    async putContent(text, holds, { shared = false } = {}) {
      const work = timeSlice(connection.clock)
      const hash = contentHash(text)
      if (text.length > LONGEST_IN_ROW) {
        if (holds || !known.has(hash)) {
          const content = prepareContent({ text, hash, shared, ...(holds && { holds }) })
          await writePrepared([content], () => content.run(connection), content)
        }
        if (!holds) known.add(hash)
        return hash
      }
      if (holds) return write(() => putHeldContent(connection, text, hash, holds, shared), { characters: text.length })
      if (known.has(hash)) return hash
      if (work.isOver()) await work.rest()
      await write(() => putContent(connection, text, hash), { characters: text.length })
      known.add(hash)
      return hash
    },

    entries: async (session, options) => (unfinished.has(session) ? [] : readEntries(connection, session, options)),
    async inputByKey(session, idempotencyKey) {
      const row = unfinished.has(session) ? undefined : readTurnByKey(connection, session, idempotencyKey)
      // Its sender hears that this input is safe.
      if (row) await queue.onDisk()
      return row && readEntry(connection, session, row.firstSeq)
    },
    recentTurns: async (session, options) => recentTurns(connection, session, options),
    unfinishedTurns: async () => readUnfinishedTurns(connection),
    turn: async (session, id) => (unfinished.has(session) ? undefined : readTurn(connection, session, id)),
    turns: async (session, { limit = ALL, before = ALL } = {}) =>
      unfinished.has(session) ? [] : readTurnsBefore(connection, session, before, limit),
    sessions: async (options) => readSessionRows(connection, options),
    sessionFolders: async () => readSessionFolders(connection),
    session: async (id) => readSessionRow(connection, id),
    bound: async (binding) => readBinding(connection, binding),
    content: async (hash) => readContentInSlices(connection, hash),
    contentRemovals: () => removals,
    contentWasRemoved: async (hash) => contentWasRemoved(connection, hash),
    call: async (id) => readCall(connection, id),
    calls: async (session, options) => (unfinished.has(session) ? [] : readCalls(connection, session, options)),
    findCalls: async (options) => findCalls(connection, options),
    callsAnswered: async (id) => callsAnswered(connection, id),
    callSums: async (options) => {
      const found = readCallSums(connection, options)
      const sums = options.ids ? withIds(connection, found) : found
      return options.records ? withRecords(connection, sums) : sums
    },
    toolSums: async (range) => readToolSums(connection, range),
    value: async (key) => readValue(connection, key),
    audit: async (options) => readAuditRecords(connection, options),
    auditHead: async () => readAuditHead(connection),
    record: async (kind, id) => readNewestRecord(connection, kind, id),
    recordVersions: async (kind, id) => readRecordVersions(connection, kind, id),
    records: async (kind) => readRecords(connection, kind),
    removedRecords: async (kind) => readRecords(connection, kind, { removed: true }),
    file: async (id) => readFileRow(connection, id),
    files: async (which) => readFileRows(connection, which),

    damage: (session) => findDamage(connection, session),
    failed: queue.failed,
    idle,
    close: () => (closed ??= Promise.resolve(idle()).finally(() => connection.close())),
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
      return prepared.map((each) => each.run(connection))
    }
    const characters = prepared.reduce((sum, each) => sum + each.characters, 0)
    const entries = await writePrepared(prepared, run, {
      characters,
      written(written) {
        for (const { call } of prepared) if (call) newest.add(call)
        written.forEach(tell)
        for (const id of endedCalls(writes)) tellCall(id)
      },
    })
    return entries.flat()
  }

  /** Writes what was prepared, in one transaction. Long texts are written before it, in several. */
  async function writePrepared<Result>(
    prepared: readonly PreparedWrite[],
    run: () => Result,
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
    run: () => Result,
    options: QueuedWriteOptions<Result>,
  ): Promise<Result> {
    const before: string[] = []
    try {
      for (const { texts, put } of prepared.flatMap(({ long = [] }) => long)) {
        const push = (part: () => number) => queue.push(part, { characters: LONGEST_IN_ROW })
        const parts = await writeTexts(push, connection, texts)
        before.push(parts)
        put(parts)
      }
      return await queue.push(run, options)
    } catch (error) {
      for (const parts of before) await queue.push(() => removeTexts(connection, parts)).catch(() => {})
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
    const begin = () => {
      removeHeldContents(connection, id)
      setRemoved(connection, id, false)
      freeSession(connection, id)
      return removePart()
    }
    const removePart = () => {
      const isMore = removeRows(connection, id)
      if (isMore) markUnfinished(connection, id)
      else {
        deleteSessionRow(connection, id)
        unmarkUnfinished(connection, id)
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

  function tell(written: readonly Entry[]): void {
    if (written.length > 0) for (const listener of listeners) listener(written)
  }

  function tellCall(call: string): void {
    for (const listener of callListeners) listener(call)
  }

  async function write<Result>(run: () => Result, options?: QueuedWriteOptions<Result>): Promise<Result> {
    refuseClosed()
    return queue.push(run, options)
  }

  function refuseClosed(): void {
    if (closed) throw new StoreError('closed', `the store ${connection.path} is closed`)
    if (connection.readOnly) {
      throw new StoreError('readonly', `the store ${connection.path} was opened for reading: write through the gateway`)
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
