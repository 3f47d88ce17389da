import type {
  CallToolResult,
  InputRequiredResult,
  Prompt,
  ResourceTemplateType,
  Tool,
} from '@modelcontextprotocol/server'
import type {
  McpCall,
  McpContribution,
  McpTool,
  McpPrompt,
  McpResourceSet,
  ResourceText,
  McpDefinitions,
} from '../../../capability.ts'
import {
  type McpToolRequest,
  failureEnvelope,
  createMcpAudit,
  type McpAudit,
  successEnvelope,
  invalidParams,
  parseResourceAddress,
  resourceAddress,
  envelopeSchema,
} from '../../../server/mcp.ts'
import type { SessionStore } from '../../../session.ts'
import {
  type OperationFacts,
  operationFacts,
  type OperationParts,
  type SubjectOperation,
  subjectOperations,
} from '../core/subject-operations.ts'
import { type Proposal, type Proposals, type Subjects, type SubjectContext, SubjectError } from '../core/subjects.ts'
import { inputFault, readToolInput } from '../../../tool.ts'
import { answeredProposal, askAboutProposal, type AskedProposal } from './ask-about-proposal.ts'

export function subjectContribution({
  subjects,
  proposals,
  store,
  time,
}: {
  readonly subjects: Subjects
  readonly proposals: Proposals
  readonly store: Pick<SessionStore, 'transaction' | 'clock'>
  /** ISO 8601. */
  readonly time: () => string
}): McpContribution {
  const operations = (taking: OperationParts['proposals']) => subjectOperations({ subjects, proposals: taking, time })
  const parts = { operations, proposals, audit: createMcpAudit({ store }) }
  return {
    tools: operations(proposals).map((operation) => subjectTool(operation, parts)),
    resources: [subjectResources(subjects)],
    prompts: [workOnSubject(subjects)],
  }
}

interface SubjectToolParts {
  readonly operations: (proposals: OperationParts['proposals']) => readonly SubjectOperation[]
  readonly proposals: Proposals
  readonly audit: McpAudit
}

/** It confirms nothing by itself. */
function subjectTool(operation: SubjectOperation, parts: SubjectToolParts): McpTool {
  const definition = operationDefinition(operation)
  return {
    definition,
    async call(given, call) {
      const { inputSchema, name } = definition
      const read = await readToolInput(
        inputSchema,
        given,
        async (input) => operation.faultOf(input) ?? inputFault(inputSchema, input, `the tool ${name}`),
      )
      if (read.fault !== undefined) return failureEnvelope('invalid-input', read.fault)
      return operation.readOnly ? answered(operation, read.input, call) : writing(operation, read.input, call, parts)
    },
  }
}

async function writing(
  { name }: SubjectOperation,
  input: Readonly<Record<string, unknown>>,
  call: McpCall,
  { operations, proposals, audit }: SubjectToolParts,
): Promise<CallToolResult | InputRequiredResult> {
  const asking: McpToolRequest = { tool: name, input }
  const over = (taking: OperationParts['proposals']) => operations(taking).find((each) => each.name === name)!
  const reply = async (asked: AskedProposal): Promise<CallToolResult | InputRequiredResult> => {
    if (asked.type === 'ask') return asked.result
    if (asked.type === 'cancelled') return cancelled()
    // The same words as before, with what became of the proposal.
    const { data } = await over({ propose: async () => asked.proposal }).run(input, {})
    const { type } = asked.proposal.state
    const { warnings } = asked
    return successEnvelope({
      ...data,
      ...(type !== 'waiting' && { status: type }),
      ...(warnings.length > 0 && { hint: warnings.join(' ') }),
    })
  }
  if (call.sealed() !== undefined) {
    const asked = await answeredProposal(proposals, asking, call)
    return asked === undefined ? failureEnvelope('invalid-input', FOREIGN_ANSWER) : reply(asked)
  }

  let proposed: Proposal | undefined
  const operation = over({
    async propose(draft, by) {
      return (proposed = await proposals.propose(draft, by))
    },
  })
  if (call.signal.aborted) return cancelled()
  const result = await audit.around({ ...asking, client: call.client }, async () => {
    if (call.signal.aborted) return cancelled()
    try {
      return await answered(operation, input, call)
    } catch (error) {
      if (call.signal.aborted) return cancelled()
      throw error
    }
  })
  if (proposed === undefined || result.isError || call.person === undefined) return result
  return reply(await askAboutProposal(proposals, proposed, asking, call))
}

const FOREIGN_ANSWER = 'The answer belongs to another call. Make this call again without it.'

async function answered(
  operation: SubjectOperation,
  input: Readonly<Record<string, unknown>>,
  { client }: McpCall,
): Promise<CallToolResult> {
  const { data, warnings } = await operation.run(input, client === undefined ? {} : { client })
  return successEnvelope(data, warnings)
}

function cancelled(): CallToolResult {
  return failureEnvelope('cancelled', 'The call was cancelled.')
}

function subjectResources(subjects: Subjects): McpResourceSet {
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

function workOnSubject(subjects: Subjects): McpPrompt {
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

function operationDefinition(operation: OperationFacts): Tool {
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

const workOnSubjectPrompt: Prompt = {
  name: 'work_on_subject',
  title: 'Work on a subject',
  description: 'Brings the working context of a subject into the conversation, and how to work with it',
  arguments: [
    { name: 'subject_id', description: 'Its id, such as the name of its folder', required: true },
    { name: 'task', description: 'What is to be done; ask the person where it is left out' },
  ],
}

const subjectTemplates: readonly ResourceTemplateType[] = [
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
