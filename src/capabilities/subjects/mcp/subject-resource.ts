import type { McpPrompt, McpResourceSet, ResourceText } from '../../../capability.ts'
import { invalidParams, parseResourceAddress, resourceAddress } from '../../../server/mcp.ts'
import { type SubjectContext, SubjectError, type Subjects } from '../core.ts'
import { subjectTemplates, workOnSubjectPrompt } from './definitions.ts'

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
      const address = parseResourceAddress(uri)
      return address?.kind === 'subjects' ? readSubject(subjects, address.id, address.part) : undefined
    },
    async complete(_template, variable) {
      if (variable === 'part') return Object.keys(subjectParts)
      return variable === 'id' ? (await subjects.list()).map(({ id }) => id) : []
    },
  }
}

/** The context of a subject, or a part of it; `undefined` where there is no such subject or part. */
async function readSubject(
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

const subjectParts: Readonly<Record<string, PartReader>> = {
  brief: ({ brief }) => markdown(brief.raw),
  notes: async (_context, subjects, id) => markdown(await readNotes(subjects, id)),
  tastes: ({ tastes }) => json(tastes),
  log: ({ recent_log: log }) => json(log),
  gaps: ({ recent_gaps: gaps }) => json(gaps),
}

async function readNotes(subjects: Subjects, id: string): Promise<string> {
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

export function workOnSubject(subjects: Subjects): McpPrompt {
  return {
    definition: workOnSubjectPrompt,
    async get({ subject_id: id = '', task = '' }) {
      const read = await readSubject(subjects, id, undefined)
      if (read === undefined) throw invalidParams(`There is no subject ${JSON.stringify(id)}.`)
      const wanted = task.trim() === '' ? 'Ask me what is to be done.' : `The task: ${task.trim()}`
      return {
        description: `Work on ${id}`,
        messages: [
          { role: 'user', content: { type: 'text', text: `Let us work on the subject ${id}.\n\n${HOW_TO_WORK}` } },
          { role: 'user', content: { type: 'resource', resource: { uri: resourceAddress('subjects', id), ...read } } },
          { role: 'user', content: { type: 'text', text: wanted } },
        ],
      }
    },
    async complete({ name, value }) {
      if (name !== 'subject_id') return []
      return (await subjects.list()).map(({ id }) => id).filter((id) => id.startsWith(value))
    },
  }
}

const HOW_TO_WORK = [
  'Its working context follows: the tastes that apply, the brief, the notes so far, and what was done lately.',
  '1. Read it before you begin. Where the notes are truncated, read_full_notes has the rest.',
  '2. Where tastes conflict, do not choose between them yourself: tell me the point and the files, and let me decide.',
  '3. Note each step that changes something with log_operation, and what you could not do with log_gap.',
  '4. What should be remembered, propose with propose_notes_update or propose_taste_update. A proposal writes nothing; ' +
    'I confirm it or not.',
].join('\n')
