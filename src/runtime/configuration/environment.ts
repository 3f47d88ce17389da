import { type KeyPath, plainKeys } from './key.ts'
import type { Environment } from '../../model.ts'
import type { ConfigurationSchema } from './schema.ts'
import { factsAt } from './setting-texts.ts'
import { valueOf } from './value.ts'

export type { Environment }

/** A key that an environment variable sets. */
export interface Override {
  readonly path: KeyPath
  readonly variable: string
  readonly value: unknown
}

/** What the environment says over single keys. An empty variable says nothing. */
export function overridesOf(environment: Environment, { json, whole }: ConfigurationSchema): readonly Override[] {
  return plainKeys(json).flatMap((path) => {
    const variables = [variableOf(path), ...(factsAt(whole, path).variables ?? [])]
    const variable = variables.find((name) => (environment[name] ?? '') !== '')
    return variable === undefined ? [] : [{ path, variable, value: valueOf(path, environment[variable]!, json) }]
  })
}

/** `agent.maxSteps` is set by `FOREWORD_AGENT_MAX_STEPS`. */
export function variableOf(path: KeyPath): string {
  return ['FOREWORD', ...path.map((name) => name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toUpperCase())].join('_')
}
