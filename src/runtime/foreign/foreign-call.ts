import type { Admission, ForeignCallEnd, ForeignCallStart } from '../../capability.ts'
import type { AnswerReader } from './answer-reader.ts'
import type { CutCall } from './foreign-cuts.ts'

/** A call that is over, and everything that was noted of it on its way. */
export interface EndedCall extends ForeignCallStart {
  readonly id: string
  /** When it came, ISO 8601. */
  readonly time: string
  readonly end: ForeignCallEnd
  readonly admission: Admission | undefined
  /** What a cut made of it, where one was asked for: then `body` is what left, and this is what came. */
  readonly cut?: CutCall & { readonly came: Pick<ForeignCallStart, 'body' | 'head'> }
  /** Where it went; absent where it did not leave. */
  readonly url?: string
  readonly status?: number
  readonly reader?: AnswerReader
  /** From its coming to its end, and to the first byte of the answer, ms. */
  readonly durationMs: number
  readonly firstByteMs?: number
}
