import type { StoredSession } from '../append-plan.ts'
import { parseChoices } from '../choices.ts'
import type { SessionFolder } from '../session-filter.ts'
import { labelRow, matchesSession } from '../session-list.ts'
import type { Binding } from '../entry.ts'
import { StoreError } from '../store-error.ts'
import type { SessionRow, SessionsOptions } from '../log-store.ts'
import { all, get, idRange, insertInto, overwriting, type Query, run, type Sql, statement, where } from './sql.ts'
import { deleteOwnedFiles } from './file-table.ts'
import { unfinishedSessions } from './session-parts.ts'

export function* readSessionRow(id: string): Sql<SessionRow | undefined> {
  const row = yield* get(oneSession, { id })
  return row && toSessionRow(row)
}

const ALL = Number.MAX_SAFE_INTEGER

/** Columns are compared by the database, words here: SQLite knows the case of ASCII letters alone. */
export function* readSessionRows({
  limit = ALL,
  offset = 0,
  beginning,
  state,
  pinned,
  folder,
  words,
}: SessionsOptions = {}): Sql<readonly SessionRow[]> {
  const ids = beginning === undefined ? undefined : idRange(beginning)
  const { where: conditions, values } = where({
    'sessions.state = ?': state,
    'sessions.pinned = ?': pinned === undefined ? undefined : Number(pinned),
    'sessions.folder = ?': folder,
    'sessions.id >= ?': ids?.from,
    'sessions.id < ?': ids?.below,
  })
  const order = ids ? 'sessions.id' : 'sessions.updated desc, sessions.id desc'
  const query = `${withBinding} ${conditions || 'where true'} and ${isWhole} order by ${order}`
  if (words === undefined) {
    const page: Query<Row> = { sql: `${query} limit ? offset ?` }
    return (yield* all(page, [...values, limit, offset])).map(toSessionRow)
  }
  const every: Query<Row> = { sql: query }
  const found = (yield* all(every, values)).map(toSessionRow)
  return found.filter((row) => matchesSession(row, { words })).slice(offset, offset + limit)
}

export function* readSessionFolders(): Sql<readonly SessionFolder[]> {
  return (yield* all(folders, {})).map(({ folder, sessions }) => ({ folder, sessions }))
}

/** Deletes a session with everything that belongs to it but the rows of its files, and overwrites its bytes. */
export function* deleteSessionRow(id: string): Sql<void> {
  yield* overwriting(() => run(removeSession, { id }))
}

/** Takes its conversation and the rows of its files from a session, and overwrites their bytes. */
export function* freeSession(id: string): Sql<void> {
  yield* overwriting(function* () {
    yield* deleteOwnedFiles({ type: 'session', id })
    yield* run(freeBindingOf, { session: id })
  })
}

export function* bind(binding: Binding, session: string): Sql<void> {
  if (!(yield* get(sessionState, { id: session }))) {
    throw new StoreError('not-found', `there is no session ${session} to bind a conversation to`)
  }
  yield* run(freeBindings, { ...binding, session })
  yield* run(insertBinding, { ...binding, session })
}

export function* readBinding({ channel, conversation }: Binding): Sql<string | undefined> {
  return (yield* get(boundSession, { channel, conversation }))?.session
}

/** A row of `sessions`, with the digest of its newest entry. */
export type StoredState = StoredSession & { readonly chain: string }

export const sessionState = statement<{ id: string }, StoredState>('select * from sessions where id = :id')

interface Row extends StoredSession {
  readonly channel: string | null
  readonly conversation: string | null
}

function toSessionRow(row: Row): SessionRow {
  const { id, title, channel, conversation, created, updated, turns, entries, model, head } = row
  return {
    id,
    title: title ?? undefined,
    binding: channel === null || conversation === null ? undefined : { channel, conversation },
    created,
    updated,
    turns,
    entries,
    ...(head === null ? {} : { head: head === '' ? null : head }),
    model: model ?? undefined,
    choices: parseChoices(row),
    ...labelRow(row),
  }
}

const withBinding =
  'select sessions.*, channel, conversation from sessions left join bindings on bindings.session = sessions.id'
const isWhole = `sessions.id not in (${unfinishedSessions})`
const oneSession = statement<{ id: string }, Row>(`${withBinding} where sessions.id = :id and ${isWhole}`)
const folders = statement<object, SessionFolder>(
  `select folder, count(*) as sessions from sessions where folder is not null and ${isWhole} group by folder order by folder`,
)
const removeSession = statement<{ id: string }>('delete from sessions where id = :id')

type BindingRow = Binding & { readonly session: string }

const freeBindings = statement<BindingRow>(
  'delete from bindings where session = :session or (channel = :channel and conversation = :conversation)',
)
const freeBindingOf = statement<{ session: string }>('delete from bindings where session = :session')
const insertBinding = statement<BindingRow>(insertInto('bindings', ['channel', 'conversation', 'session']))
const boundSession = statement<Binding, { session: string }>(
  'select session from bindings where channel = :channel and conversation = :conversation',
)
