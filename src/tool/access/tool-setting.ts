import type { ToolAccess } from './access.ts'
import { mostExactFirst } from './name-pattern.ts'

/** What `tools` says of one setting of a tool, and where. */
export interface ToolSetting<Value> {
  readonly value: Value
  /** Such as `tools.read_*.enabled`. */
  readonly rule: string
}

/**
 * What was written of a tool, by its name or by a pattern: for each setting the most exact name that says something of it
 * counts, so that `read_file` can be an exception from `read_*`. `undefined` where nothing was said.
 */
export function toolSetting<Key extends keyof ToolAccess>(
  tools: Readonly<Record<string, ToolAccess>>,
  name: string,
  key: Key,
): ToolSetting<NonNullable<ToolAccess[Key]>> | undefined {
  for (const written of mostExactFirst(Object.keys(tools), name)) {
    const value = tools[written]?.[key]
    if (value !== undefined) return { value, rule: `tools.${written}.${key}` }
  }
  return undefined
}
