import type { ToolDefinition } from '../context.ts'

/** A definition that has changed since it was accepted. */
export interface WithheldTool {
  readonly name: string
  /** `undefined`: the tool is new. */
  readonly accepted: ToolDefinition | undefined
  /** `undefined`: the tool is gone. */
  readonly offered: ToolDefinition | undefined
  /** SHA-256 of what is offered now. */
  readonly digest: string
}
