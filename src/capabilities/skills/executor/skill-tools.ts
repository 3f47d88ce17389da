import { realpath } from 'node:fs/promises'
import { dirname } from 'node:path'
import {
  cleanEnvironment,
  findLoadableFiles,
  findPlannedFiles,
  pathOutside,
  type PlannedFiles,
  type PlannedPlace,
  plannedFilesChange,
  plannedFolders,
  type PlannedSandbox,
  type ProgramEnd,
  type ProgramLimits,
  programResult,
  type Sandbox,
  type Tool,
  type ToolFailed,
  type ToolPlan,
  type ToolResult,
} from '../../../tool.ts'
import type { FindBinary } from '../folder/requirements.ts'
import type { Skill, ToolFile } from '../skill.ts'
import { callResult, confineValues, deniedFault, hasSucceeded, mergedOutput, type ValueBounds } from './call-values.ts'
import {
  argumentsFault,
  argumentText,
  argvPlan,
  inputValue,
  isPathResolver,
  parameterNames,
  type ResolveStep,
  resolveSteps,
  undeclaredFault,
  withDefaults,
  WORKING_FOLDER,
} from './resolve-step.ts'
import {
  chosenEntries,
  declaredProperties,
  type ToolEntry,
  entryDoubts,
  entryOf,
  schemaDoubts,
  type ToolDoubt,
} from './tool-entries.ts'
import { type Allowlist, type DeclaredTool, type Execution, readToolFiles } from './tools-json.ts'

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
  /** Places of the workspace that no tool may touch, and places that none may change. */
  readonly places?: () => Pick<ValueBounds, 'outOfReach' | 'readOnly'>
}

export interface SkillTools {
  /** Every declared tool. A tool that can never run is not offered; a call of it fails with the reason. */
  readonly tools: readonly Tool[]
  readonly idle: ReadonlySet<string>
  readonly findings: readonly ToolFinding[]
}

export interface ToolFinding {
  readonly file: ToolFile
  /** An `error` is for the author of the skill; a `note` may be about this machine and its settings alone. */
  readonly level: 'error' | 'note'
  readonly message: string
  /** The tool that it is about, and what keeps it from running or from doing all that it declares. */
  readonly about?: ToolDoubt & { readonly tool: string }
}

/** What a fault of a file that declares tools leads to. */
export const NO_TOOL_IS_USED = '; none of its tools is used'

/** None if a file that declares them is broken; a tool that can never run is not offered (BEHAVIOURS §1.5). */
export async function skillTools(skill: SkillWithTools, options: SkillToolsOptions): Promise<SkillTools> {
  if (skill.toolFiles === undefined) return { tools: [], idle: new Set(), findings: [] }
  const read = readToolFiles(skill.toolFiles)
  if (read.type === 'invalid') {
    const findings = read.faults.map(({ file, message }) => {
      return { file, level: 'error' as const, message: `${message}${NO_TOOL_IS_USED}` }
    })
    return { tools: [], idle: new Set(), findings }
  }
  const json = read.value
  const looked = await Promise.all(
    json.tools.map(async (tool) => {
      const surroundings = { ...options, folder: skill.folder, allowlist: json.allowlist }
      const entries = await Promise.all(
        json.execution
          .filter((entry) => entry.tool === tool.name)
          .map(async (execution) => ({ execution, doubts: await entryDoubts(tool, execution, surroundings) })),
      )
      const chosen = chosenEntries(entries)
      const ofAll = schemaDoubts(
        tool,
        chosen.map(({ execution }) => execution),
      )
      const isIdle = ofAll.some(({ stops }) => stops) || chosen.every(({ stop }) => stop !== undefined)
      // Where some calls can run, the others are refused with their reason.
      const doubts = [...chosen.flatMap((entry) => entry.doubts), ...ofAll].map((doubt) => ({
        ...doubt,
        stops: doubt.stops && isIdle,
      }))
      const made = skillTool(tool, chosen, json.allowlist, skill, options)
      const stop = doubts.find(({ stops }) => stops)
      if (!isIdle) return { doubts, isIdle, tool: made }
      // It stays listed for its owner, with the reason.
      const offeredWhile = { what: `a call of it can run (${stop?.message})`, isSo: async () => false }
      return { doubts, isIdle, tool: { ...made, offeredWhile } }
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

function toolFinding(tool: string, doubt: ToolDoubt): ToolFinding {
  const { message, stops, local } = doubt
  return {
    file: 'tools.json',
    level: stops && !local ? 'error' : 'note',
    message: doubtText([tool], doubt),
    about: { message, stops, local, tool },
  }
}

/** What is wrong with tools, in a sentence. */
export function doubtText(tools: readonly string[], { message, stops }: Pick<ToolDoubt, 'message' | 'stops'>): string {
  const names = tools.join(', ')
  if (!stops) return `${names}: ${message}`
  const one = tools.length === 1
  return `${names} ${one ? 'is' : 'are'} not offered, since no call of ${one ? 'it' : 'them'} can run: ${message}`
}

function skillTool(
  { name, description, parameters }: DeclaredTool,
  entries: readonly ToolEntry[],
  allowlist: Allowlist,
  skill: SkillWithTools,
  options: SkillToolsOptions,
): Tool {
  const { workspace, environment, sandbox, allowScripts, timeoutMs = 60_000, maxOutputChars = 200_000 } = options
  const declared = declaredProperties(parameters)
  const known = parameterNames(entries.map(({ execution }) => execution))

  async function plan(input: unknown): Promise<ToolPlan | ToolFailed> {
    const entry = entryOf(entries, input)
    if (typeof entry === 'string') return { ok: false, error: entry }
    const { execution } = entry
    const call = argvPlan(execution, allowlist, input, [], known)
    if ('error' in call) return call
    const steps = await resolveSteps(execution, input, { folder: skill.folder, allowlist, allowScripts })
    if ('error' in steps) return steps
    const pending = new Set(steps.filter(({ gives }) => gives === 'value').map(({ index }) => index))
    const real = await realpath(workspace).catch(() => realpath(skill.folder))
    const { outOfReach = [], readOnly = [] } = options.places?.() ?? {}
    const bounds = { workspace: real, outOfReach, readOnly }
    const confinement = await confineValues(execution, input, { answers: [], pending }, bounds)
    if ('error' in confinement) return confinement
    const { folder } = confinement
    const shown = [...confinement.resolved]
    for (const { index, gives, placeholder } of steps) if (gives === 'value') shown[index] = placeholder
    const argv = argvPlan(execution, allowlist, input, shown, known)
    if ('error' in argv) return argv
    const confined = await sandbox?.plan({ argv, readable: [skill.folder] })
    if (confined?.type !== 'planned') return { ok: false, error: confined?.why ?? 'tools are only listed here' }
    const clean = cleanEnvironment(environment)
    const path = await pathOutside(clean['PATH'] ?? '', workspace)
    const place = { folder, path, workspace }
    const programs: PlannedFiles[] = []
    for (const words of [...steps.map((step) => step.argv), argv]) {
      const files = await findPlannedFiles(words, place)
      if ('why' in files) return { ok: false, error: files.why }
      programs.push(files)
    }
    const command: PlannedCommand = {
      confined,
      execution,
      allowlist,
      known,
      input,
      planned: argv,
      steps,
      programs,
      place,
      bounds,
      environment: {
        ...clean,
        ...(clean['PATH'] !== undefined && { PATH: path }),
        // As Chai's resolver sees to it, git finds no repository that begins above the workspace.
        ...(execution.args?.some(({ resolveCommand }) => isPathResolver(resolveCommand)) && {
          GIT_CEILING_DIRECTORIES: dirname(real),
        }),
      },
    }
    const said = stdinText(execution, input)
    return {
      argv,
      folder,
      asks: confined.asks,
      ...(confined.isConfined && { afterUntrusted: 'allow' as const }),
      facts: {
        skill: skill.name,
        sandbox: confined.text,
        ...programs.at(-1)!.facts,
        ...(said !== undefined && { stdin: said }),
        ...(steps.length > 0 && { resolve: steps.map((step, index) => stepFacts(step, programs[index]!)) }),
      },
      loads: () => findLoadableFiles(real, [...programs.flatMap(plannedFolders), folder]),
      run: (context) =>
        runCommand(command, { timeoutMs: context.timeoutMs ?? timeoutMs, maxOutputChars, signal: context.signal }),
    }
  }

  return {
    name,
    ...(description !== undefined && { description }),
    inputSchema: parameters,
    schemaOwner: `the skill ${skill.name}`,
    runsPrograms: true,
    timeoutMs,
    takesExactInput: true,
    // A flag that is null counts as absent (BEHAVIOURS §1.5), whatever type the schema gives it.
    normalizeInput: (input) =>
      Object.fromEntries(
        Object.entries(input).filter(([param, value]) => value !== null || !canBeMissing(entries, param)),
      ),
    inputError(input) {
      const unknown = declared && Object.keys(input).find((key) => !declared.includes(key))
      if (unknown !== undefined) return undeclaredFault(unknown, declared!)
      const entry = entryOf(entries, input)
      return typeof entry === 'string' ? entry : argumentsFault(entry.execution, input, known)
    },
    plan,
  }
}

/** What runs beside the program, as a person sees it. The output of one that gives a value replaces `standsAs` in the plan's argv. */
function stepFacts(
  { param, gives, argv, placeholder }: ResolveStep,
  { facts }: PlannedFiles,
): Readonly<Record<string, unknown>> {
  if (gives === 'output') return { runsOnTheOutput: argv, ...facts }
  return { param, runsFirst: argv, ...(gives === 'value' && { standsAs: placeholder }), ...facts }
}

function canBeMissing(entries: readonly ToolEntry[], name: string): boolean {
  return entries.some(({ execution: { args = [], paramCondition } }) => {
    const isFlag = args.some(
      ({ param, kind, optional }) =>
        param === name && (kind === 'flag' || kind === 'flagifboolean' || optional === true),
    )
    return isFlag || paramCondition?.present?.includes(name) === true
  })
}

function stdinText(execution: Execution, input: unknown): string | undefined {
  const argument = execution.args?.find(({ kind }) => kind === 'stdin')
  return argument && argumentText(argument, inputValue(withDefaults(execution, input), argument.param))
}

interface PlannedCommand {
  readonly confined: PlannedSandbox
  readonly execution: Execution
  readonly allowlist: Allowlist
  readonly known: readonly string[]
  readonly input: unknown
  readonly planned: readonly string[]
  /** What runs before and after, in this order. */
  readonly steps: readonly ResolveStep[]
  /** The files of each step, and last those of the program itself. */
  readonly programs: readonly PlannedFiles[]
  readonly place: PlannedPlace
  readonly bounds: ValueBounds
  readonly environment: Readonly<Record<string, string>>
}

/**
 * First the programs that give values or are asked whether the call is denied, then, if it is still allowed with these,
 * the program itself, and last what is given its output. `meta.argv` then has the arguments that really ran. The time
 * limit is for all of them together.
 */
async function runCommand(command: PlannedCommand, limits: ProgramLimits): Promise<ToolResult> {
  const { confined, execution, allowlist, known, input, planned, steps, programs, place, bounds, environment } = command
  const answers: (string | undefined)[] = []
  let leftMs = limits.timeoutMs
  let folder = place.folder

  async function run(
    [, ...words]: readonly string[],
    files: PlannedFiles,
    more: { readonly input?: string; readonly environment?: Readonly<Record<string, string>> } = {},
  ) {
    const program = { argv: [files.program, ...words], folder, environment, ...more }
    const end = await confined.run(program, { ...limits, timeoutMs: leftMs })
    leftMs = Math.max(1, leftMs - end.durationMs)
    return { end, result: programResult(end, limits) }
  }

  /** What a step wrote, trimmed. */
  async function answerOf(step: ResolveStep, files: PlannedFiles): Promise<string | ToolFailed> {
    const changed = await plannedFilesChange(files, step.argv, place)
    if (changed !== undefined) return stepFailure(step, changed)
    const words = step.argv.map((word) => (word === WORKING_FOLDER ? folder : word))
    const { end, result } = await run(words, files)
    if (!result.ok) return { ...result, ...stepFailure(step, result.error) }
    if (end.stdout.binary) return stepFailure(step, `its output is no text: ${end.stdout.text}`)
    if (end.stdout.truncated) return stepFailure(step, `its output is longer than ${limits.maxOutputChars} characters`)
    return end.stdout.text.trim()
  }

  let resolved: readonly (string | undefined)[] = []
  for (const gives of ['value', 'denied'] as const) {
    for (const [at, step] of steps.entries()) {
      if (step.gives !== gives) continue
      const answer = await answerOf(step, programs[at]!)
      if (typeof answer !== 'string') return answer
      if (gives === 'value') answers[step.index] = answer
      else {
        if (answer === '') return stepFailure(step, 'it wrote nothing')
        const denied = deniedFault(execution.args![step.index]!, [answer])
        if (denied) return denied
      }
    }
    if (gives === 'denied') break
    const confinement = await confineValues(execution, input, { answers, pending: new Set() }, bounds)
    if ('error' in confinement) return confinement
    ;({ folder, resolved } = confinement)
  }
  const argv = argvPlan(execution, allowlist, input, resolved, known)
  if ('error' in argv) return argv
  const files = programs.at(-1)!
  const changed = await plannedFilesChange(files, planned, place)
  if (changed !== undefined) return { ok: false, error: changed }
  const said = stdinText(execution, input)
  const { end } = await run(argv, files, said === undefined ? {} : { input: said })
  const processed = await processedOutput(end)
  const given = withDefaults(execution, input)
  const result = callResult(execution, given, end, { limits, processed })
  return steps.length === 0 ? result : { ...result, meta: { ...result.meta, argv } }

  /** What a `postProcess` makes of the output; `undefined` where it has none, fails, or writes nothing and that is no result. */
  async function processedOutput(of: ProgramEnd): Promise<string | undefined> {
    const at = steps.findIndex(({ gives }) => gives === 'output')
    const step = steps[at]
    if (step === undefined || of.end.type !== 'exit' || !hasSucceeded(execution, of)) return undefined
    if ((await plannedFilesChange(programs[at]!, step.argv, place)) !== undefined) return undefined
    const after = await run(step.argv, programs[at]!, {
      input: mergedOutput(of),
      environment: { ...environment, CHAI_EXIT_CODE: String(of.end.code) },
    })
    if (!after.result.ok || after.end.stdout.binary) return undefined
    const { text } = after.end.stdout
    return text.trim() === '' && execution.postProcess?.emptyIsResult !== true ? undefined : text
  }
}

function stepFailure({ param, gives }: ResolveStep, why: string) {
  return {
    ok: false,
    error: `the ${gives === 'value' ? 'resolveCommand' : 'denyResolveCommand'} of ${param} failed: ${why}`,
  } as const
}
