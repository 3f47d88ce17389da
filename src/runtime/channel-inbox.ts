/**
 * What came in over a channel and is not handled yet. It is on disk before the channel's service is told that it arrived, so
 * that a slow download or a crash loses nothing, and knows what came before, so that nothing is handled twice.
 */
export interface ChannelInbox {
  /**
   * Keeps one thing that came in, under the id that its service gave it. On disk when it resolves. Answers `false` where it
   * came before, handled or not.
   */
  accept(id: string, value: unknown): Promise<boolean>
  /** What was accepted and not handled, in the order in which it was accepted. */
  waiting(): Promise<readonly { readonly id: string; readonly value: unknown }[]>
  /** It was handled. Its id is remembered for a while, its content is not. */
  done(id: string): Promise<void>
}
