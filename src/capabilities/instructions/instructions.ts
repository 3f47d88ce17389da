import { join } from 'node:path'
import { capability, textLayer } from '../../capability.ts'
import type { PinnedFile } from '../../capability/toolkit.ts'
import type { Layer } from '../../context.ts'
import type { TextReader } from '../../tool.ts'

/** The workspace's `AGENTS.md` as a layer. */
export const instructions = capability({
  name: 'instructions',
  summary: 'reads AGENTS.md of the workspace',
  async start(host) {
    const { workspace } = host.home
    const { pinnedFile, readerWithin } = await import('../../capability/toolkit.ts')
    const path = join(workspace, 'AGENTS.md')
    const file = { path, name: ref, reload: () => opened.reload() }
    const pin: PinnedFile = pinnedFile(host, file, readerWithin([workspace]))
    const opened = await openInstructions(path, pin.read)
    return Object.assign(opened, { pin })
  },
  layers: ({ service }) => service.layers,
  lifecycle: { reload: ({ service }) => service.reload() },
  status: { warnings: ({ service }) => service.warnings },
  pins: ({ service }) => [service.pin],
})

/**
 * Layer `instructions`: the workspace's `AGENTS.md`, trimmed (BEHAVIOURS §1.3). Absent where it is missing or blank.
 */
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

const ref = 'workspace/AGENTS.md'
