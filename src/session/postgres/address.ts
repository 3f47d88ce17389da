import { publicAddress } from '../../platform.ts'
import { StoreError } from '../store-error.ts'

/** The schema of a store that names none. */
export const DEFAULT_SCHEMA = 'foreword'

/** Whether a text is the address of a PostgreSQL database. */
export function isPostgresAddress(text: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(text)
}

/** The names that a schema of a store may have. `pg_` and `information_schema` belong to PostgreSQL. */
export const SCHEMA_NAME = /^(?!pg_|information_schema$)[a-z0-9_]{1,50}$/

interface SchemaAddress {
  readonly address: string
  readonly schema?: string | undefined
}

/** A store in a database as people read it: its address without the password, and its schema where that is not the usual one. */
export function databaseName({ address, schema = DEFAULT_SCHEMA }: SchemaAddress): string {
  return schema === DEFAULT_SCHEMA ? publicAddress(address) : `${publicAddress(address)} (schema ${schema})`
}

/** The schema of a store. @throws StoreError `invalid` where none can have this name */
export function schemaOf({ schema = DEFAULT_SCHEMA }: Pick<SchemaAddress, 'schema'>): string {
  if (SCHEMA_NAME.test(schema)) return schema
  throw new StoreError(
    'invalid',
    `"${schema}" cannot be the schema of a store: its name has up to 50 lower case letters, digits and underscores, and does not begin with pg_.`,
  )
}
