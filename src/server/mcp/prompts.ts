import { outline } from '../../context.ts'
import type { Runtime } from '../../runtime.ts'
import { parsedAddress, subjectAddress } from './addresses.ts'
import type { McpPrompt } from './catalogue.ts'
import { explainCallPrompt, workOnSubjectPrompt } from './definitions.ts'
import { invalidParams } from './protocol-server.ts'
import { readSubject } from '../../capabilities/subjects/mcp/subject-resource.ts'

/** What a person may pick in their client to begin with. */
export function runtimePrompts(runtime: Runtime): readonly McpPrompt[] {
  return [workOnSubject(runtime), explainCall(runtime)]
}

function workOnSubject({ subjects }: Runtime): McpPrompt {
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
          { role: 'user', content: { type: 'resource', resource: { uri: subjectAddress(id), ...read } } },
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

function explainCall({ store }: Runtime): McpPrompt {
  return {
    definition: explainCallPrompt,
    async get({ call_id: given = '' }) {
      const address = parsedAddress(given)
      const id = address?.kind === 'calls' ? address.id : given
      const call = await store.call(id)
      if (call === undefined) throw invalidParams(`There is no call ${JSON.stringify(id)}.`)
      const uri = `foreword://calls/${encodeURIComponent(id)}/outline`
      const text = `${outline(call.manifest)}\n`
      return {
        description: `The call ${id}`,
        messages: [
          {
            role: 'user',
            content: {
              type: 'text',
              text:
                `Explain what ${call.model} was sent in the call ${id}. Each line of its outline is one piece: where it ` +
                'stands, its form, its tokens, its tokens in full, whether it was included, and why not. Say in plain ' +
                'words what was left out or shortened, and what that means for the answer.',
            },
          },
          { role: 'user', content: { type: 'resource', resource: { uri, mimeType: 'text/plain', text } } },
        ],
      }
    },
  }
}
