import type { Prompt, ResourceTemplateType, Tool } from '@modelcontextprotocol/server'
import type { McpDefinitions } from '../../../capability.ts'
import { envelopeSchema } from '../../../server/mcp.ts'
// Not through the entry point of the core: a client that connects waits for this file and for no other.
import { type OperationFacts, operationFacts } from '../core/operation-facts.ts'

/** An operation on subjects, as a tool that answers in the envelope. */
export function operationDefinition(operation: OperationFacts): Tool {
  const { name, title, description, inputSchema, outputSchema, readOnly } = operation
  return {
    name,
    title,
    description,
    inputSchema: { ...inputSchema, type: 'object' },
    outputSchema: envelopeSchema(outputSchema),
    annotations: {
      title,
      readOnlyHint: readOnly,
      destructiveHint: false,
      // The same proposal, still waiting, is not made twice; a line of a log is.
      idempotentHint: readOnly || name.startsWith('propose_'),
      openWorldHint: false,
    },
  }
}

export const workOnSubjectPrompt: Prompt = {
  name: 'work_on_subject',
  title: 'Work on a subject',
  description: 'Brings the working context of a subject into the conversation, and how to work with it',
  arguments: [
    { name: 'subject_id', description: 'Its id, such as the name of its folder', required: true },
    { name: 'task', description: 'What is to be done; ask the person where it is left out' },
  ],
}

export const subjectTemplates: readonly ResourceTemplateType[] = [
  {
    uriTemplate: 'foreword://subjects/{id}',
    name: 'subject',
    title: 'Subject',
    description: 'The working context of a subject, as read_context gives it',
    mimeType: 'application/json',
  },
  {
    uriTemplate: 'foreword://subjects/{id}/{part}',
    name: 'subject-part',
    title: 'Part of a subject',
    description: 'brief and notes as they were written; tastes, log and gaps as read_context gives them',
  },
]

export const subjectDefinitions: McpDefinitions = {
  instructions:
    'Foreword keeps the working context of subjects: anything with a brief, notes, a log and tastes of its own. Call ' +
    'read_context before working on a subject, log_operation and log_gap while you work, and propose_notes_update or ' +
    'propose_taste_update for what should be remembered. A proposal writes nothing until a person confirms it. Where ' +
    'tastes conflict, the person decides.',
  tools: operationFacts.map(operationDefinition),
  templates: subjectTemplates,
  prompts: [workOnSubjectPrompt],
}
