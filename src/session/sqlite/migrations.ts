import { type Compilable, sql } from 'kysely'
import { formerChoiceTypes } from '../choices.ts'
import { StoreError } from '../store-error.ts'
import type { StoreConnection } from './connection.ts'
import { fillSums } from './fill-sums.ts'
import { tables } from './tables.ts'

/** One step from a version of the tables to the next. A released step never changes. */
export interface Migration {
  readonly version: number
  readonly steps: readonly Compilable[]
  readonly fill?: Fill
}

/** Fills new tables from old ones. It may take long, so it is done in parts and continued where it was interrupted. */
export interface Fill {
  /** In the transaction of the steps: from now on it is pending. */
  begin(connection: StoreConnection): void
  isPending(connection: StoreConnection): boolean
  /** Does what is pending. `onProgress` gets a line for people. */
  run(connection: StoreConnection, onProgress: (text: string) => void): Promise<void>
}

/**
 * Brings the tables to the latest version, one transaction for each step, so that an interrupted migration continues at
 * the next start. Two processes may do so at once: the second finds the work done. A store whose tables are not filled yet
 * is not up to date, and an older Foreword cannot open it any more.
 *
 * @throws StoreError `newer` when a later Foreword wrote the store, `older` when it may only be read and is not up to date
 */
export async function migrate(
  connection: StoreConnection,
  migrations: readonly Migration[] = allMigrations,
  onProgress: (text: string) => void = () => {},
): Promise<void> {
  const latest = migrations.at(-1)!.version
  const found = readVersion(connection)
  if (found === latest && !migrations.some(({ fill }) => fill?.isPending(connection))) return
  const { path, readOnly } = connection
  if (found > latest) {
    throw new StoreError(
      'newer',
      `the store ${path} was written by a newer Foreword (its tables have version ${found}, this one knows ${latest}): update Foreword`,
    )
  }
  if (readOnly) {
    throw new StoreError(
      'older',
      `the store ${path} was written by an older Foreword (its tables have version ${found}, this one needs ${latest}): start the gateway once to bring it up to date`,
    )
  }
  for (const migration of migrations) {
    connection.transaction(() => {
      if (readVersion(connection) >= migration.version) return
      for (const step of migration.steps) connection.execute(step.compile().sql)
      migration.fill?.begin(connection)
      connection.rows(tables.deleteFrom('schema_version'))
      connection.rows(tables.insertInto('schema_version').values({ version: migration.version }))
    })
  }
  // What fills a table writes it as the latest version has it.
  for (const { fill } of migrations) {
    // oxlint-disable-next-line no-await-in-loop -- one version after the other
    await fill?.run(connection, onProgress)
  }
}

function readVersion(connection: StoreConnection): number {
  if (connection.rows(anyTables).length === 0) return 0
  return connection.rows(tables.selectFrom('schema_version').select('version'))[0]?.version ?? 0
}

const anyTables = {
  compile: () => sql`select 1 from sqlite_schema where name = 'schema_version'`.compile(tables),
}

const { schema } = tables

/** One line for each input, so these indexes cost little. A message touches none of them. */
const turnIndexes: readonly Compilable[] = [
  schema.createIndex('turns_turn').on('turns').columns(['session', 'turn']).unique(),
  schema
    .createIndex('turns_idempotency_key')
    .on('turns')
    .columns(['session', 'idempotency_key'])
    .unique()
    .where(sql.ref('idempotency_key'), 'is not', null),
  schema
    .createIndex('turns_unfinished')
    .on('turns')
    .columns(['input_time', 'session', 'ordinal'])
    .where(sql<boolean>`state in ('queued', 'running')`),
]

const firstTables: readonly Compilable[] = [
  schema.createTable('schema_version').addColumn('version', 'integer', (column) => column.notNull()),
  schema
    .createTable('sessions')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('title', 'text')
    .addColumn('created', 'text', (column) => column.notNull())
    .addColumn('updated', 'text', (column) => column.notNull())
    .addColumn('turns', 'integer', (column) => column.notNull())
    .addColumn('entries', 'integer', (column) => column.notNull())
    .addColumn('tokens', 'integer', (column) => column.notNull())
    .addColumn('model', 'text'),
  schema.createIndex('sessions_updated').on('sessions').columns(['updated', 'id']),
  schema
    .createTable('entries')
    .addColumn('session', 'text', (column) => column.notNull().references('sessions.id').onDelete('cascade'))
    .addColumn('seq', 'integer', (column) => column.notNull())
    .addColumn('time', 'text', (column) => column.notNull())
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('turn', 'text')
    .addColumn('data', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('entries_key', ['session', 'seq']),
  schema
    .createTable('turns')
    .addColumn('session', 'text', (column) => column.notNull().references('sessions.id').onDelete('cascade'))
    .addColumn('ordinal', 'integer', (column) => column.notNull())
    .addColumn('turn', 'text', (column) => column.notNull())
    .addColumn('first_seq', 'integer', (column) => column.notNull())
    .addColumn('last_seq', 'integer', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('input_time', 'text', (column) => column.notNull())
    .addColumn('tokens', 'integer', (column) => column.notNull())
    .addColumn('least_tokens', 'integer', (column) => column.notNull())
    .addColumn('tokens_before', 'integer', (column) => column.notNull())
    .addColumn('idempotency_key', 'text')
    .addPrimaryKeyConstraint('turns_key', ['session', 'ordinal']),
  ...turnIndexes,
  schema
    .createTable('calls')
    .addColumn('number', 'integer', (column) => column.primaryKey())
    .addColumn('id', 'text', (column) => column.notNull().unique())
    .addColumn('session', 'text', (column) => column.references('sessions.id').onDelete('cascade'))
    .addColumn('record', 'text', (column) => column.notNull())
    .addColumn('outcome', 'text'),
  schema.createIndex('calls_session').on('calls').columns(['session', 'number']),
  schema
    .createTable('contents')
    .addColumn('hash', 'text', (column) => column.primaryKey().notNull())
    .addColumn('text', 'text', (column) => column.notNull())
    .addColumn('escaped', 'integer', (column) => column.notNull()),
  schema
    .createTable('bindings')
    .addColumn('channel', 'text', (column) => column.notNull())
    .addColumn('conversation', 'text', (column) => column.notNull())
    .addColumn('session', 'text', (column) => column.notNull().unique().references('sessions.id').onDelete('cascade'))
    .addPrimaryKeyConstraint('bindings_key', ['channel', 'conversation']),
  schema
    .createTable('named_values')
    .addColumn('key', 'text', (column) => column.primaryKey().notNull())
    .addColumn('value', 'text', (column) => column.notNull()),
]

/** It refers to no session: its records stay when a session is deleted. */
const auditTable: readonly Compilable[] = [
  schema
    .createTable('audit')
    .addColumn('number', 'integer', (column) => column.primaryKey().notNull())
    .addColumn('time', 'text', (column) => column.notNull())
    .addColumn('session', 'text')
    .addColumn('turn', 'text')
    .addColumn('tool', 'text')
    .addColumn('decision', 'text')
    .addColumn('record', 'text', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull()),
  schema.createIndex('audit_session').on('audit').columns(['session', 'number']),
  schema.createIndex('audit_tool').on('audit').columns(['tool', 'number']),
]

const recordsAndFiles: readonly Compilable[] = [
  schema.alterTable('sessions').addColumn('agent', 'text'),
  schema.alterTable('sessions').addColumn('project', 'text'),
  schema
    .createTable('records')
    .addColumn('number', 'integer', (column) => column.primaryKey())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('time', 'text', (column) => column.notNull())
    .addColumn('value', 'text', (column) => column.notNull())
    .addUniqueConstraint('records_version', ['kind', 'id', 'version']),
  schema
    .createIndex('records_made')
    .on('records')
    .columns(['kind', 'number'])
    .where(sql<boolean>`version = 1`),
  schema
    .createTable('files')
    .addColumn('number', 'integer', (column) => column.primaryKey())
    .addColumn('id', 'text', (column) => column.notNull().unique())
    .addColumn('owner_type', 'text', (column) => column.notNull())
    .addColumn('owner_id', 'text', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull())
    .addColumn('facts', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('state_type', 'text', (column) => column.notNull()),
  schema.createIndex('files_owner').on('files').columns(['owner_type', 'owner_id', 'number']),
  schema.createIndex('files_state').on('files').columns(['state_type', 'number']),
  schema.createIndex('files_hash').on('files').columns(['hash', 'number']),
]

const thirdChoice: readonly Compilable[] = [schema.alterTable('sessions').addColumn('subject', 'text')]

/** Undone turns are few: the index counts those before a part of the history without reading that part. */
const undoneTurns: readonly Compilable[] = [
  schema
    .createIndex('turns_undone')
    .on('turns')
    .columns(['session', 'ordinal'])
    .where(sql<boolean>`state = 'undone'`),
]

/** Until here, each choice of a session had a column of its own. */
const sessionChoices: readonly Compilable[] = [
  schema.alterTable('sessions').addColumn('choices', 'text', (column) => column.notNull().defaultTo('{}')),
  {
    compile: () =>
      sql`update sessions set choices = json_patch('{}', json_object('agent', agent, 'project', project, 'subject', subject))
        where agent is not null or project is not null or subject is not null`.compile(tables),
  },
  ...formerChoiceTypes.map((column) => schema.alterTable('sessions').dropColumn(column)),
]

/** What a list of sessions shows. Of what is stored it is computed once; a call that waits is asked about again anyway. */
const sessionLabels: readonly Compilable[] = [
  schema.alterTable('sessions').addColumn('opening', 'text'),
  schema.alterTable('sessions').addColumn('folder', 'text'),
  schema.alterTable('sessions').addColumn('pinned', 'integer', (column) => column.notNull().defaultTo(0)),
  schema.alterTable('sessions').addColumn('state', 'text', (column) => column.notNull().defaultTo('new')),
  schema.alterTable('sessions').addColumn('unended', 'integer', (column) => column.notNull().defaultTo(0)),
  schema.alterTable('sessions').addColumn('waiting', 'integer', (column) => column.notNull().defaultTo(0)),
  schema
    .createIndex('sessions_folder')
    .on('sessions')
    .columns(['folder', 'updated', 'id'])
    .where(sql.ref('folder'), 'is not', null),
  schema
    .createIndex('sessions_pinned')
    .on('sessions')
    .columns(['updated', 'id'])
    .where(sql<boolean>`pinned = 1`),
  {
    compile: () =>
      sql`update sessions set
        unended = (select count(*) from turns where turns.session = sessions.id and turns.state in ('queued', 'running')),
        waiting = max(0, coalesce((select sum(case entries.type when 'approval-request' then 1 else -1 end)
          from turns join entries on entries.session = turns.session and entries.turn = turns.turn
            and entries.seq between turns.first_seq and turns.last_seq
          where turns.session = sessions.id and turns.state = 'running'
            and entries.type in ('approval-request', 'approval')), 0)),
        state = case (select turns.state from turns where turns.session = sessions.id order by ordinal desc limit 1)
          when 'failed' then 'failed' else 'done' end,
        opening = (select substr(trim(replace(replace(coalesce(
            case json_type(entries.data, '$.message.content') when 'text' then entries.data ->> '$.message.content' end,
            entries.data ->> '$.message.content[0].text'), char(10), ' '), char(13), ' ')), 1, 120)
          from turns join entries on entries.session = turns.session and entries.seq = turns.first_seq
          where turns.session = sessions.id and turns.ordinal = 1)
        where turns > 0`.compile(tables),
  },
  {
    compile: () =>
      sql`update sessions set state = case when waiting > 0 then 'waits' else 'works' end where unended > 0`.compile(
        tables,
      ),
  },
]

/** Few turns follow another one than the turn before them: the index counts the turns of a branch without reading them. */
const branches: readonly Compilable[] = [
  schema.alterTable('sessions').addColumn('head', 'text'),
  schema.alterTable('turns').addColumn('parent', 'text'),
  schema
    .createIndex('turns_branches')
    .on('turns')
    .columns(['session', 'ordinal'])
    .where(sql.ref('parent'), 'is not', null),
]

/** Small rows beside large ones: a year of calls is added up without reading a manifest. */
const sums: readonly Compilable[] = [
  schema
    .createTable('call_sums')
    .addColumn('number', 'integer', (column) => column.primaryKey().references('calls.number').onDelete('cascade'))
    .addColumn('time', 'text', (column) => column.notNull())
    .addColumn('session', 'text')
    .addColumn('model', 'text', (column) => column.notNull())
    .addColumn('used', 'integer', (column) => column.notNull())
    .addColumn('prompt', 'integer')
    .addColumn('cached', 'integer')
    .addColumn('written', 'integer')
    .addColumn('output', 'integer')
    .addColumn('layers', 'text', (column) => column.notNull())
    .addColumn('tools', 'text', (column) => column.notNull()),
  schema
    .createIndex('call_sums_time')
    .on('call_sums')
    .columns(['time', 'number', 'session', 'model', 'used', 'prompt', 'cached', 'written', 'output']),
  schema
    .createTable('tool_sums')
    .addColumn('session', 'text', (column) => column.notNull().references('sessions.id').onDelete('cascade'))
    .addColumn('seq', 'integer', (column) => column.notNull())
    .addColumn('part', 'integer', (column) => column.notNull())
    .addColumn('time', 'text', (column) => column.notNull())
    .addColumn('tool', 'text', (column) => column.notNull())
    .addColumn('tokens', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('tool_sums_key', ['session', 'seq', 'part']),
  schema.createIndex('tool_sums_time').on('tool_sums').columns(['time', 'tool', 'tokens']),
]

/** What is written to a cache has another price where it is kept for longer. The index has all that is added up. */
const longerWrites: readonly Compilable[] = [
  schema.alterTable('call_sums').addColumn('longer', 'integer'),
  schema.dropIndex('call_sums_time'),
  schema
    .createIndex('call_sums_time')
    .on('call_sums')
    .columns(['time', 'number', 'session', 'model', 'used', 'prompt', 'cached', 'written', 'longer', 'output']),
]

export const allMigrations: readonly Migration[] = [
  { version: 1, steps: firstTables },
  { version: 2, steps: auditTable },
  { version: 3, steps: recordsAndFiles },
  { version: 4, steps: thirdChoice },
  { version: 5, steps: undoneTurns },
  { version: 6, steps: sessionChoices },
  { version: 7, steps: sessionLabels },
  { version: 8, steps: branches },
  { version: 9, steps: sums, fill: fillSums },
  { version: 10, steps: longerWrites },
]
