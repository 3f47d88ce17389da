import type { ToolFailed } from './tool.ts'

/** Why a call came to nothing although the tool itself never answered. */
export type ToolFailure = 'unknown-tool' | 'invalid-input' | 'refused' | 'exception' | 'timeout' | 'cancelled'

/** A failure as the model reads it, and as a program can tell it apart. */
export function failed(failure: ToolFailure, error: string): ToolFailed {
  return { ok: false, error, meta: { failure } }
}
