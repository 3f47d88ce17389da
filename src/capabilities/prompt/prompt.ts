import { join } from 'node:path'
import { capability, type CapabilityHost } from '../../capability.ts'
import type { EditedPrompt } from './edited-prompt.ts'
import type { SystemPrompt } from './system-prompt.ts'

/** The system prompt in the home, and as its owner edited it. */
export interface PromptService {
  readonly own: SystemPrompt
  readonly edited: EditedPrompt
}

/** Layer `system-prompt` (BEHAVIOURS §3.3): of the input, of a choice, edited, in the home, or the packaged one. */
export const prompt = capability<undefined, PromptService>({
  name: 'prompt',
  summary: 'the system prompt: in a file of the home, edited, or packaged',
  commands: { prompt: async () => (await import('./cli/prompt.ts')).promptCommand },
  places: (_, home) => ({ readOnly: [fileIn(home)] }),
  start,
  // Only turns read an edited prompt, and a turn keeps the one it began with.
  layers: ({ service }, { session, system }) => (session === undefined ? service.own.layers(system, undefined) : []),
  async turn({ service }) {
    const edited = await service.edited.text()
    return { layers: ({ system }) => service.own.layers(system, edited) }
  },
  async routes({ service }) {
    const { promptRoutes } = await import('./http/prompt-routes.ts')
    return promptRoutes(service)
  },
  reload: ({ service }) => service.own.load(),
  warnings: ({ service }) => service.own.warnings(),
})

async function start({ home, layout, store, clock }: CapabilityHost): Promise<PromptService> {
  const [{ systemPrompt }, { createEditedPrompt }] = await Promise.all([
    import('./system-prompt.ts'),
    import('./edited-prompt.ts'),
  ])
  const own = systemPrompt({ file: fileIn(home.folder), ...layout.prompt })
  await own.load()
  return { own, edited: createEditedPrompt(store, clock) }
}

function fileIn(home: string): string {
  return join(home, 'context', 'system_prompt.md')
}
