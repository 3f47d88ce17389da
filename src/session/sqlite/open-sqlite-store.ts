import { contentHash } from '../content.ts'
import { StoreError } from '../store-error.ts'
import type { SessionStore, Write } from '../store.ts'
import { append } from './append.ts'
import { auditHead, auditRecords, putAudit } from './audit-table.ts'
import { call, calls, finishCall, putCall } from './call-table.ts'
import { type Connection, type SqliteStoreOptions, openConnection } from './connection.ts'
import { content, putContent } from './content-table.ts'
import { entries, entry } from './entry-table.ts'
import { createKnownHashes } from './known-hashes.ts'
import { migrate } from './migrations.ts'
import { recentTurns } from './recent-turns.ts'
import { bind, bound, deleteSession, sessionRow, sessionRows } from './session-table.ts'
import { turn, turnOfKey, turnsBefore, unfinishedTurns } from './turn-table.ts'
import { putValue, value } from './value-table.ts'
import { createWriteQueue } from './write-queue.ts'

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
  let closed = false

  return {
    append: (session, bodies, time) => write(() => append(connection, session, bodies, time)),
    transaction: (writes) => write(() => writes.forEach((each) => apply(connection, each))),
    deleteSession: (id) => write(() => deleteSession(connection, id)),
    bind: (binding, session) => write(() => bind(connection, binding, session)),
    putCall: (record) => write(() => putCall(connection, record)),
    finishCall: (id, outcome) => write(() => finishCall(connection, id, outcome)),
    putValue: (key, named) => write(() => putValue(connection, key, named)),
    async putContent(text) {
      const hash = contentHash(text)
      if (known.has(hash)) return hash
      await write(() => putContent(connection, text, hash))
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
    sessions: async ({ limit = ALL, offset = 0 } = {}) => sessionRows(connection, limit, offset),
    session: async (id) => sessionRow(connection, id),
    bound: async (binding) => bound(connection, binding),
    content: async (hash) => content(connection, hash),
    call: async (id) => call(connection, id),
    calls: async (session, options) => calls(connection, session, options),
    value: async (key) => value(connection, key),
    audit: async (options) => auditRecords(connection, options),
    auditHead: async () => auditHead(connection),

    async close() {
      if (closed) return
      closed = true
      queue.flush()
      connection.close()
    },
  }

  async function write<Result>(run: () => Result): Promise<Result> {
    if (closed) throw new StoreError('closed', `the store ${connection.path} is closed`)
    if (connection.readOnly) {
      throw new StoreError('readonly', `the store ${connection.path} was opened for reading: write through the gateway`)
    }
    return queue.push(run)
  }
}

function apply(connection: Connection, write: Write): void {
  switch (write.type) {
    case 'append':
      append(connection, write.session, write.bodies, write.time)
      return
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
    case 'audit':
      return putAudit(connection, write.facts, write.time)
  }
}
