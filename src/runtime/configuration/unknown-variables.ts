import { type Environment, variableOf } from './environment.ts'
import { namesAt, plainKeys } from './key.ts'
import { nearestName } from '../../platform.ts'
import type { ConfigurationProblem } from './problem.ts'
import type { KeySchema } from './schema.ts'

/** Variables of the command that are no keys. */
const OTHERS = ['FOREWORD_HOME', 'FOREWORD_DEBUG']

/** Of what the command starts, and of the development of Foreword: nobody means one of these. */
const INTERNAL = new Set(['FOREWORD_RUN', 'FOREWORD_LOCOMO'])

/** Set for the programs of skills (docs/guide/skills.md), which may call the command. */
const OF_TOOLS = /^FOREWORD_TOOL_/

/** Variables that begin with `FOREWORD_` and set nothing, each with the one that may be meant. An empty one says nothing. */
export function unknownVariables(
  environment: Environment,
  configuration: unknown,
  json: KeySchema,
): readonly ConfigurationProblem[] {
  const known = [...plainKeys(json).map(variableOf), ...OTHERS]
  const named = textsIn(configuration)
  return Object.keys(environment)
    .filter((name) => /^foreword_/i.test(name) && (environment[name] ?? '') !== '')
    .filter((name) => !known.includes(name) && !INTERNAL.has(name) && !OF_TOOLS.test(name) && !named.has(name))
    .map((name) => ({ key: '', place: name, message: 'this variable sets nothing', hint: hintOf(name, known, json) }))
}

function hintOf(name: string, known: readonly string[], json: KeySchema): string {
  const map = mapOf(name, json)
  if (map !== undefined) return `Entries of ${map} are set in config.json alone.`
  const near = nearestName(name.toUpperCase(), known)
  return near === undefined
    ? 'A key is written in capitals with underscores: gateway.port is FOREWORD_GATEWAY_PORT.'
    : `Did you mean ${near}?`
}

/** The map that a variable would set an entry of, such as `FOREWORD_PROVIDERS_LAB_KIND`. */
function mapOf(name: string, json: KeySchema): string | undefined {
  const single = new Set(plainKeys(json).map(([first]) => first))
  const maps = namesAt([], json).filter((key) => !single.has(key) && key !== '$schema')
  return maps.find((key) => name.toUpperCase().startsWith(`FOREWORD_${key.toUpperCase()}_`))
}

/** Names of variables that hold keys may begin with `FOREWORD_`, too: they stand in the configuration as texts. */
function textsIn(value: unknown): ReadonlySet<string> {
  if (typeof value === 'string') return new Set([value])
  if (typeof value !== 'object' || value === null) return new Set()
  return new Set(Object.values(value).flatMap((inner) => [...textsIn(inner)]))
}
