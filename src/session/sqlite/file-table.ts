import type { FileOwner, FileRow, FilesOptions, FileState } from '../file-row.ts'
import { StoreError } from '../store-error.ts'
import type { StoreConnection } from './connection.ts'
import { columns, plan, type Parameter, type Tables, tables } from './tables.ts'

export function putFile(connection: StoreConnection, row: FileRow): void {
  const { id, name, time, owner, mediaType, bytes, hash, state } = row
  if (connection.get(oneFile, { id })) throw new StoreError('conflict', `There is a file ${id} already.`)
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

export function setFileState(connection: StoreConnection, id: string, state: FileState): void {
  const changed = connection.run(updateState, { id, state: JSON.stringify(state), state_type: state.type })
  if (changed === 0) throw unknownFile(id)
}

export function setFileOwner(connection: StoreConnection, id: string, owner: FileOwner): void {
  const changed = connection.run(updateOwner, { id, owner_type: owner.type, owner_id: owner.id })
  if (changed === 0) throw unknownFile(id)
}

function unknownFile(id: string): StoreError {
  return new StoreError('not-found', `there is no file ${id}: it was removed, or never uploaded`)
}

export function readFileRow(connection: StoreConnection, id: string): FileRow | undefined {
  const row = connection.get(oneFile, { id })
  return row && toFileRow(row)
}

/** In the order of their uploads. */
export function readFileRows(
  connection: StoreConnection,
  { owner, state, hash }: FilesOptions = {},
): readonly FileRow[] {
  let query = stored.orderBy('number')
  if (owner) query = query.where('owner_type', '=', owner.type).where('owner_id', '=', owner.id)
  if (state !== undefined) query = query.where('state_type', '=', state)
  if (hash !== undefined) query = query.where('hash', '=', hash)
  return connection.rows(query).map(toFileRow)
}

/** Returns whether the file existed. */
export function deleteFile(connection: StoreConnection, id: string): boolean {
  return connection.overwriting(() => connection.run(removeFile, { id }) > 0)
}

export function deleteOwnedFiles(connection: StoreConnection, { type, id }: FileOwner): void {
  connection.run(removeOwnedFiles, { owner_type: type, owner_id: id })
}

type Row = Omit<Tables['files'], 'number'>

function toFileRow({ id, owner_type, owner_id, hash, facts, state }: Row): FileRow {
  const { name, time, mediaType, bytes } = JSON.parse(facts) as Pick<FileRow, 'name' | 'time' | 'mediaType' | 'bytes'>
  const owner = { type: owner_type, id: owner_id } as FileOwner
  return { id, name, time, owner, mediaType, bytes, hash, state: JSON.parse(state) }
}

const stored = tables.selectFrom('files').selectAll()

const oneFile = plan((param: Parameter<Pick<Row, 'id'>>) => stored.where('id', '=', param('id')))

const insertFile = plan((param: Parameter<Row>) =>
  tables
    .insertInto('files')
    .values(columns(param, 'id', 'owner_type', 'owner_id', 'hash', 'facts', 'state', 'state_type')),
)

const updateState = plan((param: Parameter<Pick<Row, 'id' | 'state' | 'state_type'>>) =>
  tables
    .updateTable('files')
    .set({ state: param('state'), state_type: param('state_type') })
    .where('id', '=', param('id')),
)

const updateOwner = plan((param: Parameter<Pick<Row, 'id' | 'owner_type' | 'owner_id'>>) =>
  tables
    .updateTable('files')
    .set({ owner_type: param('owner_type'), owner_id: param('owner_id') })
    .where('id', '=', param('id')),
)

const removeFile = plan((param: Parameter<Pick<Row, 'id'>>) => tables.deleteFrom('files').where('id', '=', param('id')))

const removeOwnedFiles = plan((param: Parameter<Pick<Row, 'owner_type' | 'owner_id'>>) =>
  tables.deleteFrom('files').where('owner_type', '=', param('owner_type')).where('owner_id', '=', param('owner_id')),
)
