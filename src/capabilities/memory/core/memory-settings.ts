import { z } from 'zod'
import type { Layout } from '../../../context.ts'

/** What a turn receives from earlier sessions (`context.memory`). */
export const memorySettings = z.strictObject({
  previousSession: z
    .strictObject({
      enabled: z
        .boolean()
        .optional()
        .describe(
          'Whether a session begins with a summary of the last session of its conversation. Default: as the layout decides.',
        ),
      maxTokens: z.int().min(50).max(20_000).default(600).describe('The longest summary, tokens.'),
      summarize: z
        .boolean()
        .default(false)
        .describe(
          'Whether a model writes the summary. By default, fixed rules extract it from the log: questions, answers, files, tools.',
        ),
      model: z.string().min(1).optional().describe('Model that writes the summary. Default: the setting `model`.'),
    })
    .prefault({})
    .describe('The last session of the same conversation.'),
  toolHistory: z
    .strictObject({
      enabled: z
        .boolean()
        .optional()
        .describe('Whether a turn receives earlier tool calls that match its message. Default: as the layout decides.'),
      maxTokens: z.int().min(50).max(20_000).default(300).describe('The most tokens of such calls.'),
    })
    .prefault({})
    .describe('Earlier tool calls of the same conversation.'),
})

export type MemorySettings = z.output<typeof memorySettings>

/** Which kinds of memory a layout has: the settings decide, then the layout. */
export function memoryIn(
  { previousSession, toolHistory }: MemorySettings,
  { memory }: Layout,
): { readonly previousSession: boolean; readonly toolHistory: boolean } {
  const { isUsual } = memory
  return {
    previousSession: previousSession.enabled ?? isUsual,
    toolHistory: toolHistory.enabled ?? isUsual,
  }
}
