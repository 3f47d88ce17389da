import { argumentsOf, commandFault, commandWords, givenText } from './argv-plan.ts'
import { skillScript } from './skill-script.ts'
import type { Allowlist, Argument, Execution, ResolveCommand } from './tools-json.ts'

/** A program that is run before a call, since its output stands in the place of a value. */
export interface ResolveStep {
  /** Which of the execution's arguments it is for. */
  readonly index: number
  readonly param: string
  readonly argv: readonly string[]
  /** The script that runs, and the SHA-256 of what it says, hex: another one is not what was planned. */
  readonly script?: { readonly path: string; readonly digest: string }
  /** What stands in the plan for a value that nobody knows yet. */
  readonly placeholder: string
}

/** All that has to run first, in the order in which it does, or why the call cannot be made. */
export type ResolveSteps =
  | { readonly type: 'steps'; readonly steps: readonly ResolveStep[] }
  | { readonly type: 'refused'; readonly why: string }

/** What a skill's programs may be. */
export interface SkillRights {
  /** Folder of the skill. */
  readonly folder: string
  readonly allowlist: Allowlist
  /** `skills.allowScripts` */
  readonly allowScripts: boolean
}

/** Says which programs give a call its values. Runs none of them. An argument that the call leaves out needs none. */
export async function resolveSteps(execution: Execution, input: unknown, rights: SkillRights): Promise<ResolveSteps> {
  const steps: ResolveStep[] = []
  for (const [index, argument] of argumentsOf(execution).entries()) {
    const value = givenText(argument, input)
    if (argument.resolveCommand === undefined || value === undefined) continue
    const step = await stepOf(index, argument, argument.resolveCommand, value, rights)
    if ('why' in step) return { type: 'refused', why: `the resolveCommand of ${argument.param}: ${step.why}` }
    steps.push(step)
  }
  return { type: 'steps', steps }
}

type Refused = { readonly why: string }

async function stepOf(
  index: number,
  { param }: Argument,
  command: ResolveCommand,
  value: string,
  rights: SkillRights,
): Promise<ResolveStep | Refused> {
  const words = wordsOf(command, value)
  if ('why' in words) return words
  const program = await programOf(command, rights)
  if ('why' in program) return program
  const placeholder = `$(${[...program.shown, ...words].join(' ')})`
  const { script } = program
  return { index, param, argv: [...program.words, ...words], ...(script && { script }), placeholder }
}

/** `$param` stands for the value, wherever in a word it stands. */
function wordsOf({ args = [] }: ResolveCommand, value: string): readonly string[] | Refused {
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

async function programOf(command: ResolveCommand, rights: SkillRights): Promise<ResolveProgram | Refused> {
  if (command.script === undefined) {
    const why = commandFault(command, rights.allowlist)
    const words = commandWords(command)
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
