import type { McpResourceSet, ResourceText } from '../../../capability.ts'
import { parsedAddress, resourceAddress } from '../../../server/mcp.ts'
import { type SubjectContext, SubjectError, type Subjects } from '../core.ts'
import { subjectTemplates } from './definitions.ts'

/** Subjects and their parts, to be read. */
export function subjectResources(subjects: Subjects): McpResourceSet {
  return {
    templates: subjectTemplates,
    list: async () =>
      (await subjects.list()).map(({ id, title, updated }) => ({
        uri: resourceAddress('subjects', id),
        name: id,
        ...(title === '' ? {} : { title: title.slice(0, 200) }),
        description: `The working context of ${id}`,
        mimeType: 'application/json',
        annotations: { lastModified: updated },
      })),
    async read(uri) {
      const address = parsedAddress(uri)
      return address?.kind === 'subjects' ? readSubject(subjects, address.id, address.part) : undefined
    },
    async complete(_template, variable) {
      if (variable === 'part') return Object.keys(subjectParts)
      return variable === 'id' ? (await subjects.list()).map(({ id }) => id) : []
    },
  }
}

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
const subjectParts: Readonly<Record<string, PartReader>> = {
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
