import { type ProgramEnd, type ProgramLimits, programResult, type ToolResult } from '../../../tool.ts'
import { argumentText, inputValue } from './resolve-step.ts'
import type { Execution, HintCondition } from './tools-json.ts'

const nothing = { text: '', bytes: 0, characters: 0, truncated: false, binary: false } as const

/** Whether a program ended as its skill expects it: with 0, or with another code that is no failure. */
export function hasSucceeded({ successExitCodes = [] }: Execution, { end }: ProgramEnd): boolean {
  return end.type === 'exit' && (end.code === 0 || successExitCodes.includes(end.code))
}

/** Both outputs of a program as one text, as they are given to a `postProcess`. */
export function mergedOutput({ stdout, stderr }: ProgramEnd): string {
  const between = stdout.text === '' || stderr.text === '' || stdout.text.endsWith('\n') ? '' : '\n'
  return `${stdout.text}${between}${stderr.text}`
}

/**
 * The result of a call as its skill declares it: an exit code that is no failure, hints, and no more lines than it may
 * have. `processed` is what a `postProcess` made of the output. Hints are never cut.
 */
export function callResult(
  execution: Execution,
  given: unknown,
  run: ProgramEnd,
  { limits, processed }: { readonly limits: ProgramLimits; readonly processed: string | undefined },
): ToolResult {
  const { end } = run
  if (end.type !== 'exit' || !hasSucceeded(execution, run)) return programResult(run, limits)
  const { setAside: _, setAsideFault: __, obeyed: ___, ...own } = run
  const isEnded = { type: 'exit', code: 0 } as const
  const plain = programResult({ ...own, end: isEnded }, limits)
  const written = processed ?? plain.output ?? ''
  const hints = (execution.hintConditions ?? [])
    .filter((condition) => isMet(condition, { given, written, code: end.code }))
    .map(
      ({ hint }) => `\nhint: ${hint.replaceAll(/\{(\w+)\}/g, (all, name: string) => valueText(given, name) ?? all)}\n`,
    )
  const { text, isCut } = cutLines(written, execution)
  const shown = hints.length === 0 ? text : `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${hints.join('')}`
  const result = programResult({ ...run, end: isEnded, stdout: { ...nothing, text: shown }, stderr: nothing }, limits)
  const meta = { ...result.meta, ...plain.meta, exitCode: end.code }
  return { ...result, meta: isCut ? { ...meta, truncated: true } : meta }
}

function isMet(
  { match, exitCode, notEmpty, whenArg = {} }: HintCondition,
  { given, written, code }: { readonly given: unknown; readonly written: string; readonly code: number },
): boolean {
  const isCode = exitCode === undefined || (exitCode === 'nonzero' ? code !== 0 : code === exitCode)
  const isSaid = match === undefined || written.includes(match)
  const isThere = notEmpty !== true || written.trim() !== ''
  return (
    isCode && isSaid && isThere && Object.entries(whenArg).every(([name, value]) => inputValue(given, name) === value)
  )
}

function valueText(given: unknown, name: string): string | undefined {
  return argumentText({ param: name }, inputValue(given, name))
}

/** The first lines. Lines of hints are kept wherever they are. */
function cutLines(written: string, { maxOutputLines, truncationHint }: Execution) {
  const lines = written.replace(/\n$/, '').split('\n')
  const others = lines.filter((line) => !line.startsWith('hint:'))
  if (maxOutputLines === undefined || others.length <= maxOutputLines) return { text: written, isCut: false }
  const kept = others.slice(0, maxOutputLines)
  const [, number] = /^(\d+)\t/.exec(kept.at(-1)!) ?? []
  const numbers: Readonly<Record<string, number>> = {
    kept: kept.length,
    total: lines.length,
    omitted: others.length - kept.length,
    next_start: (number === undefined ? kept.length : Number(number)) + 1,
  }
  const usual = 'the first {kept} of {total} lines; ask for less to see the others'
  const note = (truncationHint ?? usual).replaceAll(/\{(\w+)\}/g, (all, name: string) => String(numbers[name] ?? all))
  const hints = lines.filter((line) => line.startsWith('hint:'))
  return { text: [...kept, ...hints, `[${note}]`, ''].join('\n'), isCut: true }
}
