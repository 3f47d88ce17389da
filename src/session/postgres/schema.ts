/**
 * Makes the tables of a store in the schema that is first in the search path: those of the SQLite file of the newest version, with columns
 * in the same order. Texts are compared by code points, as ids and times are everywhere else. They are those of version 1, and never
 * change: whatever a later version needs is a migration.
 */
export const schemaTables = (schema: string) => TABLES.replaceAll('SCHEMA', `"${schema}"`)

/**
 * Brings the tables from the version before to `version`, while gateways of other versions work on them.
 */
export interface DatabaseMigration {
  readonly version: number
  /**
   * The oldest version whose Foreword goes on with these tables: a change that only adds leaves that as it was. Never later than
   * `version`, which is what a Foreword that knows no change after it has.
   */
  readonly knownTo: number
  /** One transaction. */
  readonly sql: string
  /** Indexes of tables that grow, by their names, each as `on TABLE (…)`: made before `sql`, without keeping anybody from writing. */
  readonly indexes?: Readonly<Record<string, string>>
}

/** Ascending, from version 2 on. A released migration never changes. How one is made: `docs/decisions/0143-*.md`. */
export const databaseMigrations: readonly DatabaseMigration[] = [
  {
    version: 2,
    knownTo: 2,
    sql: `
      -- What a long log is looked through for: see version 8 of the file.
      create index audit_time on audit (time);
      create index sessions_new on sessions (updated, id) where state = 'new';
      create index sessions_failed on sessions (updated, id) where state = 'failed';
      -- A page of a folder by time. A row of an index has 2,700 bytes at most, and a folder any name.
      drop index sessions_folder;
      create index sessions_folder on sessions (substr(folder, 1, 100), updated, id) where folder is not null;
      -- Each record of a tool passed all earlier ones of that tool in the bucket of a hash index.
      drop index audit_tool;
      create index audit_tool on audit (substr(tool, 1, 100), number);
    `,
  },
  {
    version: 3,
    knownTo: 2,
    sql: `
      -- The newest migration. \`version\` is the oldest version whose Foreword can work with the tables, from here on.
      alter table schema_version add column newest bigint;
      -- The version of the tables that the process knows. Absent: 2.
      alter table gateways add column tables bigint;
    `,
  },
  {
    version: 4,
    knownTo: 2,
    // Whose words a content has: the removal of a session looked at all that any session has.
    indexes: {
      named_values_holders: `on named_values using gin (string_to_array(translate(value, '[]"', ''), ','))
        where key >= 'content-of/' and key < 'content-of0'`,
    },
    sql: '',
  },
  {
    version: 5,
    knownTo: 2,
    // The name of the connection over which the process gives signs of life. Absent: it gives none, or is of a version before.
    sql: 'alter table gateways add column signs text',
  },
]

/** The newest version that this Foreword knows. */
export const knownVersion = (): number => databaseMigrations.at(-1)!.version

const TABLES = `
  create table schema_version (version bigint not null);

  -- Who writes: the epoch grows each time that another process takes the store.
  create table ownership (epoch bigint not null, gateway TEXT, since timestamptz not null);
  insert into ownership values (0, null, clock_timestamp());
  create table gateways (
    id TEXT primary key,
    host TEXT not null,
    pid bigint not null,
    address TEXT,
    version TEXT not null,
    started timestamptz not null,
    heartbeat timestamptz not null
  );

  create table sessions (
    id TEXT primary key,
    title TEXT,
    created TEXT not null,
    updated TEXT not null,
    turns bigint not null,
    entries bigint not null,
    tokens bigint not null,
    model TEXT,
    head TEXT,
    choices TEXT not null,
    opening TEXT,
    folder TEXT,
    pinned bigint not null,
    state TEXT not null,
    unended bigint not null,
    waiting bigint not null,
    chain TEXT not null default ''
  );
  create index sessions_updated on sessions (updated, id);
  -- A text of any length is found by its hash: a row of another index has 2,700 bytes at most.
  create index sessions_folder on sessions using hash (folder);
  create index sessions_pinned on sessions (updated, id) where pinned = 1;

  create table entries (
    session TEXT not null references sessions (id) on delete cascade,
    seq bigint not null,
    time TEXT not null,
    type TEXT not null,
    turn TEXT,
    data TEXT not null,
    digest TEXT not null default '',
    parts TEXT,
    primary key (session, seq)
  );

  create table turns (
    session TEXT not null references sessions (id) on delete cascade,
    ordinal bigint not null,
    turn TEXT not null,
    parent TEXT,
    first_seq bigint not null,
    last_seq bigint not null,
    state TEXT not null,
    input_time TEXT not null,
    tokens bigint not null,
    least_tokens bigint not null,
    tokens_before bigint not null,
    idempotency_key TEXT,
    primary key (session, ordinal)
  );
  create unique index turns_turn on turns (session, turn);
  create unique index turns_idempotency_key on turns (session, idempotency_key) where idempotency_key is not null;
  create index turns_unfinished on turns (input_time, session, ordinal) where state in ('queued', 'running');
  create index turns_undone on turns (session, ordinal) where state = 'undone';
  create index turns_branches on turns (session, ordinal) where parent is not null;

  create table calls (
    number bigint generated by default as identity primary key,
    id TEXT not null unique,
    session TEXT references sessions (id) on delete cascade,
    record TEXT not null,
    outcome TEXT,
    digest TEXT not null default '',
    outcome_digest TEXT,
    -- The id that another program gave to the answer, from the outcome: JSON may have what no text of PostgreSQL can be made of.
    answer TEXT
  );
  create index calls_session on calls (session, number);
  create index calls_answer on calls using hash (answer);

  create table call_sums (
    number bigint primary key references calls (number) on delete cascade,
    time TEXT not null,
    session TEXT,
    model TEXT not null,
    used double precision not null,
    prompt double precision,
    cached double precision,
    written double precision,
    longer double precision,
    output double precision,
    layers TEXT not null,
    tools TEXT not null,
    cost double precision
  );
  create index call_sums_time on call_sums (time, number);

  create table tool_sums (
    session TEXT not null references sessions (id) on delete cascade,
    seq bigint not null,
    part bigint not null,
    time TEXT not null,
    tool TEXT not null,
    tokens bigint not null,
    primary key (session, seq, part)
  );
  create index tool_sums_time on tool_sums (time);

  create table contents (hash TEXT primary key, text TEXT not null, escaped bigint not null, parts TEXT);

  create table bindings (
    channel TEXT not null,
    conversation TEXT not null,
    session TEXT not null unique references sessions (id) on delete cascade,
    primary key (channel, conversation)
  );

  create table named_values (key TEXT primary key, value TEXT not null);

  create table audit (
    number bigint primary key,
    time TEXT not null,
    session TEXT,
    turn TEXT,
    tool TEXT,
    decision TEXT,
    record TEXT not null,
    hash TEXT not null
  );
  create index audit_session on audit (session, number);
  create index audit_tool on audit using hash (tool);

  create table records (
    number bigint generated by default as identity primary key,
    kind TEXT not null,
    id TEXT not null,
    version bigint not null,
    time TEXT not null,
    value TEXT not null,
    unique (kind, id, version)
  );
  create index records_made on records (kind, number) where version = 1;

  create table files (
    number bigint generated by default as identity primary key,
    id TEXT not null unique,
    owner_type TEXT not null,
    owner_id TEXT not null,
    hash TEXT not null,
    facts TEXT not null,
    state TEXT not null,
    state_type TEXT not null
  );
  create index files_owner on files (owner_type, owner_id, number);
  create index files_state on files (state_type, number);
  create index files_hash on files (hash, number);

  create table text_parts (number bigint not null, part bigint not null, text TEXT not null, primary key (number, part));
  create index entries_parts on entries (session, seq) where parts is not null;
  create index contents_parts on contents (hash) where parts is not null;
  create function remove_text_parts() returns trigger language plpgsql as $$
    begin
      delete from SCHEMA.text_parts where number in (
        select cast(cast(stored.value -> 1 as text) as bigint) from json_array_elements(cast(old.parts as json)) as stored);
      return old;
    end $$;
  create trigger entries_without_parts after delete on entries
    for each row when (old.parts is not null) execute function remove_text_parts();
  create trigger contents_without_parts after delete on contents
    for each row when (old.parts is not null) execute function remove_text_parts();

  insert into schema_version values (1);
`.replaceAll('TEXT', 'text collate "C"')
