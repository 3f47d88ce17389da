export type {
  OperationAnswer,
  OperationCaller,
  OperationParts,
  SubjectOperation,
  SubjectOperationName,
} from './subject/operation.ts'
export type {
  Proposal,
  ProposalDecision,
  ProposalDraft,
  Proposals,
  ProposalSource,
  ProposalState,
  TasteCategory,
} from './subject/proposal.ts'
export type { Brief, Conflict, GapRecord, LogRecord, Notes, SubjectContext, Tastes } from './subject/subject-context.ts'
export { SubjectError, type SubjectErrorCode } from './subject/subject-error.ts'
export type {
  GapEntry,
  NotesPage,
  NotesQuery,
  OperationEntry,
  SubjectFacts,
  SubjectFile,
  SubjectReading,
  Subjects,
} from './subject/subjects.ts'
