import { realpath } from 'node:fs/promises'
import { cleanEnvironment, type Tool, type ToolFailed, type ToolPlan } from '../../../tool.ts'
import { argvPlan, inputFault, undeclared } from './argv-plan.ts'
import { readToolsJson } from './read-tools-json.ts'
import { type ResolveStep, resolveSteps } from './resolve-step.ts'
import { runCommand } from './run-command.ts'
import { propertiesOf, toolDoubts } from './tool-doubts.ts'
import type { DeclaredTool, Execution, ToolsJson } from './tools-json.ts'

/** A skill as far as its tools are concerned. */
export interface SkillWithTools {
  readonly name: string
  /** Absolute. */
  readonly folder: string
  /** Text of its `tools.json`. */
  readonly toolsJson: string | undefined
}

/** What the programs behind a skill's tools are given. */
export interface SkillToolsOptions {
  /** Folder that they work in; that of the skill where this one does not exist. */
  readonly workspace: string
  /** Of this process; what they get of it is little. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** `skills.allowScripts` */
  readonly allowScripts: boolean
  /** Time limit of one call, with all that it runs first, ms. 60,000 unless given. */
  readonly timeoutMs?: number
  /** Of each output of a program, characters that are kept. 200,000 unless given. */
  readonly maxOutputChars?: number
}

export interface SkillTools {
  readonly tools: readonly Tool[]
  /** Sentences that name the skill. */
  readonly warnings: readonly string[]
}

/** The tools of a skill (BEHAVIOURS §1.5): none, and a warning for each fault, where its `tools.json` is broken. */
export function skillTools(skill: SkillWithTools, options: SkillToolsOptions): SkillTools {
  if (skill.toolsJson === undefined) return { tools: [], warnings: [] }
  const warning = (what: string) => `tools.json of the skill ${skill.name}: ${what}`
  const read = readToolsJson(skill.toolsJson)
  if (read.type === 'invalid') {
    return { tools: [], warnings: read.faults.map((fault) => warning(`${fault}; none of its tools is used`)) }
  }
  const json = read.value
  const pairs = json.tools.map((tool) => ({
    tool,
    execution: json.execution.find((entry) => entry.tool === tool.name)!,
  }))
  return {
    tools: pairs.map(({ tool, execution }) => skillTool(tool, execution, json, skill, options)),
    warnings: pairs.flatMap(({ tool, execution }) =>
      toolDoubts(tool, execution, json.allowlist, options.allowScripts).map(warning),
    ),
  }
}

function skillTool(
  { name, description, parameters }: DeclaredTool,
  execution: Execution,
  { allowlist }: ToolsJson,
  skill: SkillWithTools,
  { workspace, environment, allowScripts, timeoutMs = 60_000, maxOutputChars = 200_000 }: SkillToolsOptions,
): Tool {
  const declared = propertiesOf(parameters)

  async function plan(input: unknown): Promise<ToolPlan | ToolFailed> {
    const call = argvPlan(execution, allowlist, input)
    if (call.type === 'refused') return { ok: false, error: call.why }
    const first = await resolveSteps(execution, input, { folder: skill.folder, allowlist, allowScripts })
    if (first.type === 'refused') return { ok: false, error: first.why }
    const { steps } = first
    const shown = argvPlan(execution, allowlist, input, placeholders(steps))
    if (shown.type === 'refused') return { ok: false, error: shown.why }
    const folder = await realpath(workspace).catch(() => realpath(skill.folder))
    const command = { execution, allowlist, input, steps, folder, environment: cleanEnvironment(environment) }
    return {
      argv: shown.argv,
      folder,
      facts: { skill: skill.name, ...(steps.length > 0 && { resolve: steps.map(factsOf) }) },
      run: (context) => runCommand(command, { timeoutMs: context.timeoutMs ?? timeoutMs, maxOutputChars }, context),
    }
  }

  return {
    name,
    ...(description !== undefined && { description }),
    inputSchema: parameters,
    timeoutMs,
    // A flag that is null is not there (BEHAVIOURS §1.5), whatever the schema says of its type.
    inputOf: (input) =>
      Object.fromEntries(Object.entries(input).filter(([param, value]) => value !== null || !isFlag(execution, param))),
    faultOf(input) {
      const unknown = declared && Object.keys(input).find((key) => !declared.includes(key))
      return unknown === undefined ? inputFault(execution, input) : undeclared(unknown, declared!)
    },
    plan,
  }
}

function placeholders(steps: readonly ResolveStep[]): readonly (string | undefined)[] {
  const shown: (string | undefined)[] = []
  for (const { index, placeholder } of steps) shown[index] = placeholder
  return shown
}

/** What runs first, as a person is shown it: its output takes the place of `standsAs` in the plan's argv. */
function factsOf({ param, argv, digest, placeholder }: ResolveStep): Readonly<Record<string, unknown>> {
  return { param, runsFirst: argv, standsAs: placeholder, ...(digest !== undefined && { scriptDigest: digest }) }
}

function isFlag({ args = [] }: Execution, name: string): boolean {
  return args.some(({ param, kind }) => param === name && (kind === 'flag' || kind === 'flagifboolean'))
}
