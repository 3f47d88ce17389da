import { fileURLToPath } from 'node:url'
import type { LayerContext, Plugin } from '../../capability/plugin.ts'
import { textLayer } from '../../capability/text-layer.ts'
import { readText, type TextReader } from '../../tool.ts'
import { noPrompt } from '../../capability/without-prompt.ts'

export interface PromptOptions {
  /** Path of the operator's own system prompt. */
  readonly file: string
  /** How manifests and warnings name that file. */
  readonly ref?: string
  /** What is sent where the file is missing or unreadable; none where empty. The packaged prompt unless given. */
  readonly fallback?: string
  /**
   * A line above the prompt, as the preset `ayati` has it (BEHAVIOURS §2.1). A missing file is then a warning, and a blank
   * one is as good as missing.
   */
  readonly heading?: string
  readonly read?: TextReader
}

/**
 * Layer `system-prompt`: the operator's own prompt, or the packaged one. A blank prompt is a choice (BEHAVIOURS §3.3): the
 * layer is then withheld, and only a missing prompt gives way to the packaged one.
 */
export function promptPlugin(options: PromptOptions): Plugin {
  const { file, ref = 'context/system_prompt.md', heading, read = readText } = options
  let prompt: Prompt = { text: '', ref }
  let warning: string | undefined

  async function load(): Promise<void> {
    const found = await read(file)
    const own = found.type === 'text' ? found.text.trim() : undefined
    warning = warningOf(found.type === 'unreadable' ? found.why : found.type, own === '')
    const isUsed = own !== undefined && (own !== '' || heading === undefined)
    prompt = isUsed ? { text: own, ref } : { text: await fallback(), ref: PACKAGED }
  }

  function warningOf(found: string, isBlank: boolean): string | undefined {
    if (found === 'missing') return heading === undefined ? undefined : `${ref} is missing; the packaged prompt is used`
    if (isBlank && heading === undefined) {
      return `${ref} is blank, so no system prompt is sent; remove the file to send the packaged one`
    }
    if (found === 'text') return isBlank ? `${ref} is not used, the packaged prompt is: it is blank` : undefined
    return `${ref} is not used, the packaged prompt is: ${found}`
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
      if (text === '') return from === PACKAGED ? [] : [noPrompt(from)]
      return [textLayer('system-prompt', heading === undefined ? text : `${heading}\n\n${text}`, from)]
    },
  }
}

/** What came with the input goes first, then a custom agent that replaces the prompt, then what its owner edited, then what the home has (BEHAVIOURS §3.3). */
function chosen({ agent, prompt, system }: LayerContext, own: Prompt): Prompt {
  const given = system?.trim() ?? ''
  if (given !== '') return { text: given, ref: 'system prompt of this turn' }
  if (agent?.mode === 'replace') return { text: agent.prompt.trim(), ref: `agent/${agent.id}` }
  return prompt === undefined ? own : { text: prompt.trim(), ref: 'edited system prompt' }
}

const PACKAGED = 'packaged system prompt'

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
