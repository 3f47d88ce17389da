type Schema = Readonly<Record<string, unknown>>

/** A small value that a JSON Schema allows, the same for the same schema. Rare keywords are not looked at. */
export function schemaExample(schema: unknown): unknown {
  return exampleOf(schema, schema, 0)
}

/** A schema that refers to itself has no end. */
const DEEPEST = 20

function exampleOf(given: unknown, root: unknown, depth: number): unknown {
  const schema = record(given)
  if (depth > DEEPEST) return null
  if ('const' in schema) return schema['const']
  if ('default' in schema) return schema['default']
  const [first] = [...list(schema['enum']), ...list(schema['examples'])]
  if (first !== undefined) return first
  const referred = typeof schema['$ref'] === 'string' ? target(root, schema['$ref']) : undefined
  const [choice = referred] = [...list(schema['anyOf']), ...list(schema['oneOf']), ...list(schema['allOf'])]
  if (choice !== undefined) return exampleOf(choice, root, depth + 1)
  return ofType(schema, (inner) => exampleOf(inner, root, depth + 1))
}

function ofType(schema: Schema, example: (schema: unknown) => unknown): unknown {
  const [type = 'properties' in schema ? 'object' : 'string'] = [schema['type']].flat()
  switch (type) {
    case 'object': {
      const properties = record(schema['properties'])
      return Object.fromEntries(list(schema['required']).map((name) => [name, example(properties[String(name)])]))
    }
    case 'array':
      return Array.from({ length: Math.min(Number(schema['minItems'] ?? 0), 10) }, () => example(schema['items']))
    case 'integer':
    case 'number':
      return Math.max(0, Number(schema['minimum'] ?? 0))
    case 'boolean':
      return false
    case 'null':
      return null
    default:
      return 'rehearsal'
  }
}

/** What a reference within the same schema points to. */
function target(root: unknown, reference: string): unknown {
  const path = reference.replace(/^#\/?/, '').split('/').filter(Boolean)
  return path.reduce<unknown>((value, key) => record(value)[key], root)
}

function record(value: unknown): Schema {
  return typeof value === 'object' && value !== null ? (value as Schema) : {}
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
