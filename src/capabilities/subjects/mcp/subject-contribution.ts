import type { McpContribution } from '../../../capability.ts'
import { mcpAudit } from '../../../server/mcp.ts'
import type { SessionStore } from '../../../session.ts'
import { type Proposals, subjectOperations, type Subjects } from '../core.ts'
import { subjectResources } from './subject-resource.ts'
import { subjectTools } from './subject-tools.ts'
import { workOnSubject } from './work-on-subject.ts'

/** What the MCP server of an open home is given of subjects. */
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
      audit: mcpAudit({ store, time }),
    }),
    resources: [subjectResources(subjects)],
    prompts: [workOnSubject(subjects)],
  }
}
