import type { Proposals, ProposalSource } from './proposal.ts'
import type { Subjects } from './subjects.ts'

/**
 * One thing that can be done with subjects, as the gateway's own tools and the MCP server offer it: the same names, the same
 * schemas, the same data. None of them confirms a proposal.
 */
export interface SubjectOperation {
  readonly name: SubjectOperationName
  readonly title: string
  readonly description: string
  /** JSON Schema of an object. */
  readonly inputSchema: Readonly<Record<string, unknown>>
  /** JSON Schema of the data. */
  readonly outputSchema: Readonly<Record<string, unknown>>
  /** Changes nothing. */
  readonly readOnly: boolean
  /** What is wrong with an input, in words; `undefined` where nothing is. */
  faultOf(input: Readonly<Record<string, unknown>>): string | undefined
  /** `input` has been checked. Rejects with `SubjectError`. */
  run(input: Readonly<Record<string, unknown>>, caller: OperationCaller): Promise<OperationAnswer>
}

/** In the order in which they are offered. */
export type SubjectOperationName =
  | 'read_context'
  | 'read_full_notes'
  | 'log_operation'
  | 'log_gap'
  | 'propose_taste_update'
  | 'propose_notes_update'

/** Who calls, as far as it is known. */
export type OperationCaller = Omit<ProposalSource, 'tool'>

export interface OperationAnswer {
  /** As BEHAVIOURS §4 has it for `read_context`; JSON. */
  readonly data: Readonly<Record<string, unknown>>
  readonly warnings: readonly string[]
}

/** What operations work on. */
export interface OperationParts {
  readonly subjects: Subjects
  readonly proposals: Pick<Proposals, 'propose'>
  /** ISO 8601. */
  readonly time: () => string
}
