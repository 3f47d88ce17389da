import { type SubjectContext, SubjectError, type Subjects } from '../core.ts'
import type { ResourceText } from '../../../server/mcp/resources.ts'

/** The context of a subject, or a part of it; `undefined` where there is no such subject or part. */
export async function readSubject(
  subjects: Subjects,
  id: string,
  part: string | undefined,
): Promise<ResourceText | undefined> {
  if (part !== undefined && !Object.hasOwn(subjectParts, part)) return undefined
  try {
    const { context } = await subjects.context(id)
    return part === undefined ? json(context) : await subjectParts[part]!(context, subjects, id)
  } catch (error) {
    if (error instanceof SubjectError && (error.code === 'not-found' || error.code === 'invalid-input'))
      return undefined
    throw error
  }
}

type PartReader = (context: SubjectContext, subjects: Subjects, id: string) => ResourceText | Promise<ResourceText>

/** By the names under which they are read. */
export const subjectParts: Readonly<Record<string, PartReader>> = {
  brief: ({ brief }) => markdown(brief.raw),
  notes: async (_context, subjects, id) => markdown(await notesOf(subjects, id)),
  tastes: ({ tastes }) => json(tastes),
  log: ({ recent_log: log }) => json(log),
  gaps: ({ recent_gaps: gaps }) => json(gaps),
}

/** From the first line on, whatever the file holds, and as much as any text may have. */
async function notesOf(subjects: Subjects, id: string): Promise<string> {
  const { text, total, next_offset: next } = await subjects.notes(id, { limit: Number.MAX_SAFE_INTEGER })
  return next === null
    ? text
    : `${text}\n[${next} of ${total} lines shown; read_full_notes reads on with offset ${next}]\n`
}

function json(value: unknown): ResourceText {
  return { mimeType: 'application/json', text: JSON.stringify(value) }
}

function markdown(text: string): ResourceText {
  return { mimeType: 'text/markdown', text }
}
