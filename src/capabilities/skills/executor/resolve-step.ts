import { access, constants, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isWithin } from '../../../capability/toolkit.ts'
import type { ToolFailed } from '../../../tool.ts'
import { isProgram } from '../folder/find-binary.ts'
import { argumentText, commandFault, inputValue, programWords } from './argv-plan.ts'
import type { Allowlist, Execution, ResolveCommand } from './tools-json.ts'

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
  /** `skills.allowScripts` */
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
