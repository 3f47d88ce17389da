import { relative, resolve } from 'node:path'
import { confinedPath } from '../../../capability/toolkit.ts'
import { type ProgramEnd, type ProgramLimits, programResult, type ToolFailed, type ToolResult } from '../../../tool.ts'
import { argumentText, inputValue, isPathResolver, type Resolved, withDefaults } from './resolve-step.ts'
import type { Argument, Execution, HintCondition } from './tools-json.ts'

export interface ValueBounds {
  /** Absolute, links resolved. */
  readonly workspace: string
  /** Places of it that no tool may touch, and places that none may change. Absolute. */
  readonly outOfReach: readonly string[]
  readonly readOnly: readonly string[]
}

interface ConfinedValues {
  readonly resolved: Resolved
  /** The folder that the program works in, absolute. */
  readonly folder: string
}

/**
 * Keeps the paths among the values within the workspace, with every link followed, and compares values with the patterns
 * that they must not match. Arguments in `pending` have no value yet: it is called again once they have.
 */
export async function confineValues(
  execution: Execution,
  input: unknown,
  { answers, pending }: { readonly answers: Resolved; readonly pending: ReadonlySet<number> },
  place: ValueBounds,
): Promise<ConfinedValues | ToolFailed> {
  const given = withDefaults(execution, input)
  const resolved = [...answers]
  let folder = place.workspace
  let isFolderKnown = true
  const args = [...(execution.args ?? []).entries()]
  // The folder comes first: other paths are relative to it.
  for (const [index, argument] of args.toSorted(([, one], [, other]) => rank(one) - rank(other))) {
    const text = answers[index] ?? argumentText(argument, inputValue(given, argument.param))
    if (argument.kind === 'workingdir' && pending.has(index)) isFolderKnown = false
    if (pending.has(index) || text === undefined || argument.kind === 'literal') continue
    const compared = [text]
    if (isPath(argument) && text !== '' && isFolderKnown) {
      const closed =
        argument.writePath || isPathResolver(argument.resolveCommand)
          ? [...place.outOfReach, ...place.readOnly]
          : place.outOfReach
      const found = await confinedPath(place.workspace, resolve(folder, text), closed)
      if (found.type === 'refused') return { ok: false, error: `parameter ${argument.param}: ${found.why}` }
      compared.push(found.path, relative(place.workspace, found.path))
      if (argument.kind === 'workingdir') folder = found.path
      else resolved[index] = found.path
    }
    const denied = argument.denyAlwaysResolve ? undefined : deniedFault(argument, compared)
    if (denied !== undefined) return denied
  }
  return { resolved, folder }
}

function rank({ kind }: Argument): number {
  return kind === 'workingdir' ? 0 : 1
}

function isPath({ kind, readPath, writePath, resolveCommand }: Argument): boolean {
  return kind === 'workingdir' || readPath === true || writePath === true || isPathResolver(resolveCommand)
}

/** Longer values are not compared with a pattern, and refused: the time that a comparison takes grows with them. */
const LONGEST_COMPARED = 1_000

/** Fails where a value must not be given. */
export function deniedFault({ param, denyPattern }: Argument, values: readonly string[]): ToolFailed | undefined {
  if (denyPattern === undefined) return undefined
  const pattern = new RegExp(denyPattern, 'u')
  const isDenied = values.some((value) => value.length > LONGEST_COMPARED || pattern.test(value))
  return isDenied
    ? { ok: false, error: `parameter ${param} has a value that the skill denies (${denyPattern})` }
    : undefined
}

/** The most repetitions without an end in one pattern, of which none may repeat a group: a comparison then ends soon. */
const MOST_REPETITIONS = 3

/** Why values cannot be compared with a pattern; `undefined` where they can. */
export function patternFault(pattern: string): string | undefined {
  try {
    RegExp(pattern, 'u')
  } catch {
    return 'is no regular expression'
  }
  const plain = pattern.replaceAll(/\\.|\[(?:\\.|[^\]\\])*\]/gs, 'x')
  const repetitions = plain.match(/[*+]|\{\d*,?\d*\}/g) ?? []
  const isSlow = /\)[*+{]/.test(plain) || /\\[1-9k]/.test(pattern) || repetitions.length > MOST_REPETITIONS
  return isSlow ? 'could take too long: it repeats a group, or has more than three repetitions' : undefined
}

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
      ({ hint }) =>
        `\nhint: ${hint.replaceAll(/\{(\w+)\}/g, (all, name: string) => argumentText({ param: name }, inputValue(given, name)) ?? all)}\n`,
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
