import { capability } from '../../capability.ts'

export const workspace = capability({
  name: 'workspace',
  summary: 'lists, reads, searches, writes and edits files in the workspace',
  async start({ home, places, ofOwner }) {
    const { workspaceBlock } = await import('./workspace-block.ts')
    const { outOfReach, readOnly } = places()
    const maxBytes = () => ofOwner?.room().maxWorkspaceBytes
    return workspaceBlock({ folder: home.workspace, outOfReach, readOnly, maxBytes })
  },
  promptBlocks: ({ service }) => [service],
})
