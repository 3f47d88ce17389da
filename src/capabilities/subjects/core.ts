export { diffShowsAll } from './core/diff-shows-all.ts'
export { withFolderLock } from './core/folder-lock.ts'
export { longNotesLines } from './core/notes-form.ts'
export { longestContent } from './core/operation-input.ts'
export { openSubjects } from './core/open-subjects.ts'
export { linesOf } from './core/lines.ts'
export type { OperationAnswer, OperationParts, SubjectOperation } from './core/operation.ts'
export type {
  Proposal,
  ProposalDecision,
  ProposalDraft,
  Proposals,
  ProposalSource,
  ProposalState,
} from './core/proposal.ts'
export type { GapRecord, LogRecord, SubjectContext } from './core/subject-context.ts'
export { settleFolder } from './core/settle-folder.ts'
export { SubjectError, type SubjectErrorCode } from './core/subject-error.ts'
export { operationFacts } from './core/operation-facts.ts'
export { subjectOperations } from './core/subject-operations.ts'
export { subjectText } from './core/subject-text.ts'
export type { NotesPage, SubjectFacts, SubjectFile, SubjectReading, Subjects } from './core/subjects.ts'
export { changedFile } from './core/subject-places.ts'
export type { SubjectsOptions } from './core/subjects-options.ts'
export type { SummaryRequest } from './core/summary-request.ts'
