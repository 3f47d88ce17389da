import type { SubjectsOptions } from './core.ts'
import { createSubjects, type RunningSubjects, type SubjectParts } from './subject-service.ts'

/** Subjects as a runtime opens them that does not know capabilities yet. */
export type SubjectRoom = RunningSubjects

export interface SubjectRoomOptions
  extends Omit<SubjectsOptions, 'summaryOf'>, Pick<SubjectParts, 'store' | 'clock' | 'complete' | 'warn'> {
  readonly summarize: boolean
  readonly summaryModel?: string | undefined
  readonly asksByItself: boolean
}

export function openSubjectRoom(options: SubjectRoomOptions): SubjectRoom {
  const { store, clock, asksByItself: writes, complete, warn, maxReplyChars = 50_000, ...settings } = options
  return createSubjects({ settings: { ...settings, maxReplyChars }, store, clock, writes, complete, warn })
}
