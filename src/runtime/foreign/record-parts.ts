import type { Clock } from '../../capability.ts'
import type { TokenCounter } from '../../context.ts'
import type { ModelFacts } from '../../model.ts'
import type { KnownSecrets } from '../../platform.ts'
import type { SessionStore } from '../../session.ts'
import type { AssemblyContext } from '../turn/assembly-context.ts'
import type { BodyAnalysis } from './analysis/analysed-body.ts'
import type { ReceivedBodies } from './received-bodies.ts'
import type { ForeignSessions } from './foreign-sessions.ts'

export interface RecordParts {
  readonly store: SessionStore
  readonly clock: Clock
  readonly counter: TokenCounter
  readonly context: Pick<AssemblyContext, 'calibration' | 'settings'>
  readonly analysis: BodyAnalysis
  readonly sessions: ForeignSessions
  readonly secrets?: Pick<KnownSecrets, 'count' | 'redact' | 'find' | 'findInBytes'> | undefined
  readonly bodies: Pick<ReceivedBodies, 'beginningOf'>
  readonly written: Set<string>
  /** What is known of a model without asking its provider. */
  factsOf(id: string): ModelFacts | undefined
}
