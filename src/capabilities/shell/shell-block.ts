import type { PromptBlock } from '../../capability.ts'
import { type ShellOptions, shellTool } from './shell-tool.ts'

/** What the model is given to run programs: nothing runs until `tool-access.json` allows it (BEHAVIOURS §2.4). */
export function shellBlock(options: ShellOptions): PromptBlock {
  return {
    id: 'shell',
    version: '1',
    description: 'Runs programs in the workspace.',
    promptBlock,
    tools: [shellTool(options)],
  }
}

const promptBlock = [
  'The tool shell runs one program in the workspace and answers with its output and exit code.',
  'Use it for what no other tool does; read and edit files with their own tools where they are offered.',
  'A refusal says what is allowed: adapt to it, and do not try to get around it.',
].join(' ')
