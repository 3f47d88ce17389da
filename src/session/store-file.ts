import { existsSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Clock,
  copySqliteFile,
  findSqliteFileFault,
  querySqliteFile,
  readSqliteFile,
  sqliteFileFault,
} from '../platform.ts'
import type { BudgetLedger } from './budget-ledger.ts'
import type { LedgerPlace } from './copy-budgets.ts'
import type { GatewayRow, LifeSigns } from './gateways.ts'
import type { StoredBytes } from './content.ts'
import { isPostgresAddress } from './postgres/address.ts'
import type { PostgresAddress } from './postgres/client.ts'
import type { DatabaseFacts } from './postgres/examine-database.ts'
import type { PostgresStoreOptions } from './postgres/open-postgres-store.ts'
import type { SessionStore } from './session-store.ts'
import type { SqliteStoreOptions } from './sqlite/connection.ts'
import { openBudgetLedger } from './sqlite/budget-ledger.ts'
import { storeFile } from './store-error.ts'

const FILE = 'foreword.sqlite'

/** Path of the store of a home, by the path of its data folder. */
export function storePath(data: string): string {
  return join(data, FILE)
}

/** Whether a name in the data folder belongs to the store. A backup copies such files only with `snapshotStore`. */
export function isStoreFile(name: string): boolean {
  return name.startsWith(FILE)
}

/** The size of the files of the store of a home, bytes, by the path of its data folder. 0 where there is none. */
export function storeBytes(data: string): number {
  const sizes = ['', '-wal'].map((end) => statSync(`${storePath(data)}${end}`, { throwIfNoEntry: false })?.size ?? 0)
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** How a store is opened. What a database needs besides its address has no effect on a file. */
export interface StoreOptions
  extends SqliteStoreOptions, Omit<PostgresStoreOptions, 'address' | 'clock' | 'readOnly'> {}

/**
 * Opens a store, creates it when missing, and brings its tables up to date. One process writes, any number may read
 * (`readOnly`) at the same time. The code is loaded when it is needed. A path `postgres://USER:PASSWORD@HOST/DATABASE` is the address of a
 * PostgreSQL database, which has the store then.
 *
 * @throws StoreError `newer`, `older`, `corrupt`, `busy`, `readonly`, `not-found` (only when `readOnly`), `io`
 */
export async function openStore(options: StoreOptions): Promise<SessionStore> {
  const { path } = options
  if (isPostgresAddress(path)) {
    const postgres = await import('./postgres/open-postgres-store.ts')
    return postgres.openPostgresStore({ ...options, address: path })
  }
  const sqlite = await import('./sqlite/open-sqlite-store.ts')
  return sqlite.openStoreFile(options)
}

/** Looks at a database that has a store, or may have one. @throws StoreError `io` where it cannot be reached, with a hint */
export async function examineDatabase(at: PostgresAddress, clock: Clock): Promise<DatabaseFacts> {
  const postgres = await import('./postgres/examine-database.ts')
  return postgres.databaseFacts(at, clock)
}

/** Opens the bytes of files of a database store without the store. */
export async function openStoredBytes(
  at: PostgresAddress,
  clock: Clock,
): Promise<StoredBytes & { close(): Promise<void> }> {
  const postgres = await import('./postgres/file-bytes.ts')
  return postgres.openFileBytes(at, clock)
}

/** Removes the store of a home from its database once no process has it. @throws StoreError `claimed`, `io` */
export async function removeDatabaseStore(at: PostgresAddress, clock: Clock): Promise<void> {
  const postgres = await import('./postgres/other-stores.ts')
  return postgres.dropStore(at, clock)
}

/** The processes on a database store; none where there is no such store. @throws StoreError `io` */
export async function readStoreGateways(at: PostgresAddress): Promise<readonly GatewayRow[]> {
  const postgres = await import('./postgres/other-stores.ts')
  return postgres.listGateways(at)
}

/** Signs of life of this process on a database, for all stores that it opens there. */
export async function startLifeSigns(at: PostgresAddress, clock: Clock): Promise<LifeSigns> {
  const postgres = await import('./postgres/signs-of-life.ts')
  return postgres.startSigns(at, clock)
}

/** The first fault of the store, in one sentence; `undefined` where it has none. */
export function findStoreFault(path: string): Promise<string | undefined> {
  return findSqliteFileFault(path, storeFile)
}

interface StoreSnapshot {
  readonly name: string
  /** Its first fault, in one sentence; absent where it has none. */
  readonly fault?: string | undefined
  /** SHA-256 of the bytes of each file in it. */
  readonly fileHashes: readonly string[]
}

/**
 * Writes a consistent snapshot of the store into the folder `target`, while another process may continue to write.
 * Replaces an earlier snapshot there.
 */
export function snapshotStore(path: string, target: string): StoreSnapshot {
  const copy = storePath(target)
  rmSync(copy, { force: true })
  copySqliteFile(path, copy, storeFile)
  const fault = sqliteFileFault(copy, storeFile)
  return { name: FILE, fault, fileHashes: fault === undefined ? fileHashes(copy) : [] }
}

interface CompactedStore {
  readonly contents: number
  readonly characters: number
  /** SHA-256 of the bytes of each file in the store. */
  readonly fileHashes: readonly string[]
}

/**
 * Removes the contents that no entry, call, record, file or other content references, and returns their space to the
 * disk. For the process that holds the home, while nothing else has the store open.
 *
 * @throws StoreError `busy`, `corrupt`, `full`, `io`, `newer`
 */
export async function compactStore(
  path: string,
  clock: Clock,
  onProgress: (text: string) => void,
): Promise<CompactedStore> {
  const { compactStoreFile } = await import('./sqlite/compact-store.ts')
  const removed = await compactStoreFile(path, clock, onProgress)
  return { ...removed, fileHashes: fileHashes(path) }
}

/** The hashes of the files of a store, lowercase hexadecimal, ascending. Empty where it has no table of files. */
function fileHashes(path: string): readonly string[] {
  return readSqliteFile(path, storeFile, (database) => {
    const found = database.prepare("select 1 from sqlite_schema where type = 'table' and name = 'files'").get()
    if (found === undefined) return []
    return database
      .prepare('select distinct hash from files order by hash')
      .all()
      .map(({ hash }) => String(hash))
  })
}

/** A content that a store references by its hash and does not have. */
interface MissingContent {
  /** SHA-256, lowercase hexadecimal. */
  readonly hash: string
  /** One of the places that reference it, such as `call call_1`. */
  readonly place: string
}

/**
 * Contents that a store references and does not have. Texts of people and models are not searched, since they may quote
 * a digest. A content that was removed with the session whose words it contained is not missing.
 *
 * @throws StoreError `busy`, `corrupt`, `io`
 */
export async function findMissingContents(path: string): Promise<readonly MissingContent[]> {
  const rows = await querySqliteFile(path, storeFile, MISSING)
  return rows.map(({ hash, place }) => ({ hash: String(hash), place: String(place) }))
}

/** Selects every place that references a missing content as `sha256:HASH`. */
const MISSING = `
  with named (reference, place) as (
    select part.value, 'call ' || calls.id
      from calls, json_tree(calls.record, '$.input') as part where part.type = 'text'
    union all
    select json_extract(data, '$.stored.content'), 'entry ' || seq || ' of session ' || session
      from entries where type = 'tool-end'
    union all
    select json_extract(file.value, '$.content'), 'entry ' || entries.seq || ' of session ' || entries.session
      from entries, json_each(entries.data, '$.attachments') as file where entries.type = 'input'
    union all
    select json_extract(state, '$.reading.content'), 'file ' || id from files
    union all
    select part.value, 'proposal ' || records.id
      from records, json_tree(records.value, '$.stage') as part
      where records.kind = 'proposal' and part.key in ('before', 'after')
  )
  select substr(reference, 8) as hash, min(place) as place
    from named left join contents on contents.hash = substr(reference, 8)
    where length(reference) = 71 and reference glob 'sha256:*' and contents.hash is null
      and not exists (select 1 from named_values where key = 'content-of/' || substr(reference, 8) and value = '[]')
    group by reference order by reference`

/** Opens the ledger of a home for accounts that others share, beside those that use it, with the first hold. */
export function openSharedLedger(where: () => LedgerPlace | Promise<LedgerPlace>, clock: Clock): BudgetLedger {
  let opening: Promise<BudgetLedger> | undefined

  async function open(): Promise<BudgetLedger> {
    const at = await where()
    if ('file' in at) return openBudgetLedger(at.file)
    const { openSharedTable } = await import('./postgres/shared-ledger.ts')
    return openSharedTable(at, clock)
  }

  const ledger = () => (opening ??= open())

  /** A file that nobody has used is not made to look into it. */
  async function isThere(): Promise<boolean> {
    const at = await where()
    return !('file' in at) || existsSync(at.file)
  }

  return {
    hold: async (hold) => (await ledger()).hold(hold),
    settle: async (id, cost) => (await ledger()).settle(id, cost),
    count: async (account, calls, earlier) => (await ledger()).count(account, calls, earlier),
    release: async (id) => (await ledger()).release(id),
    recover: async (forgetBefore, member) => ((await isThere()) ? (await ledger()).recover(forgetBefore, member) : []),
    state: async (check) => (await ledger()).state(check),
    close: () => void opening?.then((each) => each.close()).catch(() => {}),
  }
}
