import { databaseMigrations } from '../../src/session/postgres/schema.ts'

/** Makes the program that is loaded after it a later Foreword, whose tables are what TEST_TABLES names. */
const kinds = (process.env.TEST_TABLES ?? '').split(',')
const today = databaseMigrations.at(-1)
const add = (migration) =>
  databaseMigrations.push({ version: databaseMigrations.at(-1).version + 1, knownTo: today.knownTo, ...migration })

/** What everybody who works on the store reads and writes gets more columns, and a table that grows an index. */
if (kinds.includes('more')) {
  for (const table of ['sessions', 'entries', 'turns', 'calls', 'records', 'files', 'audit', 'gateways'])
    add({ sql: `alter table ${table} add column colour text not null default 'green'` })
  add({
    indexes: { entries_by_colour: 'on entries (colour)' },
    sql: 'create table colours (name text primary key); insert into colours select colour from sessions',
  })
}
/** It takes its time, in which it can be killed. */
if (kinds.includes('slow'))
  add({ sql: 'create table slow (place bigint); insert into slow values (1); select pg_sleep(2)' })
/** Nobody before it can work on what it leaves. */
if (kinds.includes('other'))
  add({ knownTo: databaseMigrations.at(-1).version + 1, sql: 'create table other (place bigint)' })
