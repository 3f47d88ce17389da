export { diffShowsAll } from './core/proposal.ts'
export { longNotesLines } from './core/notes.ts'
export { longestContent } from './core/operation-schemas.ts'
export { openSubjects } from './core/open-subjects.ts'
export { splitLines } from './core/lines.ts'
export type { OperationAnswer, OperationParts, SubjectOperation } from './core/subject-operations.ts'
export type {
  Proposal,
  ProposalDecision,
  ProposalDraft,
  Proposals,
  ProposalSource,
  ProposalState,
} from './core/proposal.ts'
export type { GapRecord, LogRecord, SubjectContext } from './core/subjects.ts'
export { SubjectError, type SubjectErrorCode } from './core/subjects.ts'
export { subjectOperations } from './core/subject-operations.ts'
export { subjectText } from './core/subject-text.ts'
export type { NotesPage, SubjectFacts, SubjectFile, SubjectReading, Subjects } from './core/subjects.ts'
export { changedFile } from './core/subject-folders.ts'
export type { SummaryRequest } from './core/subjects.ts'
