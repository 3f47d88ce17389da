import type { ToolFailed } from '../../../tool.ts'
import type { Allowlist, Argument, SkillCommand, Execution } from './tools-json.ts'

/** For each argument, in declared order, the answer of its `resolveCommand`, or a placeholder until it has run. */
export type Resolved = readonly (string | undefined)[]

/**
 * Program and arguments of one call: binary, subcommand, arguments in declared order (BEHAVIOURS §1.5). For a program
 * with the separator `--`, flags come first, since nothing after it is a flag.
 */
export function argvPlan(
  execution: Execution,
  allowlist: Allowlist,
  input: unknown,
  resolved: Resolved = [],
): readonly string[] | ToolFailed {
  const fault = argumentsFault(execution, input) ?? commandFault(execution, allowlist)
  if (fault !== undefined) return { ok: false, error: fault }
  const options: string[] = []
  const positionals: string[] = []
  for (const [index, argument] of (execution.args ?? []).entries()) {
    const answer = resolved[index]
    const wrong = answer === undefined ? undefined : textFault(execution, argument, answer)
    if (wrong !== undefined) return { ok: false, error: `the answer to the resolveCommand of ${wrong}` }
    const words = argumentWords(argument, inputValue(input, argument.param), answer)
    if (execution.separator && isPositional(argument)) positionals.push(...words)
    else options.push(...words)
  }
  const separated = positionals.length === 0 ? [] : ['--', ...positionals]
  return [...programWords(execution), ...options, ...separated]
}

/** In declared order. */
export function argumentsFault(execution: Execution, input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return 'arguments must be an object'
  const { args = [] } = execution
  const names = new Set(args.map(({ param }) => param))
  const unknown = Object.keys(input).find((name) => !names.has(name))
  if (unknown !== undefined) return undeclaredFault(unknown, [...names])
  for (const argument of args) {
    const fault = valueFault(execution, argument, inputValue(input, argument.param))
    if (fault !== undefined) return fault
  }
}

export function undeclaredFault(name: string, known: readonly string[]): string {
  return `unknown parameter ${name}: the tool takes ${known.join(', ') || 'none'}`
}

/** The allowlist must have exactly this pair. */
export function commandFault({ binary, subcommand }: SkillCommand, allowlist: Allowlist): string | undefined {
  if (!Object.hasOwn(allowlist, binary)) return `binary not allowlisted: ${binary}`
  if (!allowlist[binary]!.includes(subcommand)) return `subcommand not allowlisted: ${binary} ${subcommand}`.trimEnd()
}

export function programWords({ binary, subcommand, words = [subcommand] }: SkillCommand): readonly string[] {
  return subcommand === '' ? [binary] : [binary, ...words]
}

export function inputValue(input: unknown, name: string): unknown {
  const given = input as Readonly<Record<string, unknown>>
  return Object.hasOwn(given, name) ? given[name] : undefined
}

function valueFault(execution: Execution, argument: Argument, value: unknown): string | undefined {
  const { param, kind } = argument
  if (kind === 'flagifboolean') return undefined
  if (isPositional(argument) && value === undefined) return `missing parameter: ${param}`
  if (kind === 'flag' && (value === undefined || value === null)) return undefined
  const text = argumentText(argument, value)
  if (text === undefined) return `parameter ${param} must be a string, number, or boolean`
  const fault = textFault(execution, argument, text)
  return fault === undefined ? undefined : `parameter ${fault}`
}

/** Refuses text that no program can receive, and text that a program would read as a flag. */
function textFault(execution: Execution, argument: Argument, text: string): string | undefined {
  const { param } = argument
  if (text.includes('\0')) return `${param} holds a NUL byte, which no program can be given`
  if (!text.isWellFormed()) return `${param} holds half a character (a lone surrogate), which no program can be given`
  if (isPositional(argument) && !execution.separator && text.startsWith('-')) {
    return `${param} starts with "-", which the program would take for a flag`
  }
}

function isPositional({ kind = 'positional' }: Argument): boolean {
  return kind === 'positional'
}

function argumentWords(argument: Argument, value: unknown, resolved: string | undefined): readonly string[] {
  const { param, kind, flag = param, flagIfTrue, flagIfFalse } = argument
  if (kind === 'flagifboolean') {
    const chosen = isTrue(value) ? flagIfTrue : flagIfFalse
    return chosen === undefined || chosen === '' ? [] : [chosen]
  }
  const text = argumentText(argument, value)
  if (text === undefined) return []
  return kind === 'flag' ? [flagName(flag), resolved ?? text] : [resolved ?? text]
}

/** `n` gives `-n`, `name` gives `--name`; a name that begins with a dash is used as it is. */
function flagName(name: string): string {
  if (name.startsWith('-')) return name
  return name.length === 1 ? `-${name}` : `--${name}`
}

/** A value as one argument of a program (BEHAVIOURS §1.5), or `undefined` for what has no such form. */
export function argumentText({ normalizeNewlines }: Argument, value: unknown): string | undefined {
  if (typeof value === 'boolean') return String(value)
  if (typeof value === 'number') return decimalText(value)
  if (typeof value !== 'string') return undefined
  return normalizeNewlines ? value.replaceAll(/\\[nt]/g, (found) => (found === '\\n' ? '\n' : '\t')) : value
}

function isTrue(value: unknown): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && value !== 0
  return value === true || (typeof value === 'string' && value.toLowerCase() === 'true')
}

/** All digits of a number, without an exponent. */
function decimalText(value: number): string | undefined {
  if (!Number.isFinite(value)) return undefined
  if (Number.isInteger(value)) return BigInt(value).toString()
  const [digits = '', exponent] = String(value).split('e-')
  if (exponent === undefined) return digits
  const sign = digits.startsWith('-') ? '-' : ''
  const figures = digits.replaceAll(/[-.]/g, '')
  return `${sign}0.${'0'.repeat(Number(exponent) - 1)}${figures}`
}
