import type { SqliteConnection } from '../../platform.ts'
import { SearchError } from '../search-error.ts'

/** Raised when tables, tokens or stems change: an index of another version is emptied and filled again. */
const FORMAT = 2
/** Marks the file as ours. "FwHi" in ASCII. */
const APPLICATION = 0x46774869

/**
 * Creates missing tables. Creates them again if another version of Foreword wrote them, or if another version of Unicode
 * divides words: removing a text needs the same division as indexing it.
 *
 * @throws SearchError `corrupt` if the file is another program's database
 */
export function createRecallTables(connection: SqliteConnection): void {
  const version = `${FORMAT} ${process.versions.icu}`
  const used = connection.get('select 1 from sqlite_schema limit 1') !== undefined
  const { application_id: application } = connection.get<{ application_id: number }>('pragma application_id')!
  if (used && application !== APPLICATION) {
    throw new SearchError(
      'corrupt',
      `the file ${connection.path} is not a history index: move it away, and it is built again`,
    )
  }
  if (used && readVersion(connection) === version) return
  connection.transaction(() => {
    if (used && readVersion(connection) === version) return
    for (const name of [...shardTables(connection), ...TABLES]) connection.execute(`drop table if exists ${name}`)
    connection.execute(`${schema} pragma application_id = ${APPLICATION};`)
    connection.run('insert into version (version) values (?)', version)
  })
}

function readVersion(connection: SqliteConnection): string | undefined {
  return connection.get<{ readonly version: string }>('select version from version')?.version
}

/**
 * Creates the missing tables of a shard: the stems of each passage without positions, and with `secure-delete`, so that
 * removed stems are overwritten. `mergeSome` merges segments: FTS5 itself would merge many of them with one of the commits.
 */
export function makeShard(connection: SqliteConnection, shard: number): void {
  if (connection.get('select 1 from sqlite_schema where name = ?', wordsTable(shard)) !== undefined) return
  connection.execute(`
    create virtual table ${wordsTable(shard)} using fts5(
      stems, content = '', columnsize = 0, detail = none,
      tokenize = "unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'"
    );
    insert into ${wordsTable(shard)} (${wordsTable(shard)}, rank) values ('secure-delete', 1), ('automerge', 0);
    create virtual table ${vocabularyTable(shard)} using fts5vocab(${wordsTable(shard)}, row);
  `)
}

/** Table with the stems of a shard's passages. */
export function wordsTable(shard: number): string {
  return `words_${shard}`
}

/** Table with the distinct stems of a shard. */
export function vocabularyTable(shard: number): string {
  return `vocabulary_${shard}`
}

function shardTables(connection: SqliteConnection): readonly string[] {
  return connection
    .all<{ readonly name: string }>(
      `select name from sqlite_schema where sql like 'create virtual table%' order by name like 'words%', name`,
    )
    .map(({ name }) => name)
}

const TABLES = ['version', 'sessions', 'languages', 'passages']

/**
 * The number of a passage begins with the number of its session (`scope.ts`), so that the neighbours of a passage have the
 * numbers beside it. Stems are divided into shards of whole sessions, because FTS5 reads all rows of a word up to the
 * requested ones, even for a few sessions.
 */
const schema = `
  create table version (version text not null);
  create table sessions (
    number integer primary key autoincrement,
    id text not null unique,
    conversation text,
    created text not null,
    up_to integer not null,
    mark text not null,
    next integer not null,
    shard integer not null,
    leaving integer not null default 0
  );
  create index sessions_conversation on sessions (conversation, created);
  create index sessions_shard on sessions (shard, next);
  create table languages (name text primary key) without rowid;
  create table passages (
    number integer primary key,
    turn text not null,
    ordinal integer not null,
    seq integer not null,
    time text not null,
    kind text not null,
    role text not null,
    start integer not null,
    length integer not null,
    text text not null,
    language text not null,
    call text
  );
`

/** Passage numbers of a session, with free numbers at both ends for the neighbours of the outermost passages. */
export const PER_SESSION = 2 ** 22
/** Number of neighbours on each side of a passage that count. */
export const REACH = 2

/** The number of a session's passage. `index` begins with 0. */
export function passageNumber(session: number, index: number): number {
  return session * PER_SESSION + REACH + index
}

/** The most passages of one session. */
export const MOST_PASSAGES = PER_SESSION - 2 * REACH

/** Numbers from `first` to `last`, both included. */
export interface NumberRange {
  readonly first: number
  readonly last: number
}

export function sessionRange(session: number): NumberRange {
  return { first: session * PER_SESSION, last: (session + 1) * PER_SESSION - 1 }
}
