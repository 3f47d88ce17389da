import type { Command, CommandCall, Io } from '../../capability.ts'
import { print, printJson } from '../io.ts'
import { readNamedFile } from '../read-file.ts'
import { runScenarios } from '../scenario-text.ts'
import { harmless } from '../style.ts'

export const assemble: Command = {
  name: 'assemble',
  summary: 'assemble scenarios from a file and print their outlines',
  usage: ['assemble FILE [--json]', 'assemble - < FILE'],
  details:
    'A file holds one scenario, an array of them, or one per line. Needs no home and no model. A context overflow is a ' +
    'result; a scenario that is not valid ends with exit code 1.',
  words: { least: 1, most: 1 },
  options: { json: { summary: 'print {name, request, manifest} or {name, error, manifest}, one per line' } },
  run: assembleFile,
}

async function assembleFile(call: CommandCall, io: Io): Promise<number> {
  const file = call.words[0]!
  const { results, text } = await runScenarios(
    await readNamedFile(file, io),
    file === '-' ? 'the standard input' : file,
  )
  if (!call.json) print(io, harmless(text.trimEnd(), io.stdout))
  else for (const result of results) printJson(io, result)
  return 0
}
