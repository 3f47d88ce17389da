import { assemble } from './assemble.ts'
import type { AssemblyInput } from './assemble.ts'
import type { Layer } from './layer.ts'
import { layoutOf, layouts } from './layout.ts'
import type { Manifest } from './manifest.ts'
import type { Message } from './message.ts'
import { ContextOverflowError } from './overflow-error.ts'
import type { Request } from './request.ts'
import { type Scenario, scenarioSchema } from './scenario-schema.ts'
import { declared, smallCounters, type TokenCounter } from './token-counter.ts'
import type { Turn } from './turn.ts'

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

/** A scenario that is not one: every problem with the key it stands at. */
export class ScenarioError extends Error {
  override readonly name = 'ScenarioError'
  readonly problems: readonly string[]

  constructor(scenario: string, problems: readonly string[]) {
    super(`Scenario ${scenario} is not valid:\n${problems.map((problem) => `  ${problem}`).join('\n')}`)
    this.problems = problems
  }
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
    if (error instanceof RangeError) throw new ScenarioError(`"${name}"`, [error.message])
    if (!(error instanceof ContextOverflowError)) throw error
    return { name, error: { code: error.code, message: error.message }, manifest: error.manifest }
  }
}

/**
 * Reads scenarios from a text: one JSON document, an array of them, or JSON Lines. Throws a `ScenarioError` that names
 * the line where the text is not JSON. Each value still has to pass `runScenario`.
 */
export function readScenarios(marked: string): readonly unknown[] {
  // Some editors put a byte order mark in front, which is no JSON.
  const text = marked.replace(/^\uFEFF/, '')
  const whole = parsed(text)
  if ('value' in whole) return Array.isArray(whole.value) ? (whole.value as unknown[]) : [whole.value]
  const lines = text.split('\n').map((line, index) => ({ line: line.trim(), number: index + 1 }))
  const filled = lines.filter(({ line }) => line !== '')
  if (filled.length < 2 || !('value' in parsed(filled[0]!.line))) {
    throw new ScenarioError('text', [`it is neither JSON nor JSON Lines: ${whole.problem}`])
  }
  return filled.map(({ line, number }) => {
    const one = parsed(line)
    if ('value' in one) return one.value
    throw new ScenarioError('text', [`line ${number} is not JSON: ${one.problem}`])
  })
}

/** The counter that a scenario asks for, without checking anything else of it. */
export function counterIdOf(value: unknown): string | undefined {
  const counter = (value as { counter?: unknown } | null)?.counter
  return typeof counter === 'string' ? counter : undefined
}

function parseScenario(value: unknown): Scenario {
  const result = scenarioSchema.safeParse(value)
  const given = (value as { name?: unknown } | null)?.name
  const name = typeof given === 'string' ? `"${given}"` : 'without a name'
  if (!result.success) {
    throw new ScenarioError(
      name,
      result.error.issues.map((issue) => `${issue.path.join('.') || '(whole)'}: ${issue.message}`),
    )
  }
  const problems = problemsOf(result.data)
  if (problems.length > 0) throw new ScenarioError(name, problems)
  return result.data
}

function problemsOf({ layout, layers, history, current, attachments, tools }: Scenario): readonly string[] {
  const base = typeof layout === 'string' ? layout : layout.extends
  return [
    ...(Object.hasOwn(layouts, base)
      ? []
      : [`layout: there is no "${base}"; choose one of ${Object.keys(layouts).join(', ')}`]),
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
  const twice = ids.filter((one, index) => ids.indexOf(one) !== index)
  return [...new Set(twice)].map((one) => `${what}: "${one}" stands more than once; every id must be unique`)
}

function assemblyInput(scenario: Scenario, counters: readonly TokenCounter[]): AssemblyInput {
  const counter = counters.find((one) => one.id === scenario.counter)
  if (!counter) {
    throw new RangeError(
      `There is no counter "${scenario.counter}". Choose one of ${counters.map((one) => one.id).join(', ')}.`,
    )
  }
  const own = <T extends { readonly tokens?: number | undefined }>(priced: T) => ownCost(priced, counter)
  const turnOf = ({ id: turnId, messages }: Scenario['current']): Turn => ({
    id: turnId,
    messages: messages.map(({ tokens: cost, ...rest }) => own({ message: rest as Message, tokens: cost })),
  })
  return {
    layout: layoutOf(scenario.layout),
    layers: scenario.layers.map(({ text, tokens: cost, renditions, ...rest }): Layer => ({
      ...rest,
      renditions: (renditions ?? [{ form: 'full', text: text ?? '', tokens: cost }]).map(own),
    })),
    history: scenario.history.map(turnOf),
    current: turnOf(scenario.current),
    attachments: scenario.attachments.map(own),
    tools: scenario.tools.map(own),
    budget: scenario.budget,
    counter,
    ...(scenario.cut ? { cut: scenario.cut } : {}),
    ...(scenario.earlier ? { earlier: scenario.earlier } : {}),
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

function parsed(text: string): { readonly value: unknown } | { readonly problem: string } {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) }
  }
}
