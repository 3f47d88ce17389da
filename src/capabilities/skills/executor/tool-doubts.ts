import { isAbsolute } from 'node:path'
import { type FindBinary, isProgram } from '../folder/find-binary.ts'
import { commandFault } from './argv-plan.ts'
import { skillScript, type SkillRights } from './resolve-step.ts'
import type { Argument, DeclaredTool, Execution } from './tools-json.ts'

/** A reason why a tool does not work, although the files that declare it are valid. */
export interface ToolDoubt {
  readonly message: string
  /** No call can ever run, so the tool is not offered (BEHAVIOURS §1.5). */
  readonly stops: boolean
  /** The skill is valid: this machine lacks something, or a setting forbids it. */
  readonly local: boolean
}

interface ToolSurroundings extends SkillRights {
  /** Whether a program is on the PATH; nothing is looked for where absent. */
  readonly findBinary?: FindBinary | undefined
}

export async function toolDoubts(
  tool: DeclaredTool,
  execution: Execution,
  surroundings: ToolSurroundings,
): Promise<readonly ToolDoubt[]> {
  const { args = [] } = execution
  return [
    ...(await programDoubts(execution, surroundings)),
    ...schemaDoubts(tool, args),
    ...(await Promise.all(args.map((argument) => resolveDoubts(argument, surroundings)))).flat(),
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

function schemaDoubts({ parameters }: DeclaredTool, args: readonly Argument[]): readonly ToolDoubt[] {
  const declared = declaredProperties(parameters)
  if (declared === undefined) return []
  const reached = new Set(args.map(({ param }) => param))
  const required = new Set(Array.isArray(parameters['required']) ? parameters['required'] : [])
  const hidden = args.filter(({ param }) => !declared.includes(param))
  return [
    ...hidden.map(({ param, kind = 'positional' }) => ({
      message: `its schema does not declare the parameter ${param}, so no call can give it`,
      stops: kind === 'positional',
      local: false,
    })),
    ...declared
      .filter((param) => !reached.has(param))
      .map((param) => ({
        message: required.has(param)
          ? `its schema requires the parameter ${param}, which no argument takes`
          : `no argument takes the parameter ${param}; a call that gives it is refused`,
        stops: required.has(param),
        local: false,
      })),
  ]
}

/** A doubt about a required value stops the tool; a flag can be left out. */
async function resolveDoubts(
  { param, kind = 'positional', resolveCommand }: Argument,
  surroundings: ToolSurroundings,
): Promise<readonly ToolDoubt[]> {
  if (resolveCommand === undefined) return []
  const found =
    resolveCommand.script === undefined
      ? await programDoubts(resolveCommand, surroundings)
      : await scriptDoubts(resolveCommand.script, surroundings)
  return found.map(({ message, local }) => ({
    message: `the resolveCommand of ${param}: ${message}`,
    stops: kind === 'positional',
    local,
  }))
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
