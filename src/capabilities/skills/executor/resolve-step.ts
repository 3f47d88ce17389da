import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { access, constants, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isWithin } from '../../../capability/toolkit.ts'
import { declaredArguments, commandFault, programWords, argumentValueText } from './argv-plan.ts'
import type { Allowlist, Argument, Execution, ResolveCommand } from './tools-json.ts'

/** A program that runs before a call, since its output replaces a value. */
export interface ResolveStep {
  /** Which of the execution's arguments it is for. */
  readonly index: number
  readonly param: string
  readonly argv: readonly string[]
  /** The script that runs, and the SHA-256 of its content, hex: a script with another digest is not the planned one. */
  readonly script?: { readonly path: string; readonly digest: string }
  /** The text in the plan in place of a value that is not known yet. */
  readonly placeholder: string
}

/** Everything that has to run first, in order, or why the call cannot be made. */
type ResolveSteps =
  | { readonly type: 'steps'; readonly steps: readonly ResolveStep[] }
  | { readonly type: 'refused'; readonly why: string }

/** Which programs a skill may run. */
interface SkillRights {
  /** Folder of the skill. */
  readonly folder: string
  readonly allowlist: Allowlist
  /** `skills.allowScripts` */
  readonly allowScripts: boolean
}

/** Finds the programs that give a call its values, and runs none of them. An argument that the call leaves out needs none. */
export async function resolveSteps(execution: Execution, input: unknown, rights: SkillRights): Promise<ResolveSteps> {
  const steps: ResolveStep[] = []
  for (const [index, argument] of declaredArguments(execution).entries()) {
    const value = argumentValueText(argument, input)
    if (argument.resolveCommand === undefined || value === undefined) continue
    const step = await resolveStep(index, argument, argument.resolveCommand, value, rights)
    if ('why' in step) return { type: 'refused', why: `the resolveCommand of ${argument.param}: ${step.why}` }
    steps.push(step)
  }
  return { type: 'steps', steps }
}

type Refused = { readonly why: string }

async function resolveStep(
  index: number,
  { param }: Argument,
  command: ResolveCommand,
  value: string,
  rights: SkillRights,
): Promise<ResolveStep | Refused> {
  const words = resolveWords(command, value)
  if ('why' in words) return words
  const program = await resolveProgram(command, rights)
  if ('why' in program) return program
  const placeholder = `$(${[...program.shown, ...words].join(' ')})`
  const { script } = program
  return { index, param, argv: [...program.words, ...words], ...(script && { script }), placeholder }
}

/** Replaces `$param` by the value, anywhere in a word. */
function resolveWords({ args = [] }: ResolveCommand, value: string): readonly string[] | Refused {
  const words: string[] = []
  for (const arg of args) {
    if (arg.startsWith('$param') && value.startsWith('-') && !words.includes('--')) {
      return { why: 'the value starts with "-", which the program would take for a flag; "--" in its args allows that' }
    }
    words.push(arg.replaceAll('$param', () => value))
  }
  return words
}

interface ResolveProgram {
  readonly words: readonly string[]
  readonly shown: readonly string[]
  readonly script?: ResolveStep['script']
}

async function resolveProgram(command: ResolveCommand, rights: SkillRights): Promise<ResolveProgram | Refused> {
  if (command.script === undefined) {
    const why = commandFault(command, rights.allowlist)
    const words = programWords(command)
    return why === undefined ? { words, shown: words } : { why }
  }
  if (!rights.allowScripts) {
    const asked = JSON.stringify(command.script)
    return { why: `the script ${asked} does not run, since scripts of skills are off; skills.allowScripts allows them` }
  }
  const script = await skillScript(rights.folder, command.script)
  if (script.type === 'refused') return script
  const { words, path, digest } = script
  return { words, shown: [command.script], script: { path, digest } }
}

/** A script that a skill ships, as it is now, or why none can run. */
type SkillScript =
  | {
      readonly type: 'script'
      /** Absolute, links resolved. */
      readonly path: string
      /** What runs it: the script itself, or `sh` and the script. */
      readonly words: readonly string[]
      /** SHA-256 of its content, hex. */
      readonly digest: string
    }
  | { readonly type: 'refused'; readonly why: string }

/** Runs a script that need not be executable. */
const SHELL = 'sh'

/**
 * Finds a script of a skill: `scripts/{name}`, which has to be executable, else `scripts/{name}.sh`, which `sh` runs. A name
 * that ends in `.sh` itself needs no execute bit either. It is one file of that folder, and within the skill's folder once
 * links are followed (BEHAVIOURS §1.5). Never throws.
 */
export async function skillScript(skillFolder: string, name: string): Promise<SkillScript> {
  const shown = JSON.stringify(name)
  if (/[/\\]|\.\./.test(name)) return refuseScript(`the script name ${shown} holds "/", "\\" or "..", which none may`)
  try {
    const scripts = join(skillFolder, 'scripts')
    const plain = await realpath(join(scripts, name)).catch(ignoreMissing)
    const path = plain ?? (await realpath(join(scripts, `${name}.sh`)))
    if (!isWithin(await realpath(skillFolder), path))
      return refuseScript(`the script ${shown} leads out of its skill's folder`)
    if (!(await stat(path)).isFile()) return refuseScript(`the script ${shown} is no regular file`)
    const byShell = plain === undefined || (name.endsWith('.sh') && !(await isExecutable(path)))
    await access(path, byShell ? constants.R_OK : constants.X_OK)
    return { type: 'script', path, words: byShell ? [SHELL, path] : [path], digest: await fileDigest(path) }
  } catch (error) {
    return refuseScript(`the script ${shown} ${describeScriptError(error as NodeJS.ErrnoException)}`)
  }
}

/** A missing file is no failure: the other name is tried. */
function ignoreMissing(error: unknown): undefined {
  const { code } = error as NodeJS.ErrnoException
  if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
}

/** SHA-256 of a script that was found before, hex; `undefined` where it is gone. */
export async function scriptDigest(path: string): Promise<string | undefined> {
  try {
    return (await stat(path)).isFile() ? await fileDigest(path) : undefined
  } catch {
    return undefined
  }
}

async function fileDigest(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer)
  return hash.digest('hex')
}

function describeScriptError({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT' || code === 'ENOTDIR') return "is not in its skill's scripts folder, with or without .sh"
  if (code === 'EACCES' || code === 'EPERM')
    return 'may not be read and run: make it readable and executable (chmod +rx)'
  if (code === 'ELOOP') return 'is a link that leads in a circle'
  return `cannot be used: ${code ?? message}`
}

function refuseScript(why: string): SkillScript {
  return { type: 'refused', why }
}
