import type { CostReport, SessionProgram } from '../../../src/capability.ts'
import type { SessionRow } from '../../../src/session.ts'

/** A session as `GET /api/sessions` lists it: its choices are fields beside the others. */
export type ListedSession = Omit<SessionRow, 'choices'> &
  Readonly<Record<string, unknown>> & {
    /** The program that the session belongs to; absent for a session of Foreword. */
    readonly program?: SessionProgram
    /** What its calls cost together, where that was asked for. */
    readonly cost?: CostReport['total']
  }

export interface SessionQuery {
  readonly q?: string
  readonly folder?: string
  readonly state?: string
  readonly pinned?: boolean
}
