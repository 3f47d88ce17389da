import type { Channel, Pairings } from '../runtime.ts'

/** A service where people talk, on a small scale: empty at first, and alive while channels to it come and go. */
export interface ChannelPlace {
  /** The longest message that the service takes, characters. Longer replies have to arrive in parts. */
  readonly longest: number
  /**
   * Opens a channel to the service; called again after `close`, as after a restart. The service still knows what was said
   * and heard, and delivers again what was not acknowledged.
   */
  open(): Promise<OpenChannel>
  remove(): Promise<void>
}

/** One channel, and the people at its other end. Conversations are named by digits, such as `4001`. */
export interface OpenChannel {
  /** Not started: the runtime starts and stops it. */
  readonly channel: Channel
  /** Somebody says something. Resolves once the channel has acknowledged it to the service. */
  say(conversation: string, text: string, options?: SayOptions): Promise<void>
  /** What the channel has put into a conversation, a text for each message, as it reads now. */
  heard(conversation: string): Promise<readonly string[]>
  /** The owner lets a conversation in. Absent where a channel knows no strangers. */
  pair?(conversation: string, pairings: Pairings): Promise<void>
  /** From now on the service takes so many new messages and refuses others for the time being; `undefined` mends it. */
  fail?(after: number | undefined): void
  /** Called after the runtime was closed. */
  close(): Promise<void>
}

export interface SayOptions {
  /** The service's number of the message, from 1 on. The same number again is the same message, delivered again. */
  readonly update?: number
}

/** The `test` of `node:test`, or anything of its shape. */
export type ChannelTest = (name: string, run: () => Promise<void>) => unknown
