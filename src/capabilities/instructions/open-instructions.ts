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
  let layers: readonly Layer[] = []
  let warnings: readonly string[] = []

  async function load(): Promise<void> {
    const found = await read(file)
    const text = found.type === 'text' ? found.text.trim() : ''
    layers = text === '' ? [] : [textLayer('instructions', text, ref)]
    warnings = found.type === 'unreadable' ? [`${ref} is not used: ${found.why}`] : []
  }

  await load()
  return { reload: load, warnings: () => warnings, layers: () => layers }
}

/** The name of the file in manifests and warnings. */
const ref = 'workspace/AGENTS.md'
