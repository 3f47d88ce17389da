import { builtIn } from '../../src/foreword.ts'
import { configurationSchema } from '../../src/runtime.ts'
import { writtenTable } from '../guide/written-table.ts'

interface KeySchema {
  readonly description?: string
  readonly default?: unknown
  readonly enum?: readonly unknown[]
  readonly properties?: Readonly<Record<string, KeySchema>>
  readonly additionalProperties?: KeySchema | false
}

export const keysInGuide = writtenTable('configuration.md', 'keys')

/** The table of all keys as the schema has it. */
export function tableOfSchema(): string {
  const rows = keysOf(configurationSchema(builtIn).json as KeySchema, []).map(([key, schema]) => {
    const values =
      schema.enum === undefined ? '' : ` One of ${schema.enum.map((value) => `\`${String(value)}\``).join(', ')}.`
    const usual = schema.default === undefined ? '' : `\`${JSON.stringify(schema.default)}\``
    return `| \`${key}\` | ${usual} | ${schema.description ?? ''}${values} |`
  })
  return ['\n| key | unless given | meaning |', '| --- | --- | --- |', ...rows].join('\n').concat('\n\n')
}

function keysOf(schema: KeySchema, path: readonly string[]): readonly (readonly [string, KeySchema])[] {
  if (schema.properties !== undefined) {
    return Object.entries(schema.properties)
      .filter(([name]) => name !== '$schema')
      .flatMap(([name, inner]) => keysOf(inner, [...path, name]))
  }
  const entry = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : {}
  const inner = entry.properties === undefined ? [] : keysOf(entry, [...path, 'NAME'])
  return [[path.join('.'), schema], ...inner]
}

if (import.meta.main) keysInGuide.write(tableOfSchema())
