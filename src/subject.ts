export { type SubjectLimits, type SubjectTexts, subjectContext } from './subject/context-of-texts.ts'
export { diffShowsAll } from './subject/diff-shows-all.ts'
export { withFolderLock } from './subject/folder-lock.ts'
export { longNotesLines } from './subject/notes-form.ts'
export { longestContent } from './subject/operation-input.ts'
export { openSubjects } from './subject/open-subjects.ts'
export { linesOf } from './subject/lines.ts'
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
export { settleFolder } from './subject/settle-folder.ts'
export { SubjectError, type SubjectErrorCode } from './subject/subject-error.ts'
export { defaultTaste, isSubjectId, isTasteName } from './subject/subject-name.ts'
export { operationFacts } from './subject/operation-facts.ts'
export { subjectOperations } from './subject/subject-operations.ts'
export { type SubjectForm, subjectText } from './subject/subject-text.ts'
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
export { changedFile } from './subject/subject-places.ts'
export type { SubjectsOptions } from './subject/subjects-options.ts'
export type { SummaryRequest } from './subject/summary-request.ts'
