import type { z } from 'zod'
import { innerSchema, type SettingFacts, settingFacts } from '../../capability.ts'
import type { KeyPath } from './key.ts'

/** What becomes of a text that has facts. */
export type TextChange = (text: string, facts: SettingFacts, path: KeyPath) => string

/** The value with every text changed of which its schema has facts, such as that it is a path. */
export function withTexts(schema: z.ZodType, value: unknown, change: TextChange, path: KeyPath = []): unknown {
  const { def } = innerSchema(schema) as { readonly def: InnerDefinition }
  if (typeof value === 'string') {
    const facts = settingFacts(schema)
    return facts.path === undefined && facts.model === undefined ? value : change(value, facts, path)
  }
  // No schema of one of several kinds has facts inside.
  if (def.type === 'union') return value
  // An item of a list has the key of its list.
  if (Array.isArray(value))
    return def.element ? value.map((item) => withTexts(def.element!, item, change, path)) : value
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => {
      const of = def.type === 'record' ? def.valueType : def.shape?.[name]
      return [name, of ? withTexts(of, item, change, [...path, name]) : item]
    }),
  )
}

/** What is known of the setting at a key. */
export function factsAt(schema: z.ZodType, [name, ...rest]: KeyPath): SettingFacts {
  if (name === undefined) return settingFacts(schema)
  const { def } = innerSchema(schema) as { readonly def: InnerDefinition }
  const next = def.type === 'record' ? def.valueType : def.shape?.[name]
  return next ? factsAt(next, rest) : {}
}

interface InnerDefinition {
  readonly type: string
  readonly element?: z.ZodType
  readonly valueType?: z.ZodType
  readonly shape?: Readonly<Record<string, z.ZodType>>
}
