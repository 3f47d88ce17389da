import type { Admission, ForeignCallEnd, ForeignCallStart } from '../../capability.ts'
import type { AnalysedBody } from './analysis/analysed-body.ts'
import type { AnswerReader } from './answer-reader.ts'
import type { CutCall } from './foreign-cuts.ts'

export interface BegunCall extends ForeignCallStart {
  readonly id: string
  readonly time: string
  /** What its body says, as its program sent it; `undefined` where it could not be taken apart. */
  readonly said: AnalysedBody | undefined
  readonly left: AnalysedBody | undefined
  /** What a cut made of it, where one was asked for: then `body` is what left, and this is what came. */
  readonly cut?: CutCall & { readonly came: Pick<ForeignCallStart, 'body' | 'head'> }
  /** It contains a secret of this gateway, or nobody knows. */
  readonly isDirty: boolean
  /** Where it goes; absent where it does not leave. */
  readonly url?: string
}

/** How a call went, and everything that was noted of it on its way. */
export interface EndedCall {
  readonly end: ForeignCallEnd
  readonly admission: Admission | undefined
  readonly status?: number
  readonly reader?: AnswerReader
  /** From its leaving, or its coming where it did not leave, to its end, and to the first byte of the answer, ms. */
  readonly durationMs: number
  readonly firstByteMs?: number
}
