import type { AnyMessage, Manifest, ToolDefinition } from '../../context.ts'
import type { CallRecord } from '../../session.ts'

/** A request in canonical order. */
export interface RequestView {
  readonly tools: readonly ToolDefinition[]
  readonly system?: string
  readonly messages: readonly AnyMessage[]
}

/** A call that is not made. What is not named is the session's, or that of a new one. */
export interface PreviewOptions {
  readonly session?: string
  readonly input?: string
  readonly model?: string
  readonly system?: string
  readonly choices?: Readonly<Record<string, string>>
}

/** The next call as it would be made now. */
export interface Preview {
  readonly model: string
  readonly request: RequestView
  readonly manifest: Manifest
}

/** An earlier call, built again. */
export interface RebuiltRequest {
  readonly call: CallRecord
  readonly request: RequestView
  readonly digest: string
  readonly identical: boolean
  /** The body that left, made again. Absent where none left. */
  readonly wire?: WireProof
}

/** What became of making the body of an earlier call again. Digests are SHA-256. */
export type WireProof =
  | { readonly state: 'identical'; readonly expected: string; readonly got: string }
  | { readonly state: 'different'; readonly expected: string; readonly got: string }
  /** It cannot be made now: another version of Foreword recorded the call, its model is out of reach, an image is gone. */
  | { readonly state: 'unknown'; readonly expected: string; readonly why: string }

/** All calls of a session, built again. */
export interface Replay {
  readonly session: string
  readonly calls: number
  readonly identical: number
  readonly different: readonly ReplayDifference[]
  /** The bodies that left for a provider, made again. Absent where none left. */
  readonly wires?: {
    readonly identical: number
    readonly different: readonly { readonly call: string; readonly expected: string; readonly got: string }[]
    readonly unknown: readonly { readonly call: string; readonly why: string }[]
  }
}

/** A call that is not what it was. `got` is empty where it could not be built again, and `problem` says why. */
export interface ReplayDifference {
  readonly call: string
  readonly expected: string
  readonly got: string
  readonly problem?: string
}
