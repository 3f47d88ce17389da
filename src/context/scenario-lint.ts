import { assemble, type Assembly } from './assemble.ts'
import { type LintCall, lintHead } from './lint/lint-call.ts'
import type { LintFinding } from './lint/lint-finding.ts'
import { inOrder, lint } from './lint/lint.ts'
import { ContextOverflowError } from './overflow-error.ts'
import { scenarioInput } from './scenario-input.ts'
import { parseScenario, ScenarioError } from './scenario-reader.ts'
import type { Scenario } from './scenario-schema.ts'
import { sha256Text } from './sha256-text.ts'
import { smallCounters, type TokenCounter } from './token-counter.ts'

interface ScenarioFinding extends LintFinding {
  readonly scenario: string
}

/** What was found in scenarios, and which of them have no request, because it does not fit. */
export interface ScenarioLint {
  readonly findings: readonly ScenarioFinding[]
  readonly overflows: readonly string[]
}

/**
 * Looks in scenarios for what breaks prompt caches or wastes room. Scenarios of one layout count as the calls of one session, in
 * their order: what changes from one to the next is found from six of them on. `values` are parsed JSON. Throws a
 * `ScenarioError` where one is not a scenario.
 */
export function lintScenarios(
  values: readonly unknown[],
  counters: readonly TokenCounter[] = smallCounters,
): ScenarioLint {
  const scenarios = values.map(parseScenario)
  const found = new Map<string, ScenarioFinding>()
  const overflows: string[] = []
  const calls: LintCall[] = []
  let counterOfAll: TokenCounter | undefined
  const note = (scenario: string, findings: readonly LintFinding[]) => {
    for (const finding of findings) {
      const { code, where } = finding
      // What was found is another time at each call, at the same place.
      const { excerpt: _excerpt, ...place } = where
      const key = JSON.stringify([code, place])
      if (!found.has(key)) found.set(key, { ...finding, scenario })
    }
  }
  for (const scenario of scenarios) {
    const made = assembled(scenario, counters)
    if (made === undefined) {
      overflows.push(scenario.name)
      continue
    }
    const { assembly, counter } = made
    calls.push(callOf(scenario, assembly))
    note(scenario.name, lint({ counter, assembly, calls: [], tools: [] }))
    counterOfAll = counter
  }
  const first = scenarios[0]
  if (first && counterOfAll) note(first.name, lint({ counter: counterOfAll, calls, tools: [] }))
  return { findings: inOrder([...found.values()]) as readonly ScenarioFinding[], overflows }
}

function assembled(
  scenario: Scenario,
  counters: readonly TokenCounter[],
): { readonly assembly: Assembly; readonly counter: TokenCounter } | undefined {
  try {
    const input = scenarioInput(scenario, counters)
    return { assembly: assemble(input), counter: input.counter }
  } catch (error) {
    if (error instanceof RangeError) throw new ScenarioError(`"${scenario.name}"`, error.message.split('\n'))
    if (error instanceof ContextOverflowError) return undefined
    throw error
  }
}

/** A scenario as a call: the accounts of the core have no digests. */
function callOf({ name, layout, current }: Scenario, { manifest, pieces }: Assembly): LintCall {
  const contents = new Map<number, string[]>()
  for (const { entry, content } of pieces) {
    contents.set(entry, [
      ...(contents.get(entry) ?? []),
      typeof content === 'string' ? content : JSON.stringify(content),
    ])
  }
  const entries = manifest.entries.map((entry, index) => ({
    ...entry,
    digest: sha256Text((contents.get(index) ?? []).join('\n')),
  }))
  return {
    id: name,
    session: '',
    turn: current.id,
    model: '',
    layout: JSON.stringify(layout),
    used: manifest.used,
    head: lintHead({ entries }),
  }
}
