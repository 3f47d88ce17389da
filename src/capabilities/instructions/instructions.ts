import { join } from 'node:path'
import { capability, textLayer } from '../../capability.ts'
import type { Layer } from '../../context.ts'
import type { TextReader } from '../../tool.ts'

/** The workspace's `AGENTS.md` as a layer. */
export const instructions = capability({
  name: 'instructions',
  summary: 'reads AGENTS.md of the workspace',
  async start({ home: { workspace } }) {
    const { readerWithin } = await import('../../capability/toolkit.ts')
    return openInstructions(join(workspace, 'AGENTS.md'), readerWithin([workspace]))
  },
  layers: ({ service }) => service.layers,
  reload: ({ service }) => service.reload(),
  warnings: ({ service }) => service.warnings,
})

/** Layer `instructions`: the workspace's `AGENTS.md`, trimmed (BEHAVIOURS §1.3). Nothing where it is missing or blank. */
export async function openInstructions(file: string, read: TextReader) {
  const opened = {
    layers: [] as readonly Layer[],
    warnings: [] as readonly string[],
    async reload(): Promise<void> {
      const found = await read(file)
      const text = found.type === 'text' ? found.text.trim() : ''
      opened.layers = text === '' ? [] : [textLayer('instructions', text, ref)]
      opened.warnings = found.type === 'unreadable' ? [`${ref} is not used: ${found.why}`] : []
    },
  }
  await opened.reload()
  return opened
}

/** The name of the file in manifests and warnings. */
const ref = 'workspace/AGENTS.md'
