import type { Prompt, ResourceTemplateType, Tool } from '@modelcontextprotocol/server'
import { operationFacts, type SubjectOperation } from '../../capabilities/subjects/core.ts'
import { assembleDefinition } from './assemble-definition.ts'
import { envelopeSchema } from './envelope.ts'

/** What the server says of itself to the model of a client. */
export const instructions =
  'Foreword keeps the working context of subjects: anything with a brief, notes, a log and tastes of its own. Call ' +
  'read_context before working on a subject, log_operation and log_gap while you work, and propose_notes_update or ' +
  'propose_taste_update for what should be remembered. A proposal writes nothing until a person confirms it. Where ' +
  'tastes conflict, the person decides. Every tool answers {success, data, error}.'

/** Every tool in its order. Known without a home, so that a client is answered before one is open. */
export function toolDefinitions(): readonly Tool[] {
  return [...operationFacts.map(operationDefinition), assembleDefinition]
}

/** An operation on subjects, as a tool that answers in the envelope. */
export function operationDefinition(operation: Omit<SubjectOperation, 'run'>): Tool {
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

export const explainCallPrompt: Prompt = {
  name: 'explain_call',
  title: 'Explain a model call',
  description: 'Asks what a model was sent in one call, and why something was left out',
  arguments: [{ name: 'call_id', description: 'Its id, as `foreword calls` shows it', required: true }],
}

export const resourceTemplates: readonly ResourceTemplateType[] = [
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
  {
    uriTemplate: 'foreword://sessions/{id}',
    name: 'session',
    title: 'Session',
    description: 'What was said in a session, its newest turns',
    mimeType: 'application/json',
  },
  {
    uriTemplate: 'foreword://calls/{id}/manifest',
    name: 'manifest',
    title: 'Manifest of a call',
    description: 'Every piece that was a candidate for a model call, whether it went in, at what cost, and why not',
    mimeType: 'application/json',
  },
  {
    uriTemplate: 'foreword://calls/{id}/outline',
    name: 'outline',
    title: 'Outline of a call',
    description: 'The manifest as lines to read',
    mimeType: 'text/plain',
  },
]
