import type { Tool } from '../tool.ts'

/** Words for the prompt together with the tools that they are about (BEHAVIOURS §2.1). */
export interface PromptBlock {
  readonly id: string
  readonly version: string
  readonly description: string
  readonly promptBlock: string
  readonly tools: readonly Tool[]
}
