import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import type { Command, CommandCall, Io } from '../../capability.ts'
import { CommandFailure, usageFailure } from '../failure.ts'
import { print, printJson, safeForTerminal, applyStyle } from '../io.ts'
import { changedLines, lineDiff } from '../line-diff.ts'
import { fileFailure } from '../input-text.ts'
import { scenarioFiles } from '../scenarios.ts'
import { runScenarios } from './assemble.ts'

export const checkCommand: Command = {
  name: 'check',
  group: 'look',
  summary: 'compare scenarios with their committed outlines, or find what breaks prompt caches',
  usage: ['check DIRECTORY [--update] [--json]', 'check --lint [DIRECTORY] [--strict] [--json]'],
  details:
    'Assembles each FILE.json and FILE.jsonl below the directory and compares the result with the outline beside it in ' +
    'FILE.json.outline.txt. The exit code is 1 if an outline differs or is missing, or a scenario is not valid. `--lint` ' +
    'looks at the prompts of the home instead: at the next call, the newest 500 calls and the tools of the last 30 days, or ' +
    'at the scenarios below a directory: those of one file count as the calls of one session. Each finding has its price per ' +
    'hundred calls. It calls no model, and the exit code is 0 unless `--strict` is given or a scenario is not valid.',
  words: { least: 0, most: 1 },
  options: {
    update: { summary: 'write the outlines instead of comparing' },
    lint: { summary: 'find what breaks prompt caches or wastes room, with its price' },
    strict: { summary: 'with --lint: exit with 1 if there is a warning' },
    json: {
      summary:
        'print {file, result, diff?, message?}, one file per line; with --lint {calls, model, findings}, or {file, findings, overflows, message?} for each file',
    },
  },
  run: checkOrLint,
}

interface Finding {
  readonly file: string
  readonly result: 'same' | 'differs' | 'missing' | 'invalid' | 'updated'
  readonly diff?: string
  readonly message?: string
}

async function checkOrLint(call: CommandCall, io: Io): Promise<number> {
  if (!call.has('lint')) {
    if (call.has('strict')) throw usageFailure('--strict needs --lint.')
    if (call.words.length === 0) throw usageFailure('Usage: foreword check DIRECTORY, or foreword check --lint')
    return await checkDirectory(call, io)
  }
  if (call.has('update')) throw usageFailure('--lint needs no --update: it compares nothing.')
  const [directory] = call.words
  if (directory === undefined) {
    const { runLint } = await import('../lint/run-lint.ts')
    return await runLint(call, io)
  }
  const { lintDirectory } = await import('../lint/run-lint.ts')
  return await lintDirectory(directory, call, io)
}

async function checkDirectory(call: CommandCall, io: Io): Promise<number> {
  const directory = call.words[0]!
  const files = await scenarioFiles(directory)
  const findings: Finding[] = []
  for (const file of files) {
    const finding = await checkFile(file, call.has('update'))
    findings.push(finding)
    if (call.json) printJson(io, finding)
    else if (finding.result !== 'same') print(io, findingText(finding, io))
  }
  if (!call.json) print(io, summary(findings))
  return findings.every(({ result }) => result === 'same' || result === 'updated') ? 0 : 1
}

async function checkFile(file: string, update: boolean): Promise<Finding> {
  const outlineFile = `${file}.outline.txt`
  try {
    const { text } = await runScenarios(await readFile(file, 'utf8'), file)
    const before = existsSync(outlineFile) ? await readFile(outlineFile, 'utf8') : undefined
    if (before === text) return { file, result: 'same' }
    if (update) {
      await writeFile(outlineFile, text)
      return { file, result: 'updated' }
    }
    if (before === undefined) return { file, result: 'missing', message: `no ${outlineFile}` }
    return { file, result: 'differs', diff: changedLines(await lineDiff(before, text)) }
  } catch (error) {
    if (error instanceof CommandFailure) return { file, result: 'invalid', message: error.message }
    throw fileFailure(file, 'read', error)
  }
}

function findingText(finding: Finding, io: Io): string {
  const { file, result, diff, message } = finding
  const look = result === 'updated' ? 'green' : 'red'
  const lines = [`${applyStyle(io, look, result.padEnd(7))} ${file}`]
  if (message !== undefined) lines.push(`  ${message}`)
  for (const line of (diff ?? '').split('\n').filter(Boolean)) {
    const shown = `  ${safeForTerminal(line, io.stdout)}`
    if (line.startsWith('+')) lines.push(applyStyle(io, 'green', shown))
    else lines.push(line.startsWith('-') ? applyStyle(io, 'red', shown) : shown)
  }
  return lines.join('\n')
}

function summary(findings: readonly Finding[]): string {
  const count = (result: Finding['result']) => findings.filter((finding) => finding.result === result).length
  const other = (['differs', 'missing', 'invalid', 'updated'] as const)
    .filter((result) => count(result) > 0)
    .map((result) => `${count(result)} ${result}`)
  const hint = count('differs') + count('missing') > 0 ? '; write the outlines with `--update`' : ''
  return `${[`${count('same')} of ${findings.length} the same`, ...other].join(', ')}${hint}`
}
