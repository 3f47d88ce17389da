import { cutJson, wholeCharacter } from '../context.ts'
import type { ToolResult } from './tool.ts'

/** A result whose texts have at most `limit` characters, plus a line that says how much is missing (BEHAVIOURS §2.4). */
export function cappedResult(result: ToolResult, limit: number): ToolResult {
  const texts = result.ok ? [result.output] : [result.error, result.output ?? '']
  if (texts.every((text) => text.length <= limit)) return result
  const [first, output] = texts.map((text) => capText(text, limit))
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  const meta = { bytes, ...result.meta, truncated: true }
  if (result.ok) return { ...result, output: first!, meta }
  return { ...result, error: first!, ...(output && { output }), meta }
}

/** JSON stays JSON. */
function capText(text: string, limit: number): string {
  return cutJson(text, limit, '') ?? truncateText(text, limit)
}

/** A result without secrets: in what the model reads, and in the argv of its facts. */
export function redactedResult(result: ToolResult, redact: (text: string) => string): ToolResult {
  const { meta } = result
  const facts = meta?.argv ? { meta: { ...meta, argv: meta.argv.map(redact) } } : {}
  if (result.ok) return { ...result, output: redact(result.output), ...facts }
  const { output } = result
  return {
    ...result,
    error: redact(result.error),
    ...(output !== undefined && { output: redact(output) }),
    ...facts,
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
