import type { CommandCall, Io, LintReport } from '../../capability.ts'
import { countedText, type LintFinding } from '../../context.ts'
import { withConnection } from '../connection.ts'
import { applyStyle, print, printJson, safeForTerminal } from '../io.ts'
import { loadWithWarnings } from '../load-configuration.ts'
import { lintCostText, lintPlaceText } from './lint-text.ts'
import { readLintReport } from './lint-report.ts'
import { readFile } from 'node:fs/promises'
import type { ScenarioLint } from '../../context/scenario.ts'
import { scenarioFiles, withScenarios } from '../scenarios.ts'
import { CommandFailure } from '../failure.ts'
import { fileFailure } from '../input-text.ts'

/** `foreword check --lint`: looks at the home. With `--strict` the exit code is 1 where there is a warning. */
export async function runLint(call: CommandCall, io: Io): Promise<number> {
  const { home } = call
  const { capabilities, configuration } = await loadWithWarnings(home, io)
  const report = await withConnection(home, io, 'read', (connection) =>
    readLintReport({ home, environment: io.environment, capabilities, configuration, connection }),
  )
  if (call.json) {
    const { calls, model, findings, unread } = report
    printJson(io, { calls, model, findings, unread })
  } else print(io, reportText(report, io))
  const isClean = report.unread === undefined && report.findings.every(({ severity }) => severity === 'note')
  return isClean || !call.has('strict') ? 0 : 1
}

function reportText({ calls, findings, unread, model, rates }: LintReport, io: Io): string {
  return [
    ...findings.map((finding) => findingText(finding, io)),
    ...(unread === undefined
      ? []
      : [`The texts of the next call were not looked at: ${safeForTerminal(unread, io.stdout)}`]),
    `${countText(findings)}, in the next call and in ${countedText(calls, 'recorded call')}.${priceText(findings, model, rates !== undefined)}`,
  ].join('\n')
}

function priceText(findings: readonly LintFinding[], model: string | undefined, isKnown: boolean): string {
  if (isKnown || !findings.some(({ cost }) => cost)) return ''
  return ` The price of ${model ?? 'the model'} is not known.`
}

function countText(findings: readonly LintFinding[]): string {
  const count = (severity: LintFinding['severity']) => findings.filter((one) => one.severity === severity).length
  return findings.length === 0
    ? 'Nothing that breaks caches or wastes room'
    : `${countedText(count('warning'), 'warning')}, ${countedText(count('note'), 'note')}`
}

/** A finding in lines. `place`: in front of where it is. */
function findingText({ code, severity, where, message, cost, hint }: LintFinding, io: Io, place = ''): string {
  const safe = (text: string) => safeForTerminal(text, io.stdout)
  const look = severity === 'warning' ? 'yellow' : 'dim'
  return [
    `${applyStyle(io, look, severity.padEnd(7))}  ${code}  ${safe(`${place}${lintPlaceText(where)}`)}`,
    ...[message, ...(cost ? [`Costs ${lintCostText(cost)}.`] : []), hint].map((line) => `         ${safe(line)}`),
  ].join('\n')
}

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
  if (!call.json) print(io, `${countText(findings)}, in ${countedText(files.length, 'file')}.`)
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
