import { type Compilable, DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'
import type { StoredSession } from '../append-plan.ts'

/** The tables of the store in the newest schema. */
export interface Tables {
  readonly sessions: StoredSession
  readonly entries: {
    readonly session: string
    readonly seq: number
    readonly time: string
    readonly type: string
    readonly turn: string | null
    /** The entry's body, JSON. */
    readonly data: string
  }
  readonly turns: {
    readonly session: string
    readonly ordinal: number
    readonly turn: string
    readonly first_seq: number
    readonly last_seq: number
    readonly state: string
    readonly input_time: string
    readonly tokens: number
    readonly least_tokens: number
    readonly tokens_before: number
    readonly idempotency_key: string | null
    /** The id of the turn that it follows, empty for none; `null`: the turn whose ordinal is one less. */
    readonly parent: string | null
  }
  readonly calls: {
    /** Ascending in the order the calls were made. */
    readonly number: number | undefined
    readonly id: string
    readonly session: string | null
    /** The record without its outcome, JSON. */
    readonly record: string
    /** JSON, once the call has ended. */
    readonly outcome: string | null
  }
  /** What a call used: repeats of `record` and `outcome` what is added up. */
  readonly call_sums: {
    readonly number: number
    readonly time: string
    readonly session: string | null
    readonly model: string
    readonly used: number
    /** Reported tokens; null where the provider reported none. */
    readonly prompt: number | null
    readonly cached: number | null
    readonly written: number | null
    /** Of the written ones, those that are kept for longer. */
    readonly longer: number | null
    readonly output: number | null
    /** What took the tokens of the prompt, JSON: by layer, and the definitions by tool. */
    readonly layers: string
    readonly tools: string
  }
  /** The results of tools in the entry `seq`, in their order. */
  readonly tool_sums: {
    readonly session: string
    readonly seq: number
    readonly part: number
    readonly time: string
    readonly tool: string
    readonly tokens: number
  }
  readonly contents: {
    readonly hash: string
    readonly text: string
    /** 1: `text` is the JSON of a text that UTF-8 cannot hold. */
    readonly escaped: number
  }
  readonly bindings: { readonly channel: string; readonly conversation: string; readonly session: string }
  readonly named_values: { readonly key: string; readonly value: string }
  /** The columns between `time` and `record` repeat fields of `record`, for filters. */
  readonly audit: {
    readonly number: number
    readonly time: string
    readonly session: string | null
    readonly turn: string | null
    readonly tool: string | null
    readonly decision: string | null
    /** The facts and the hash before, JSON. */
    readonly record: string
    readonly hash: string
  }
  readonly records: {
    /** Ascending in the order the versions were written. */
    readonly number: number | undefined
    readonly kind: string
    readonly id: string
    readonly version: number
    readonly time: string
    /** JSON. */
    readonly value: string
  }
  readonly files: {
    /** Ascending in the order of the uploads. */
    readonly number: number | undefined
    readonly id: string
    readonly owner_type: string
    readonly owner_id: string
    readonly hash: string
    /** What never changes besides the hash, JSON: a column cannot store every file name. */
    readonly facts: string
    /** JSON. */
    readonly state: string
    /** Repeats the type in `state`, for filters. */
    readonly state_type: string
  }
}

/** Builds and compiles queries. It has no connection: `connection.ts` executes the compiled queries. */
export const tables = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (database) => new SqliteIntrospector(database),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
})

/** A parameter value that SQLite and PostgreSQL both accept. */
export type Scalar = string | number | null

/** A query that was compiled once: its text, and the names of its parameters in the order of the text. */
export interface Plan<Parameters, Row> {
  readonly sql: string
  readonly names: readonly (keyof Parameters & string)[]
  /** Never present: it carries the type of a row. */
  readonly row?: Row
}

/** Gives the placeholder of a parameter while a plan is built. */
export type Parameter<Parameters> = <Name extends keyof Parameters & string>(name: Name) => Parameters[Name]

/** Compiles a query whose parameters are named and given at each run. */
export function plan<Parameters, Row>(build: (param: Parameter<Parameters>) => Compilable<Row>): Plan<Parameters, Row> {
  const compiled = build((name) => new Placeholder(name) as never).compile()
  const names = compiled.parameters.map((parameter) => {
    if (!(parameter instanceof Placeholder))
      throw new TypeError(`A plan accepts literals only with sql.lit: ${compiled.sql}`)
    return parameter.name as keyof Parameters & string
  })
  return { sql: compiled.sql, names }
}

/** The placeholders of parameters that have the names of their columns. */
export function columns<Parameters, Name extends keyof Parameters & string>(
  param: Parameter<Parameters>,
  ...names: readonly Name[]
): Pick<Parameters, Name> {
  return Object.fromEntries(names.map((name) => [name, param(name)])) as Pick<Parameters, Name>
}

class Placeholder {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

/** Bounds of the ids that begin with a text, for a comparison by code points: an index on the id finds them. */
export interface IdRange {
  readonly from: string
  readonly below: string
}

/** The range of the ids that begin with a text. No id contains the last code point. */
export function idRange(beginning: string): IdRange {
  return { from: beginning, below: `${beginning}\u{10FFFF}` }
}
