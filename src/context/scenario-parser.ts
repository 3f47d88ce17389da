import { layouts } from './layouts.ts'
import { ScenarioError, scenarioProblems } from './scenario-reader.ts'
import { type Scenario, scenarioSchema } from './scenario-schema.ts'

/** Checks that parsed JSON is a scenario. Throws a `ScenarioError` with all that is wrong with it. */
export function parseScenario(value: unknown): Scenario {
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
