import type { EntryBody } from './entry.ts'

/**
 * How a session is doing: `new` (nothing was said), `works`, `waits` (for the decision of a person), `done`, or `failed` (its
 * newest turn failed).
 */
export const sessionActivities = ['new', 'works', 'waits', 'done', 'failed'] as const

export type SessionActivity = (typeof sessionActivities)[number]

/** Which sessions are listed. A session has to match everything that is given. */
export interface SessionFilter {
  readonly state?: SessionActivity | undefined
  readonly pinned?: boolean | undefined
  readonly folder?: string | undefined
  /** Words that its title, or where it has none its first message, contains, in any order and case. */
  readonly words?: string | undefined
}

/** What a person calls a session and where they keep it. Absent fields stay as they are. */
export type SessionLabel = Omit<EntryBody & { readonly type: 'label' }, 'type'>

export interface SessionFolder {
  readonly folder: string
  readonly sessions: number
}
