import { timeSlice } from '../../platform.ts'
import type { CallListener } from '../call.ts'
import { contentHash } from '../content.ts'
import { StoreError } from '../store-error.ts'
import type { Entry } from '../entry.ts'
import type { EntryListener } from '../log-store.ts'
import { endedCalls, type SessionStore, type Write } from '../session-store.ts'
import { append, type LastAppends, readEntries, readEntry, serializeBodies } from './entry-table.ts'
import { readAuditHead, readAuditRecords, putAudit, removeArchived } from './audit-table.ts'
import {
  callsAnswered,
  readCall,
  readCalls,
  findCalls,
  finishCall,
  putCall,
  type SerializedCall,
  serializeCall,
  withIds,
  withRecords,
} from './call-table.ts'
import type { CallBase } from './call-difference.ts'
import { type StoreConnection, type SqliteStoreOptions, openStoreConnection } from './connection.ts'
import {
  readContent,
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
  readSessionRow,
  readSessionFolders,
  readSessionRows,
} from './session-table.ts'
import { readCallSums, readToolSums } from './sum-table.ts'
import { readTurn, readTurnByKey, readTurnsBefore, readUnfinishedTurns } from './turn-table.ts'
import { putValue, readValue } from './value-table.ts'
import { createWriteQueue, type QueuedWriteOptions } from './write-queue.ts'
import { nextVersion, type RecordChange, type RecordVersion } from '../record.ts'
import { insertInto, statement } from './statement.ts'

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
  return createStore(connection)
}

function createStore(connection: StoreConnection): SessionStore {
  const queue = createWriteQueue(connection)
  const known = createKnownHashes(KNOWN_HASHES)
  const newest = createNewestCalls()
  const lastAppends: LastAppends = new Map()
  const listeners = new Set<EntryListener>()
  const callListeners = new Set<CallListener>()
  let closed: Promise<void> | undefined
  let removals = 0
  const forgetContents = () => {
    known.clear()
    removals += 1
  }

  return {
    clock: connection.clock,
    append(session, bodies, time) {
      const made = serializeBodies(bodies)
      const characters = made.data.reduce((sum, data) => sum + data.length, 0)
      return write(() => append(connection, lastAppends, session, made, time), { written: tell, characters })
    },
    async transaction(writes) {
      const prepared = writes.map((each) => prepareWrite(each, newest.bySession, lastAppends))
      await write(() => prepared.map(({ run }) => run(connection)), {
        written(written) {
          for (const { call } of prepared) if (call) newest.add(call)
          written.forEach(tell)
          for (const id of endedCalls(writes)) tellCall(id)
        },
      })
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
    deleteSession(id) {
      const removed = () => {
        removeHeldContents(connection, id)
        setRemoved(connection, id, false)
        return deleteSessionRow(connection, id)
      }
      return write(removed, {
        written() {
          forgetContents()
          newest.forget(id)
        },
      })
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
    async putCall(made) {
      const call = serializeCall(made, newest.bySession.get(made.session ?? ''))
      return write(() => putCall(connection, call), {
        written() {
          newest.add(call)
          endedCalls([{ type: 'call', record: made }]).forEach(tellCall)
        },
      })
    },
    finishCall: (id, outcome) => write(() => finishCall(connection, id, outcome), { written: () => tellCall(id) }),
    putValue: (key, named) => write(() => putValue(connection, key, named)),
    putRecord: (change, time) => write(() => putRecord(connection, change, time)),
    putFile: (row) => write(() => putFile(connection, row)),
    setFileState: (id, state) => write(() => setFileState(connection, id, state)),
    setFileOwner: (id, owner) => write(() => setFileOwner(connection, id, owner)),
    deleteFile: (id) => write(() => deleteFile(connection, id)),
    async putContent(text, holds, { shared = false } = {}) {
      const work = timeSlice(connection.clock)
      const hash = contentHash(text)
      if (holds) return write(() => putHeldContent(connection, text, hash, holds, shared), { characters: text.length })
      if (known.has(hash)) return hash
      if (work.isOver()) await work.rest()
      await write(() => putContent(connection, text, hash), { characters: text.length })
      known.add(hash)
      return hash
    },

    entries: async (session, options) => readEntries(connection, session, options),
    async inputByKey(session, idempotencyKey) {
      const row = readTurnByKey(connection, session, idempotencyKey)
      // Its sender hears that this input is safe.
      if (row) await queue.onDisk()
      return row && readEntry(connection, session, row.firstSeq)
    },
    recentTurns: async (session, options) => recentTurns(connection, session, options),
    unfinishedTurns: async () => readUnfinishedTurns(connection),
    turn: async (session, id) => readTurn(connection, session, id),
    turns: async (session, { limit = ALL, before = ALL } = {}) => readTurnsBefore(connection, session, before, limit),
    sessions: async (options) => readSessionRows(connection, options),
    sessionFolders: async () => readSessionFolders(connection),
    session: async (id) => readSessionRow(connection, id),
    bound: async (binding) => readBinding(connection, binding),
    content: async (hash) => readContent(connection, hash),
    contentRemovals: () => removals,
    contentWasRemoved: async (hash) => contentWasRemoved(connection, hash),
    call: async (id) => readCall(connection, id),
    calls: async (session, options) => readCalls(connection, session, options),
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
    recordVersions: async (kind, id) => connection.all(allVersions, { kind, id }).map(toVersion),
    records: async (kind) => connection.all(newestVersions, { kind }).map(toVersion),
    removedRecords: async (kind) => connection.all(removedVersions, { kind }).map(toVersion),
    file: async (id) => readFileRow(connection, id),
    files: async (which) => readFileRows(connection, which),

    damage: (session) => findDamage(connection, session),
    failed: queue.failed,
    idle: queue.idle,
    close: () => (closed ??= Promise.resolve(queue.idle()).finally(() => connection.close())),
  }

  function tell(written: readonly Entry[]): void {
    if (written.length > 0) for (const listener of listeners) listener(written)
  }

  function tellCall(call: string): void {
    for (const listener of callListeners) listener(call)
  }

  async function write<Result>(run: () => Result, options?: QueuedWriteOptions<Result>): Promise<Result> {
    if (closed) throw new StoreError('closed', `the store ${connection.path} is closed`)
    if (connection.readOnly) {
      throw new StoreError('readonly', `the store ${connection.path} was opened for reading: write through the gateway`)
    }
    return queue.push(run, options)
  }
}

interface PreparedWrite {
  /** To be run within a transaction. Returns the entries that it wrote. */
  readonly run: (connection: StoreConnection) => readonly Entry[]
  readonly call?: SerializedCall
}

/** Serializes one write. */
function prepareWrite(
  write: Write,
  newestCalls: ReadonlyMap<string, CallBase>,
  lastAppends: LastAppends,
): PreparedWrite {
  if (write.type === 'append') {
    const { session, time } = write
    const made = serializeBodies(write.bodies)
    return { run: (connection) => append(connection, lastAppends, session, made, time) }
  }
  if (write.type === 'call') {
    const call = serializeCall(write.record, newestCalls.get(write.record.session ?? ''))
    return { run: (connection) => (putCall(connection, call), []), call }
  }
  return { run: (connection) => (apply(connection, write), []) }
}

function apply(connection: StoreConnection, write: Exclude<Write, { readonly type: 'append' | 'call' }>): void {
  switch (write.type) {
    case 'call-outcome':
      return finishCall(connection, write.id, write.outcome)
    case 'content':
      putContent(connection, write.text)
      return
    case 'value':
      return putValue(connection, write.key, write.value)
    case 'binding':
      return bind(connection, write.binding, write.session)
    case 'record':
      putRecord(connection, write.change, write.time)
      return
    case 'file':
      return putFile(connection, write.row)
    case 'file-state':
      return setFileState(connection, write.id, write.state)
    case 'file-owner':
      return setFileOwner(connection, write.id, write.owner)
    case 'audit':
      return putAudit(connection, write.facts, write.time)
    case 'audit-archived':
      return removeArchived(connection, write.archived)
  }
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

/** Characters of accounts that are kept, of all sessions together. */
const MOST_CHARACTERS = 4_000_000

/** The newest call of each session that is on the disk: the next one is written as a difference to it. */
function createNewestCalls() {
  const bySession = new Map<string, CallBase>()
  let characters = 0
  const forget = (session: string) => {
    characters -= bySession.get(session)?.characters ?? 0
    bySession.delete(session)
  }
  return {
    bySession,
    add({ row: { session }, base }: SerializedCall) {
      if (session === null || base === undefined) return
      if (bySession.has(session)) forget(session)
      bySession.set(session, base)
      characters += base.characters
      for (const oldest of characters > MOST_CHARACTERS ? bySession.keys() : []) {
        forget(oldest)
        if (characters <= MOST_CHARACTERS) break
      }
    },
    forget,
  }
}

function putRecord(connection: StoreConnection, change: RecordChange, time: string): RecordVersion {
  const version = nextVersion(change, readNewestRecord(connection, change.kind, change.id), time)
  connection.run(insertRecord, { ...version, value: JSON.stringify(version.value) })
  return version
}

function readNewestRecord(connection: StoreConnection, kind: string, id: string): RecordVersion | undefined {
  const row = connection.get(newestVersion, { kind, id })
  return row && toVersion(row)
}

type Row = Omit<RecordVersion, 'value'> & { readonly value: string }

function toVersion({ kind, id, version, time, value }: Row): RecordVersion {
  return { kind, id, version, time, value: JSON.parse(value) }
}

const insertRecord = statement<Row>(insertInto('records', ['kind', 'id', 'version', 'time', 'value']))
const allVersions = statement<{ kind: string; id: string }, Row>(
  'select * from records where kind = :kind and id = :id order by version desc',
)
const newestVersion = statement<{ kind: string; id: string }, Row>(
  'select * from records where kind = :kind and id = :id order by version desc limit 1',
)

/** The newest version of each record. They are ordered by their first version, which the index `records_made` finds. */
const newest = (condition: string) =>
  statement<{ kind: string }, Row>(
    `select newest.* from records as first
      join records as newest on newest.kind = first.kind and newest.id = first.id and newest.version =
        (select version from records where kind = first.kind and id = first.id order by version desc limit 1)
      where first.version = 1 and first.kind = :kind and ${condition} order by first.number`,
  )
const newestVersions = newest("newest.value <> 'null'")
const removedVersions = newest("newest.value = 'null'")
