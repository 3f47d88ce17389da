import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { configurationSchema } from '../../src/runtime.ts'

interface KeySchema {
  readonly description?: string
  readonly default?: unknown
  readonly enum?: readonly unknown[]
  readonly properties?: Readonly<Record<string, KeySchema>>
  readonly additionalProperties?: KeySchema | false
}

const guideFile = join(import.meta.dirname, '..', '..', 'docs', 'guide', 'configuration.md')
const begin = /<!-- keys: begin.*-->\n/
const end = '<!-- keys: end -->'

/** The table of all keys as the guide has it. */
export function tableInGuide(): string {
  const guide = readFileSync(guideFile, 'utf8')
  return guide.slice(startIn(guide), guide.indexOf(end))
}

/** The table of all keys as the schema has it. */
export function tableOfSchema(): string {
  const rows = keysOf(configurationSchema() as KeySchema, []).map(([key, schema]) => {
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

function startIn(guide: string): number {
  const match = begin.exec(guide)
  if (match === null) throw new Error(`${guideFile} has lost the mark where its table of keys begins`)
  return match.index + match[0].length
}

if (import.meta.main) {
  const guide = readFileSync(guideFile, 'utf8')
  writeFileSync(guideFile, guide.slice(0, startIn(guide)) + tableOfSchema() + guide.slice(guide.indexOf(end)))
}
