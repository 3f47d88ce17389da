import { openSubjects, type Proposals, type Subjects, type SubjectsOptions } from './core.ts'
import type { SessionStore } from '../../session.ts'
import type { Clock } from '../../capability.ts'
import type { NotesSummary, Runtime } from '../../runtime/features.ts'
import { createNotesSummaries } from './notes-summaries.ts'
import { createProposals } from './proposals/proposals.ts'

/** Subjects, what waits to be written there, and long notes in a model's words. */
export interface SubjectRoom {
  readonly subjects: Subjects
  readonly proposals: Proposals
  summariseNotes(subject: string): Promise<NotesSummary>
  /** Ends what a model is asked at the moment. */
  close(): Promise<void>
}

export interface SubjectRoomOptions extends Omit<SubjectsOptions, 'summaryOf'> {
  readonly store: SessionStore
  readonly clock: Clock
  readonly summarize: boolean
  /** `provider/model`; the configured one where absent. */
  readonly summaryModel?: string | undefined
  /** `false`: kept summaries are shown, and no model is asked unless a person wants it. */
  readonly asksByItself: boolean
  /** Asks a model. Not called before there is a runtime. */
  readonly complete: Runtime['complete']
  readonly warn: (text: string) => void
}

export function openSubjectRoom(options: SubjectRoomOptions): SubjectRoom {
  const { store, clock, summarize, summaryModel, asksByItself, complete, warn } = options
  const summaries = createNotesSummaries({
    store,
    clock,
    complete,
    notesOf: (subject) => subjects.text({ type: 'notes', subject }),
    enabled: summarize,
    asksByItself,
    warn,
    ...(summaryModel === undefined ? {} : { model: summaryModel }),
  })
  const { summaryOf } = summaries
  const { directory, tastes, maxTextChars, maxReplyChars } = options
  const subjects = openSubjects({ directory, tastes, maxTextChars, maxReplyChars, ...(summarize && { summaryOf }) })
  return {
    subjects,
    proposals: createProposals({ store, subjects, clock }),
    summariseNotes: summaries.summarize,
    close: summaries.stop,
  }
}
