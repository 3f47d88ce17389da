import type { McpPrompt } from '../../../capability.ts'
import { invalidParams, resourceAddress } from '../../../server/mcp.ts'
import type { Subjects } from '../core.ts'
import { workOnSubjectPrompt } from './definitions.ts'
import { readSubject } from './subject-resource.ts'

/** A prompt that a person may pick in their client: to work on a subject. */
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
