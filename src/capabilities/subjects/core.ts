/** Subjects, their operations and the proposals about them, for the other folders of this capability. */
export { diffShowsAll } from './core/subjects.ts'
export { longNotesLines } from './core/notes.ts'
export { longestContent, outputSchemas } from './core/operation-schemas.ts'
export { openSubjects } from './core/open-subjects.ts'
export { splitLines } from './core/lines.ts'
export {
  type OperationAnswer,
  type OperationParts,
  type SubjectOperation,
  subjectOperations,
} from './core/subject-operations.ts'
export type {
  Proposal,
  ProposalDecision,
  ProposalDraft,
  Proposals,
  ProposalSource,
  ProposalState,
} from './core/subjects.ts'
export {
  type GapRecord,
  type LogRecord,
  type NotesPage,
  type SubjectContext,
  SubjectError,
  type SubjectErrorCode,
  type SubjectFacts,
  type SubjectFile,
  type SubjectReading,
  type Subjects,
  type SummaryRequest,
} from './core/subjects.ts'
export { subjectText } from './core/subject-text.ts'
export { changedFile } from './core/subject-folders.ts'
