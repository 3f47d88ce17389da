import type { Admission, ForeignCallEnd, ForeignCallStart, Clock } from '../../capability.ts'
import type { AnalysedBody, BodyAnalysis } from './analysis/analysed-body.ts'
import type { Write, SessionStore } from '../../session.ts'
import type { ForeignCutResult } from './foreign-cuts.ts'
import type { WireAnswer } from '../../wire.ts'
import type { TokenCounter } from '../../context.ts'
import type { ModelFacts } from '../../model.ts'
import type { KnownSecrets } from '../../platform.ts'
import type { AssemblyContext } from '../turn/assembly-context.ts'
import type { ReceivedBodies } from './received-bodies.ts'
import type { ForeignSessions } from './foreign-sessions.ts'

export interface ForeignCallFacts extends ForeignCallStart {
  readonly id: string
  readonly time: string
  /** What its body says, as its program sent it; `undefined` where it could not be taken apart. */
  readonly said: AnalysedBody | undefined
  readonly left: AnalysedBody | undefined
  /** What a cut made of it, where one was asked for: then `body` is what left, and this is what came. */
  readonly cut?: ForeignCutResult & { readonly came: Pick<ForeignCallStart, 'body' | 'plain' | 'head'> }
  /** It contains a secret of this gateway, or nobody knows. */
  readonly isDirty: boolean
  /** Where it goes; absent where it does not leave. */
  readonly url?: string
  /** Keeps it until it is on record; absent where it did not leave, or could not be written before. */
  readonly departure?: Departure | undefined
  /** Its body is not kept any more: the power failed, or it contains a secret. Then `body` is empty. */
  readonly lost?: { readonly sha256: string; readonly bytes: number; readonly model?: string }
}

/** How a call went, and everything that was noted of it on its way. */
export interface ForeignCallOutcome {
  readonly end: ForeignCallEnd
  readonly admission: Admission | undefined
  readonly status?: number
  /** What the answer said; absent where it has no known format, or none came. */
  readonly answer?: Promise<WireAnswer | undefined>
  /** From its leaving, or its coming where it did not leave, to its end, and to the first byte of the answer, ms. */
  readonly durationMs: number
  readonly firstByteMs?: number
}

/** A call that has left: what it takes to put it on record once. */
export interface Departure {
  readonly sha256: string
  /** Notes how the call ended, unless its record has begun. */
  ended(call: ForeignCallOutcome): Promise<void>
  /** The write that takes the row away, to be made at once and together with the record. */
  recorded(): Write
  /** To be called once the record is on disk. */
  forget(): Promise<void>
}

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
