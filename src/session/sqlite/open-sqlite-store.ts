import { stretch } from '../../platform.ts'
import { contentHash } from '../content.ts'
import { StoreError } from '../store-error.ts'
import type { Entry } from '../entry.ts'
import type { EntryListener } from '../store/log-store.ts'
import type { SessionStore, Write } from '../store/session-store.ts'
import { append, writtenBodies } from './append.ts'
import { auditHead, auditRecords, putAudit } from './audit-table.ts'
import { call, calls, findCalls, finishCall, putCall } from './call-table.ts'
import { type Connection, type SqliteStoreOptions, openConnection } from './connection.ts'
import { content, putContent } from './content-table.ts'
import { entries, entry } from './entry-table.ts'
import { deleteFile, file, files, putFile, setFileOwner, setFileState } from './file-table.ts'
import { contentWasRemoved, putHeldContent, removeHeldContents, setRemoved } from './held-contents.ts'
import { createKnownHashes } from './known-hashes.ts'
import { migrate } from './migrations.ts'
import { recentTurns } from './recent-turns.ts'
import { putRecord, record, records, recordVersions } from './record-table.ts'
import { bind, bound, deleteSession, sessionRow, sessionRows } from './session-table.ts'
import { turn, turnOfKey, turnsBefore, unfinishedTurns } from './turn-table.ts'
import { putValue, value } from './value-table.ts'
import { createWriteQueue, type WriteOptions } from './write-queue.ts'

/** Hashes of 64 characters: some 200 KB. */
const KNOWN_HASHES = 2_000
const ALL = Number.MAX_SAFE_INTEGER

/**
 * Opens the store in a file, makes it when missing, and brings its tables up to date. One process writes, any number may
 * read (`readOnly`) at the same time.
 *
 * @throws StoreError `newer`, `older`, `corrupt`, `busy`, `readonly`, `not-found` (only when `readOnly`), `io`
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<SessionStore> {
  const connection = openConnection(options)
  try {
    migrate(connection)
  } catch (error) {
    connection.close()
    throw error
  }
  return storeOn(connection)
}

function storeOn(connection: Connection): SessionStore {
  const queue = createWriteQueue(connection)
  const known = createKnownHashes(KNOWN_HASHES)
  const listeners = new Set<EntryListener>()
  let closed = false

  return {
    append(session, bodies, time) {
      const made = writtenBodies(bodies)
      const characters = made.data.reduce((sum, data) => sum + data.length, 0)
      return write(() => append(connection, session, made, time), { written: tell, characters })
    },
    async transaction(writes) {
      await write(() => writes.map((each) => applied(connection, each)), {
        written: (written) => written.forEach(tell),
      })
    },
    watch(listener) {
      // A function of its own, so that one that is given twice is told twice.
      const own: EntryListener = (written) => listener(written)
      listeners.add(own)
      return () => void listeners.delete(own)
    },
    deleteSession(id) {
      const removed = () => {
        removeHeldContents(connection, id)
        setRemoved(connection, id, false)
        return deleteSession(connection, id)
      }
      return write(removed, { written: () => known.clear() })
    },
    withdrawSession(id) {
      const withdrawn = () => {
        if (!sessionRow(connection, id)) throw new StoreError('not-found', `there is no session ${id} to withdraw`)
        setRemoved(connection, id, true)
        return removeHeldContents(connection, id)
      }
      return write(withdrawn, { written: () => known.clear() })
    },
    bind: (binding, session) => write(() => bind(connection, binding, session)),
    putCall: (made) => write(() => putCall(connection, made)),
    finishCall: (id, outcome) => write(() => finishCall(connection, id, outcome)),
    putValue: (key, named) => write(() => putValue(connection, key, named)),
    putRecord: (change, time) => write(() => putRecord(connection, change, time)),
    putFile: (row) => write(() => putFile(connection, row)),
    setFileState: (id, state) => write(() => setFileState(connection, id, state)),
    setFileOwner: (id, owner) => write(() => setFileOwner(connection, id, owner)),
    deleteFile: (id) => write(() => deleteFile(connection, id)),
    async putContent(text, holds) {
      const work = stretch()
      const hash = contentHash(text)
      if (holds) return write(() => putHeldContent(connection, text, hash, holds), { characters: text.length })
      if (known.has(hash)) return hash
      if (work.isOver()) await work.rest()
      await write(() => putContent(connection, text, hash), { characters: text.length })
      known.add(hash)
      return hash
    },

    entries: async (session, options) => entries(connection, session, options),
    async inputByKey(session, idempotencyKey) {
      const row = turnOfKey(connection, session, idempotencyKey)
      return row && entry(connection, session, row.firstSeq)
    },
    recentTurns: async (session, options) => recentTurns(connection, session, options),
    unfinishedTurns: async () => unfinishedTurns(connection),
    turn: async (session, id) => turn(connection, session, id),
    turns: async (session, { limit = ALL, before = ALL } = {}) => turnsBefore(connection, session, before, limit),
    sessions: async ({ limit = ALL, offset = 0, beginning } = {}) => sessionRows(connection, limit, offset, beginning),
    session: async (id) => sessionRow(connection, id),
    bound: async (binding) => bound(connection, binding),
    content: async (hash) => content(connection, hash),
    contentWasRemoved: async (hash) => contentWasRemoved(connection, hash),
    call: async (id) => call(connection, id),
    calls: async (session, options) => calls(connection, session, options),
    findCalls: async (options) => findCalls(connection, options),
    value: async (key) => value(connection, key),
    audit: async (options) => auditRecords(connection, options),
    auditHead: async () => auditHead(connection),
    record: async (kind, id) => record(connection, kind, id),
    recordVersions: async (kind, id) => recordVersions(connection, kind, id),
    records: async (kind) => records(connection, kind),
    file: async (id) => file(connection, id),
    files: async (which) => files(connection, which),

    async close() {
      if (closed) return
      closed = true
      queue.flush()
      connection.close()
    },
  }

  function tell(written: readonly Entry[]): void {
    if (written.length > 0) for (const listener of listeners) listener(written)
  }

  async function write<Result>(run: () => Result, options?: WriteOptions<Result>): Promise<Result> {
    if (closed) throw new StoreError('closed', `the store ${connection.path} is closed`)
    if (connection.readOnly) {
      throw new StoreError('readonly', `the store ${connection.path} was opened for reading: write through the gateway`)
    }
    return queue.push(run, options)
  }
}

/** Answers the entries that it wrote. */
function applied(connection: Connection, write: Write): readonly Entry[] {
  if (write.type === 'append') return append(connection, write.session, writtenBodies(write.bodies), write.time)
  apply(connection, write)
  return []
}

function apply(connection: Connection, write: Exclude<Write, { readonly type: 'append' }>): void {
  switch (write.type) {
    case 'call':
      return putCall(connection, write.record)
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
  }
}
