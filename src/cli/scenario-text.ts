import type { TokenCounter } from '../context.ts'
import type { ScenarioResult } from '../context/scenario.ts'
import { CommandFailure } from './failure.ts'

/** What a file of scenarios comes to. */
export interface ScenarioRun {
  readonly results: readonly ScenarioResult[]
  /** Their outlines as one text, which `foreword check` compares with the committed one. */
  readonly text: string
}

/**
 * Assembles every scenario of a text: one JSON document, an array, or JSON Lines. Throws where one is not valid; a
 * context overflow is a result like any other.
 */
export async function runScenarios(text: string, place: string): Promise<ScenarioRun> {
  const { outline } = await import('../context.ts')
  const results = await resultsOf(text, place)
  const blocks = results.map((result) => {
    const lines = [outline(result.manifest).trimEnd()]
    if ('error' in result) lines.push(`${result.error.code}: ${result.error.message}`)
    return (results.length === 1 ? lines : [`# ${result.name}`, ...lines]).join('\n')
  })
  return { results, text: `${blocks.join('\n\n')}\n` }
}

async function resultsOf(text: string, place: string): Promise<readonly ScenarioResult[]> {
  const { counterIdOf, readScenarios, runScenario, ScenarioError, smallCounters } =
    await import('../context/scenario.ts')
  try {
    const scenarios = readScenarios(text)
    if (scenarios.length === 0) throw new ScenarioError('text', ['it holds no scenario'])
    // Also where a counter is unknown: the one with the large table belongs to what there is to choose from.
    const known = new Set([undefined, ...smallCounters.map(({ id }) => id)])
    const counters: readonly TokenCounter[] = scenarios.some((scenario) => !known.has(counterIdOf(scenario)))
      ? [...smallCounters, (await import('../context/o200k.ts')).o200k]
      : smallCounters
    return scenarios.map((scenario) => runScenario(scenario, counters))
  } catch (error) {
    if (!(error instanceof ScenarioError)) throw error
    throw new CommandFailure('invalid-scenario', `${place}: ${error.message}`, {
      hint: 'schema/scenario.schema.json of this package describes the format.',
      cause: error,
    })
  }
}
