import { z } from 'zod'
import type { Layout } from '../../../context.ts'

/** What a turn may be given of earlier sessions (`context.memory`). */
export const memorySettings = z.strictObject({
  previousSession: z
    .strictObject({
      enabled: z
        .boolean()
        .optional()
        .describe(
          "Whether a session begins with a summary of the conversation's last one. By default the layout decides.",
        ),
      maxTokens: z.int().min(50).max(20_000).default(600).describe('The longest summary, tokens.'),
      summarize: z
        .boolean()
        .default(false)
        .describe('Whether a model writes the summary. By rule from the log otherwise: asked, answered, files, tools.'),
      model: z.string().min(1).optional().describe('The model that writes it. The one of `model` unless given.'),
    })
    .prefault({})
    .describe('The last session of the same conversation.'),
  toolHistory: z
    .strictObject({
      enabled: z
        .boolean()
        .optional()
        .describe('Whether a turn receives earlier tool calls that its message finds. By default the layout decides.'),
      maxTokens: z.int().min(50).max(20_000).default(300).describe('The most of such calls, tokens.'),
    })
    .prefault({})
    .describe('Earlier calls of tools in the same conversation.'),
})

export type MemorySettings = z.output<typeof memorySettings>

/** What is on in a layout. */
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
