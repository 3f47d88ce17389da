import { existsSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { join } from 'node:path'
import type { TokenCounter } from '../context.ts'
import { CommandFailure } from './failure.ts'
import { fileFailure } from './input-text.ts'

/** Does something with the scenarios of a text and the counters that they ask for. A `ScenarioError` tells the place. */
export async function withScenarios<T>(
  text: string,
  place: string,
  work: (scenarios: readonly unknown[], counters: readonly TokenCounter[]) => T,
): Promise<T> {
  const { scenarioCounterId, readScenarios, ScenarioError, smallCounters } = await import('../context/scenario.ts')
  try {
    const scenarios = readScenarios(text)
    if (scenarios.length === 0) throw new ScenarioError('text', ['it contains no scenario'])
    // An unknown counter needs the one with the large table, too: the error lists every counter.
    const known = new Set([undefined, ...smallCounters.map(({ id }) => id)])
    const counters: readonly TokenCounter[] = scenarios.some((scenario) => !known.has(scenarioCounterId(scenario)))
      ? [...smallCounters, (await import('../context/o200k.ts')).o200k]
      : smallCounters
    return work(scenarios, counters)
  } catch (error) {
    if (!(error instanceof ScenarioError)) throw error
    throw new CommandFailure('invalid-scenario', `${place}: ${error.message}`, {
      hint: 'The format is described in schema/scenario.schema.json of this package.',
      cause: error,
    })
  }
}

/** The files of scenarios below a directory, sorted. Throws where there is none. */
export async function scenarioFiles(directory: string): Promise<readonly string[]> {
  if (!existsSync(directory)) throw fileFailure(directory, 'read', Object.assign(new Error(), { code: 'ENOENT' }))
  const found: string[] = []
  const exclude = (name: string) => name === 'node_modules' || (name.startsWith('.') && name.length > 1)
  for await (const name of glob('**/*.{json,jsonl}', { cwd: directory, exclude })) found.push(join(directory, name))
  if (found.length > 0) return found.toSorted()
  throw new CommandFailure('no-scenarios', `${directory} contains no scenario files (*.json, *.jsonl).`, {
    hint: 'Assemble one scenario with `foreword assemble FILE`. The format is described in schema/scenario.schema.json of this package.',
  })
}
