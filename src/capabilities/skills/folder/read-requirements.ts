import type { Requirements } from './requirements.ts'

/** The agents under whose names public skills keep their requirements. */
const AGENTS = ['openclaw', 'clawdbot', 'moltbot'] as const

/** Other names of systems than those that Node has. */
const SYSTEMS: Readonly<Record<string, string>> = { macos: 'darwin', osx: 'darwin', mac: 'darwin', windows: 'win32' }

/**
 * Requirements of a skill, from `metadata.requires` and from `metadata.openclaw`, `clawdbot` and `moltbot` (BEHAVIOURS §1.1),
 * each a list of fields or the JSON of one. All of them count.
 */
export function readRequirements(metadata: Readonly<Record<string, unknown>>, warnings: string[]): Requirements {
  const places = [
    { path: 'metadata', fields: metadata },
    ...AGENTS.map((name) => ({ path: `metadata.${name}`, fields: fieldsOf(metadata[name]) ?? {} })),
  ]
  const each = places.map(({ path, fields }) => {
    const requires = fieldsOf(fields['requires']) ?? {}
    const list = (key: string) => {
      const what = key === 'env' ? 'variable' : 'program'
      return itemsOf(requires[key]).flatMap((item) => {
        const names = itemsOf(item).flatMap(nameOf)
        if (names.length === 0) {
          warnings.push(`${path}.requires.${key} has an entry that names no ${what}; it is ignored`)
        }
        return names.length === 0 ? [] : [names]
      })
    }
    const anyBins = list('anyBins').flat()
    return {
      bins: [...list('bins'), ...(anyBins.length > 0 ? [anyBins] : [])],
      env: list('env').flat(),
      // The `os` at the top of `metadata` belongs to nobody in particular.
      os: path === 'metadata' ? [] : itemsOf(fields['os']).flatMap(nameOf).map(systemOf),
    }
  })
  return {
    bins: each.flatMap(({ bins }) => bins),
    env: [...new Set(each.flatMap(({ env }) => env))],
    os: [...new Set(each.flatMap(({ os }) => os))],
  }
}

/** The fields of an object, or of the JSON of one; `undefined` for anything else. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  if (typeof value === 'string') return value.trimStart().startsWith('{') ? fieldsOf(jsonOf(value)) : undefined
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? (value as Readonly<Record<string, unknown>>) : undefined
}

function jsonOf(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'string' ? undefined : value
  } catch {
    return undefined
  }
}

/** A single thing stands for a list of it. */
function itemsOf(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return []
  return Array.isArray(value) ? (value as readonly unknown[]) : [value]
}

function nameOf(value: unknown): readonly string[] {
  return typeof value === 'string' && value.trim() !== '' ? [value.trim()] : []
}

function systemOf(name: string): string {
  return SYSTEMS[name.toLowerCase()] ?? name.toLowerCase()
}
