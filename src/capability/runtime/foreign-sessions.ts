import type { AnyMessage, Manifest, Piece } from '../../context.ts'
import type { ForeignFinding } from '../../foreign.ts'
import type { SessionRow } from '../../session.ts'
import { type WireAnswer } from '../../wire.ts'

/** The sessions of other programs as a person reads them. Writes nothing. */
export interface ForeignSessionService {
  /** The program of each session that belongs to one, by the id of the session. */
  programs(sessions: readonly SessionRow[]): Promise<ReadonlyMap<string, SessionProgram>>
  /** What was said in the calls of a session, oldest first. Empty for a session of this gateway. Rejects with `not-found`. */
  exchanges(session: string, options: ExchangesOptions): Promise<readonly ForeignExchange[]>
  /** What the calls of a session paid for without need, the most expensive first. Rejects with `not-found`. */
  findings(session: string): Promise<SessionFindings>
  /** What a call sent, with the exact text of each part. Rejects with `not-found`, also for a call of this gateway, and with `missing-content`. */
  parts(call: string): Promise<ForeignParts>
}

export interface SessionProgram {
  /** Such as `claude-code`. */
  readonly name: string
  /** As it named itself last. */
  readonly version?: string
  readonly calls: number
}

/** `before`: the newest of those that came before the call of this id. */
export interface ExchangesOptions {
  readonly limit: number
  readonly before?: string | undefined
}

/** One call as a conversation shows it. */
export interface ForeignExchange {
  readonly call: string
  readonly turn: string
  /** What the person, or the agent that began a sub-agent, had said: where a turn begins. */
  readonly words?: string
  /** What came; absent where nothing did, or where it is gone. */
  readonly answer?: Omit<WireAnswer, 'usage'>
}

/** Findings, and over how many calls they were looked for. */
export interface SessionFindings {
  readonly session: string
  readonly calls: number
  /** Of all findings: no token is in two of them. Money only where each has some. */
  readonly sum: { readonly tokens: number; readonly money?: number }
  readonly findings: readonly ForeignFinding[]
  /** The agents that the program started within the session, the most expensive first. */
  readonly agents: readonly SubAgent[]
}

/** What an agent cost that a program started within its session. */
export interface SubAgent {
  /** The program's own id of it. */
  readonly id: string
  /** Its kind and its task, as the call that started it names them. */
  readonly name?: string
  /** The id of the agent that started it; absent where the conversation itself did. */
  readonly parent?: string
  readonly calls: number
  /** US dollars, where the price of each call is known. */
  readonly money?: number
}

/** What a call sent, taken apart: every token belongs to one entry of the manifest. */
export interface ForeignParts {
  readonly manifest: Manifest
  readonly pieces: readonly Piece[]
  readonly messages: readonly AnyMessage[]
}
