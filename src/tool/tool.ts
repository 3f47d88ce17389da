import type { Origin, ToolDefinition } from '../context.ts'

/** A callable thing: what the model is told of it, and what happens when it calls. */
export interface Tool extends ToolDefinition {
  /** May be run again after a crash: a second run changes nothing that the first has not. */
  readonly idempotent?: boolean
  /** Time limit of one run, ms. */
  readonly timeoutMs?: number
  /** Where its results come from. `tool` unless said. */
  readonly origin?: Origin['kind']
  /** `input` has been checked against `inputSchema`. A throw becomes a failed result that the model reads. */
  execute(input: unknown, context: ToolContext): Promise<ToolResult>
}

/** What a run may know. It carries no way to the configuration, to approvals, or to other sessions. */
export interface ToolContext {
  readonly session: string
  readonly turn: string
  readonly toolCallId: string
  /** Aborted by cancel and by the time limit. */
  readonly signal: AbortSignal
}

/** Failure is data: the model reads `error` and can recover. */
export type ToolResult =
  | { readonly ok: true; readonly output: string; readonly meta?: Readonly<Record<string, unknown>> }
  | {
      readonly ok: false
      readonly error: string
      readonly output?: string
      readonly meta?: Readonly<Record<string, unknown>>
    }

/** A call as the model made it. Input that was not JSON is the string it was. */
export interface ToolCall {
  readonly toolCallId: string
  readonly toolName: string
  readonly input: unknown
}
