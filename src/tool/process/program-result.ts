import { truncationNote } from '../output-cap.ts'
import type { ToolMeta, ToolResult } from '../tool.ts'
import type { ProgramEnd, ProgramOutput } from './program.ts'

/**
 * What the model reads of a program that ran. 0 is success: what it wrote, and what it complained of below a line
 * `[stderr]`. Any other exit is `exit {code}: {stdout}\n{stderr}` (BEHAVIOURS §1.5). A run that was ended keeps in `output`
 * what it had written.
 */
export function programResult(run: ProgramEnd, limits: { readonly timeoutMs: number }): ToolResult {
  const { end } = run
  const written = outputText(run)
  const stopped = (error: string, facts: ToolMeta = {}): ToolResult => ({
    ok: false,
    error,
    ...(written !== '' && { output: written }),
    meta: { ...facts, ...metaOf(run) },
  })
  switch (end.type) {
    case 'exit':
      if (end.code === 0) return { ok: true, output: written, meta: metaOf(run) }
      return { ok: false, error: `exit ${end.code}: ${bothOutputs(run)}`, meta: metaOf(run) }
    case 'signal':
      return { ok: false, error: `ended by ${end.signal}: ${bothOutputs(run)}`, meta: metaOf(run) }
    case 'not-started':
      return { ok: false, error: end.why, meta: metaOf(run) }
    case 'timeout':
      return stopped(`timed out after ${limits.timeoutMs} ms`, { failure: 'timeout' })
    case 'cancelled':
      return stopped('cancelled', { failure: 'cancelled' })
    case 'too-many-processes':
      return stopped(`stopped, because it ran more than ${end.limit} processes at one time`)
  }
}

/** Both outputs of a program as one text, cut ones with the note that says so. */
export function outputText({ stdout, stderr }: Pick<ProgramEnd, 'stdout' | 'stderr'>): string {
  const [said, complained] = [shownText(stdout), shownText(stderr)]
  if (complained.trim() === '') return said
  const between = said === '' || said.endsWith('\n') ? '' : '\n'
  return `${said}${between}[stderr]\n${complained}`
}

/** One output as it is shown: with `...[truncated: N of M characters shown]` below it where it was cut (BEHAVIOURS §2.4). */
export function shownText({ text, characters, truncated }: ProgramOutput): string {
  return truncated ? `${text}${truncationNote(text.length, characters)}` : text
}

function bothOutputs({ stdout, stderr }: ProgramEnd): string {
  return `${shownText(stdout)}\n${shownText(stderr)}`
}

function metaOf({ end, stdout, stderr }: ProgramEnd): ToolMeta {
  return {
    ...(end.type === 'exit' && { exitCode: end.code }),
    bytes: stdout.bytes + stderr.bytes,
    truncated: stdout.truncated || stderr.truncated,
  }
}
