import type { OfferedWith } from '../../context.ts'
import type { CallDescription } from '../../tool.ts'
import type { WithheldTool } from '../withheld-tool.ts'

/** A tool, and whether the model may call it. */
export interface ToolStatus {
  readonly name: string
  readonly description?: string
  readonly inputSchema: Readonly<Record<string, unknown>>
  /** The plugin it comes from; `foreword` for its own. */
  readonly from: string
  readonly access: 'allowed' | 'ask' | 'refused'
  /** What decided. */
  readonly rule: string
  /** The sentence of a refusal. */
  readonly reason?: string
  /** Offered only where this layer stands in this form. */
  readonly offeredWith?: OfferedWith
  /** Offered only while something is so, and whether it is so now. */
  readonly offeredWhile?: { readonly what: string; readonly isSo: boolean }
  /** Made for each session that it is of use in: `sessions that …`. Any session where absent. */
  readonly offeredIn?: string
  /** Its definition has changed since it was accepted. */
  readonly withheld?: WithheldTool
}

/** A call outside every turn, described and not run. */
export type ToolTrial =
  | { readonly type: 'refused'; readonly rule: string; readonly error: string }
  | {
      readonly type: 'allowed' | 'ask'
      readonly rule: string
      readonly call: CallDescription
      readonly digest: string
    }
