import type { Tool } from '../../tool.ts'
import { changePlan } from './change-plan.ts'
import type { WorkspaceOptions } from './workspace-options.ts'

interface WriteInput {
  readonly path: string
  readonly content: string
}

/** The tool `write_file`: a text file, new or replaced as a whole. */
export function writeFileTool(options: WorkspaceOptions): Tool {
  return {
    name: 'write_file',
    description: 'Create a text file, or replace all of one. Missing folders are made.',
    inputSchema: {
      type: 'object',
      properties: { path: { type: 'string' }, content: { type: 'string' } },
      required: ['path', 'content'],
      additionalProperties: false,
    },
    approval: 'ask',
    plan(input) {
      const { path, content } = input as WriteInput
      return changePlan(options, path, (shown, before) => {
        const done = before === undefined ? 'created' : 'replaced'
        const bytes = Buffer.byteLength(content)
        return { type: 'text', text: content, said: `${done} ${shown} (${bytes} ${bytes === 1 ? 'byte' : 'bytes'})` }
      })
    },
  }
}
