// Assembly inputs as JSON: reads scenarios, runs them, and gives their JSON Schema.
import { assemble } from './assemble.ts'
import type { AssemblyInput } from './assembly-input.ts'
import type { Layer } from './layer.ts'
import { layoutOf, layouts, readersByName } from './layouts.ts'
import type { Manifest } from './manifest.ts'
import type { Message } from './message.ts'
import { ContextOverflowError } from './overflow-error.ts'
import type { Request } from './request.ts'
import { ScenarioError, scenarioProblems } from './scenario-reader.ts'
import { type Scenario, scenarioSchema } from './scenario-schema.ts'
import { declared, smallCounters, type TokenCounter } from './token-counter.ts'
import type { Turn } from './turn.ts'

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
    const { request, manifest } = assemble(assemblyInput(scenario, counters))
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

function assemblyInput(scenario: Scenario, counters: readonly TokenCounter[]): AssemblyInput {
  const counter = counters.find((one) => one.id === scenario.counter)
  if (!counter) {
    throw new RangeError(
      `Unknown counter "${scenario.counter}". Choose one of ${counters.map((one) => one.id).join(', ')}.`,
    )
  }
  const own = <T extends { readonly tokens?: number | undefined }>(priced: T) => ownCost(priced, counter)
  const toTurn = ({ id: turnId, messages }: Scenario['current']): Turn => ({
    id: turnId,
    messages: messages.map(({ tokens: cost, ...rest }) => own({ message: rest as Message, tokens: cost })),
  })
  return {
    layout: layoutOf(scenario.layout),
    layers: scenario.layers.map(({ text, tokens: cost, renditions, ...rest }): Layer => ({
      ...rest,
      renditions: (renditions ?? [{ form: 'full', text: text ?? '', tokens: cost }]).map(own),
    })),
    history: scenario.history.map(toTurn),
    current: toTurn(scenario.current),
    attachments: scenario.attachments.map(own),
    tools: scenario.tools.map(({ reads, ...tool }) => own({ ...tool, reads: reads ?? readersByName.get(tool.name) })),
    budget: scenario.budget,
    counter,
    ...(scenario.cut ? { cut: scenario.cut } : {}),
    ...(scenario.earlier ? { earlier: scenario.earlier } : {}),
    ...(scenario.images ? { images: scenario.images } : {}),
    ...(scenario.model === undefined ? {} : { model: scenario.model }),
  }
}

/** Given numbers belong to `declared`, where what is left out costs nothing. Every other counter counts for itself. */
function ownCost<T extends { readonly tokens?: number | undefined }>(
  { tokens: cost, ...rest }: T,
  counter: TokenCounter,
) {
  return (counter.id === declared.id ? { ...rest, tokens: cost ?? 0 } : rest) as Omit<T, 'tokens'> & { tokens?: number }
}
