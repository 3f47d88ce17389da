import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createForeword } from '../../src/foreword.ts'
import { type ScriptedRequest, scriptedProvider } from '../../src/testing.ts'
import type { startPostgres } from './postgres-server.ts'

/** Sessions whose rows a gateway has written, by their number of turns, and how many of ten are like each. A turn has thirteen entries. */
const PATTERNS = [
  { turns: 4, ofTen: 6 },
  { turns: 10, ofTen: 3 },
  { turns: 25, ofTen: 1 },
]
/** Turns of the one session that is long. */
const LONGEST = 25
const MINUTES_BETWEEN = 5

type Server = Pick<Awaited<ReturnType<typeof startPostgres>>, 'execute'>

/** What a store holds after it grew. */
export interface GrownStore {
  readonly sessions: number
  readonly entries: number
  readonly calls: number
  /** A session of the usual length, and one that has a hundredth of all entries. */
  readonly usual: string
  readonly longest: string
}

/**
 * Writes sessions with a gateway into the schema `foreword` of a database, each turn with a call of a tool, and copies their rows until
 * there are `sessions` of them with 100 entries each on average: one every five minutes. Copies have ids of their own, and refer to the
 * same contents.
 */
export async function growStore(server: Server, address: string, sessions: number): Promise<GrownStore> {
  const database = /\/([^/?]+)\?/.exec(address)![1]!
  const execute = (sql: string) => server.execute(`set search_path = foreword; ${sql}`, database)
  const patterns = await writePatterns(address)
  // Rows of copies are right as they come: no reference is looked at, row by row.
  const bulk = `set session_replication_role = replica; set synchronous_commit = off; set work_mem = '256MB';`
  await execute(`
    create unlogged table public.grown as
      select n, 'session_' || substr(md5(n::text), 1, 24) as id, made.id as pattern, '-' || n as mark,
          make_interval(mins => -(${MINUTES_BETWEEN} * n)::int) as earlier
        from generate_series(1, ${sessions}) as n join (values ${patterns
          .map((id, index) => `('${id}', ${tenthsBefore(index)}, ${tenthsBefore(index + 1)})`)
          .join()}) as made (id, first, below) on n % 10 >= made.first and n % 10 < made.below;
    alter table public.grown add primary key (n);
    analyze public.grown`)
  for (const sql of copies(sessions)) await execute(`${bulk} ${sql}`)
  const [usual, longest] = [1, 9].map((n) => `(select id from public.grown where n = ${n})`)
  for (const sql of lengthen(longest!, Math.max(1, Math.round(sessions / 10 / LONGEST))))
    await execute(`${bulk} ${sql}`)
  // As autovacuum leaves a table that nobody has hurried.
  for (const table of ['sessions', 'entries', 'turns', 'calls', 'call_sums', 'tool_sums', 'audit', 'named_values'])
    await execute(`vacuum (analyze) ${table}`).catch(async () =>
      server.execute(`vacuum (analyze) foreword.${table}`, database),
    )
  const [row] =
    await execute(`select (select count(*) from sessions) as sessions, (select count(*) from entries) as entries,
    (select count(*) from calls) as calls, ${usual} as usual, ${longest} as longest`)
  return row as unknown as GrownStore
}

const tenthsBefore = (index: number) => PATTERNS.slice(0, index).reduce((sum, { ofTen }) => sum + ofTen, 0)

/** The columns of a table, with what a copy has in the place of some of them. */
function copy(
  table: string,
  columns: string,
  others: Readonly<Record<string, string>>,
  on = 'session',
  where = 'true',
) {
  const values = columns.split(' ').map((column) => others[column] ?? `made.${column}`)
  return `insert into ${table} (${columns.replaceAll(' ', ', ')}) select ${values.join(', ')}
    from public.grown as grown join ${table} as made on made.${on} = grown.pattern where ${where}`
}

const earlier = (time: string) =>
  `to_char((made.${time})::timestamptz at time zone 'UTC' + grown.earlier, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
/** JSON that names calls in its first fields. */
const ofCopy = (json: string, fields: string) =>
  `regexp_replace(left(made.${json}, 110), '"(${fields})":"(call_[^"]+)"', '"\\1":"\\2' || grown.mark || '"', 'g') || substr(made.${json}, 111)`
const named = (text: string) => `replace(made.${text}, made.session, grown.id)`

function copies(sessions: number): readonly string[] {
  const id = { session: 'grown.id' }
  return [
    copy(
      'sessions',
      'id title created updated turns entries tokens model head choices opening folder pinned state unended waiting chain',
      {
        id: 'grown.id',
        title: `case when grown.n % 3 = 0 then 'Work on the harbour ' || grown.n end`,
        opening: `'The order ' || grown.n || ' of ' || md5(grown.id)`,
        created: earlier('created'),
        updated: earlier('updated'),
        folder: `case when grown.n % 50 = 0 then 'folder ' || grown.n % 7 end`,
        pinned: `case when grown.n % ${Math.max(1, Math.floor(sessions / 10))} = 0 then 1 else 0 end`,
        state: `case when grown.n % 1000 = 0 then 'failed' else made.state end`,
      },
      'id',
    ),
    copy('entries', 'session seq time type turn data digest parts', {
      ...id,
      time: earlier('time'),
      data: ofCopy('data', 'call'),
    }),
    copy(
      'turns',
      'session ordinal turn parent first_seq last_seq state input_time tokens least_tokens tokens_before idempotency_key',
      { ...id, input_time: earlier('input_time') },
    ),
    copy('calls', 'id session record outcome digest outcome_digest answer', {
      ...id,
      id: 'made.id || grown.mark',
      record: `replace(${ofCopy('record', 'base|id')}, made.session, grown.id)`,
    }),
    // Numbers are given in the order of the copy: the sum of a call finds it by its id.
    `insert into call_sums (number, time, session, model, used, prompt, cached, written, longer, output, layers, tools, cost)
      select calls.number, ${earlier('time')}, grown.id, made.model, made.used, made.prompt, made.cached, made.written, made.longer,
          made.output, made.layers, made.tools, made.cost
        from public.grown as grown join call_sums as made on made.session = grown.pattern
          join calls as first on first.number = made.number join calls on calls.id = first.id || grown.mark`,
    copy('tool_sums', 'session seq part time tool tokens', { ...id, time: earlier('time') }),
    `insert into audit (number, time, session, turn, tool, decision, record, hash)
      select (select max(number) from audit) + row_number() over (order by grown.n desc, made.number), ${earlier('time')}, grown.id,
          made.turn, made.tool, made.decision, ${named('record')}, made.hash
        from public.grown as grown join audit as made on made.session = grown.pattern`,
    `insert into named_values (key, value) select 'content-of/' || md5(grown.id), '["' || grown.id || '"]' from public.grown as grown`,
  ]
}

/** Repeats what happened in a session of the longest pattern. */
function lengthen(session: string, times: number): readonly string[] {
  const rounds = `generate_series(1, ${times}) as round`
  const size = `(select entries from sessions where id = ${session})`
  const counts = `(select max(number) from calls)`
  return [
    `create table public.rounds as select ${size} as size, turns, tokens, id from sessions where id = ${session}`,
    `insert into entries (session, seq, time, type, turn, data, digest, parts)
      select made.session, made.seq + round * rounds.size, made.time, made.type, made.turn || '-' || round, 
          replace(made.data, made.turn, made.turn || '-' || round), made.digest, made.parts
        from public.rounds as rounds join entries as made on made.session = rounds.id cross join ${rounds}
        where made.turn is not null`,
    `insert into turns (session, ordinal, turn, parent, first_seq, last_seq, state, input_time, tokens, least_tokens, tokens_before, idempotency_key)
      select made.session, made.ordinal + round * rounds.turns, made.turn || '-' || round, made.parent, made.first_seq + round * rounds.size,
          made.last_seq + round * rounds.size, made.state, made.input_time, made.tokens, made.least_tokens,
          made.tokens_before + round * rounds.tokens, null
        from public.rounds as rounds join turns as made on made.session = rounds.id cross join ${rounds}`,
    `insert into calls (number, id, session, record, outcome, digest, outcome_digest, answer)
      select ${counts} + row_number() over (order by round, made.number), made.id || '-' || round, made.session, made.record, made.outcome, made.digest, made.outcome_digest, null
        from public.rounds as rounds join calls as made on made.session = rounds.id cross join ${rounds}`,
    `insert into call_sums (number, time, session, model, used, prompt, cached, written, longer, output, layers, tools, cost)
      select calls.number, made.time, made.session, made.model, made.used, made.prompt, made.cached, made.written, made.longer, made.output, made.layers,
          made.tools, made.cost
        from public.rounds as rounds join call_sums as made on made.session = rounds.id cross join ${rounds}
          join calls as first on first.number = made.number join calls on calls.id = first.id || '-' || round`,
    `update sessions set entries = entries * (${times} + 1), turns = turns * (${times} + 1), tokens = tokens * (${times} + 1) where id = ${session}`,
    `select setval(pg_get_serial_sequence('calls', 'number'), ${counts})`,
  ]
}

/** Lets a gateway answer, and returns the ids of its sessions, in the order of the patterns. */
async function writePatterns(address: string): Promise<readonly string[]> {
  const home = mkdtempSync(join(tmpdir(), 'foreword-grow-'))
  const provider = await scriptedProvider({ answer })
  try {
    writeFileSync(
      join(home, 'tool-access.json'),
      JSON.stringify({ global: { allowedTools: ['look_up'] }, tools: { look_up: { afterUntrusted: 'allow' } } }),
    )
    const foreword = await createForeword({
      home,
      configuration: {
        store: address,
        model: 'ollama/scripted',
        providers: { ollama: { kind: 'ollama', baseURL: provider.url } },
        plugins: [join(import.meta.dirname, 'look-up.mjs')],
      },
    })
    const ids: string[] = []
    for (const { turns } of PATTERNS) {
      let session: string | undefined
      for (let turn = 0; turn < turns; turn += 1) {
        const accepted = await ask(foreword, {
          text: `Where is the order ${turn}, and when does it come?`,
          ...(session && { session }),
        })
        session = accepted.session
      }
      ids.push(session!)
    }
    await foreword.close()
    return ids
  } finally {
    await provider.close()
    rmSync(home, { recursive: true, force: true })
  }
}

function answer({ body }: ScriptedRequest) {
  const messages = body['messages'] as readonly { readonly role: string }[]
  return messages.at(-1)?.role === 'tool'
    ? { text: 'It left the harbour on Monday, and comes on Thursday.' }
    : { toolCalls: [{ name: 'look_up', input: { order: messages.length } }] }
}

async function ask(
  foreword: Awaited<ReturnType<typeof createForeword>>,
  body: object,
): Promise<{ readonly session: string }> {
  const headers = { authorization: `Bearer ${foreword.token}`, 'content-type': 'application/json' }
  const request = (path: string, init: RequestInit = {}) =>
    foreword.server.fetch(new Request(`http://127.0.0.1:4141${path}`, { headers, ...init }))
  const accepted = await request('/api/messages', { method: 'POST', body: JSON.stringify(body) })
  if (!accepted.ok) throw new Error(await accepted.text())
  await (await request('/api/status?wait=idle')).arrayBuffer()
  return (await accepted.json()) as { readonly session: string }
}
