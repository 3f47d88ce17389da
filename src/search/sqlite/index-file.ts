import {
  compactSqliteFile,
  copySqliteFile,
  openSqlite,
  type SqliteConnection,
  type SqliteFileKind,
  type SqliteOptions,
} from '../../platform.ts'
import { SearchError } from '../search-error.ts'

const indexFile: SqliteFileKind = {
  noun: 'search index',
  repair: 'delete the file, and it is built again',
  error: (code, message, options) => new SearchError(code, message, options),
}

/**
 * Copies a consistent state of an index while another process writes to it.
 *
 * @throws SearchError
 */
export function copySearchIndex(path: string, target: string): void {
  copySqliteFile(path, target, indexFile)
}

/**
 * Returns the free space of an index to the disk. Nothing else may have it open.
 *
 * @throws SearchError
 */
export function compactSearchIndex(path: string): void {
  compactSqliteFile(path, indexFile)
}

/** @throws SearchError */
export function openIndexFile(options: Omit<SqliteOptions, 'kind' | 'settings'>): SqliteConnection {
  const { path, readOnly, busyTimeoutMs, durable } = options
  return openSqlite({ path, readOnly, busyTimeoutMs, durable, kind: indexFile })
}

/**
 * Version of the tables and of their content: how texts are cut and divided into words. An index of another version is
 * emptied, and the owner of the documents indexes them again.
 */
const FORMAT = 1
/** Identifies the file, so that no other database is ever emptied. "FwSr" in ASCII. */
const APPLICATION = 0x46775372

/**
 * Creates missing tables, and creates them again if another version of Foreword wrote them. Returns whether earlier content
 * was removed.
 *
 * @throws SearchError `corrupt` if the file is another program's database; `not-found` if it is empty and open for reading
 * only
 */
export function createSearchTables(connection: SqliteConnection): boolean {
  const [application, format] = [readPragma(connection, 'application_id'), readPragma(connection, 'user_version')]
  const used = connection.get('select 1 from sqlite_schema limit 1') !== undefined
  if (used && application !== APPLICATION) {
    throw new SearchError(
      'corrupt',
      `the file ${connection.path} is not a search index: move it away, or name another path`,
    )
  }
  if (used && format === FORMAT) return false
  if (connection.readOnly && !used) {
    throw new SearchError('not-found', `the search index ${connection.path} is empty: start the gateway once`)
  }
  if (connection.readOnly) {
    throw new SearchError(
      'readonly',
      `the search index ${connection.path} was written by another version of Foreword: start the gateway once to build it again`,
    )
  }
  connection.transaction(() => {
    for (const name of TABLES) connection.execute(`drop table if exists ${name}`)
    connection.execute(`${schema} pragma application_id = ${APPLICATION}; pragma user_version = ${FORMAT};`)
  })
  return used
}

function readPragma(connection: SqliteConnection, pragma: string): number {
  return Object.values(connection.get<Record<string, number>>(`pragma ${pragma}`) ?? {})[0] ?? 0
}

const TABLES = ['documents', 'collections', 'pieces', 'chunks', 'words', 'embedders', 'vectors']

/**
 * `documents.number` belongs to one version of a document: while a new one is `making`, the old one is found; then it is
 * `gone` and removed. Numbers of pieces, chunks, words and vectors begin with it (`chunk-table.ts`). Words are stored
 * without their text, which is in `pieces` once.
 *
 * Vowel signs (Mn, Mc) belong to words: without them Thai and Hindi would fall apart into letters.
 */
const schema = `
  create table documents (
    number integer primary key autoincrement,
    id text not null,
    digest text not null,
    title text not null,
    url text,
    updated text,
    length integer not null,
    chunks integer not null,
    state text not null,
    embedder integer
  );
  create index documents_id on documents (id, state);
  create unique index documents_ready on documents (id) where state = 'ready';
  create table collections (
    document text not null,
    collection text not null,
    primary key (collection, document)
  ) without rowid;
  create index collections_document on collections (document);
  create table pieces (number integer primary key, start integer not null, text text not null);
  create table chunks (
    number integer primary key,
    start integer not null,
    "end" integer not null,
    page integer,
    line integer not null,
    headings text not null
  );
  create virtual table words using fts5(
    title, headings, body,
    content = '', contentless_delete = 1,
    tokenize = "porter unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'"
  );
  create table embedders (
    number integer primary key,
    id text not null unique,
    dimensions integer
  );
  create table vectors (number integer primary key, embedder integer not null, vector blob not null);
`
