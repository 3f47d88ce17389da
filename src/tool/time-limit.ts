import { failed } from './failed.ts'
import type { ToolContext, ToolResult } from './tool.ts'

/** What a tool does with the time it is given. */
type Work = (context: ToolContext) => Promise<ToolResult>

/**
 * Runs a tool until it answers, throws, is cancelled, or `limitMs` is over. Never throws. A tool that ignores its signal
 * is not waited for: what it still answers is dropped. With `grace`, ms, work that keeps the limit itself is let to say
 * how far it came.
 */
export async function withinTime(work: Work, context: ToolContext, limitMs: number, grace = 0): Promise<ToolResult> {
  if (context.signal.aborted) return failed('cancelled', 'cancelled')
  const end = new AbortController()
  const ended = Promise.withResolvers<ToolResult>()
  const endWith = (result: ToolResult) => {
    ended.resolve(result)
    end.abort()
  }
  const onAbort = () => endWith(failed('cancelled', 'cancelled'))
  const timer = setTimeout(() => endWith(failed('timeout', `timed out after ${limitMs} ms`)), limitMs + grace)
  context.signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([ended.promise, answerOf(work, { ...context, signal: end.signal })])
  } finally {
    clearTimeout(timer)
    context.signal.removeEventListener('abort', onAbort)
  }
}

async function answerOf(work: Work, context: ToolContext): Promise<ToolResult> {
  try {
    const result: unknown = await work(context)
    return isResult(result) ? result : failed('exception', 'the tool answered with something that is no result')
  } catch (error) {
    return failed('exception', messageOf(error))
  }
}

/** A tool may come from a plugin that no compiler has seen. */
function isResult(value: unknown): value is ToolResult {
  if (typeof value !== 'object' || value === null) return false
  const { ok, output, error } = value as Record<string, unknown>
  return ok === true ? typeof output === 'string' : ok === false && typeof error === 'string'
}

/** What was thrown, in words. */
export function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message || error.name : String(error)
  return message === '' ? 'the tool failed without saying why' : message
}
