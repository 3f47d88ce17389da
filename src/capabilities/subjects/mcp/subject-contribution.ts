import type { CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server'
import type { McpCall, McpContribution, McpTool } from '../../../capability.ts'
import {
  type AskingCall,
  failureEnvelope,
  createMcpAudit,
  type McpAudit,
  successEnvelope,
} from '../../../server/mcp.ts'
import type { SessionStore } from '../../../session.ts'
import {
  type OperationParts,
  type Proposal,
  type Proposals,
  type SubjectOperation,
  subjectOperations,
  type Subjects,
} from '../core.ts'
import { inputFault } from '../../../tool.ts'
import { subjectResources, workOnSubject } from './subject-resource.ts'
import { answeredProposal, askAboutProposal, type AskedProposal } from './ask-about-proposal.ts'
import { operationDefinition } from './definitions.ts'

export function subjectContribution({
  subjects,
  proposals,
  store,
  time,
}: {
  readonly subjects: Subjects
  readonly proposals: Proposals
  readonly store: Pick<SessionStore, 'transaction'>
  /** ISO 8601. */
  readonly time: () => string
}): McpContribution {
  return {
    tools: subjectTools({
      operations: (taking) => subjectOperations({ subjects, proposals: taking, time }),
      proposals,
      audit: createMcpAudit({ store, time }),
    }),
    resources: [subjectResources(subjects)],
    prompts: [workOnSubject(subjects)],
  }
}

interface SubjectToolParts {
  readonly operations: (proposals: OperationParts['proposals']) => readonly SubjectOperation[]
  readonly proposals: Proposals
  readonly audit: McpAudit
}

/** None of them confirms anything by itself. */
function subjectTools(parts: SubjectToolParts): readonly McpTool[] {
  return parts.operations(parts.proposals).map((operation) => subjectTool(operation, parts))
}

function subjectTool(operation: SubjectOperation, parts: SubjectToolParts): McpTool {
  const definition = operationDefinition(operation)
  return {
    definition,
    async call(input, call) {
      const fault =
        operation.faultOf(input) ?? (await inputFault(definition.inputSchema, input, `the tool ${definition.name}`))
      if (fault !== undefined) return failureEnvelope('invalid-input', fault)
      return operation.readOnly ? answered(operation, input, call) : writing(operation, input, call, parts)
    },
  }
}

async function writing(
  { name }: SubjectOperation,
  input: Readonly<Record<string, unknown>>,
  call: McpCall,
  { operations, proposals, audit }: SubjectToolParts,
): Promise<CallToolResult | InputRequiredResult> {
  const asking: AskingCall = { tool: name, input }
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
