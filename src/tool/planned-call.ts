import type { ToolResult } from './tool.ts'

/** What a toolbox decided about one call before anything of it ran. */
export type PlannedCall =
  /** It does not run: an unknown tool, bad input, a refusal, or a plan that cannot be made. */
  | { readonly type: 'refused'; readonly result: ToolResult; readonly rule: string; readonly call?: CallDescription }
  /** It may run now (`allowed`), or once a person has said so (`ask`). `run` does exactly what `call` describes. Never throws. */
  | {
      readonly type: 'allowed' | 'ask'
      readonly rule: string
      readonly call: CallDescription
      /** SHA-256 of the description. An approval holds for this and for nothing else. */
      readonly digest: string
      run(): Promise<ToolResult>
    }

/** A call as a person is shown it. Plain JSON. */
export interface CallDescription {
  readonly tool: string
  readonly input: unknown
  readonly argv?: readonly string[]
  readonly command?: string
  readonly folder?: string
  readonly diff?: string
  readonly facts?: Readonly<Record<string, unknown>>
}
