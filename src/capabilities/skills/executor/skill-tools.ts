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
import type { FindBinary } from '../folder/find-binary.ts'
import type { Skill, ToolFile } from '../skill.ts'
import { argvPlan, argumentsFault, undeclaredFault } from './argv-plan.ts'
import { readToolFiles } from './read-tool-files.ts'
import { type ResolveStep, resolveSteps } from './resolve-step.ts'
import { declaredProperties, type ToolDoubt, toolDoubts } from './tool-doubts.ts'
import type { Allowlist, DeclaredTool, Execution, ToolsJson } from './tools-json.ts'

type SkillWithTools = Pick<Skill, 'name' | 'folder' | 'toolFiles'>

export interface SkillToolsOptions {
  /** Working directory; if it does not exist, the folder of the skill. */
  readonly workspace: string
  /** Of this process; programs receive a small part of it. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Confines the programs. Where absent, no call can be planned: the tools are only listed. */
  readonly sandbox?: Sandbox
  /** `skills.allowScripts` */
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
