import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Clock, syncFolder } from '../../platform.ts'
import type { CopySide, CopyTarget } from '../copy/copy-rows.ts'
import { storedTables } from '../tables/stored-tables.ts'
import { countRows } from '../copy/table-rows.ts'
import { StoreError } from '../store-error.ts'
import type { Sql } from '../tables/sql.ts'
import { refuseOtherVersions } from './migrations.ts'
import { openMigrated } from './open-sqlite-store.ts'

/** The store in a file, brought up to date. No process writes to it until it is ended, and it is as it was then. @throws StoreError */
export function openFileSource(path: string, clock: Clock): CopySide {
  if (!existsSync(path)) throw new StoreError('not-found', `there is no store at ${path}: nothing was copied`)
  refuseOtherVersions(path)
  const connection = openMigrated({ path, clock })
  connection.execute('begin immediate')
  return {
    place: path,
    work: connection.work,
    async end() {
      connection.close()
    },
  }
}

/** A new store in a file. It has another name until it is kept, and takes the place of an empty one. @throws StoreError */
export function openFileTarget(path: string, clock: Clock): CopyTarget {
  if (existsSync(path)) refuseRows(path, clock)
  const unfinished = `${path}.unfinished`
  remove(unfinished)
  const connection = openMigrated({ path: unfinished, clock })
  let isKept = false
  return {
    place: path,
    work: <Result>(work: Sql<Result>) => connection.transaction(() => connection.work(work)),
    async keep() {
      await connection.sync()
      connection.execute('pragma wal_checkpoint(truncate)')
      connection.close()
      const file = openSync(unfinished, 'r+')
      fsyncSync(file)
      closeSync(file)
      remove(path)
      renameSync(unfinished, path)
      isKept = true
      await syncFolder(dirname(path))
    },
    async end() {
      connection.close()
      if (!isKept) remove(unfinished)
    },
  }
}

function refuseRows(path: string, clock: Clock): void {
  refuseOtherVersions(path)
  const connection = openMigrated({ path, clock })
  try {
    if (storedTables.every((table) => connection.work(countRows(table)) === 0)) return
  } finally {
    connection.close()
  }
  throw new StoreError('conflict', `There is a store at ${path} already: nothing was copied.`, {
    hint: 'Move that file away first, with those beside it that end in -wal and -shm.',
  })
}

function remove(path: string): void {
  for (const end of ['', '-wal', '-shm']) rmSync(`${path}${end}`, { force: true })
}
