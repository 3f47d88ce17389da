import type { BodySearch, BodyToAnalyse } from './analysed-body.ts'

/** What the thread is asked: one method of `BodyWork` with its arguments. */
export interface AnalysisOrder {
  readonly number: number
  readonly work:
    | { readonly type: 'take' | 'takeRest'; readonly body: BodyToAnalyse }
    | { readonly type: 'contents'; readonly id: string; readonly hashes: readonly string[] }
    | {
        readonly type: 'compare'
        readonly before: string
        readonly after: string
        readonly search?: BodySearch | undefined
      }
}

/** The answer to the order of this number; 0: the thread has loaded. */
export type AnalysisNews =
  | { readonly number: number; readonly value: unknown }
  | { readonly number: number; readonly fault: string }
