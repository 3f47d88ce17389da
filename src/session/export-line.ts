import type { z } from 'zod'
import { presentBody } from './choices.ts'
import type { Binding, CallRecord, EntryBody } from './entry.ts'
import { callLine, contentLine, endLine, entryLine, fileLine, header } from './export-schema.ts'
import type { FileRow } from './file-row.ts'
import { StoreError } from './store-error.ts'

/** What one line of an export says. */
export type ExportLine =
  | { readonly type: 'header'; readonly session: { readonly id: string; readonly binding?: Binding } }
  | { readonly type: 'entry'; readonly seq: number; readonly time: string; readonly body: EntryBody }
  | { readonly type: 'call'; readonly record: CallRecord }
  | { readonly type: 'file'; readonly file: ExportedFile }
  | { readonly type: 'content'; readonly hash: string; readonly text: string }
  | ({ readonly type: 'end' } & ExportCounts)

/** A file of the session, without its bytes. */
export type ExportedFile = Omit<FileRow, 'owner'>

/** How many lines of each kind there are. */
export interface ExportCounts {
  readonly entries: number
  readonly calls: number
  readonly files: number
  readonly contents: number
}

/**
 * Reads one line. What was parsed is handed on as it is, since a schema may set keys in another order, and an import must
 * give the same bytes again.
 *
 * @throws StoreError `invalid`, which names the line and what is wrong in it
 */
export function readExportLine(text: string, line: number): ExportLine {
  const value = parsed(text, line)
  if ('foreword' in value) {
    const { session } = checked(header, value, line)
    return { type: 'header', session: { id: session.id, ...(session.binding && { binding: session.binding }) } }
  }
  if ('entry' in value) {
    checked(entryLine, value, line)
    const { seq, time, ...body } = value['entry'] as EntryBody & { seq: number; time: string }
    return { type: 'entry', seq, time, body: presentBody(body as EntryBody) }
  }
  if ('call' in value) {
    checked(callLine, value, line)
    return { type: 'call', record: value['call'] as CallRecord }
  }
  if ('file' in value) {
    checked(fileLine, value, line)
    return { type: 'file', file: value['file'] as ExportedFile }
  }
  if ('content' in value) return { type: 'content', ...checked(contentLine, value, line).content }
  if ('end' in value) return { type: 'end', ...checked(endLine, value, line).end }
  throw invalidLine(line, 'it is neither an entry, a call, a file, a content nor the end of an export')
}

export function invalidLine(line: number, why: string): StoreError {
  return new StoreError('invalid', `line ${line} of the export cannot be read: ${why}. Nothing was imported`)
}

function parsed(text: string, line: number): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch {
    // Said below: the parser's own message would quote the line.
  }
  throw invalidLine(line, 'it is no JSON object')
}

function checked<Value>(schema: z.ZodType<Value>, value: unknown, line: number): Value {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const problems = result.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
  throw invalidLine(line, problems.join('; '))
}
