import type { CallDescription } from './planned-call.ts'
import { withinTime } from './time-limit.ts'
import type { Tool, ToolContext, ToolFailed, ToolPlan, ToolResult } from './tool.ts'

/**
 * The plan of a tool for one call, made within `limitMs`; of a tool that makes none, its execution. What cannot be planned
 * is a failed result. Never throws.
 */
export async function planOf(
  tool: Tool,
  input: unknown,
  context: ToolContext,
  limitMs: number,
): Promise<ToolPlan | ToolFailed> {
  if (!tool.plan) return { run: (running) => tool.execute(input, running) }
  let made: ToolPlan | undefined
  const result = await withinTime(
    async (running) => {
      const answer: unknown = await tool.plan(input, running)
      if (!isPlan(answer)) return answer as ToolResult
      // Whoever is asked about it is shown it as JSON: what is not, fails here.
      JSON.stringify(shownOf(answer))
      made = answer
      return { ok: true, output: '' }
    },
    context,
    limitMs,
  )
  if (!result.ok) return result
  return made ?? { ok: false, error: `${tool.name} answered instead of making a plan`, meta: { failure: 'exception' } }
}

/** What a plan says, and nothing else that hangs on it. */
export function shownOf({ argv, command, folder, diff, facts }: ToolPlan): Omit<CallDescription, 'tool' | 'input'> {
  return {
    ...(argv !== undefined && { argv }),
    ...(command !== undefined && { command }),
    ...(folder !== undefined && { folder }),
    ...(diff !== undefined && { diff }),
    ...(facts !== undefined && { facts }),
  }
}

/** A tool may come from a plugin that no compiler has seen. */
function isPlan(value: unknown): value is ToolPlan {
  return typeof value === 'object' && value !== null && typeof (value as { run?: unknown }).run === 'function'
}
