import type { QueryOptions } from 'pg'
import type { Clock } from '../../platform.ts'
import { StoreError } from '../store-error.ts'
import { type Sql, type SqlStep, valuesOf } from '../tables/sql.ts'
import { databaseName, schemaOf } from './address.ts'
import { connectError } from './connect-error.ts'
import { decodeText, encodeText } from './text-code.ts'

/** One connection to a database. */
export interface DatabaseClient {
  /** Set once it is gone: what was asked last may have been done or not. */
  readonly isLost: boolean
  /** Begins a transaction in the schema of this connection, and runs statements without parameters. Returns the rows of the last one. */
  begin(mode: '' | 'isolation level repeatable read read only', more?: string): ReturnType<DatabaseClient['execute']>
  /** Runs statements without parameters. Returns the rows of the last one. */
  execute(text: string): Promise<readonly Readonly<Record<string, unknown>>[]>
  /**
   * Runs work on the tables, one statement after the other. What is sent to a connection that is `pipelined` is waited for with the next
   * statement, or by `commit`.
   */
  work<Result>(work: Sql<Result>): Promise<Result>
  answer(step: SqlStep): Promise<unknown>
  /** Commits. Throws where the database undid the transaction instead. */
  commit(): Promise<void>
  /** Gives the connection up at once: what waits for an answer fails, and it is lost. */
  drop(): void
  end(): Promise<void>
}

/** How a database is reached. */
export interface PostgresAddress {
  /** `postgres://USER@HOST:PORT/DATABASE`, with parameters of `pg` behind it, such as `sslmode`. */
  readonly address: string
  /** The schema that has the tables: a database may have the stores of many homes. `foreword` where absent. */
  readonly schema?: string | undefined
  /** Instead of the one in the address. */
  readonly password?: string | undefined
  /**
   * `encrypted`: any server. `verified`: who has a certificate for this host of a known authority. As the address has it (`sslmode`)
   * where absent.
   */
  readonly tls?: 'off' | 'encrypted' | 'verified' | undefined
  /** Certificates of authorities besides those that Node knows, PEM. */
  readonly authorities?: string | undefined
  /** Where the bytes of files are instead of in the database. */
  readonly files?: ObjectPlace | undefined
}

/** A place in a bucket of a service that speaks S3. */
export interface ObjectPlace {
  /** `https://HOST/BUCKET`, and what names in it begin with: `https://HOST/BUCKET/PREFIX`. */
  readonly address: string
  readonly region: string
  readonly accessKey: string
  readonly secretKey: string
  /** With keys that are valid for a time. */
  readonly sessionToken?: string | undefined
}

const CONNECT_MS = 10_000

/** @throws StoreError `io` */
export async function openClient(at: PostgresAddress, { pipelined = false } = {}): Promise<DatabaseClient> {
  const { default: pg } = await import('pg')
  let isLost = false
  const place = databaseName(at)
  const searchPath = `search_path = "${schemaOf(at)}"`
  const client = new pg.Client({
    ...connectionOptions(at),
    application_name: `foreword ${process.pid}`,
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_MS,
    pipeline: pipelined,
    types: { getTypeParser: parserOf },
  })
  /** Statements of this transaction that nobody has waited for. */
  let sent: Promise<unknown>[] = []
  const lose = () => {
    isLost = true
  }
  client.on('error', lose)
  client.on('end', lose)
  try {
    await client.connect()
    await client.query({
      text: `set ${searchPath}; set synchronous_commit = on; set client_encoding = 'UTF8'`,
    })
  } catch (error) {
    await client.end().catch(() => {})
    throw connectError(error, place)
  }

  return {
    get isLost() {
      return isLost
    },
    execute,
    // Each transaction names the schema once more: none is written to by mistake, whatever is between here and the database.
    begin(mode, more = '') {
      sent = []
      return execute(`begin ${mode}; set local ${searchPath}; ${more}`)
    },
    async work(run) {
      let next = run.next()
      while (!next.done) {
        const asked = answer(next.value)
        if (pipelined && next.value.type === 'send') {
          asked.catch(() => {})
          sent.push(asked)
          next = run.next()
          continue
        }
        try {
          // oxlint-disable-next-line no-await-in-loop -- each statement needs the answer of the one before
          const answered = await asked
          next = run.next(answered)
        } catch (error) {
          next = run.throw((await failureOfSent()) ?? error)
        }
      }
      return next.value
    },
    answer,
    async commit() {
      // The database undoes a transaction that is committed after one of its statements failed.
      const committed = query({ text: 'commit' })
      committed.catch(() => {})
      const failure = await failureOfSent()
      if (failure !== undefined && !isLost) throw failure
      const { command } = await committed
      if (command !== 'COMMIT')
        throw new StoreError('io', `the store ${place} undid a write after one of its statements failed`)
    },
    drop() {
      lose()
      client.connection.stream.destroy()
    },
    end: () => client.end().catch(() => {}),
  }

  /** Of those that were sent the first that failed: those after it failed because of it. */
  async function failureOfSent(): Promise<unknown> {
    const answers = await Promise.allSettled(sent)
    sent = []
    return answers.find((each) => each.status === 'rejected')?.reason
  }

  async function execute(text: string) {
    const answers = await query({ text })
    return [answers].flat().at(-1)!.rows
  }

  async function answer(step: SqlStep): Promise<unknown> {
    // What a database deletes is overwritten by its own means.
    if (step.type === 'overwrite') return undefined
    const { text, values } = numbered(step)
    const { rows, rowCount } = await query({
      text,
      values,
      name: nameOf(text),
      ...(step.type === 'tuples' && { rowMode: 'array' }),
    })
    if (step.type === 'run' || step.type === 'send') return rowCount ?? 0
    return step.type === 'get' ? rows[0] : rows
  }

  async function query(options: QueryOptions) {
    try {
      return await client.query(options)
    } catch (error) {
      isLost ||= isConnectionError(error)
      throw databaseError(error, place)
    }
  }
}

/** How `pg` reaches a database. */
export type ConnectionOptions = ReturnType<typeof connectionOptions>

export function connectionOptions(at: PostgresAddress) {
  return { connectionString: withPassword(at), ...tlsOption(at) }
}

/** `pg` takes nothing of what an address may contain from anywhere else. */
function withPassword({ address, password }: PostgresAddress): string {
  if (password === undefined) return address
  return `${address}${address.includes('?') ? '&' : '?'}password=${encodeURIComponent(password)}`
}

function tlsOption({ tls, authorities }: PostgresAddress) {
  if (tls === undefined) return {}
  if (tls === 'off') return { ssl: false }
  return { ssl: { rejectUnauthorized: tls === 'verified', ...(authorities !== undefined && { ca: authorities }) } }
}

/** The text of a statement with numbered parameters, one number for each name, and their values. */
function numbered({ statement: given, parameters }: Exclude<SqlStep, { readonly type: 'overwrite' }>) {
  const statement = given.postgres ?? given
  const { sql, names = [] } = statement
  const distinct = [...new Set<string>(names)]
  let at = 0
  const text = sql.replaceAll('?', () => {
    at += 1
    return `$${statement.names ? distinct.indexOf(names[at - 1]!) + 1 : at}`
  })
  const every = valuesOf({ statement, parameters })
  const values = statement.names ? distinct.map((name) => every[names.indexOf(name as never)]) : every
  return { text, values: values.map((value) => (typeof value === 'string' ? encodeText(value) : value)) }
}

const statementNames = new Map<string, string>()

function nameOf(text: string): string {
  const known = statementNames.get(text)
  if (known !== undefined) return known
  const name = `foreword_${statementNames.size}`
  statementNames.set(text, name)
  return name
}

/** Types by their number in PostgreSQL: int8, int2, int4, float4, float8 and numeric are numbers. The store has no number beyond those of JavaScript. */
const NUMBERS: readonly number[] = [20, 21, 23, 700, 701, 1700]
const BOOLEAN = 16

function parserOf(type: number): (text: string) => unknown {
  if (NUMBERS.includes(type)) return Number
  return type === BOOLEAN ? (text) => text === 't' : decodeText
}

/** How long a lost connection, and what goes with it, is tried again, ms. */
const RETURNS_MS = 60_000
const RETRY_MS = 250

/** Tries again until there is a connection: a database that starts again needs some seconds. Throws what the last attempt threw. */
export async function connectAgain<Connected>(clock: Clock, connect: () => Promise<Connected>): Promise<Connected> {
  const until = clock.monotonic() + RETURNS_MS
  for (;;) {
    try {
      // oxlint-disable-next-line no-await-in-loop -- one attempt after the other
      return await connect()
    } catch (error) {
      if (clock.monotonic() > until || isTakenOver(error)) throw error
    }
    const pause = Promise.withResolvers<void>()
    clock.timer(RETRY_MS, pause.resolve)
    // oxlint-disable-next-line no-await-in-loop -- as above
    await pause.promise
  }
}

/** Whether another process has the store now, so that this one may not go on. */
export function isTakenOver(error: unknown): boolean {
  return error instanceof StoreError && error.code === 'taken-over'
}

/** Errors without a code of the database: the connection itself is gone. Class 57 closes it, class 08 is about it. */
function isConnectionError(error: unknown): boolean {
  const { code } = error as { readonly code?: string }
  return code === undefined || !/^[0-9A-Z]{5}$/.test(code) || code.startsWith('57P') || code.startsWith('08')
}

const CODES = {
  '23': 'conflict',
  '22': 'invalid',
  '54': 'invalid',
  '25006': 'readonly',
  '40': 'busy',
  '55P03': 'busy',
  '53100': 'full',
  XX001: 'corrupt',
  XX002: 'corrupt',
} as const

/** An error of the database, without a value of a row: its message may quote one, and so may its details. */
function databaseError(error: unknown, place: string): unknown {
  if (error instanceof StoreError) return error
  const { code = '', message } = error as { readonly code?: string; readonly message: string }
  const known = Object.entries(CODES).find(([beginning]) => code.startsWith(beginning))?.[1]
  const isOfDatabase = /^[0-9A-Z]{5}$/.test(code)
  const said = isOfDatabase && code.startsWith('2') ? `it reports ${code}` : message.trim() || code
  return new StoreError(known ?? 'io', `the store ${place} refused or failed: ${said}`, { cause: error })
}
