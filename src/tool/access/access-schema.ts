import { accessShape, type Field, type ObjectField, type WordPattern } from './access-shape.ts'

/** The JSON Schema (2020-12) of `tool-access.json`, as it is committed in `schema/tool-access.schema.json`. */
export function accessSchema(): Readonly<Record<string, unknown>> {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'tool-access.json of Foreword',
    ...schemaOf(accessShape),
  }
}

function schemaOf(field: Field): Readonly<Record<string, unknown>> {
  const { description } = field
  switch (field.kind) {
    case 'switch':
      return { type: 'boolean', description, ...defaultOf(field) }
    case 'choice':
      return { type: 'string', enum: field.of, description, ...defaultOf(field) }
    case 'count':
      return { type: 'integer', minimum: 1, description, ...defaultOf(field) }
    case 'words':
      return { type: 'array', items: wordSchema(field.pattern), description, default: [] }
    case 'text':
      return { type: 'string', description }
    case 'object':
      return objectSchema(field)
  }
}

function wordSchema(pattern: WordPattern | undefined): Readonly<Record<string, unknown>> {
  return { type: 'string', pattern: '\\S', ...(pattern && { allOf: [{ pattern: pattern.source }] }) }
}

function objectSchema({ description, fields, others, names }: ObjectField): Readonly<Record<string, unknown>> {
  return {
    type: 'object',
    description,
    properties: Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, schemaOf(field)])),
    // Keys that begin with _ are comments.
    patternProperties: { '^_': {} },
    ...(names && { propertyNames: { pattern: `^_|${names.source}` } }),
    additionalProperties: others ? schemaOf(others) : false,
  }
}

function defaultOf(field: { readonly default?: unknown }): { readonly default?: unknown } {
  return field.default === undefined ? {} : { default: field.default }
}
