import { access, constants, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isWithin } from '../../../capability/toolkit.ts'
import type { ToolFailed } from '../../../tool.ts'
import { isProgram } from '../folder/requirements.ts'
import type { Allowlist, Execution, ResolveCommand, Argument, SkillCommand } from './tools-json.ts'

export interface ResolveStep {
  /** Which of the execution's arguments it is for. */
  readonly index: number
  readonly param: string
  readonly argv: readonly string[]
  /** The text in the plan in place of a value that is not known yet. */
  readonly placeholder: string
}

export interface SkillRights {
  readonly folder: string
  readonly allowlist: Allowlist
  readonly allowScripts: boolean
}

/** Finds the programs that give a call its values, in the order in which they run, and runs none of them. */
export async function resolveSteps(
  { args = [] }: Execution,
  input: unknown,
  rights: SkillRights,
): Promise<readonly ResolveStep[] | ToolFailed> {
  const steps: ResolveStep[] = []
  for (const [index, argument] of args.entries()) {
    const { param, resolveCommand } = argument
    const value = argumentText(argument, inputValue(input, param))
    if (resolveCommand === undefined || value === undefined) continue
    const found = await resolveProgram(resolveCommand, value, rights)
    if ('error' in found) return refuse(`the resolveCommand of ${param}: ${found.error}`)
    steps.push({ index, param, ...found })
  }
  return steps
}

async function resolveProgram(
  command: ResolveCommand,
  value: string,
  { folder, allowlist, allowScripts }: SkillRights,
): Promise<Omit<ResolveStep, 'index' | 'param'> | ToolFailed> {
  const words = resolveWords(command, value)
  if ('error' in words) return words
  if (command.script === undefined) {
    const fault = commandFault(command, allowlist)
    if (fault !== undefined) return refuse(fault)
    const argv = [...programWords(command), ...words]
    return { argv, placeholder: `$(${argv.join(' ')})` }
  }
  if (!allowScripts) {
    const asked = JSON.stringify(command.script)
    return refuse(`the script ${asked} does not run, since scripts of skills are off; skills.allowScripts allows them`)
  }
  const script = await skillScript(folder, command.script)
  if ('error' in script) return script
  const placeholder = `$(${[command.script, ...words].join(' ')})`
  return { argv: [...script.words, ...words], placeholder }
}

/** Replaces `$param` by the value, anywhere in a word. */
function resolveWords({ args = [] }: ResolveCommand, value: string): readonly string[] | ToolFailed {
  const words: string[] = []
  for (const arg of args) {
    if (arg.startsWith('$param') && value.startsWith('-') && !words.includes('--')) {
      return refuse('the value starts with "-", which the program would take for a flag; "--" in its args allows that')
    }
    words.push(arg.replaceAll('$param', () => value))
  }
  return words
}

interface SkillScript {
  /** Absolute, links resolved. */
  readonly path: string
  /** What runs it: the script itself, or `sh` and the script. */
  readonly words: readonly string[]
}

/** Runs a script that need not be executable. */
const SHELL = 'sh'

/**
 * `scripts/{name}`, which has to be executable, else `scripts/{name}.sh`, which `sh` runs. It is one file of that
 * folder, and within the skill's folder once links are followed (BEHAVIOURS §1.5). Never throws.
 */
export async function skillScript(skillFolder: string, name: string): Promise<SkillScript | ToolFailed> {
  const shown = JSON.stringify(name)
  if (/[/\\]|\.\./.test(name)) return refuse(`the script name ${shown} holds "/", "\\" or "..", which none may`)
  try {
    const scripts = join(skillFolder, 'scripts')
    const plain = await realpath(join(scripts, name)).catch(ignoreMissing)
    const path = plain ?? (await realpath(join(scripts, `${name}.sh`)))
    if (!isWithin(await realpath(skillFolder), path)) {
      return refuse(`the script ${shown} leads out of its skill's folder`)
    }
    if (!(await stat(path)).isFile()) return refuse(`the script ${shown} is no regular file`)
    const byShell = plain === undefined || (name.endsWith('.sh') && !(await isProgram(path)))
    await access(path, byShell ? constants.R_OK : constants.X_OK)
    return { path, words: byShell ? [SHELL, path] : [path] }
  } catch (error) {
    return refuse(`the script ${shown} ${describeScriptError(error as NodeJS.ErrnoException)}`)
  }
}

/** A missing file is no failure: the other name is tried. */
function ignoreMissing(error: unknown): undefined {
  const { code } = error as NodeJS.ErrnoException
  if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error
}

function describeScriptError({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT' || code === 'ENOTDIR') return "is not in its skill's scripts folder, with or without .sh"
  if (code === 'EACCES' || code === 'EPERM')
    return 'may not be read and run: make it readable and executable (chmod +rx)'
  if (code === 'ELOOP') return 'is a link that leads in a circle'
  return `cannot be used: ${code ?? message}`
}

function refuse(error: string): ToolFailed {
  return { ok: false, error }
}

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

function programWords({ binary, subcommand, words = [subcommand] }: SkillCommand): readonly string[] {
  return subcommand === '' ? [binary] : [binary, ...words]
}

function inputValue(input: unknown, name: string): unknown {
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
function argumentText({ normalizeNewlines }: Argument, value: unknown): string | undefined {
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
