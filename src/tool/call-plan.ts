import { hash } from 'node:crypto'
import { defined } from '../platform.ts'
import {
  type CallDescription,
  type Tool,
  type ToolContext,
  type ToolFailed,
  type ToolPlan,
  type ToolResult,
  toolFailure,
} from './tool.ts'

/** The plan of a tool for one call, made within `limitMs`, or its execution. A failure is a failed result. Never throws. */
export async function planCall(
  tool: Tool,
  input: unknown,
  context: ToolContext,
  limitMs: number,
): Promise<ToolPlan | ToolFailed> {
  if (!tool.plan) return { run: (running) => tool.execute(input, running) }
  let made: ToolPlan | undefined
  const result = await runWithinLimit(
    async (running) => {
      const answer: unknown = await tool.plan(input, running)
      if (!isPlan(answer)) return answer as ToolResult
      // A person sees it as JSON: what has no JSON form fails here.
      JSON.stringify(describePlan(answer))
      made = answer
      return { ok: true, output: '' }
    },
    context,
    limitMs,
  )
  if (!result.ok) return result
  return made ?? toolFailure(`${tool.name} answered instead of making a plan`, 'exception')
}

/** The description of a plan, without its other properties. */
export function describePlan({
  argv,
  command,
  folder,
  diff,
  facts,
}: ToolPlan): Omit<ToolPlan, 'run' | 'loads' | 'asks' | 'afterUntrusted'> {
  return defined({ argv, command, folder, diff, facts })
}

/** A tool may come from a plugin that was not type-checked. */
function isPlan(value: unknown): value is ToolPlan {
  return typeof value === 'object' && value !== null && typeof (value as { run?: unknown }).run === 'function'
}

type Work = (context: ToolContext) => Promise<ToolResult>

/**
 * Runs a tool until it answers, throws, is cancelled, or `limitMs` is over. Never throws. A tool that ignores its signal
 * is not waited for: its late answer is dropped. `grace`, ms, is extra time in which work that keeps the limit itself can
 * report how far it came.
 */
export async function runWithinLimit(
  work: Work,
  context: ToolContext,
  limitMs: number,
  grace = 0,
): Promise<ToolResult> {
  if (context.signal.aborted) return toolFailure('cancelled', 'cancelled')
  const end = new AbortController()
  const ended = Promise.withResolvers<ToolResult>()
  const endWith = (result: ToolResult) => {
    ended.resolve(result)
    end.abort()
  }
  const onAbort = () => endWith(toolFailure('cancelled', 'cancelled'))
  const cancel = context.clock.timer(limitMs + grace, () =>
    endWith(toolFailure(`timed out after ${limitMs} ms`, 'timeout')),
  )
  context.signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([ended.promise, runWork(work, { ...context, signal: end.signal })])
  } finally {
    cancel()
    context.signal.removeEventListener('abort', onAbort)
  }
}

async function runWork(work: Work, context: ToolContext): Promise<ToolResult> {
  try {
    const result: unknown = await work(context)
    return isResult(result) ? result : toolFailure('the tool answered with something that is no result', 'exception')
  } catch (error) {
    return toolFailure(failureMessage(error), 'exception')
  }
}

/** A tool may come from a plugin that was not type-checked. */
function isResult(value: unknown): value is ToolResult {
  if (typeof value !== 'object' || value === null) return false
  const { ok, output, error } = value as Record<string, unknown>
  return ok === true ? typeof output === 'string' : ok === false && typeof error === 'string'
}

/** The message of whatever was thrown; never empty. */
export function failureMessage(error: unknown): string {
  const message = error instanceof Error ? error.message || error.name : String(error)
  return message === '' ? 'the tool failed without saying why' : message
}

/** SHA-256 of a call as a person is shown it, as JSON, whatever the order of its keys: lowercase hexadecimal. */
export function callDigest(call: CallDescription): string {
  const shown: unknown = JSON.parse(JSON.stringify(call))
  return hash('sha256', JSON.stringify(sorted(shown)), 'hex')
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1))
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]))
}
