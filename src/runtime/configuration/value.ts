import { parseJson } from '../../platform.ts'
import type { Environment } from '../../model.ts'
import { type KeyPath, type KeySchema, type PlainKey, schemaAt } from './key.ts'

/** What a text means for a key: `4142` is a number where one is due, `a,b` a list. What means nothing stays a text. */
function parseValue(text: string, schema: KeySchema | undefined): unknown {
  switch (schema?.type) {
    case 'integer':
    case 'number':
      return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text
    case 'boolean':
      return { true: true, '1': true, false: false, '0': false }[text.trim().toLowerCase()] ?? text
    case 'array':
      return text.trimStart().startsWith('[') ? parseJson(text, text) : parseList(text, schema.items?.type)
    case 'object':
      return parseJson(text, text)
    default:
      return schema?.anyOf && text.trimStart().startsWith('{') ? parseJson(text, text) : text
  }
}

/** What words behind a key mean; several make a list. A text that looks like JSON of another kind has to be in quotes. */
export function parseWords(path: KeyPath, words: readonly string[], { json }: { readonly json: KeySchema }): unknown {
  const schema = schemaAt(path, json)
  const [text = ''] = words
  if (schema?.type === 'array' && words.length > 1) return words.map((word) => parseItem(word, schema.items?.type))
  if (words.length > 1) return words
  const isText = schema?.type === 'string' || (schema?.anyOf !== undefined && text.startsWith('"'))
  return isText ? parseJson(text, text) : parseValue(text, schema)
}

function parseList(text: string, type: string | undefined): unknown {
  const items = text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
  return items.map((item) => parseItem(item, type))
}

function parseItem(item: string, type: string | undefined): unknown {
  return type === 'integer' && item.trim() !== '' && Number.isFinite(Number(item)) ? Number(item) : item
}

export type { Environment }

/** A key that an environment variable sets. */
export interface Override {
  readonly path: KeyPath
  readonly variable: string
  readonly value: unknown
}

/** The keys that environment variables set. An empty variable sets nothing. */
export function environmentOverrides(
  environment: Environment,
  { plainKeys, keyJson }: { readonly plainKeys: readonly PlainKey[]; keyJson(path: KeyPath): KeySchema },
): readonly Override[] {
  return plainKeys.flatMap(({ path, variables }) => {
    const variable = variables.find((name) => (environment[name] ?? '') !== '')
    return variable === undefined ? [] : [{ path, variable, value: parseValue(environment[variable]!, keyJson(path)) }]
  })
}

/** `agent.maxSteps` is set by `FOREWORD_AGENT_MAX_STEPS`. */
export function variableName(path: KeyPath): string {
  return ['FOREWORD', ...path.map((name) => name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toUpperCase())].join('_')
}
