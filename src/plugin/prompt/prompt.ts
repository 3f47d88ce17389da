import { fileURLToPath } from 'node:url'
import type { LayerContext, Plugin } from '../plugin.ts'
import { textLayer } from '../text-layer.ts'
import { readText, type TextReader } from '../text-reader.ts'

export interface PromptOptions {
  /** Path of the operator's own system prompt. */
  readonly file: string
  /** How manifests and warnings name that file. */
  readonly ref?: string
  /** What is sent where the file is missing or blank; none where empty. The packaged prompt unless given. */
  readonly fallback?: string
  /** A line above the prompt, as the preset `ayati` has it (BEHAVIOURS §2.1). A missing file is then a warning. */
  readonly heading?: string
  readonly read?: TextReader
}

/** Layer `system-prompt`: the operator's own prompt, or the packaged one. */
export function promptPlugin(options: PromptOptions): Plugin {
  const { file, ref = 'context/system_prompt.md', heading, read = readText } = options
  let prompt: Prompt = { text: '', ref }
  let warning: string | undefined

  async function load(): Promise<void> {
    const found = await read(file)
    const own = found.type === 'text' ? found.text.trim() : ''
    warning = own === '' ? warningOf(found.type === 'unreadable' ? found.why : found.type) : undefined
    prompt = own === '' ? { text: await fallback(), ref: 'packaged system prompt' } : { text: own, ref }
  }

  function warningOf(why: string): string | undefined {
    if (why === 'missing') return heading === undefined ? undefined : `${ref} is missing; the packaged prompt is used`
    return `${ref} is not used, the packaged prompt is: ${why === 'text' ? 'it is blank' : why}`
  }

  async function fallback(): Promise<string> {
    return (options.fallback ?? (await packagedPrompt())).trim()
  }

  return {
    name: 'prompt',
    version: '1',
    start: load,
    reload: load,
    warnings: () => (warning === undefined ? [] : [warning]),
    layers: async (context) => {
      const { text, ref: from } = chosen(context, prompt)
      if (text === '') return []
      return [textLayer('system-prompt', heading === undefined ? text : `${heading}\n\n${text}`, from)]
    },
  }
}

/** What came with the input goes first, then a custom agent that replaces the prompt, then what its owner edited, then what the home has (BEHAVIOURS §3.3). */
function chosen({ agent, prompt, system }: LayerContext, own: Prompt): Prompt {
  const given = system?.trim() ?? ''
  if (given !== '') return { text: given, ref: 'system prompt of this turn' }
  const replacing = agent?.mode === 'replace' ? agent.prompt.trim() : ''
  if (agent && replacing !== '') return { text: replacing, ref: `agent/${agent.id}` }
  const edited = prompt?.trim() ?? ''
  return edited === '' ? own : { text: edited, ref: 'edited system prompt' }
}

interface Prompt {
  readonly text: string
  readonly ref: string
}

async function packagedPrompt(): Promise<string> {
  const path = fileURLToPath(new URL('../../../assets/system-prompt.md', import.meta.url))
  const found = await readText(path)
  if (found.type === 'text') return found.text
  throw new Error(`the packaged system prompt cannot be read at ${path}; install foreword anew`)
}
