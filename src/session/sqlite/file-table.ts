import type { FileOwner, FileRow, FileState } from '../file-row.ts'
import { StoreError } from '../store-error.ts'
import type { FilesOptions } from '../store/file-store.ts'
import type { Connection } from './connection.ts'
import { overwriting } from './overwriting.ts'
import { plan, type Slot } from './plan.ts'
import { type Tables, tables } from './tables.ts'

export function putFile(connection: Connection, row: FileRow): void {
  const { id, name, time, owner, mediaType, bytes, hash, state } = row
  if (connection.get(oneFile, { id })) throw new StoreError('conflict', `there is a file ${id} already`)
  connection.run(insertFile, {
    id,
    owner_type: owner.type,
    owner_id: owner.id,
    hash,
    facts: JSON.stringify({ name, time, mediaType, bytes }),
    state: JSON.stringify(state),
    state_type: state.type,
  })
}

export function setFileState(connection: Connection, id: string, state: FileState): void {
  const changed = connection.run(updateState, { id, state: JSON.stringify(state), state_type: state.type })
  if (changed === 0) throw unknown(id)
}

export function setFileOwner(connection: Connection, id: string, owner: FileOwner): void {
  const changed = connection.run(updateOwner, { id, owner_type: owner.type, owner_id: owner.id })
  if (changed === 0) throw unknown(id)
}

function unknown(id: string): StoreError {
  return new StoreError('not-found', `there is no file ${id}: it was removed, or never handed in`)
}

export function file(connection: Connection, id: string): FileRow | undefined {
  const row = connection.get(oneFile, { id })
  return row && fileOf(row)
}

/** In the order in which they were handed in. */
export function files(connection: Connection, { owner, state, hash }: FilesOptions = {}): readonly FileRow[] {
  let query = stored.orderBy('number')
  if (owner) query = query.where('owner_type', '=', owner.type).where('owner_id', '=', owner.id)
  if (state !== undefined) query = query.where('state_type', '=', state)
  if (hash !== undefined) query = query.where('hash', '=', hash)
  return connection.rows(query).map(fileOf)
}

/** Answers whether there was one. */
export function deleteFile(connection: Connection, id: string): boolean {
  return overwriting(connection, () => connection.run(removeFile, { id }) > 0)
}

export function deleteFilesOf(connection: Connection, { type, id }: FileOwner): void {
  connection.run(removeFilesOf, { owner_type: type, owner_id: id })
}

type Row = Omit<Tables['files'], 'number'>

function fileOf({ id, owner_type, owner_id, hash, facts, state }: Row): FileRow {
  const { name, time, mediaType, bytes } = JSON.parse(facts) as Pick<FileRow, 'name' | 'time' | 'mediaType' | 'bytes'>
  const owner = { type: owner_type, id: owner_id } as FileOwner
  return { id, name, time, owner, mediaType, bytes, hash, state: JSON.parse(state) }
}

const stored = tables.selectFrom('files').selectAll()

const oneFile = plan((slot: Slot<Pick<Row, 'id'>>) => stored.where('id', '=', slot('id')))

const insertFile = plan((slot: Slot<Row>) =>
  tables.insertInto('files').values({
    id: slot('id'),
    owner_type: slot('owner_type'),
    owner_id: slot('owner_id'),
    hash: slot('hash'),
    facts: slot('facts'),
    state: slot('state'),
    state_type: slot('state_type'),
  }),
)

const updateState = plan((slot: Slot<Pick<Row, 'id' | 'state' | 'state_type'>>) =>
  tables
    .updateTable('files')
    .set({ state: slot('state'), state_type: slot('state_type') })
    .where('id', '=', slot('id')),
)

const updateOwner = plan((slot: Slot<Pick<Row, 'id' | 'owner_type' | 'owner_id'>>) =>
  tables
    .updateTable('files')
    .set({ owner_type: slot('owner_type'), owner_id: slot('owner_id') })
    .where('id', '=', slot('id')),
)

const removeFile = plan((slot: Slot<Pick<Row, 'id'>>) => tables.deleteFrom('files').where('id', '=', slot('id')))

const removeFilesOf = plan((slot: Slot<Pick<Row, 'owner_type' | 'owner_id'>>) =>
  tables.deleteFrom('files').where('owner_type', '=', slot('owner_type')).where('owner_id', '=', slot('owner_id')),
)
