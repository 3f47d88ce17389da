import type { TurnOutcome } from '../session.ts'

/**
 * A channel that replies have to be carried to, such as a chat service. The browser, the terminal and HTTP need no such
 * thing: there people read the log itself.
 */
export interface Channel {
  readonly name: string
  /**
   * Puts a reply into a conversation and answers the channel's own id of it. `turn` is the same at every attempt, so a
   * channel that can tell repeats apart delivers once even when a crash came between sending and recording.
   */
  deliver(reply: Reply): Promise<{ readonly messageId: string }>
}

export interface Reply {
  readonly conversation: string
  readonly session: string
  readonly turn: string
  /** What was said. Empty only where the turn failed before its first word. */
  readonly text: string
  /** A turn that failed says why: people have to be told. */
  readonly outcome: TurnOutcome
}
