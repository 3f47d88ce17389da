// Assembly inputs as JSON: reads scenarios, runs them, looks in them for what breaks caches, and gives their JSON Schema.
import { assemble } from './assemble.ts'
import type { Manifest } from './manifest.ts'
import { ContextOverflowError } from './overflow-error.ts'
import type { Request } from './request.ts'
import { scenarioInput } from './scenario-input.ts'
import { parseScenario, ScenarioError } from './scenario-reader.ts'
import { smallCounters, type TokenCounter } from './token-counter.ts'

export { lintScenarios, type ScenarioLint } from './scenario-lint.ts'
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
