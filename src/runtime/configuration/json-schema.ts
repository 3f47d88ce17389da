import { z } from 'zod'
import { configurationShape } from './schema.ts'

/** A JSON Schema, as far as keys are looked up in it. */
export interface KeySchema {
  readonly type?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, KeySchema>>
  readonly additionalProperties?: KeySchema | false
  readonly anyOf?: readonly KeySchema[]
  readonly enum?: readonly unknown[]
  readonly items?: KeySchema
}

/** The JSON Schema (2020-12) of `config.json`, as it is committed in `schema/config.schema.json`. */
export function configurationSchema(): Readonly<Record<string, unknown>> {
  const schema = z.toJSONSchema(configurationShape, {
    io: 'input',
    override: ({ jsonSchema }) => void delete jsonSchema['path'],
  })
  return { ...schema, title: 'config.json of Foreword' }
}

/** The same for looking keys up. */
export const keySchema: KeySchema = configurationSchema()
