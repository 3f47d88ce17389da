import type { Binding } from '../../session.ts'

/** What a session begins with. */
export interface NewSession {
  readonly title?: string
  readonly binding?: Binding
  /** The session that it goes on from, where no binding says so. Rejects with `not-found`. */
  readonly after?: string
  readonly model?: string
  /** Ids by the name of the choice. Rejects with `not-found`. */
  readonly choices?: Readonly<Record<string, string>>
}

/** A turn that was taken back. */
export interface UndoneSessionTurn {
  readonly session: string
  readonly turn: string
  /** What the person had said. */
  readonly text: string
  /** The turn behind which the conversation goes on; `undefined`: it begins again. */
  readonly head: string | undefined
}
