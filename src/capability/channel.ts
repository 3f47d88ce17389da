import { ForewordError, type ForewordErrorOptions } from '../platform.ts'
import type { TurnOutcome } from '../session.ts'
import type { Runtime } from './runtime/runtime.ts'

/**
 * A place where people talk, such as a chat service: their messages become input, and replies are delivered to them. The
 * browser, the terminal and HTTP need no such thing: there people read the log itself. Every channel runs the case suite of
 * `foreword/testing`.
 */
export interface Channel {
  readonly name: string
  /**
   * Begins to accept messages, after what a former process left was resumed. Resolves once it listens or keeps trying
   * to. A rejection is a warning: the gateway runs without the channel, which is started again after a while.
   */
  start?(context: ChannelContext): Promise<void>
  /**
   * Accepts nothing more and ends what is being sent, within seconds. What was accepted and not handled stays in the inbox.
   * It is handed no reply any more. Called again where `start` was running and ended after it.
   */
  stop?(): Promise<void>
  /**
   * Puts a reply into a conversation and returns the channel's own id of its first message. What `sent` names stands there
   * already: it is changed where it differs, and never sent again. Each message that goes out is noted at once with
   * `ChannelContext.sent`. Rejects where it may be tried again later, and with `UndeliverableError` where that is of no use.
   * Replies of one session come one after another; called only once `start` was.
   */
  deliver(reply: Reply): Promise<{ readonly messageId: string }>
  /**
   * In the home of a person: takes what came in over this channel of the owner for a chat that is theirs. On disk when it resolves;
   * the same may come again.
   */
  accept?(value: unknown): Promise<void>
  /**
   * Where its service calls by itself: a path of the gateway, such as `/channels/telegram`. Each POST to it comes here,
   * without a token of the gateway: `handle` checks who calls. A rejection is an inner failure.
   */
  readonly hook?: { readonly path: string; handle(request: Request): Promise<Response> }
  /** Resolves when what came in is handled; `undefined`: all of it is, or waits for a time. */
  idle?(): Promise<unknown> | undefined
  /** What is wrong with it now, for the status of the gateway. */
  warnings?(): readonly string[]
}

export interface Reply {
  readonly conversation: string
  readonly session: string
  readonly turn: string
  /** The text of the reply. Empty if the turn ended without one. */
  readonly text: string
  /** How it ended. `outcomeNotice` describes it for people. */
  readonly outcome: TurnOutcome
  /** Known messages of the channel with parts of this reply, in the order of the parts. */
  readonly sent: readonly SentPart[]
}

/** A message of the channel with a part of a reply. */
export interface SentPart {
  /** 1, 2, 3 … in the order of reading. */
  readonly part: number
  readonly messageId: string
}

/**
 * What a channel works with. Where it hands input to the runtime, it gives it an idempotency key that begins with its own
 * name and a colon: the same message handed in again is then the same turn, and its reply is still carried to the
 * conversation where that has gone on to a new session meanwhile.
 */
export interface ChannelContext {
  readonly runtime: Runtime
  /** Holds what came in until it was handled, on disk. */
  readonly inbox: ChannelInbox
  /**
   * Records that a part of a reply is about to be sent, right before each try. Returns whether a former process was about to send it, too, and
   * what came of it is not known: it may be there already. Rejects where nothing may be sent, since another gateway has this home.
   */
  sending(session: string, turn: string, part: number): Promise<boolean>
  /** Rejects where another gateway has this home: to be asked before anything else is changed for those who talk over the channel. */
  hasHome(): Promise<void>
  /** Records that a message of the channel has a part of a reply. On disk when it resolves. */
  sent(session: string, turn: string, part: SentPart): Promise<void>
  /**
   * In the home of the owner: hands what came in, under the id that its service gave it, to this channel in the home of a person, wherever
   * that is open. On disk when it resolves; the same may come again.
   */
  handOver?(person: string, came: { readonly id: string; readonly value: unknown }): Promise<void>
  warn(text: string): void
}

/** A reply that will never arrive, such as one to somebody who has blocked the bot: its chat is not there (any more). */
export class UndeliverableError extends ForewordError {
  override readonly name = 'UndeliverableError'

  constructor(message: string, options?: ForewordErrorOptions) {
    super('not-found', message, {}, options)
  }
}

/**
 * What came in over a channel and is not handled yet. It is on disk before the channel's service is told that it arrived, so
 * that a slow download or a crash loses nothing, and knows what came before, so that nothing is handled twice.
 */
export interface ChannelInbox {
  /**
   * Keeps one thing that came in, under the id that its service gave it. On disk when it resolves. Returns `false` where it
   * came before, handled or not.
   */
  accept(id: string, value: unknown): Promise<boolean>
  /** What was accepted and not handled, in the order in which it was accepted. */
  waiting(): Promise<readonly { readonly id: string; readonly value: unknown }[]>
  /** It was handled. Its id is remembered for a while, its content is not. */
  done(id: string): Promise<void>
  /** Where other gateways put something in, too: calls `look` again and again. Returns what ends that. Absent: nobody else does. */
  watch?(look: () => Promise<void>): () => void
}
