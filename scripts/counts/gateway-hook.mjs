// Loaded into a gateway with `--import`: counts what the process does, without a clock. Each message of the parent is answered
// with what was counted since the one before:
//
//   functions   named functions that ran at least once, as the inspector of the process itself reports them
//   modules     files that were loaded since the start of the process
//   disk        SQL statements, commits, writes to files, their bytes, bytes kept, looks at the disk
//
// Nothing of the program is changed: the functions of Node that touch the disk are wrapped before the program loads.
import fs from 'node:fs'
import { Session } from 'node:inspector'
import { registerHooks, syncBuiltinESMExports } from 'node:module'
import { DatabaseSync, StatementSync } from 'node:sqlite'
import { isMainThread } from 'node:worker_threads'

const { openSync, closeSync, readSync } = fs
const session = new Session()
const modules = new Set()
const none = { statements: 0, commits: 0, writes: 0, bytesWritten: 0, looks: 0 }
let disk = { ...none }
let keptBefore = 0
/** Open databases in files, with how far the write-ahead log of each has grown. */
const databases = new Map()
const databaseOf = new WeakMap()

if (isMainThread && process.send) {
  registerHooks({
    load(url, context, next) {
      if (url.startsWith('file:')) modules.add(url)
      return next(url, context)
    },
  })
  wrapFiles()
  wrapSqlite()
  session.connect()
  session.post('Profiler.enable')
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  process.on('message', answer)
  process.channel.unref()
}

function answer() {
  const kept = keptBytes()
  const counted = { ...disk, bytesKept: kept - keptBefore }
  disk = { ...none }
  keptBefore = kept
  session.post('Profiler.takePreciseCoverage', (_, { result }) =>
    process.send({ functions: result.flatMap(functionsOf), modules: [...modules], disk: counted }),
  )
}

function functionsOf({ url, functions }) {
  if (!url.startsWith('file:') || url.includes('/node_modules/')) return []
  return functions
    .filter(({ functionName, ranges }) => functionName !== '' && ranges[0].count > 0)
    .map(({ functionName, ranges }) => ({ url, name: functionName, start: ranges[0].startOffset }))
}

function wrapFiles() {
  const looks = ['access', 'exists', 'stat', 'lstat', 'open', 'opendir', 'readdir', 'readFile', 'readlink', 'realpath']
  const writes = ['appendFile', 'copyFile', 'mkdir', 'rename', 'rm', 'unlink', 'write', 'writeFile', 'writev']
  for (const [names, count] of [
    [looks, () => (disk.looks += 1)],
    [writes, countWrite],
  ]) {
    for (const name of names) {
      wrap(fs, name, count)
      wrap(fs, `${name}Sync`, count)
      wrap(fs.promises, name, count)
    }
  }
  syncBuiltinESMExports()
  const open = fs.promises.open
  fs.promises.open = async function (...values) {
    const file = await open.apply(this, values)
    const prototype = Object.getPrototypeOf(file)
    if (!Object.hasOwn(prototype, WRAPPED)) {
      prototype[WRAPPED] = true
      for (const name of ['appendFile', 'write', 'writeFile', 'writev']) wrap(prototype, name, countHandleWrite)
    }
    return file
  }
  syncBuiltinESMExports()
}

const WRAPPED = Symbol('wrapped')
/** A function of `node:fs` that calls another one is one act. */
let within = false

function wrap(owner, name, count) {
  const original = owner[name]
  if (typeof original !== 'function') return
  const counting = function (...values) {
    if (within) return original.apply(this, values)
    count(...values)
    within = true
    try {
      return original.apply(this, values)
    } finally {
      within = false
    }
  }
  // `realpath.native` and the symbol of `promisify` stay.
  for (const key of Reflect.ownKeys(original)) {
    if (!['length', 'name', 'prototype'].includes(key)) {
      Object.defineProperty(counting, key, Object.getOwnPropertyDescriptor(original, key))
    }
  }
  owner[name] = counting
}

function countWrite(_, data) {
  countHandleWrite(data)
}

function countHandleWrite(data) {
  disk.writes += 1
  if (typeof data === 'string') disk.bytesWritten += Buffer.byteLength(data)
  else if (ArrayBuffer.isView(data)) disk.bytesWritten += data.byteLength
}

function wrapSqlite() {
  for (const name of ['run', 'get', 'all', 'iterate']) {
    const original = StatementSync.prototype[name]
    StatementSync.prototype[name] = function (...values) {
      disk.statements += 1
      const result = original.apply(this, values)
      countPages(databaseOf.get(this))
      return result
    }
  }
  const { prepare, exec, close } = DatabaseSync.prototype
  DatabaseSync.prototype.prepare = function (...values) {
    const statement = prepare.apply(this, values)
    databaseOf.set(statement, this)
    return statement
  }
  DatabaseSync.prototype.exec = function (sql) {
    disk.statements += sql.split(';').filter((part) => part.trim() !== '').length
    exec.call(this, sql)
    countPages(this)
  }
  DatabaseSync.prototype.close = function () {
    const log = databases.get(this)
    if (log?.file !== undefined) closeSync(log.file)
    databases.delete(this)
    close.call(this)
  }
}

/** The header of a page in the write-ahead log, and the page itself: SQLite writes each with a call of its own. */
const PAGE_HEADER_BYTES = 24
const PAGE_BYTES = 4_096

/**
 * Counts the pages that a commit has appended to the write-ahead log. The index of the log, a file beside it, holds their number
 * and two numbers that change whenever the log starts over: https://sqlite.org/walformat.html.
 */
function countPages(database) {
  if (database === undefined || !database.isOpen || database.isTransaction) return
  const log = databases.get(database) ?? { file: indexOf(database), pages: 0, salts: '' }
  databases.set(database, log)
  log.file ??= indexOf(database)
  if (log.file === undefined) return
  const header = Buffer.alloc(40)
  readSync(log.file, header, 0, header.length, 0)
  const pages = header.readUInt32LE(16)
  const salts = header.toString('hex', 32, 40)
  const more = salts === log.salts ? pages - log.pages : pages
  if (more > 0) {
    disk.commits += 1
    disk.writes += 2 * more
    disk.bytesWritten += more * (PAGE_HEADER_BYTES + PAGE_BYTES)
  }
  log.pages = pages
  log.salts = salts
}

function indexOf(database) {
  const path = database.location()
  if (!path) return undefined
  try {
    return openSync(`${path}-shm`, 'r')
  } catch {
    return undefined
  }
}

function keptBytes() {
  const kept = { ...disk }
  const sizes = [...databases.keys()].map((database) => {
    const pragma = (name) => database.prepare(`pragma ${name}`).get()[name]
    return (pragma('page_count') - pragma('freelist_count')) * pragma('page_size')
  })
  disk = kept
  return sizes.reduce((sum, size) => sum + size, 0)
}
