import type { StoredSession } from '../append-plan.ts'
import { choicesOf } from '../choices.ts'
import type { Binding } from '../entry.ts'
import { StoreError } from '../store-error.ts'
import type { SessionRow } from '../store/log-store.ts'
import type { Connection } from './connection.ts'
import { deleteFilesOf } from './file-table.ts'
import { type IdRange, idRange } from './id-range.ts'
import { overwriting } from './overwriting.ts'
import { plan, type Slot } from './plan.ts'
import { tables } from './tables.ts'

export function sessionRow(connection: Connection, id: string): SessionRow | undefined {
  const row = connection.get(oneSession, { id })
  return row && rowOf(row)
}

export function sessionRows(
  connection: Connection,
  limit: number,
  offset: number,
  beginning?: string,
): readonly SessionRow[] {
  if (beginning === undefined) return connection.all(newestSessions, { limit, offset }).map(rowOf)
  return connection.all(sessionsBeginning, { ...idRange(beginning), limit, offset }).map(rowOf)
}

/** Answers whether there was one. What hangs on it goes with it, and its bytes are overwritten, not only given free. */
export function deleteSession(connection: Connection, id: string): boolean {
  return overwriting(connection, () => {
    deleteFilesOf(connection, { type: 'session', id })
    return connection.run(removeSession, { id }) > 0
  })
}

export function bind(connection: Connection, binding: Binding, session: string): void {
  if (!connection.get(sessionState, { id: session })) {
    throw new StoreError('not-found', `there is no session ${session} to bind a conversation to`)
  }
  connection.run(freeBindings, { ...binding, session })
  connection.run(insertBinding, { ...binding, session })
}

export function bound(connection: Connection, { channel, conversation }: Binding): string | undefined {
  return connection.get(boundSession, { channel, conversation })?.session
}

export const sessionState = plan((slot: Slot<{ id: string }>) =>
  tables.selectFrom('sessions').selectAll().where('id', '=', slot('id')).$castTo<StoredSession>(),
)

interface Row extends StoredSession {
  readonly channel: string | null
  readonly conversation: string | null
}

function rowOf(row: Row): SessionRow {
  const { id, title, channel, conversation, created, updated, turns, entries, model } = row
  return {
    id,
    title: title ?? undefined,
    binding: channel === null || conversation === null ? undefined : { channel, conversation },
    created,
    updated,
    turns,
    entries,
    model: model ?? undefined,
    choices: choicesOf(row),
  }
}

const withBinding = tables
  .selectFrom('sessions')
  .leftJoin('bindings', 'bindings.session', 'sessions.id')
  .selectAll('sessions')
  .select(['bindings.channel', 'bindings.conversation'])
  .$castTo<Row>()

const oneSession = plan((slot: Slot<{ id: string }>) => withBinding.where('sessions.id', '=', slot('id')))

const newestSessions = plan((slot: Slot<{ limit: number; offset: number }>) =>
  withBinding
    .orderBy('sessions.updated', 'desc')
    .orderBy('sessions.id', 'desc')
    .limit(slot('limit'))
    .offset(slot('offset')),
)

const sessionsBeginning = plan((slot: Slot<IdRange & { limit: number; offset: number }>) =>
  withBinding
    .where('sessions.id', '>=', slot('from'))
    .where('sessions.id', '<', slot('below'))
    .orderBy('sessions.id')
    .limit(slot('limit'))
    .offset(slot('offset')),
)

const removeSession = plan((slot: Slot<{ id: string }>) => tables.deleteFrom('sessions').where('id', '=', slot('id')))

type BindingRow = Binding & { readonly session: string }

const freeBindings = plan((slot: Slot<BindingRow>) =>
  tables
    .deleteFrom('bindings')
    .where((row) =>
      row.or([
        row('session', '=', slot('session')),
        row.and({ channel: slot('channel'), conversation: slot('conversation') }),
      ]),
    ),
)

const insertBinding = plan((slot: Slot<BindingRow>) =>
  tables.insertInto('bindings').values({
    channel: slot('channel'),
    conversation: slot('conversation'),
    session: slot('session'),
  }),
)

const boundSession = plan((slot: Slot<Binding>) =>
  tables
    .selectFrom('bindings')
    .select('session')
    .where('channel', '=', slot('channel'))
    .where('conversation', '=', slot('conversation')),
)
