import { fileURLToPath } from 'node:url'
import { type LayerContext, textLayer } from '../../capability.ts'
import { noPrompt } from '../../capability/toolkit.ts'
import type { Layer } from '../../context.ts'
import { ForewordError } from '../../platform.ts'
import { readText, type TextReader } from '../../tool.ts'

export interface PromptOptions {
  readonly file: string
  readonly ref?: string
  /** For a missing or unreadable file; if it is empty, no prompt. Default: the packaged prompt. */
  readonly fallback?: string
  /** A line above the prompt, as the preset `ayati` has it (BEHAVIOURS §2.1). A missing file is then a warning. */
  readonly heading?: string
  readonly read?: TextReader
}

export interface SystemPrompt {
  load(): Promise<void>
  warnings(): readonly string[]
  /** What counts where nobody has edited it: the operator's own prompt, or the packaged one. `ref` names which. */
  own(): { readonly text: string; readonly ref: string }
  layers(given: LayerContext['system'], edited: string | undefined): readonly Layer[]
}

/**
 * A blank prompt is a choice (BEHAVIOURS §3.3): the layer is then withheld; only a missing prompt is replaced by the
 * packaged one.
 */
export function systemPrompt(options: PromptOptions): SystemPrompt {
  const { file, ref = 'context/system_prompt.md', heading, read = readText } = options
  let own = { text: '', ref }
  let warning: string | undefined

  async function load(): Promise<void> {
    const found = await read(file)
    const text = found.type === 'text' ? found.text.trim() : undefined
    warning = loadWarning(found.type === 'unreadable' ? found.why : found.type, text === '')
    const isUsed = text !== undefined && (text !== '' || heading === undefined)
    own = isUsed ? { text, ref } : { text: options.fallback ?? (await packagedPrompt()), ref: PACKAGED }
  }

  function loadWarning(found: string, isBlank: boolean): string | undefined {
    if (found === 'missing') return heading === undefined ? undefined : `${ref} is missing; the packaged prompt is used`
    if (isBlank && heading === undefined) {
      return `${ref} is blank, so no system prompt is sent; remove the file to send the packaged one`
    }
    if (found === 'text') return isBlank ? `${ref} is not used, the packaged prompt is: it is blank` : undefined
    return `${ref} is not used, the packaged prompt is: ${found}`
  }

  return {
    load,
    own: () => own,
    warnings: () => (warning === undefined ? [] : [warning]),
    layers(given, edited) {
      const { text: chosen, ref: from } = given ?? (edited === undefined ? own : { text: edited, ref: EDITED })
      const text = chosen.trim()
      if (text === '') return from === PACKAGED ? [] : [noPrompt(from)]
      return [textLayer('system-prompt', heading === undefined ? text : `${heading}\n\n${text}`, from)]
    },
  }
}

const EDITED = 'edited system prompt'
const PACKAGED = 'packaged system prompt'

async function packagedPrompt(): Promise<string> {
  const path = fileURLToPath(new URL('../../../assets/system-prompt.md', import.meta.url))
  const found = await readText(path)
  if (found.type === 'text') return found.text
  throw new ForewordError(
    'file',
    `Cannot read the packaged system prompt at ${path}.`,
    { path },
    { hint: 'Install foreword again.' },
  )
}
