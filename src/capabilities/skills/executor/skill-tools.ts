import { realpath } from 'node:fs/promises'
import {
  cleanEnvironment,
  findPlannedFiles,
  pathOutside,
  type PlannedFiles,
  type PlannedPlace,
  plannedFilesChange,
  type PlannedSandbox,
  type ProgramLimits,
  programResult,
  type Sandbox,
  type Tool,
  type ToolFailed,
  type ToolPlan,
  type ToolResult,
} from '../../../tool.ts'
import { type FindBinary, isProgram } from '../folder/requirements.ts'
import type { Skill, ToolFile } from '../skill.ts'
import {
  argvPlan,
  argumentsFault,
  undeclaredFault,
  type ResolveStep,
  resolveSteps,
  commandFault,
  skillScript,
  type SkillRights,
} from './resolve-step.ts'
import {
  readToolFiles,
  type Allowlist,
  type DeclaredTool,
  type Execution,
  type ToolsJson,
  type Argument,
} from './tools-json.ts'
import { isAbsolute } from 'node:path'

type SkillWithTools = Pick<Skill, 'name' | 'folder' | 'toolFiles'>

export interface SkillToolsOptions {
  /** Working directory; if it does not exist, the folder of the skill. */
  readonly workspace: string
  /** Of this process; programs receive a small part of it. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Confines the programs. Where absent, no call can be planned: the tools are only listed. */
  readonly sandbox?: Sandbox
  readonly allowScripts: boolean
  /** Time limit of one call, including what it runs first, ms. Default: 60,000. */
  readonly timeoutMs?: number
  /** Characters that are kept of each output of a program. Default: 200,000. */
  readonly maxOutputChars?: number
  /** A tool without its program is not offered. Programs are not looked for where absent. */
  readonly findBinary?: FindBinary
}

export interface SkillTools {
  /** Every declared tool. A tool that can never run is not offered; a call of it fails with the reason. */
  readonly tools: readonly Tool[]
  readonly idle: ReadonlySet<string>
  readonly findings: readonly ToolFinding[]
}

interface ToolFinding {
  readonly file: ToolFile
  /** An `error` is for the author of the skill; a `note` may be about this machine and its settings alone. */
  readonly level: 'error' | 'note'
  readonly message: string
}

/** None if a file that declares them is broken; a tool that can never run is not offered (BEHAVIOURS §1.5). */
export async function skillTools(skill: SkillWithTools, options: SkillToolsOptions): Promise<SkillTools> {
  if (skill.toolFiles === undefined) return { tools: [], idle: new Set(), findings: [] }
  const read = readToolFiles(skill.toolFiles)
  if (read.type === 'invalid') {
    const findings = read.faults.map(({ file, message }) => {
      return { file, level: 'error' as const, message: `${message}; none of its tools is used` }
    })
    return { tools: [], idle: new Set(), findings }
  }
  const json = read.value
  const looked = await Promise.all(
    json.tools.map(async (tool) => {
      const execution = json.execution.find((entry) => entry.tool === tool.name)!
      const surroundings = { ...options, folder: skill.folder, allowlist: json.allowlist }
      const doubts = await toolDoubts(tool, execution, surroundings)
      const made = skillTool(tool, execution, json, skill, options)
      const stop = doubts.find(({ stops }) => stops)
      if (stop === undefined) return { doubts, isIdle: false, tool: made }
      // It stays listed for its owner, with the reason.
      const offeredWhile = { what: `a call of it can run (${stop.message})`, isSo: async () => false }
      return { doubts, isIdle: true, tool: { ...made, offeredWhile } }
    }),
  )
  return {
    tools: looked.map(({ tool }) => tool),
    idle: new Set(looked.filter(({ isIdle }) => isIdle).map(({ tool }) => tool.name)),
    findings: [
      ...read.notes.map(({ file, message }) => ({ file, level: 'note' as const, message })),
      ...looked.flatMap(({ tool, doubts }) => doubts.map((doubt) => toolFinding(tool.name, doubt))),
    ],
  }
}

function toolFinding(tool: string, { message, stops, local }: ToolDoubt): ToolFinding {
  return {
    file: 'tools.json',
    level: stops && !local ? 'error' : 'note',
    message: stops ? `${tool} is not offered, since no call of it can run: ${message}` : `${tool}: ${message}`,
  }
}

function skillTool(
  { name, description, parameters }: DeclaredTool,
  execution: Execution,
  { allowlist }: ToolsJson,
  skill: SkillWithTools,
  { workspace, environment, sandbox, allowScripts, timeoutMs = 60_000, maxOutputChars = 200_000 }: SkillToolsOptions,
): Tool {
  const declared = declaredProperties(parameters)

  async function plan(input: unknown): Promise<ToolPlan | ToolFailed> {
    const call = argvPlan(execution, allowlist, input)
    if ('error' in call) return call
    const steps = await resolveSteps(execution, input, { folder: skill.folder, allowlist, allowScripts })
    if ('error' in steps) return steps
    const shown: (string | undefined)[] = []
    for (const { index, placeholder } of steps) shown[index] = placeholder
    const argv = argvPlan(execution, allowlist, input, shown)
    if ('error' in argv) return argv
    const confined = await sandbox?.plan({ argv, readable: [skill.folder] })
    if (confined?.type !== 'planned') return { ok: false, error: confined?.why ?? 'tools are only listed here' }
    const folder = await realpath(workspace).catch(() => realpath(skill.folder))
    const clean = cleanEnvironment(environment)
    const path = await pathOutside(clean['PATH'] ?? '', workspace)
    const place = { folder, path, workspace }
    const programs: PlannedFiles[] = []
    for (const words of [...steps.map((step) => step.argv), argv]) {
      const files = await findPlannedFiles(words, place)
      if ('why' in files) return { ok: false, error: files.why }
      programs.push(files)
    }
    const command = {
      confined,
      execution,
      allowlist,
      input,
      planned: argv,
      steps,
      programs,
      place,
      environment: { ...clean, ...(clean['PATH'] !== undefined && { PATH: path }) },
    }
    return {
      argv,
      folder,
      asks: confined.asks,
      facts: {
        skill: skill.name,
        sandbox: confined.text,
        ...programs.at(-1)!.facts,
        ...(steps.length > 0 && { resolve: steps.map((step, index) => stepFacts(step, programs[index]!)) }),
      },
      run: (context) =>
        runCommand(command, { timeoutMs: context.timeoutMs ?? timeoutMs, maxOutputChars, signal: context.signal }),
    }
  }

  return {
    name,
    ...(description !== undefined && { description }),
    inputSchema: parameters,
    schemaOwner: `the skill ${skill.name}`,
    timeoutMs,
    // A flag that is null counts as absent (BEHAVIOURS §1.5), whatever type the schema gives it.
    normalizeInput: (input) =>
      Object.fromEntries(Object.entries(input).filter(([param, value]) => value !== null || !isFlag(execution, param))),
    inputError(input) {
      const unknown = declared && Object.keys(input).find((key) => !declared.includes(key))
      return unknown === undefined ? argumentsFault(execution, input) : undeclaredFault(unknown, declared!)
    },
    plan,
  }
}

/** What runs first, as a person sees it: its output replaces `standsAs` in the plan's argv. */
function stepFacts(
  { param, argv, placeholder }: ResolveStep,
  { facts }: PlannedFiles,
): Readonly<Record<string, unknown>> {
  return { param, runsFirst: argv, standsAs: placeholder, ...facts }
}

function isFlag({ args = [] }: Execution, name: string): boolean {
  return args.some(({ param, kind }) => param === name && (kind === 'flag' || kind === 'flagifboolean'))
}

interface PlannedCommand {
  readonly confined: PlannedSandbox
  readonly execution: Execution
  readonly allowlist: Allowlist
  readonly input: unknown
  readonly planned: readonly string[]
  /** What runs first, in this order. */
  readonly steps: readonly ResolveStep[]
  /** The files of each step, and last those of the program itself. */
  readonly programs: readonly PlannedFiles[]
  readonly place: PlannedPlace
  readonly environment: Readonly<Record<string, string>>
}

/**
 * First the programs that give values, then, if the call is still allowed with these, the program itself. `meta.argv`
 * then has the arguments that really ran. The time limit is for all of them together.
 */
async function runCommand(command: PlannedCommand, limits: ProgramLimits): Promise<ToolResult> {
  const { confined, execution, allowlist, input, planned, steps, programs, place, environment } = command
  const resolved: (string | undefined)[] = []
  let leftMs = limits.timeoutMs

  async function run([, ...words]: readonly string[], files: PlannedFiles) {
    const program = { argv: [files.program, ...words], folder: place.folder, environment }
    const end = await confined.run(program, { ...limits, timeoutMs: leftMs })
    leftMs = Math.max(1, leftMs - end.durationMs)
    return { end, result: programResult(end, limits) }
  }

  for (const [index, step] of steps.entries()) {
    const files = programs[index]!
    const changed = await plannedFilesChange(files, step.argv, place)
    if (changed !== undefined) return stepFailure(step, changed)
    const { end, result } = await run(step.argv, files)
    if (!result.ok) return { ...result, ...stepFailure(step, result.error) }
    if (end.stdout.binary) return stepFailure(step, `its output is no text: ${end.stdout.text}`)
    if (end.stdout.truncated) return stepFailure(step, `its output is longer than ${limits.maxOutputChars} characters`)
    resolved[step.index] = end.stdout.text.trim()
  }
  const argv = argvPlan(execution, allowlist, input, resolved)
  if ('error' in argv) return argv
  const files = programs.at(-1)!
  const changed = await plannedFilesChange(files, planned, place)
  if (changed !== undefined) return { ok: false, error: changed }
  const { result } = await run(argv, files)
  return steps.length === 0 ? result : { ...result, meta: { ...result.meta, argv } }
}

function stepFailure({ param }: ResolveStep, why: string) {
  return { ok: false, error: `the resolveCommand of ${param} failed: ${why}` } as const
}

/** A reason why a tool does not work, although the files that declare it are valid. */
interface ToolDoubt {
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

async function toolDoubts(
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
function declaredProperties({ properties }: DeclaredTool['parameters']): readonly string[] | undefined {
  return properties === undefined ? undefined : Object.keys(properties as object)
}
