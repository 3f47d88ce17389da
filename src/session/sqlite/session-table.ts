import type { StoredSession } from '../append-plan.ts'
import { parseChoices } from '../choices.ts'
import type { SessionFilter, SessionFolder } from '../session-filter.ts'
import { labelRow, matchesSession } from '../session-list.ts'
import type { Binding } from '../entry.ts'
import { StoreError } from '../store-error.ts'
import type { SessionRow, SessionsOptions } from '../log-store.ts'
import type { StoreConnection } from './connection.ts'
import { deleteOwnedFiles } from './file-table.ts'
import { columns, type IdRange, idRange, plan, type Parameter, tables } from './tables.ts'

export function readSessionRow(connection: StoreConnection, id: string): SessionRow | undefined {
  const row = connection.get(oneSession, { id })
  return row && toSessionRow(row)
}

const ALL = Number.MAX_SAFE_INTEGER

export function readSessionRows(
  connection: StoreConnection,
  { limit = ALL, offset = 0, beginning, ...filter }: SessionsOptions = {},
): readonly SessionRow[] {
  if (Object.values(filter).some((value) => value !== undefined)) {
    return readMatchingRows(connection, { limit, offset, beginning }, filter)
  }
  if (beginning === undefined) return connection.all(newestSessions, { limit, offset }).map(toSessionRow)
  return connection.all(sessionsBeginning, { ...idRange(beginning), limit, offset }).map(toSessionRow)
}

/** Columns are compared by the database, words here: SQLite knows the case of ASCII letters alone. */
function readMatchingRows(
  connection: StoreConnection,
  { limit, offset, beginning }: { limit: number; offset: number; beginning: string | undefined },
  filter: SessionFilter,
): readonly SessionRow[] {
  const { state, pinned, folder, words } = filter
  let query = withBinding
  if (state !== undefined) query = query.where('sessions.state', '=', state)
  if (pinned !== undefined) query = query.where('sessions.pinned', '=', pinned ? 1 : 0)
  if (folder !== undefined) query = query.where('sessions.folder', '=', folder)
  if (beginning === undefined) {
    query = query.orderBy('sessions.updated', 'desc').orderBy('sessions.id', 'desc')
  } else {
    const { from, below } = idRange(beginning)
    query = query.where('sessions.id', '>=', from).where('sessions.id', '<', below).orderBy('sessions.id')
  }
  if (words === undefined) return connection.rows(query.limit(limit).offset(offset)).map(toSessionRow)
  const found = connection.rows(query).map(toSessionRow)
  return found.filter((row) => matchesSession(row, { words })).slice(offset, offset + limit)
}

export function readSessionFolders(connection: StoreConnection): readonly SessionFolder[] {
  return connection.all(folders, {}).map(({ folder, sessions }) => ({ folder, sessions }))
}

/** Deletes a session with everything that belongs to it, and overwrites its bytes. Returns whether it existed. */
export function deleteSessionRow(connection: StoreConnection, id: string): boolean {
  return connection.overwriting(() => {
    deleteOwnedFiles(connection, { type: 'session', id })
    return connection.run(removeSession, { id }) > 0
  })
}

export function bind(connection: StoreConnection, binding: Binding, session: string): void {
  if (!connection.get(sessionState, { id: session })) {
    throw new StoreError('not-found', `there is no session ${session} to bind a conversation to`)
  }
  connection.run(freeBindings, { ...binding, session })
  connection.run(insertBinding, { ...binding, session })
}

export function readBinding(connection: StoreConnection, { channel, conversation }: Binding): string | undefined {
  return connection.get(boundSession, { channel, conversation })?.session
}

export const sessionState = plan((param: Parameter<{ id: string }>) =>
  tables.selectFrom('sessions').selectAll().where('id', '=', param('id')).$castTo<StoredSession>(),
)

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

const withBinding = tables
  .selectFrom('sessions')
  .leftJoin('bindings', 'bindings.session', 'sessions.id')
  .selectAll('sessions')
  .select(['bindings.channel', 'bindings.conversation'])
  .$castTo<Row>()

const oneSession = plan((param: Parameter<{ id: string }>) => withBinding.where('sessions.id', '=', param('id')))

const newestSessions = plan((param: Parameter<{ limit: number; offset: number }>) =>
  withBinding
    .orderBy('sessions.updated', 'desc')
    .orderBy('sessions.id', 'desc')
    .limit(param('limit'))
    .offset(param('offset')),
)

const sessionsBeginning = plan((param: Parameter<IdRange & { limit: number; offset: number }>) =>
  withBinding
    .where('sessions.id', '>=', param('from'))
    .where('sessions.id', '<', param('below'))
    .orderBy('sessions.id')
    .limit(param('limit'))
    .offset(param('offset')),
)

const folders = plan((_param: Parameter<object>) =>
  tables
    .selectFrom('sessions')
    .select((row) => ['folder', row.fn.countAll<number>().as('sessions')])
    .where('folder', 'is not', null)
    .groupBy('folder')
    .orderBy('folder')
    .$castTo<SessionFolder>(),
)

const removeSession = plan((param: Parameter<{ id: string }>) =>
  tables.deleteFrom('sessions').where('id', '=', param('id')),
)

type BindingRow = Binding & { readonly session: string }

const freeBindings = plan((param: Parameter<BindingRow>) =>
  tables
    .deleteFrom('bindings')
    .where((row) =>
      row.or([
        row('session', '=', param('session')),
        row.and({ channel: param('channel'), conversation: param('conversation') }),
      ]),
    ),
)

const insertBinding = plan((param: Parameter<BindingRow>) =>
  tables.insertInto('bindings').values(columns(param, 'channel', 'conversation', 'session')),
)

const boundSession = plan((param: Parameter<Binding>) =>
  tables
    .selectFrom('bindings')
    .select('session')
    .where('channel', '=', param('channel'))
    .where('conversation', '=', param('conversation')),
)
