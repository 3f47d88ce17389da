import type { LayerContext, RunningCapabilities, TurnParts } from '../../capability.ts'
import type { SessionStore } from '../../session.ts'
import type { Tool } from '../../tool.ts'
import type { Learned } from '../models/open-learned.ts'
import type { RuntimeSettings } from '../settings.ts'
import type { TurnCache } from '../calls/history-loader.ts'

export interface AssemblyContext extends Learned {
  readonly store: SessionStore
  readonly settings: RuntimeSettings
  readonly cache: TurnCache
  readonly capabilities: Pick<RunningCapabilities, 'layers'>
  /** What the session's turn is answered with; absent for a call that belongs to no session. */
  readonly turn?: PreparedParts
  /** Every tool that may be called at this moment, in its order. One with `offeredWith` is offered where its layer is sent. */
  allowedTools(): Promise<readonly Tool[]>
}

/** What is decided about a turn before its first step. */
export interface PreparedParts {
  readonly choices: LayerContext['choices']
  readonly system: LayerContext['system']
  readonly only?: LayerContext['only']
  readonly parts: TurnParts
  /** Names and patterns of the tools that may be called; all where absent. */
  readonly tools?: readonly string[] | undefined
}
