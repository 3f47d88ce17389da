/**
 * The tables of schema version 1, the one of release 0.2.0. They never change: whatever a later version needs is a migration
 * (`migrations.ts`).
 */
export const firstSchema = `
  create table schema_version (version integer not null);

  create table sessions (
    id text primary key not null,
    title text,
    created text not null,
    updated text not null,
    turns integer not null,
    entries integer not null,
    tokens integer not null,
    model text,
    head text,
    choices text not null,
    opening text,
    folder text,
    pinned integer not null,
    state text not null,
    unended integer not null,
    waiting integer not null
  );
  create index sessions_updated on sessions (updated, id);
  create index sessions_folder on sessions (folder, updated, id) where folder is not null;
  create index sessions_pinned on sessions (updated, id) where pinned = 1;

  create table entries (
    session text not null references sessions (id) on delete cascade,
    seq integer not null,
    time text not null,
    type text not null,
    turn text,
    data text not null,
    primary key (session, seq)
  );

  -- One row for each input, so these indexes cost little. A message touches none of them.
  create table turns (
    session text not null references sessions (id) on delete cascade,
    ordinal integer not null,
    turn text not null,
    parent text,
    first_seq integer not null,
    last_seq integer not null,
    state text not null,
    input_time text not null,
    tokens integer not null,
    least_tokens integer not null,
    tokens_before integer not null,
    idempotency_key text,
    primary key (session, ordinal)
  );
  create unique index turns_turn on turns (session, turn);
  create unique index turns_idempotency_key on turns (session, idempotency_key) where idempotency_key is not null;
  create index turns_unfinished on turns (input_time, session, ordinal) where state in ('queued', 'running');
  -- Few turns are undone or follow another one than the turn before them: these are counted without reading the others.
  create index turns_undone on turns (session, ordinal) where state = 'undone';
  create index turns_branches on turns (session, ordinal) where parent is not null;

  create table calls (
    number integer primary key,
    id text not null unique,
    session text references sessions (id) on delete cascade,
    record text not null,
    outcome text
  );
  create index calls_session on calls (session, number);

  -- Small rows beside large ones: a year of calls is added up without reading a manifest. The index has all that is added up.
  create table call_sums (
    number integer primary key references calls (number) on delete cascade,
    time text not null,
    session text,
    model text not null,
    used integer not null,
    prompt integer,
    cached integer,
    written integer,
    longer integer,
    output integer,
    layers text not null,
    tools text not null
  );
  create index call_sums_time on call_sums (time, number, session, model, used, prompt, cached, written, longer, output);

  create table tool_sums (
    session text not null references sessions (id) on delete cascade,
    seq integer not null,
    part integer not null,
    time text not null,
    tool text not null,
    tokens integer not null,
    primary key (session, seq, part)
  );
  create index tool_sums_time on tool_sums (time, tool, tokens);

  create table contents (hash text primary key not null, text text not null, escaped integer not null);

  create table bindings (
    channel text not null,
    conversation text not null,
    session text not null unique references sessions (id) on delete cascade,
    primary key (channel, conversation)
  );

  create table named_values (key text primary key not null, value text not null);

  -- It refers to no session: its records stay when a session is deleted.
  create table audit (
    number integer primary key not null,
    time text not null,
    session text,
    turn text,
    tool text,
    decision text,
    record text not null,
    hash text not null
  );
  create index audit_session on audit (session, number);
  create index audit_tool on audit (tool, number);

  create table records (
    number integer primary key,
    kind text not null,
    id text not null,
    version integer not null,
    time text not null,
    value text not null,
    unique (kind, id, version)
  );
  create index records_made on records (kind, number) where version = 1;

  create table files (
    number integer primary key,
    id text not null unique,
    owner_type text not null,
    owner_id text not null,
    hash text not null,
    facts text not null,
    state text not null,
    state_type text not null
  );
  create index files_owner on files (owner_type, owner_id, number);
  create index files_state on files (state_type, number);
  create index files_hash on files (hash, number);
`
