import type { Layer } from '../../context.ts'
import { textLayer } from '../../capability.ts'
import type { TextReader } from '../../tool.ts'

export interface InstructionsOptions {
  /** Path of `AGENTS.md`. */
  readonly file: string
  readonly read: TextReader
}

/** Layer `instructions`: the workspace's `AGENTS.md`, trimmed (BEHAVIOURS §1.3). Nothing where it is missing or blank. */
export async function openInstructions({ file, read }: InstructionsOptions) {
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
