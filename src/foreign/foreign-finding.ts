import type { LintFinding } from '../context.ts'
import type { ForeignReuse } from './common-prefix.ts'
import type { ForeignPieces } from './compared-unit.ts'
import { type WireAnswer } from '../wire.ts'

/** A call of a session with what is known of its answer. */
export interface SessionCall {
  readonly id: string
  /** Of a call that was kept, the pieces have digests in place of their content. */
  readonly assembly: ForeignPieces
  readonly answer?: Pick<WireAnswer, 'calls' | 'usage'>
  /** Against the call before, where that was compared when the call came; compared again unless given. */
  readonly reuse?: Omit<ForeignReuse, 'pieces'>
}

/** What a session paid for without need. */
export interface ForeignFinding extends Pick<LintFinding, 'severity' | 'message' | 'hint'> {
  readonly code: 'unused-tool' | 'unused-server' | 'carried-result' | 'repeated-result' | 'broken-cache' | 'cold-cache'
  readonly where: FindingPlace
  /** Over all calls of the session; US dollars, to the nano-dollar, where the price is known. */
  readonly cost: { readonly kind: 'sent' | 'again'; readonly tokens: number; readonly money?: number }
}

export interface FindingPlace {
  readonly tool?: string
  /** Of an MCP server. */
  readonly server?: string
  /** The file or the command that the calls of a tool named. */
  readonly name?: string
  /** Id of an entry of the account. */
  readonly entry?: string
  readonly calls?: readonly string[]
}
