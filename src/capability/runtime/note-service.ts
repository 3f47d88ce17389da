/** Notes on what cuts took out of sessions: what stands in the place of those turns. Methods reject with `RuntimeError`. */
export interface NoteService {
  /** In the order in which they stand in a request. Rejects with `not-found`. */
  list(session: string): Promise<SessionNotes>
  /**
   * Leaves the notes out from the next call on, and returns how many there were: what they cover is only announced then.
   * The first turns go, too.
   */
  forget(session: string): Promise<number>
  /**
   * Asks the model for new words of the newest note, from the turns that it covers. They stand in the next call; what is behind
   * the note is sent again at its full price. Rejects with `not-found` where there is no note, and with `invalid-input` where the
   * answer is none, and where the longest answer of the model is too short for one.
   */
  write(session: string): Promise<SessionNote>
}

export interface SessionNotes {
  readonly notes: readonly SessionNote[]
  /** Turns at the beginning that stay as they were said. */
  readonly first: readonly string[]
  /** Words that lie ready for the next note, on everything up to a turn. */
  readonly ready?: { readonly through: string; readonly text: string; readonly call: string }
  /** Why the last answer of a model became no note. */
  readonly fault?: string
  /** Why the model of the session writes none, in a sentence: its longest answer is too short. */
  readonly noWords?: string
}

export interface SessionNote {
  readonly id: string
  /** `sha256:HASH` of its text. */
  readonly content: string
  /** The oldest and the newest turn that it covers, and how many they are. */
  readonly from: string
  readonly to: string
  readonly turns: number
  /** Which turns of the session those two are, from 1. Absent where a turn is gone. */
  readonly fromNumber?: number
  readonly toNumber?: number
  /** The call whose model wrote words of it; absent for an index alone. */
  readonly by?: string
  readonly text: string
  /** As it is sent. */
  readonly tokens: number
}
