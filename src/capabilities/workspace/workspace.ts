import { capability } from '../../capability.ts'

export const workspace = capability({
  name: 'workspace',
  summary: 'lists, reads, searches, writes and edits files in the workspace',
  async start({ home, places }) {
    const { workspaceBlock } = await import('./workspace-block.ts')
    const { outOfReach, readOnly } = places()
    return workspaceBlock({ folder: home.workspace, outOfReach, readOnly })
  },
  promptBlocks: ({ service }) => [service],
})
