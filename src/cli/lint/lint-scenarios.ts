import { readFile } from 'node:fs/promises'
import type { CommandCall, Io } from '../../capability.ts'
import type { ScenarioLint } from '../../context/scenario.ts'
import { withScenarios } from '../command/assemble.ts'
import { CommandFailure } from '../failure.ts'
import { fileFailure } from '../input-text.ts'
import { applyStyle, print, printJson, safeForTerminal } from '../io.ts'
import { scenarioFiles } from '../scenario-files.ts'
import { countText, findingText } from './run-lint.ts'

interface FileLint extends ScenarioLint {
  readonly file: string
  readonly message?: string
}

/** `foreword check --lint DIRECTORY`. The exit code is 1 where a scenario is not valid, and with `--strict` where there is a warning. */
export async function lintDirectory(directory: string, call: CommandCall, io: Io): Promise<number> {
  const files = await scenarioFiles(directory)
  const results: FileLint[] = []
  for (const file of files) {
    const result = await lintFile(file)
    results.push(result)
    if (call.json) printJson(io, result)
    else for (const line of fileLines(result, io)) print(io, line)
  }
  const findings = results.flatMap((result) => result.findings)
  if (!call.json) print(io, `${countText(findings)}, in ${files.length} ${files.length === 1 ? 'file' : 'files'}.`)
  const isValid = results.every(({ message }) => message === undefined)
  const isClean = findings.every(({ severity }) => severity === 'note')
  return isValid && (isClean || !call.has('strict')) ? 0 : 1
}

async function lintFile(file: string): Promise<FileLint> {
  const { lintScenarios } = await import('../../context/scenario.ts')
  try {
    return { file, ...(await withScenarios(await readFile(file, 'utf8'), file, lintScenarios)) }
  } catch (error) {
    if (error instanceof CommandFailure) return { file, findings: [], overflows: [], message: error.message }
    throw fileFailure(file, 'read', error)
  }
}

function fileLines({ file, findings, overflows, message }: FileLint, io: Io): readonly string[] {
  const safe = (text: string) => safeForTerminal(text, io.stdout)
  if (message !== undefined) return [`${applyStyle(io, 'red', 'invalid')}  ${safe(message)}`]
  return [
    ...findings.map((finding) => findingText(finding, io, `${file}, ${finding.scenario}: `)),
    ...overflows.map((name) => safe(`${file}, ${name}: nothing was looked at, because the request does not fit.`)),
  ]
}
