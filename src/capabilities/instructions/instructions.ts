import { join } from 'node:path'
import { capability } from '../../capability.ts'

/** The workspace's `AGENTS.md` as a layer. */
export const instructions = capability({
  name: 'instructions',
  summary: 'reads AGENTS.md of the workspace',
  async start({ home: { workspace } }) {
    const { openInstructions } = await import('./open-instructions.ts')
    const { readerWithin } = await import('../../capability/toolkit.ts')
    return openInstructions({ file: join(workspace, 'AGENTS.md'), read: readerWithin([workspace]) })
  },
  layers: ({ service }) => service.layers,
  reload: ({ service }) => service.reload(),
  warnings: ({ service }) => service.warnings,
})
