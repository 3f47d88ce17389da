import { programResult, runProgram, type ToolContext, type ToolResult } from '../../../tool.ts'
import { argvPlan } from './argv-plan.ts'
import type { ResolveStep } from './resolve-step.ts'
import { scriptDigest } from './skill-script.ts'
import type { Allowlist, Execution } from './tools-json.ts'

/** A planned call of a skill's tool, with all that it needs to run. */
export interface PlannedCommand {
  readonly execution: Execution
  readonly allowlist: Allowlist
  readonly input: unknown
  /** What runs first, in this order. */
  readonly steps: readonly ResolveStep[]
  readonly folder: string
  readonly environment: Readonly<Record<string, string>>
}

/** Bounds of one call, of all its programs together. */
export interface CommandLimits {
  readonly timeoutMs: number
  /** Of each output, characters. */
  readonly maxOutputChars: number
}

/**
 * Runs what a plan says: first the programs that give it values, then, if what they gave still makes a call that is
 * allowed, the program itself. A call with such values tells in `meta.argv` what was run in the end.
 */
export async function runCommand(
  command: PlannedCommand,
  limits: CommandLimits,
  { signal }: ToolContext,
): Promise<ToolResult> {
  const { execution, allowlist, input, steps, folder, environment } = command
  const resolved: (string | undefined)[] = []
  let leftMs = limits.timeoutMs

  async function run(argv: readonly string[]) {
    const end = await runProgram({ argv, folder, environment }, { ...limits, timeoutMs: leftMs, signal })
    leftMs = Math.max(1, leftMs - end.durationMs)
    return { end, result: programResult(end, limits) }
  }

  for (const step of steps) {
    const changed = await changeOf(step)
    if (changed !== undefined) return failed(step, changed)
    const { end, result } = await run(step.argv)
    if (!result.ok) return { ...result, ...failed(step, result.error) }
    if (end.stdout.binary) return failed(step, `its output is no text: ${end.stdout.text}`)
    if (end.stdout.truncated) return failed(step, `its output is longer than ${limits.maxOutputChars} characters`)
    resolved[step.index] = end.stdout.text.trim()
  }
  const plan = argvPlan(execution, allowlist, input, resolved)
  if (plan.type === 'refused') return { ok: false, error: plan.why }
  const { result } = await run(plan.argv)
  return steps.length === 0 ? result : { ...result, meta: { ...result.meta, argv: plan.argv } }
}

/** Why a script is not the one that was planned and perhaps shown to a person. */
async function changeOf({ script }: ResolveStep): Promise<string | undefined> {
  if (script === undefined) return undefined
  const now = await scriptDigest(script.path)
  return now === script.digest ? undefined : 'its script has changed since the call was planned; call again'
}

function failed({ param }: ResolveStep, why: string) {
  return { ok: false, error: `the resolveCommand of ${param} failed: ${why}` } as const
}
