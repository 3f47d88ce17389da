import type { Tool } from '../../tool.ts'

/** A capability as a value: what the model is told of it, and the tools that belong to it (BEHAVIOURS §2.2). */
export interface SkillDefinition {
  readonly id: string
  readonly version: string
  readonly description: string
  /** When and how to use its tools. Sent only while at least one of them is offered, or where it has none. */
  readonly promptBlock: string
  readonly tools: readonly Tool[]
}
