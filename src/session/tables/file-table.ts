import { columnsOf } from './stored-tables.ts'
import type { FileOwner, FileRow, FilesOptions, FileState, FileTotals } from '../file-row.ts'
import { StoreError } from '../store-error.ts'
import { all, get, insertInto, overwriting, type Query, run, type Sql, statement, where } from './sql.ts'

const COLUMNS = columnsOf('files')

export function* putFile(row: FileRow): Sql<void> {
  const { id, name, time, owner, mediaType, bytes, hash, state } = row
  if (yield* get(oneFile, { id })) throw new StoreError('conflict', `There is a file ${id} already.`)
  yield* run(insertFile, {
    id,
    owner_type: owner.type,
    owner_id: owner.id,
    hash,
    facts: JSON.stringify({ name, time, mediaType, bytes }),
    state: JSON.stringify(state),
    state_type: state.type,
  })
}

export function* setFileState(id: string, state: FileState): Sql<void> {
  const changed = yield* run(updateState, { id, state: JSON.stringify(state), state_type: state.type })
  if (changed === 0) throw unknownFile(id)
}

export function* setFileOwner(id: string, owner: FileOwner): Sql<void> {
  const changed = yield* run(updateOwner, { id, owner_type: owner.type, owner_id: owner.id })
  if (changed === 0) throw unknownFile(id)
}

function unknownFile(id: string): StoreError {
  return new StoreError('not-found', `there is no file ${id}: it was removed, or never uploaded`)
}

export function* readFileRow(id: string): Sql<FileRow | undefined> {
  const row = yield* get(oneFile, { id })
  return row && toFileRow(row)
}

/** In the order of their uploads. */
export function* readFileRows({ owner, state, hash }: FilesOptions = {}): Sql<readonly FileRow[]> {
  const { where: conditions, values } = where({
    'owner_type = ?': owner?.type,
    'owner_id = ?': owner?.id,
    'state_type = ?': state,
    'hash = ?': hash,
  })
  const query: Query<Row> = { sql: `select ${COLUMNS} from files ${conditions} order by number` }
  return (yield* all(query, values)).map(toFileRow)
}

export function* sumFiles(): Sql<FileTotals> {
  const rows = yield* all(everyFile, {})
  return { files: rows.length, bytes: rows.reduce((sum, { facts }) => sum + (JSON.parse(facts) as FileRow).bytes, 0) }
}

export function* deleteFile(id: string): Sql<boolean> {
  return (yield* overwriting(() => run(removeFile, { id }))) > 0
}

export function* deleteOwnedFiles({ type, id }: FileOwner): Sql<void> {
  yield* run(removeOwnedFiles, { owner_type: type, owner_id: id })
}

interface Row {
  readonly id: string
  readonly owner_type: string
  readonly owner_id: string
  readonly hash: string
  /** What never changes besides the hash, JSON: a column cannot store every file name. */
  readonly facts: string
  readonly state: string
  /** Repeats the type in `state`, for filters. */
  readonly state_type: string
}

function toFileRow({ id, owner_type, owner_id, hash, facts, state }: Row): FileRow {
  const { name, time, mediaType, bytes } = JSON.parse(facts) as Pick<FileRow, 'name' | 'time' | 'mediaType' | 'bytes'>
  const owner = { type: owner_type, id: owner_id } as FileOwner
  return { id, name, time, owner, mediaType, bytes, hash, state: JSON.parse(state) }
}

const everyFile = statement<object, Pick<Row, 'facts'>>('select facts from files')
const oneFile = statement<Pick<Row, 'id'>, Row>(`select ${COLUMNS} from files where id = :id`)
const insertFile = statement<Row>(
  insertInto('files', ['id', 'owner_type', 'owner_id', 'hash', 'facts', 'state', 'state_type']),
)
const updateState = statement<Pick<Row, 'id' | 'state' | 'state_type'>>(
  'update files set state = :state, state_type = :state_type where id = :id',
)
const updateOwner = statement<Pick<Row, 'id' | 'owner_type' | 'owner_id'>>(
  'update files set owner_type = :owner_type, owner_id = :owner_id where id = :id',
)
const removeFile = statement<Pick<Row, 'id'>>('delete from files where id = :id')
const removeOwnedFiles = statement<Pick<Row, 'owner_type' | 'owner_id'>>(
  'delete from files where owner_type = :owner_type and owner_id = :owner_id',
)
