import { join } from 'node:path'
import { capability, type CapabilityHost } from '../../capability.ts'
import type { PinnedFile } from '../../capability/toolkit.ts'
import type { EditedPrompt, SystemPrompt } from './edited-prompt.ts'

export interface PromptService {
  readonly own: SystemPrompt
  readonly edited: EditedPrompt
  readonly pin: PinnedFile
}

/** Layer `system-prompt` (BEHAVIOURS §3.3): of the input, of a choice, edited, in the home, or the packaged one. */
export const prompt = capability<undefined, PromptService>({
  name: 'prompt',
  summary: 'the system prompt: in a file of the home, edited, or packaged',
  commands: { prompt: async () => (await import('./cli/prompt.ts')).promptCommand },
  home: { places: (_, home) => ({ readOnly: [fileIn(home)] }) },
  start,
  // Only turns read an edited prompt, and a turn keeps the one it began with.
  layers: ({ service }, context) => (context.session === undefined ? service.own.layers(context) : []),
  async turn({ service }) {
    const edited = await service.edited.text()
    return { layers: (context) => service.own.layers(context, edited) }
  },
  http: { routes: async ({ service }) => (await import('./http/prompt-routes.ts')).promptRoutes(service) },
  lifecycle: { reload: ({ service }) => service.own.load() },
  status: { warnings: ({ service }) => service.own.warnings() },
  pins: ({ service }) => [service.pin],
})

async function start(host: CapabilityHost): Promise<PromptService> {
  const { home, layout, store, clock } = host
  const [{ createEditedPrompt, systemPrompt }, { pinnedFile }, { readText }] = await Promise.all([
    import('./edited-prompt.ts'),
    import('../../capability/toolkit.ts'),
    import('../../tool.ts'),
  ])
  const path = fileIn(home.folder)
  const file = { path, name: 'context/system_prompt.md', reload: () => own.load() }
  const pin = pinnedFile(host, file, readText)
  const own: SystemPrompt = systemPrompt({ file: path, read: pin.read, rule: layout.prompt })
  await own.load()
  return { own, edited: createEditedPrompt(store, clock), pin }
}

function fileIn(home: string): string {
  return join(home, 'context', 'system_prompt.md')
}
