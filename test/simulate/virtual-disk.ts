import fs from 'node:fs'
import { createRequire, syncBuiltinESMExports } from 'node:module'
import { basename, dirname, resolve } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'

/** What a program asks of the disk. `commit` is one of SQLite, which writes by itself. */
export type DiskOperation = 'open' | 'read' | 'write' | 'sync' | 'rename' | 'remove' | 'look' | 'commit'

/** The disk of one process. */
export interface DiskRules {
  /** Calls `work` when the disk has done what was asked, in whatever order it likes. */
  readonly later: (work: () => void) => void
  /** Calls `work` as soon as other work that is ready has run. */
  readonly soon: (work: () => void) => void
  /** An error of the disk instead of what was asked. */
  readonly fault: (operation: DiskOperation, path: string) => Error | undefined
}

/** What the disk knows of one write-ahead log: what is certainly on it. */
interface SyncedLog {
  readonly salt: string
  readonly bytes: number
}

let rules: DiskRules | undefined
const watchers = new Set<VirtualWatcher>()
const databases = new Set<DatabaseSync>()
const files = new Map<number, string>()
const syncedLogs = new Map<string, SyncedLog>()

/** The functions of Node as they were, for the world itself. */
export const realDisk = { ...fs }
const realPromises = { ...fs.promises }

/**
 * From here on, `node:fs` and `node:sqlite` of this thread are a disk that the story controls. The files are real; when they are
 * ready, in which order, and whether they fail is not. Without rules everything is as it was.
 */
export function useVirtualDisk(next: DiskRules | undefined): void {
  install()
  rules = next
}

/**
 * The process is gone: what it had open is closed, without anything being written. Files have to be copied before that, since SQLite
 * tidies up when it is closed.
 */
export function closeEverything(): void {
  for (const database of databases) {
    try {
      realClose.call(database)
    } catch {
      // It was closed already.
    }
  }
  databases.clear()
  watchers.clear()
  for (const file of files.keys()) {
    try {
      realDisk.closeSync(file)
    } catch {
      // So was this.
    }
  }
  files.clear()
  syncedLogs.clear()
}

/**
 * How much of a write-ahead log a power loss leaves at least, and at most, bytes. A commit is in the log at once, and on the disk when the
 * log was synced; SQLite itself syncs the log before it moves pages into the file.
 */
export function logBounds(path: string): { readonly least: number; readonly most: number } {
  const state = logState(path)
  if (!state) return { least: 0, most: 0 }
  const synced = syncedLogs.get(path)
  return { least: synced?.salt === state.salt ? Math.min(synced.bytes, state.bytes) : 0, most: state.bytes }
}

/** Of the log and its size, as the shared memory beside the file has it: https://sqlite.org/walformat.html, section 2. */
function logState(path: string): SyncedLog | undefined {
  const memory = path.replace(/-wal$/, '-shm')
  if (!realDisk.existsSync(memory)) return undefined
  const header = Buffer.alloc(48)
  const file = realDisk.openSync(memory, 'r')
  realDisk.readSync(file, header, 0, 48, 0)
  realDisk.closeSync(file)
  const word = (at: number) => (LITTLE ? header.readUInt32LE(at) : header.readUInt32BE(at))
  const pageSize = LITTLE ? header.readUInt16LE(14) : header.readUInt16BE(14)
  const frames = word(16)
  return {
    salt: `${word(32)} ${word(36)}`,
    bytes: frames === 0 ? 0 : 32 + frames * (24 + (pageSize === 1 ? 65_536 : pageSize)),
  }
}

const LITTLE = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1

let realClose: () => void = () => {}
let isInstalled = false

function install(): void {
  if (isInstalled) return
  isInstalled = true
  for (const [name, operation] of Object.entries(OPERATIONS)) {
    wrapSync(`${name}Sync`, operation)
    if (name in fs.promises) wrapPromise(name, operation)
  }
  Object.assign(fs.promises, { open: openLater, opendir: openFolderLater })
  Object.assign(fs, { fdatasync: syncLater, fsync: syncLater, createReadStream: () => unsupported('createReadStream') })
  Object.assign(fs, { closeSync: closeNow, watch: watchFolder })
  wrapSqlite()
  syncBuiltinESMExports()
}

function unsupported(name: string): never {
  throw new Error(`The virtual disk has no ${name} yet.`)
}

const OPERATIONS: Readonly<Record<string, DiskOperation>> = {
  access: 'look',
  appendFile: 'write',
  chmod: 'look',
  chown: 'look',
  copyFile: 'write',
  cp: 'write',
  link: 'write',
  lstat: 'look',
  mkdir: 'open',
  mkdtemp: 'open',
  open: 'open',
  readdir: 'look',
  readFile: 'read',
  readlink: 'look',
  realpath: 'look',
  rename: 'rename',
  rm: 'remove',
  rmdir: 'remove',
  stat: 'look',
  statfs: 'look',
  symlink: 'write',
  truncate: 'write',
  unlink: 'remove',
  utimes: 'look',
  write: 'write',
  writeFile: 'write',
  fsync: 'sync',
  fdatasync: 'sync',
}

type AnyFunction = (...values: unknown[]) => unknown

function pathOf(value: unknown): string {
  return typeof value === 'number' ? (files.get(value) ?? '') : String(value)
}

function failing<Result>(operation: DiskOperation, path: string, work: () => Result): Result {
  const error = rules?.fault(operation, path)
  if (error) throw error
  const result = work()
  if (CHANGES.has(operation) && path !== '') tellWatchers(resolve(path))
  return result
}

const CHANGES = new Set<DiskOperation>(['open', 'write', 'rename', 'remove'])

/** The kernel tells those who watch a folder after what they are doing now. Opening counts as a change: it may make a file. */
function tellWatchers(path: string): void {
  for (const watcher of watchers) {
    if (watcher.folder === dirname(path))
      rules?.soon(() => watchers.has(watcher) && watcher.changed('change', basename(path)))
  }
}

type Changed = (event: string, name: string) => void

/** What programs use of a watcher of one folder. */
class VirtualWatcher {
  readonly folder: string
  readonly changed: Changed

  constructor(folder: string, changed: Changed) {
    this.folder = resolve(folder)
    this.changed = changed
    watchers.add(this)
  }

  on(): this {
    return this
  }

  close(): void {
    watchers.delete(this)
  }
}

function watchFolder(folder: string, options: object, changed: Changed): VirtualWatcher | fs.FSWatcher {
  return rules ? new VirtualWatcher(folder, changed) : realDisk.watch(folder, options, changed as () => void)
}

/** As the thread pool of Node does it: the work is done at a moment of its own, and the result comes right then. */
function laterOn<Result>(work: () => Result): Promise<Result> {
  const { later } = rules!
  return new Promise((resolvePromise, reject) => {
    later(() => {
      try {
        resolvePromise(work())
      } catch (error) {
        reject(error)
      }
    })
  })
}

function wrapSync(name: string, operation: DiskOperation): void {
  const real = realDisk[name as 'openSync'] as unknown as AnyFunction | undefined
  if (!real) return
  const wrapped = (...values: unknown[]) => {
    if (!rules) return real(...values)
    // The other programs of this machine are none of the story's.
    if (name === 'readdirSync' && values[0] === '/proc') return []
    const result = failing(operation, pathOf(values[0]), () => real(...values))
    if (name === 'renameSync') tellWatchers(resolve(String(values[1])))
    if (name === 'openSync') files.set(result as number, resolve(String(values[0])))
    return result
  }
  Object.assign(fs, { [name]: Object.assign(wrapped, { native: (real as { native?: unknown }).native }) })
}

function wrapPromise(name: string, operation: DiskOperation): void {
  const real = realPromises[name as 'stat'] as unknown as AnyFunction
  const sync = realDisk[`${name}Sync` as 'statSync'] as unknown as AnyFunction
  Object.assign(fs.promises, {
    [name]: (...values: unknown[]) =>
      rules
        ? laterOn(() => {
            const result = failing(operation, pathOf(values[0]), () => sync(...values))
            if (name === 'rename') tellWatchers(resolve(String(values[1])))
            return result
          })
        : real(...values),
  })
}

function closeNow(file: number): void {
  files.delete(file)
  realDisk.closeSync(file)
}

/** `fdatasync` with a callback: how the store waits for its log. */
function syncLater(file: number, done: (error: Error | null) => void): void {
  if (!rules) return realDisk.fdatasync(file, done)
  const path = files.get(file) ?? ''
  // What is written while the disk works is not part of it.
  const state = path.endsWith('-wal') ? logState(path) : undefined
  rules.later(() => {
    const error = rules?.fault('sync', path)
    if (!error && state) syncedLogs.set(path, state)
    done(error ?? null)
  })
}

async function openLater(path: string, flags?: string, mode?: number): Promise<unknown> {
  if (!rules) return realPromises.open(path, flags, mode)
  const file = await laterOn(() => failing('open', path, () => realDisk.openSync(path, flags ?? 'r', mode)))
  files.set(file, resolve(path))
  return new VirtualFile(file, path)
}

async function openFolderLater(path: string, options?: object): Promise<unknown> {
  if (!rules) return realPromises.opendir(path, options)
  const entries = await laterOn(() =>
    failing('look', path, () => realDisk.readdirSync(path, { ...options, withFileTypes: true })),
  )
  return {
    path,
    async *[Symbol.asyncIterator]() {
      yield* entries
    },
    read: async () => entries.shift() ?? null,
    close: async () => {},
    [Symbol.asyncDispose]: async () => {},
  }
}

/** What programs use of a `FileHandle`. */
class VirtualFile {
  readonly fd: number
  readonly #path: string

  constructor(fd: number, path: string) {
    this.fd = fd
    this.#path = path
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #do<Result>(operation: DiskOperation, work: () => Result): Promise<Result> {
    return laterOn(() => failing(operation, this.#path, work))
  }

  async read(buffer: Uint8Array, ...rest: readonly (number | null)[]) {
    const [offset = 0, length, position = null] = rest
    const bytesRead = await this.#do('read', () =>
      realDisk.readSync(this.fd, buffer, offset ?? 0, length ?? buffer.byteLength - (offset ?? 0), position),
    )
    return { bytesRead, buffer }
  }

  readFile = (options?: BufferEncoding) =>
    this.#do('read', () => (options ? realDisk.readFileSync(this.fd, options) : realDisk.readFileSync(this.fd)))
  write = (data: Uint8Array) =>
    this.#do('write', () => ({ bytesWritten: realDisk.writeSync(this.fd, data), buffer: data }))
  writeFile = (data: string | Uint8Array) => this.#do('write', () => realDisk.writeFileSync(this.fd, data))
  appendFile = (data: string | Uint8Array) => this.#do('write', () => realDisk.appendFileSync(this.fd, data))
  truncate = (length?: number) => this.#do('write', () => realDisk.ftruncateSync(this.fd, length))
  stat = (options?: { bigint: false }) => this.#do('look', () => realDisk.fstatSync(this.fd, options))
  chmod = (mode: number) => this.#do('look', () => realDisk.fchmodSync(this.fd, mode))
  chown = (user: number, group: number) => this.#do('look', () => realDisk.fchownSync(this.fd, user, group))
  sync = () => this.#do('sync', () => {})
  datasync = () => this.#do('sync', () => {})
  close = () => laterOn(() => closeNow(this.fd))
}

/** SQLite's own reads and writes are not visible from here: a fault of one of its writes is a commit that fails and is undone. */
function wrapSqlite(): void {
  const sqlite = createRequire(import.meta.url)('node:sqlite') as { DatabaseSync: typeof DatabaseSync }
  const Real = sqlite.DatabaseSync
  realClose = Real.prototype.close
  class VirtualDatabase extends Real {
    constructor(path: string, options?: object) {
      super(path, options)
      databases.add(this)
    }

    override exec(sql: string): void {
      const error = sql === 'commit' ? rules?.fault('commit', '') : undefined
      if (!error) return super.exec(sql)
      if (this.isTransaction) super.exec('rollback')
      throw error
    }

    override close(): void {
      databases.delete(this)
      super.close()
    }
  }
  sqlite.DatabaseSync = VirtualDatabase
}
