import { type KeyPath, plainKeys, schemaAt } from './key.ts'

/** Variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>

/** A key that an environment variable sets. */
export interface Override {
  readonly path: KeyPath
  readonly variable: string
  readonly value: unknown
}

/** What the environment says over single keys. An empty variable says nothing. */
export function overridesOf(environment: Environment): readonly Override[] {
  return plainKeys().flatMap((path) => {
    const variables = [variableOf(path), ...(alsoSetBy[path.join('.')] ?? [])]
    const variable = variables.find((name) => (environment[name] ?? '') !== '')
    return variable === undefined ? [] : [{ path, variable, value: valueOf(path, environment[variable]!) }]
  })
}

/** Variables of others that set a key too (BEHAVIOURS §4). */
const alsoSetBy: Readonly<Record<string, readonly string[]>> = { 'subjects.tastes': ['CHEMIGRAM_TASTES_DIR'] }

/** `agent.maxSteps` is set by `FOREWORD_AGENT_MAX_STEPS`. */
export function variableOf(path: KeyPath): string {
  return ['FOREWORD', ...path.map((name) => name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toUpperCase())].join('_')
}

/** What a text means for a key. Where it means nothing it stays a text, and the schema says what is wrong. */
function valueOf(path: KeyPath, text: string): unknown {
  const schema = schemaAt(path)
  switch (schema?.type) {
    case 'integer':
    case 'number':
      return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text
    case 'boolean':
      return { true: true, '1': true, false: false, '0': false }[text.trim().toLowerCase()] ?? text
    case 'array':
      return text.trimStart().startsWith('[') ? jsonOr(text) : listOf(text, schema.items?.type)
    default:
      return schema?.anyOf && text.trimStart().startsWith('{') ? jsonOr(text) : text
  }
}

function listOf(text: string, type: string | undefined): unknown {
  const items = text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
  return type === 'integer' ? items.map((item) => (Number.isFinite(Number(item)) ? Number(item) : item)) : items
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
