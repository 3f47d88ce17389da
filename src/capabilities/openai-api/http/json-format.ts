import type { ResponseFormat } from '../../../model.ts'

interface JsonSchemaFormat {
  readonly name: string
  readonly schema?: Readonly<Record<string, unknown>> | undefined
  readonly description?: string | null | undefined
  readonly strict?: boolean | null | undefined
}

export function jsonFormat({ name, schema = {}, description, strict }: JsonSchemaFormat): ResponseFormat {
  return {
    type: 'json',
    name,
    schema,
    ...(description ? { description } : {}),
    ...(typeof strict === 'boolean' ? { strict } : {}),
  }
}
