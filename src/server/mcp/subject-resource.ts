import { type SubjectContext, SubjectError, type Subjects } from '../../subject.ts'
import type { ResourceText } from './resources.ts'

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
    if (error instanceof SubjectError && (error.code === 'not_found' || error.code === 'invalid_input'))
      return undefined
    throw error
  }
}

type PartReader = (context: SubjectContext, subjects: Subjects, id: string) => ResourceText | Promise<ResourceText>

/** By the names under which they are read. */
export const subjectParts: Readonly<Record<string, PartReader>> = {
  brief: ({ brief }) => markdown(brief.raw),
  notes: async (_context, subjects, id) => markdown(await subjects.text({ type: 'notes', subject: id })),
  tastes: ({ tastes }) => json(tastes),
  log: ({ recent_log: log }) => json(log),
  gaps: ({ recent_gaps: gaps }) => json(gaps),
}

function json(value: unknown): ResourceText {
  return { mimeType: 'application/json', text: JSON.stringify(value) }
}

function markdown(text: string): ResourceText {
  return { mimeType: 'text/markdown', text }
}
