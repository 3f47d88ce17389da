import type { Compilable } from 'kysely'

/** What SQLite and PostgreSQL both take as a parameter here. */
export type Scalar = string | number | null

/** A query that was compiled once: its text, and the names of its parameters in the order the text wants them. */
export interface Plan<Parameters, Row> {
  readonly sql: string
  readonly names: readonly (keyof Parameters & string)[]
  /** Never present: it carries the type of a row. */
  readonly row?: Row
}

/** Gives the place of a parameter while a plan is being built. */
export type Slot<Parameters> = <Name extends keyof Parameters & string>(name: Name) => Parameters[Name]

/** Compiles a query whose parameters are named and given at each run. */
export function plan<Parameters, Row>(build: (slot: Slot<Parameters>) => Compilable<Row>): Plan<Parameters, Row> {
  const compiled = build((name) => new Place(name) as never).compile()
  const names = compiled.parameters.map((parameter) => {
    if (!(parameter instanceof Place)) throw new TypeError(`a plan takes literals with sql.lit: ${compiled.sql}`)
    return parameter.name as keyof Parameters & string
  })
  return { sql: compiled.sql, names }
}

class Place {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}
