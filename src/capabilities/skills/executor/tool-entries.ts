import { isAbsolute } from 'node:path'
import { type FindBinary, isProgram } from '../folder/requirements.ts'
import { patternFault } from './call-values.ts'
import {
  commandFault,
  inputValue,
  isPathResolver,
  parameterNames,
  type SkillRights,
  skillScript,
} from './resolve-step.ts'
import { type Argument, type DeclaredTool, entryCalls, type Execution, type ResolveCommand } from './tools-json.ts'

export interface ToolEntry {
  readonly execution: Execution
  readonly doubts: readonly ToolDoubt[]
  /** Why none of its calls can run. */
  readonly stop?: string | undefined
}

/** For each kind of call, the first entry that can run here, else the first. */
export function chosenEntries(entries: readonly Omit<ToolEntry, 'stop'>[]): readonly ToolEntry[] {
  const known = entries.map((entry) => ({ ...entry, stop: entry.doubts.find(({ stops }) => stops)?.message }))
  const kinds = Map.groupBy(known, ({ execution }) => entryCalls({ ...execution, condition: undefined }))
  return [...kinds.values()].map((same) => same.find(({ stop }) => stop === undefined) ?? same[0]!)
}

/** The entry that a call is for, by the parameters that it gives; or why there is none, in a sentence. */
export function entryOf(entries: readonly ToolEntry[], input: unknown): ToolEntry | string {
  const isGiven = (name: string) => (inputValue(input, name) ?? null) !== null
  const matching = entries.filter(({ execution: { paramCondition: condition } }) => {
    if (condition === undefined) return false
    const { present = [], absent = [] } = condition
    return present.every(isGiven) && !absent.some(isGiven)
  })
  const others = entries.find(({ execution }) => execution.paramCondition === undefined)
  const entry = matching[0] ?? others
  if (matching.length > 1) return 'these parameters do not go together: each asks for something else'
  if (entry === undefined) {
    const ways = entries.map(({ execution: { paramCondition } }) => paramCondition?.present?.join(' and ') ?? '')
    return `one of these is needed: ${ways.filter((way) => way !== '').join(', or ')}`
  }
  return entry.stop ?? entry
}

/** A reason why a tool does not work, although the files that declare it are valid. */
export interface ToolDoubt {
  readonly message: string
  /** No call can ever run, so the tool is not offered (BEHAVIOURS §1.5). */
  readonly stops: boolean
  /** The skill is valid: this machine lacks something, or a setting forbids it. */
  readonly local: boolean
}

export interface ToolSurroundings extends SkillRights {
  /** Whether a program is on the PATH; nothing is looked for where absent. */
  readonly findBinary?: FindBinary | undefined
}

/** What keeps one entry of a tool from running. */
export async function entryDoubts(
  tool: DeclaredTool,
  execution: Execution,
  surroundings: ToolSurroundings,
): Promise<readonly ToolDoubt[]> {
  const { args = [], postProcess } = execution
  const overrides = args.flatMap(({ subcommandOverride }) => subcommandOverride ?? [])
  const checked = [execution, ...overrides.map((subcommand) => ({ ...execution, subcommand }))]
  return [
    ...fieldDoubts(execution),
    ...(await Promise.all(checked.map((command) => programDoubts(command, surroundings)))).flat(),
    ...hiddenDoubts(tool, args),
    ...(await Promise.all(args.map((argument) => resolveDoubts(argument, surroundings)))).flat(),
    ...(postProcess ? await commandDoubts(postProcess, { what: 'its postProcess', stops: true }, surroundings) : []),
  ]
}

/** Fields whose promise cannot be kept safely. Without `sideRead` a result has less in it, and is no other one. */
function fieldDoubts({ args = [], binaryWrapper, sideRead }: Execution): readonly ToolDoubt[] {
  const refused = (message: string, stops = true): ToolDoubt => ({ message, stops, local: false })
  return [
    ...(binaryWrapper === undefined
      ? []
      : [refused('binaryWrapper starts a program that its allowlist does not name')]),
    ...(sideRead === undefined ? [] : [refused('sideRead is not supported: no file is added to its results', false)]),
    ...args.flatMap(({ param, kind, unsafePath, denyPattern, denyResolveCommand }) => {
      const fault = denyPattern === undefined ? undefined : patternFault(denyPattern)
      return [
        ...(kind === 'tempfile' ? [refused(`${param} is a tempfile, which is not supported`)] : []),
        ...(unsafePath ? [refused(`${param} is an unsafePath, and no path may lead out of the workspace`)] : []),
        ...(fault === undefined ? [] : [refused(`the denyPattern of ${param} ${fault}`)]),
        ...(denyResolveCommand && denyPattern === undefined
          ? [refused(`${param} has a denyResolveCommand and no denyPattern`)]
          : []),
      ]
    }),
  ]
}

async function programDoubts(
  { binary, subcommand }: Pick<Execution, 'binary' | 'subcommand'>,
  { allowlist, findBinary }: ToolSurroundings,
): Promise<readonly ToolDoubt[]> {
  const fault = commandFault({ binary, subcommand }, allowlist)
  if (fault !== undefined) return [{ message: fault, stops: true, local: false }]
  if (findBinary === undefined) return []
  const isThere = isAbsolute(binary) ? await isProgram(binary) : await findBinary(binary)
  if (isThere) return []
  const where = isAbsolute(binary) ? 'there' : 'on PATH'
  return [{ message: `the program ${binary} is not ${where}`, stops: true, local: true }]
}

/** Arguments that no call can give. */
function hiddenDoubts({ parameters }: DeclaredTool, args: readonly Argument[]): readonly ToolDoubt[] {
  const declared = declaredProperties(parameters)
  if (declared === undefined) return []
  return args
    .filter(({ param, kind }) => kind !== 'literal' && !declared.includes(param))
    .filter(({ optional, resolveCommand }) => !(optional && resolveCommand))
    .map(({ param, kind = 'positional', optional }) => ({
      message: `its schema does not declare the parameter ${param}, so no call can give it`,
      stops: kind !== 'flag' && kind !== 'flagifboolean' && optional !== true,
      local: false,
    }))
}

/** Parameters that no entry of the tool takes. */
export function schemaDoubts({ parameters }: DeclaredTool, executions: readonly Execution[]): readonly ToolDoubt[] {
  const reached = parameterNames(executions)
  const required = new Set(Array.isArray(parameters['required']) ? parameters['required'] : [])
  return (declaredProperties(parameters) ?? [])
    .filter((param) => !reached.includes(param))
    .map((param) => ({
      message: required.has(param)
        ? `its schema requires the parameter ${param}, which no argument takes`
        : `no argument takes the parameter ${param}; a call that gives it is refused`,
      stops: required.has(param),
      local: false,
    }))
}

/** A doubt about a required value stops the tool; a flag can be left out. */
async function resolveDoubts(argument: Argument, surroundings: ToolSurroundings): Promise<readonly ToolDoubt[]> {
  const { param, kind = 'positional', optional, resolveCommand, denyResolveCommand } = argument
  const stops = kind !== 'flag' || optional === true
  return [
    ...(resolveCommand
      ? await commandDoubts(resolveCommand, { what: `the resolveCommand of ${param}`, stops }, surroundings)
      : []),
    ...(denyResolveCommand
      ? await commandDoubts(
          denyResolveCommand,
          { what: `the denyResolveCommand of ${param}`, stops: true },
          surroundings,
        )
      : []),
  ]
}

async function commandDoubts(
  command: ResolveCommand,
  { what, stops }: { readonly what: string; readonly stops: boolean },
  surroundings: ToolSurroundings,
): Promise<readonly ToolDoubt[]> {
  const looked = isPathResolver(command) ? { ...surroundings, findBinary: undefined } : surroundings
  const found =
    command.script === undefined
      ? await programDoubts(command, looked)
      : await scriptDoubts(command.script, surroundings)
  return found.map(({ message, local }) => ({ message: `${what}: ${message}`, stops, local }))
}

async function scriptDoubts(
  script: string,
  { folder, allowScripts, findBinary }: ToolSurroundings,
): Promise<readonly ToolDoubt[]> {
  const found = await skillScript(folder, script)
  if ('error' in found) return [{ message: found.error, stops: true, local: false }]
  if (!allowScripts) {
    const message = `the script ${JSON.stringify(script)} runs only once skills.allowScripts is on`
    return [{ message, stops: true, local: true }]
  }
  const [program] = found.words
  if (program === found.path || findBinary === undefined || (await findBinary(program!))) return []
  return [{ message: `the program ${program} is not on PATH`, stops: true, local: true }]
}

/** Parameters that the model learns of; `undefined` where the schema does not list them. */
export function declaredProperties({ properties }: DeclaredTool['parameters']): readonly string[] | undefined {
  return properties === undefined ? undefined : Object.keys(properties as object)
}
