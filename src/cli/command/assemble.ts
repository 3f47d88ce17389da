import type { Command, CommandCall, Io } from '../../capability.ts'
import type { ScenarioResult } from '../../context/scenario.ts'
import { readNamedFile } from '../input-text.ts'
import { safeForTerminal, print, printJson } from '../io.ts'
import { withScenarios } from '../scenarios.ts'

export const assembleCommand: Command = {
  name: 'assemble',
  group: 'look',
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
