import { wholeCharacter } from '../context.ts'
import type { ToolResult } from './tool.ts'

/** A result whose texts have at most `limit` characters, plus a line that says how much is missing (BEHAVIOURS §2.4). */
export function cappedResult(result: ToolResult, limit: number): ToolResult {
  if (result.ok) return { ...result, output: truncateText(result.output, limit) }
  const { output } = result
  return {
    ...result,
    error: truncateText(result.error, limit),
    ...(output !== undefined && { output: truncateText(output, limit) }),
  }
}

/** A text cut to `limit` characters, with a note of what was cut. */
export function truncateText(text: string, limit: number): string {
  if (text.length <= limit) return text
  const shown = wholeCharacter(text, limit)
  return `${text.slice(0, shown)}${truncationNote(shown, text.length)}`
}

/** The line below a text that was cut. */
export function truncationNote(shown: number, all: number): string {
  return `\n...[truncated: ${shown} of ${all} characters shown]`
}
