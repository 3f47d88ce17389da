import { existsSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { join } from 'node:path'
import type { Command, CommandCall, Io } from '../../capability.ts'
import type { TokenCounter } from '../../context.ts'
import type { ScenarioResult } from '../../context/scenario.ts'
import { CommandFailure } from '../failure.ts'
import { fileFailure, readNamedFile } from '../input-text.ts'
import { safeForTerminal, print, printJson } from '../io.ts'

export const assembleCommand: Command = {
  name: 'assemble',
  summary: 'assemble scenarios from a file and print their outlines',
  usage: ['assemble FILE [--json]', 'assemble - < FILE'],
  details:
    'A file contains one scenario, an array of scenarios, or one scenario per line. The command needs no home and no model. A context ' +
    'overflow is a result; an invalid scenario ends with exit code 1.',
  words: { least: 1, most: 1 },
  options: { json: { summary: 'print {name, request, manifest} or {name, error, manifest}, one per line' } },
  run: assembleFile,
}

async function assembleFile(call: CommandCall, io: Io): Promise<number> {
  const file = call.words[0]!
  const { results, text } = await runScenarios(await readNamedFile(file, io), file === '-' ? 'standard input' : file)
  if (!call.json) print(io, safeForTerminal(text.trimEnd(), io.stdout))
  else for (const result of results) printJson(io, result)
  return 0
}

interface ScenarioRun {
  readonly results: readonly ScenarioResult[]
  /** Their outlines as one text, which `foreword check` compares with the committed text. */
  readonly text: string
}

/** Assembles the scenarios of a JSON document, an array or JSON Lines. Throws where one is not valid; an overflow is a result. */
export async function runScenarios(text: string, place: string): Promise<ScenarioRun> {
  const { outline } = await import('../../context.ts')
  const results = await resultsOf(text, place)
  const blocks = results.map((result) => {
    const lines = [outline(result.manifest).trimEnd()]
    if ('error' in result) lines.push(`${result.error.code}: ${result.error.message}`)
    return (results.length === 1 ? lines : [`# ${result.name}`, ...lines]).join('\n')
  })
  return { results, text: `${blocks.join('\n\n')}\n` }
}

async function resultsOf(text: string, place: string): Promise<readonly ScenarioResult[]> {
  const { runScenario } = await import('../../context/scenario.ts')
  return withScenarios(text, place, (scenarios, counters) =>
    scenarios.map((scenario) => runScenario(scenario, counters)),
  )
}

/** Does something with the scenarios of a text and the counters that they ask for. A `ScenarioError` tells the place. */
export async function withScenarios<T>(
  text: string,
  place: string,
  work: (scenarios: readonly unknown[], counters: readonly TokenCounter[]) => T,
): Promise<T> {
  const { scenarioCounterId, readScenarios, ScenarioError, smallCounters } = await import('../../context/scenario.ts')
  try {
    const scenarios = readScenarios(text)
    if (scenarios.length === 0) throw new ScenarioError('text', ['it contains no scenario'])
    // An unknown counter needs the one with the large table, too: the error lists every counter.
    const known = new Set([undefined, ...smallCounters.map(({ id }) => id)])
    const counters: readonly TokenCounter[] = scenarios.some((scenario) => !known.has(scenarioCounterId(scenario)))
      ? [...smallCounters, (await import('../../context/o200k.ts')).o200k]
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
