/**
 * Chats that may talk to the agent. A model answers no other chat. The owner shows a code; who sends
 * it from a chat has paired that chat.
 */
export interface Pairings {
  /**
   * A new code in the place of the one before: it can be used once, for ten minutes. `home`: the person whose home the chat will talk to;
   * each has a code of their own. In the home of a person it is always for that.
   */
  newCode(channel: string, home?: string): Promise<PairingCode>
  /**
   * Pairs a chat that brought a code. Returns `false`, in the same time, for a wrong, used or old one; after several wrong
   * ones the code is no longer valid.
   */
  redeem(code: string, chat: Omit<PairedChat, 'time'>): Promise<boolean>
  find(channel: string, chat: string): Promise<PairedChat | undefined>
  /** In the order in which they were paired. */
  list(channel?: string): Promise<readonly PairedChat[]>
  /** Returns whether it was paired. */
  remove(channel: string, chat: string, by?: string): Promise<boolean>
  /** Gives the pairing of a chat to the id that the chat has from now on. Returns whether it was paired. */
  move(channel: string, chat: string, to: string): Promise<boolean>
}

export interface PairingCode {
  readonly channel: string
  readonly code: string
  /** ISO 8601. */
  readonly expires: string
}

export interface PairedChat {
  readonly channel: string
  /** The channel's own id of the chat. */
  readonly chat: string
  /** What the chat or the person is called there; for people to read. */
  readonly title: string
  /** The channel's own id of the person who brought the code. */
  readonly person?: string
  /** One person alone, or a group. */
  readonly kind: 'person' | 'group'
  /** Of the person whose home it talks to; absent: that of the owner. */
  readonly home?: string | undefined
  /** ISO 8601. */
  readonly time: string
}
