import { isObject, isWithin } from '../../../platform.ts'
import { access, constants, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type ToolFailed, toolFailure } from '../../../tool.ts'
import { isProgram } from '../folder/requirements.ts'
import {
  type Allowlist,
  type Argument,
  type Execution,
  type ResolveCommand,
  type SkillCommand,
  subcommandWords,
} from './tools-json.ts'

/** A program that runs before or after the program of a call. */
export interface ResolveStep {
  /** Which of the execution's arguments it is for; -1 for the output. */
  readonly index: number
  readonly param: string
  /** `value`: its output is the value. `denied`: its output must not match the pattern. `output`: it is given the output, and its own takes its place. */
  readonly gives: 'value' | 'denied' | 'output'
  readonly argv: readonly string[]
  /** The text in the plan in place of a value that is not known yet. */
  readonly placeholder: string
}

export interface SkillRights {
  readonly folder: string
  readonly allowlist: Allowlist
  readonly allowScripts: boolean
}

/** Stands in the words of a step for the folder that the program works in, which may be known only when it runs. */
export const WORKING_FOLDER = '$workingDir'

/**
 * Finds the programs that run beside that of a call: those that give it its values, those whose output is compared with a
 * pattern, and the one that is given its output. In the order in which they run; runs none of them.
 */
export async function resolveSteps(
  execution: Execution,
  input: unknown,
  rights: SkillRights,
): Promise<readonly ResolveStep[] | ToolFailed> {
  const { args = [], postProcess } = execution
  const given = withDefaults(execution, input)
  const steps: ResolveStep[] = []
  const plans = args.flatMap((argument, index) => {
    const { param, optional, resolveCommand, denyPattern, denyResolveCommand: denied, denyAlwaysResolve } = argument
    const written = argumentText(argument, inputValue(given, param))
    const value = written ?? (optional ? '' : undefined)
    const isCompared = denyPattern !== undefined && denied !== undefined && (denyAlwaysResolve || !value)
    return [
      ...(resolveCommand && !isPathResolver(resolveCommand) && value !== undefined
        ? [
            {
              index,
              param,
              gives: 'value',
              what: `the resolveCommand of ${param}`,
              command: resolveCommand,
              value,
            } as const,
          ]
        : []),
      ...(isCompared
        ? [
            {
              index,
              param,
              gives: 'denied',
              what: `the denyResolveCommand of ${param}`,
              command: denied,
              value: value ?? '',
            } as const,
          ]
        : []),
    ]
  })
  const last =
    postProcess &&
    ({ index: -1, param: '', gives: 'output', what: 'postProcess', command: postProcess, value: '' } as const)
  for (const { what, command, value, ...step } of [
    ...plans.filter(({ gives }) => gives === 'value'),
    ...plans.filter(({ gives }) => gives === 'denied'),
    ...(last ? [last] : []),
  ]) {
    const found = await resolveProgram(command, { value, input: given }, rights)
    if ('error' in found) return toolFailure(`${what}: ${found.error}`)
    steps.push({ ...step, ...found })
  }
  return steps
}

async function resolveProgram(
  command: ResolveCommand,
  given: GivenValues,
  { folder, allowlist, allowScripts }: SkillRights,
): Promise<Pick<ResolveStep, 'argv' | 'placeholder'> | ToolFailed> {
  const words = resolveWords(command, given)
  if ('error' in words) return words
  if (command.script === undefined) {
    const fault = commandFault(command, allowlist)
    if (fault !== undefined) return toolFailure(fault)
    const argv = [...programWords(command), ...words]
    return { argv, placeholder: `$(${argv.join(' ')})` }
  }
  if (!allowScripts) {
    const asked = JSON.stringify(command.script)
    return toolFailure(
      `the script ${asked} does not run, since scripts of skills are off; skills.allowScripts allows them`,
    )
  }
  const script = await skillScript(folder, command.script)
  if ('error' in script) return script
  const placeholder = `$(${[command.script, ...words].join(' ')})`
  return { argv: [...script.words, ...words], placeholder }
}

interface GivenValues {
  readonly value: string
  readonly input: unknown
}

/** Replaces `$param` by the value, anywhere in a word, and a word `$NAME` by the value of that parameter. */
function resolveWords({ args = [] }: ResolveCommand, { value, input }: GivenValues): readonly string[] | ToolFailed {
  const words: string[] = []
  for (const arg of args) {
    const other = namedIn(arg)
    const named = other === undefined ? undefined : (argumentText({ param: other }, inputValue(input, other)) ?? '')
    const begins = named ?? (arg.startsWith('$param') ? value : '')
    if (begins.startsWith('-') && !words.includes('--')) {
      return toolFailure(
        'the value starts with "-", which the program would take for a flag; "--" in its args allows that',
      )
    }
    words.push(named ?? arg.replaceAll('$param', () => value))
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
  if (/[/\\]|\.\./.test(name)) return toolFailure(`the script name ${shown} holds "/", "\\" or "..", which none may`)
  try {
    const scripts = join(skillFolder, 'scripts')
    const plain = await realpath(join(scripts, name)).catch(ignoreMissing)
    const path = plain ?? (await realpath(join(scripts, `${name}.sh`)))
    if (!isWithin(await realpath(skillFolder), path)) {
      return toolFailure(`the script ${shown} leads out of its skill's folder`)
    }
    if (!(await stat(path)).isFile()) return toolFailure(`the script ${shown} is no regular file`)
    const byShell = plain === undefined || (name.endsWith('.sh') && !(await isProgram(path)))
    await access(path, byShell ? constants.R_OK : constants.X_OK)
    return { path, words: byShell ? [SHELL, path] : [path] }
  } catch (error) {
    return toolFailure(`the script ${shown} ${describeScriptError(error as NodeJS.ErrnoException)}`)
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

/** For each argument, in declared order, what takes the place of its value: the answer of its `resolveCommand`, or a placeholder until it has run; the path that it names. */
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
  known = parameterNames([execution]),
): readonly string[] | ToolFailed {
  const given = withDefaults(execution, input)
  const command = chosenCommand(execution, given)
  const fault = argumentsFault(execution, input, known) ?? commandFault(command, allowlist)
  if (fault !== undefined) return toolFailure(fault)
  const options: string[] = []
  const positionals: string[] = []
  let isSkipped = false
  for (const [index, argument] of (execution.args ?? []).entries()) {
    const answer = resolved[index]
    const wrong = answer === undefined ? undefined : textFault(execution, argument, answer)
    if (wrong !== undefined) return toolFailure(`the answer to the resolveCommand of ${wrong}`)
    const words = argumentWords(argument, inputValue(given, argument.param), answer)
    const isFirstPath = isSkipped && argument.disambiguateAfterSkippedPositionals && words.length > 0
    isSkipped ||= isPositional(argument) && words.length === 0
    if (execution.separator && isPositional(argument)) positionals.push(...words)
    else options.push(...(isFirstPath ? ['--'] : []), ...words)
  }
  const separated = positionals.length === 0 ? [] : ['--', ...positionals]
  return [...programWords(command), ...options, ...separated]
}

/** The subcommand of a flag that is true takes the place of the usual one. */
function chosenCommand(execution: Execution, given: unknown): SkillCommand {
  const chosen = execution.args?.find(
    ({ param, subcommandOverride }) => subcommandOverride && isTrue(inputValue(given, param)),
  )
  const subcommand = chosen?.subcommandOverride ?? execution.subcommand
  return { ...execution, subcommand, words: execution.words && subcommandWords(subcommand) }
}

/** What a parameter that is missing or null has instead. */
export function withDefaults({ args = [] }: Execution, input: unknown): unknown {
  const missing = args.filter(({ param, absentDefault }) => {
    return absentDefault !== undefined && isObject(input) && (inputValue(input, param) ?? null) === null
  })
  if (missing.length === 0) return input
  return {
    ...(input as object),
    ...Object.fromEntries(missing.map(({ param, absentDefault }) => [param, absentDefault])),
  }
}

/** Every parameter that some call can have. */
export function parameterNames(executions: readonly Execution[]): readonly string[] {
  const names = executions.flatMap((execution) => {
    const {
      args = [],
      paramCondition: { present = [], absent = [] } = {},
      postProcess,
      hintConditions = [],
    } = execution
    const commands = [
      postProcess,
      ...args.flatMap((argument) => [argument.resolveCommand, argument.denyResolveCommand]),
    ]
    const words = commands.flatMap((command) => command?.args ?? [])
    return [
      ...args.flatMap(({ param }) => (param === '' ? [] : [param])),
      ...present,
      ...absent,
      ...words.flatMap((word) => namedIn(word) ?? []),
      ...hintConditions.flatMap(({ whenArg = {} }) => Object.keys(whenArg)),
    ]
  })
  return [...new Set(names)]
}

/** The other parameter whose value takes the place of a word. */
function namedIn(word: string): string | undefined {
  return /^\$(?!param$|workingDir$)(\w+)$/.exec(word)?.[1]
}

/**
 * Chai's own resolvers of a path within its sandbox. The workspace is that place here, so Foreword answers in their
 * place: the path itself, which it then keeps within the workspace.
 */
export function isPathResolver(command: ResolveCommand | undefined): boolean {
  return /^chai resolve [a-z]+-path$/.test(`${command?.binary} ${command?.subcommand}`)
}

/** In declared order. */
export function argumentsFault(
  execution: Execution,
  input: unknown,
  known = parameterNames([execution]),
): string | undefined {
  if (!isObject(input)) return 'arguments must be an object'
  const unknown = Object.keys(input).find((name) => !known.includes(name))
  if (unknown !== undefined) return undeclaredFault(unknown, known)
  const given = withDefaults(execution, input)
  for (const argument of execution.args ?? []) {
    const fault = valueFault(execution, argument, inputValue(given, argument.param))
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

export function inputValue(input: unknown, name: string): unknown {
  const given = input as Readonly<Record<string, unknown>>
  return Object.hasOwn(given, name) ? given[name] : undefined
}

function valueFault(execution: Execution, argument: Argument, value: unknown): string | undefined {
  const { param, kind = 'positional', optional } = argument
  if (kind === 'flagifboolean' || kind === 'literal') return undefined
  if (kind !== 'flag' && !optional && value === undefined) return `missing parameter: ${param}`
  if ((kind === 'flag' || optional) && (value === undefined || value === null)) return undefined
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
  const words = argument.split ? text.split(/\s+/) : [text]
  if (isPositional(argument) && !execution.separator && words.some((word) => word.startsWith('-'))) {
    return `${param} starts with "-", which the program would take for a flag`
  }
}

function isPositional({ kind = 'positional' }: Argument): boolean {
  return kind === 'positional'
}

function argumentWords(argument: Argument, value: unknown, resolved: string | undefined): readonly string[] {
  const { param, kind, flag = param, flagIfTrue, flagIfFalse } = argument
  if (kind === 'literal') return [argument.value ?? '']
  if (kind === 'stdin' || kind === 'workingdir') return []
  if (kind === 'flagifboolean') {
    if (argument.subcommandOverride !== undefined) return []
    const chosen = isTrue(value) ? flagIfTrue : flagIfFalse
    return chosen === undefined || chosen === '' ? [] : [chosen]
  }
  const text = resolved ?? argumentText(argument, value)
  if (text === undefined) return []
  if (kind === 'flag') return [flagName(flag), text]
  return argument.split ? text.split(/\s+/).filter((word) => word !== '') : [text]
}

/** `n` gives `-n`, `name` gives `--name`; a name that begins with a dash is used as it is. */
function flagName(name: string): string {
  if (name.startsWith('-')) return name
  return name.length === 1 ? `-${name}` : `--${name}`
}

/** A value as one argument of a program (BEHAVIOURS §1.5), or `undefined` for what has no such form. */
export function argumentText(
  { normalizeNewlines }: Pick<Argument, 'param' | 'normalizeNewlines'>,
  value: unknown,
): string | undefined {
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
