import { SearchError } from '../search-error.ts'
import type { Connection } from './connection.ts'

/**
 * Number of the tables and of what is written into them: how texts are cut and divided into words. An index of another
 * number is emptied, and whoever owns the documents hands them in again.
 */
const FORMAT = 1
/** Marks the file as ours, so that nothing else is ever emptied. "FwSr" in ASCII. */
const APPLICATION = 0x46775372

/**
 * Makes the tables where they are missing, and makes them anew where another version of Foreword wrote them. Answers
 * whether an older content had to go.
 *
 * @throws SearchError `corrupt` when the file is another program's database; `not-found` when nothing was made in it yet
 * and it may only be read
 */
export function makeTables(connection: Connection): boolean {
  const [application, format] = [numberOf(connection, 'application_id'), numberOf(connection, 'user_version')]
  const used = connection.get('select 1 from sqlite_schema limit 1') !== undefined
  if (used && application !== APPLICATION) {
    throw new SearchError(
      'corrupt',
      `the file ${connection.path} is no search index: move it away, or name another path`,
    )
  }
  if (used && format === FORMAT) return false
  if (connection.readOnly && !used) {
    throw new SearchError('not-found', `nothing was indexed yet in ${connection.path}: start the gateway once`)
  }
  if (connection.readOnly) {
    throw new SearchError(
      'readonly',
      `the search index ${connection.path} was written by another version of Foreword: start the gateway once to build it anew`,
    )
  }
  connection.transaction(() => {
    for (const name of TABLES) connection.execute(`drop table if exists ${name}`)
    connection.execute(`${schema} pragma application_id = ${APPLICATION}; pragma user_version = ${FORMAT};`)
  })
  return used
}

function numberOf(connection: Connection, pragma: string): number {
  return Object.values(connection.get<Record<string, number>>(`pragma ${pragma}`) ?? {})[0] ?? 0
}

const TABLES = ['documents', 'collections', 'pieces', 'chunks', 'words', 'embedders', 'vectors']

/**
 * `documents.number` is of one version of a document: while a new one is `making`, the old one is found; then it is
 * `gone` and cleared away. Numbers of pieces, chunks, words and vectors begin with it (`numbering.ts`). Words are kept
 * without their text, which stands in `pieces` once.
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
