// Assembly inputs as JSON: reads scenarios, runs them, and gives their JSON Schema.
import { assemble } from './assemble.ts'
import { layouts } from './layouts.ts'
import type { Manifest } from './manifest.ts'
import { ContextOverflowError } from './overflow-error.ts'
import type { Request } from './request.ts'
import { scenarioInput } from './scenario-input.ts'
import { ScenarioError, scenarioProblems } from './scenario-reader.ts'
import { type Scenario, scenarioSchema } from './scenario-schema.ts'
import { smallCounters, type TokenCounter } from './token-counter.ts'

export { readScenarios } from './scenario-reader.ts'
export { ScenarioError } from './scenario-reader.ts'
export { scenarioJsonSchema } from './scenario-schema.ts'
export { smallCounters } from './token-counter.ts'

/** What a scenario comes to: a request and its account, or why there is none. */
export type ScenarioResult =
  | { readonly name: string; readonly request: Request; readonly manifest: Manifest }
  | {
      readonly name: string
      readonly error: { readonly code: string; readonly message: string }
      readonly manifest: Manifest
    }

/**
 * Assembles one scenario (docs/guide/scenarios.md). An overflow is a result; what is not a scenario throws a `ScenarioError`.
 * `value` is parsed JSON; it is not changed.
 */
export function runScenario(value: unknown, counters: readonly TokenCounter[] = smallCounters): ScenarioResult {
  const scenario = parseScenario(value)
  const { name } = scenario
  try {
    const { request, manifest } = assemble(scenarioInput(scenario, counters))
    return { name, request, manifest }
  } catch (error) {
    if (error instanceof RangeError) throw new ScenarioError(`"${name}"`, error.message.split('\n'))
    if (!(error instanceof ContextOverflowError)) throw error
    return { name, error: { code: error.code, message: error.message }, manifest: error.manifest }
  }
}

/** The counter that a scenario asks for, without checking anything else of it. */
export function scenarioCounterId(value: unknown): string | undefined {
  const counter = (value as { counter?: unknown } | null)?.counter
  return typeof counter === 'string' ? counter : undefined
}

function parseScenario(value: unknown): Scenario {
  const result = scenarioSchema.safeParse(value)
  const given = (value as { name?: unknown } | null)?.name
  const name = typeof given === 'string' ? `"${given}"` : 'without a name'
  if (!result.success) {
    throw new ScenarioError(name, scenarioProblems(result.error.issues))
  }
  const problems = findProblems(result.data)
  if (problems.length > 0) throw new ScenarioError(name, problems)
  return result.data
}

function findProblems({ layout, layers, history, current, attachments, tools }: Scenario): readonly string[] {
  const base = typeof layout === 'string' ? layout : layout.extends
  return [
    ...(Object.hasOwn(layouts, base)
      ? []
      : [`layout: unknown layout "${base}"; choose one of ${Object.keys(layouts).join(', ')}`]),
    ...repeated(
      'layers and attachments',
      [...layers, ...attachments].map((one) => one.id),
    ),
    ...repeated(
      'turns',
      [...history, current].map((one) => one.id),
    ),
    ...repeated(
      'tools',
      tools.map((one) => one.name),
    ),
  ]
}

function repeated(what: string, ids: readonly string[]): readonly string[] {
  const seen = new Set<string>()
  const twice = new Set(ids.filter((one) => seen.size === seen.add(one).size))
  return [...twice].map((one) => `${what}: "${one}" is used more than once; every id must be unique`)
}
