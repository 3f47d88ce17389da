import type { StoredSession } from '../append-plan.ts'
import { parseChoices } from '../choices.ts'
import type { SessionActivity, SessionFolder } from '../session-filter.ts'
import { columnsOf } from './stored-tables.ts'
import { labelRow, wordFinder } from '../session-list.ts'
import type { Binding } from '../entry.ts'
import { StoreError } from '../store-error.ts'
import type { SessionRow, SessionsOptions } from '../log-store.ts'
import {
  all,
  allWith,
  get,
  idRange,
  insertInto,
  overwriting,
  type Query,
  run,
  type Sql,
  type SqlReader,
  statement,
  tuples,
  where,
} from './sql.ts'
import { deleteOwnedFiles } from './file-table.ts'
import { unfinishedSessions } from './session-parts.ts'

export function* readSessionRow(id: string): Sql<SessionRow | undefined> {
  const row = yield* get(oneSession, { id })
  return row && toSessionRow(row)
}

const ALL = Number.MAX_SAFE_INTEGER

/** Columns are compared by the database. */
export function* readSessionRows(options: Omit<SessionsOptions, 'words'> = {}): Sql<readonly SessionRow[]> {
  const { limit = ALL, offset = 0 } = options
  const { found, values } = listOf(options)
  if (offset > 0) {
    // Those before the page are passed in the index alone.
    const page: Query<readonly [id: string]> = { sql: `select id from sessions ${found} offset ?` }
    return yield* readRowsOf((yield* tuples(page, [...values, limit, offset])).map(([id]) => id))
  }
  const page: Query<Row> = { sql: `${withBinding} ${found}` }
  return (yield* all(page, [...values, limit])).map(toSessionRow)
}

/** The conditions and the order of a list, with the values of the conditions. The last value is how many rows it has. */
function listOf({ after, beginning, state, pinned, folder }: Omit<SessionsOptions, 'words' | 'limit' | 'offset'>) {
  const ids = beginning === undefined ? undefined : idRange(beginning)
  const { where: conditions, values } = where({
    '(sessions.updated, sessions.id) < (?, ?)': after && [after.updated, after.id],
    [state === undefined ? '' : ofState[state]]: state && [],
    // As the condition of the index is: a plan for any value could not use that.
    [`sessions.pinned = ${pinned ? 1 : 0}`]: pinned === undefined ? undefined : [],
    // An index of PostgreSQL has the beginning alone.
    'sessions.folder = ? and substr(sessions.folder, 1, 100) = substr(cast(? as text), 1, 100)':
      folder === undefined ? undefined : [folder, folder],
    'sessions.id >= ?': ids?.from,
    'sessions.id < ?': ids?.below,
  })
  const order = ids ? 'sessions.id' : 'sessions.updated desc, sessions.id desc'
  return { found: `${conditions || 'where true'} and ${isWhole} order by ${order} limit ?`, values }
}

/** In the order of the ids. */
function* readRowsOf(ids: readonly string[]): Sql<readonly SessionRow[]> {
  const rows = yield* allWith<Row>((list) => `${withBinding} where sessions.id in ${list} and ${isWhole}`, ids)
  const byId = new Map(rows.map((row) => [row.id, toSessionRow(row)]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

/** Sessions whose titles are looked at in one go, at first and at most: some milliseconds of work. */
const FEW_TITLES = 125
const MOST_TITLES = 2_000

/** Words are looked for here, part by part and newest first: SQLite knows the case of ASCII letters alone. */
export async function findSessions(
  database: SqlReader,
  { words, limit = ALL, offset = 0, ...options }: SessionsOptions,
): Promise<readonly SessionRow[]> {
  const hasWords = words === undefined ? () => true : wordFinder(words)
  const ids: string[] = []
  // Sessions by their ids are few.
  let most = options.beginning === undefined ? FEW_TITLES : ALL
  for (let { after } = options; ids.length < offset + limit; await database.clock.yield()) {
    const { found, values } = listOf({ ...options, after })
    const part = await database.read(tuples(titlesOf(found), [...values, most]))
    for (const [id, , title] of part) if (hasWords(title)) ids.push(id)
    if (part.length < most) break
    const [id, updated] = part.at(-1)!
    after = { id, updated }
    most = Math.min(MOST_TITLES, most * 2)
  }
  return database.read(readRowsOf(ids.slice(offset, offset + limit)))
}

/** A session is read whole once its title has the words. */
const titlesOf = (found: string): Query<readonly [id: string, updated: string, title: string]> => ({
  sql: `select id, updated, coalesce(title, opening, '') from sessions ${found}`,
})

/**
 * The conditions of the states. The database finds those of few sessions by an index with the same condition, and of what works or waits
 * a turn has not ended.
 */
const unended = "sessions.id in (select session from turns where state in ('queued', 'running'))"
const ofState: Readonly<Record<SessionActivity, string>> = {
  new: "sessions.state = 'new'",
  works: `sessions.state = 'works' and ${unended}`,
  waits: `sessions.state = 'waits' and ${unended}`,
  done: "sessions.state = 'done'",
  failed: "sessions.state = 'failed'",
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

export const sessionState = statement<{ id: string }, StoredState>(
  `select ${columnsOf('sessions')} from sessions where id = :id`,
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

const withBinding = `select ${columnsOf('sessions', 'sessions.')}, channel, conversation
  from sessions left join bindings on bindings.session = sessions.id`
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
