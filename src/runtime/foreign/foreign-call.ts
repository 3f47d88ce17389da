import type { Admission, ForeignCallEnd, ForeignCallStart } from '../../capability.ts'
import type { AnalysedBody } from './analysis/analysed-body.ts'
import type { AnswerReader } from './answer-reader.ts'
import type { CutCall } from './foreign-cuts.ts'

export interface BegunCall extends ForeignCallStart {
  readonly id: string
  readonly time: string
  readonly said: AnalysedBody | undefined
  readonly left: AnalysedBody | undefined
  readonly cut?: CutCall & { readonly came: Pick<ForeignCallStart, 'body' | 'head'> }
  readonly isDirty: boolean
  readonly url?: string
}

export interface EndedCall {
  readonly end: ForeignCallEnd
  readonly admission: Admission | undefined
  readonly status?: number
  readonly reader?: AnswerReader
  /** From its leaving, or its coming where it did not leave, to its end, and to the first byte of the answer, ms. */
  readonly durationMs: number
  readonly firstByteMs?: number
}
