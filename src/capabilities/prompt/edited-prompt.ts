import type { Layout } from '../../context.ts'
import { defined, ForewordError } from '../../platform.ts'
import { type RecordStore, StoreError } from '../../session.ts'
import { type Clock, RuntimeError, type LayerContext, textLayer } from '../../capability.ts'
import { runtimeFailure } from '../../runtime.ts'
import { fileURLToPath } from 'node:url'
import { noPrompt } from '../../capability/toolkit.ts'
import { readText, type TextReader } from '../../tool.ts'

export type EditedPrompt = ReturnType<typeof createEditedPrompt>

export interface PromptVersion {
  readonly version: number
  /** ISO 8601. */
  readonly time: string
  readonly text: string | undefined
}

const KIND = 'prompt'
const ID = 'system'
const LONGEST = 200_000

export function createEditedPrompt(store: RecordStore, clock: Clock) {
  /** What counts, once it was read or written here. Each turn asks, and no other process writes it while this one has the store. */
  let known: Pick<PromptVersion, 'text'> | undefined

  async function put(text: string | null, after?: number): Promise<PromptVersion> {
    try {
      const value = text === null ? null : { text }
      const change = { kind: KIND, id: ID, value, ...defined({ after }) }
      const version = promptVersion(await store.putRecord(change, clock.time()))
      known = version
      return version
    } catch (error) {
      // What is there now is read again.
      known = undefined
      if (error instanceof StoreError && error.code === 'conflict') {
        throw new RuntimeError('changed', 'The system prompt has changed since you read it. Read it again.')
      }
      throw runtimeFailure(error)
    }
  }

  return {
    /** `undefined`: it is the one in the home, or the packaged one. Blank: none is sent. */
    async text(): Promise<string | undefined> {
      if (known) return known.text
      const record = await store.record(KIND, ID)
      known ??= { text: record && promptVersion(record).text }
      return known.text
    },

    /** Newest first; one without text is a reset. */
    versions: async () => (await store.recordVersions(KIND, ID)).map(promptVersion),

    /** A blank text is the choice to send no system prompt. With `after`, a change of somebody else in between is `changed`. */
    async edit(text: string, after?: number): Promise<PromptVersion> {
      if (text.length > LONGEST) {
        throw new RuntimeError(
          'invalid-input',
          `The prompt has ${text.length} characters; the most is ${LONGEST}. Shorten it.`,
        )
      }
      return put(text, after)
    },
    reset: () => put(null),
    async restore(version: number): Promise<PromptVersion> {
      const found = (await store.recordVersions(KIND, ID)).find((each) => each.version === version)
      const text = found && promptVersion(found).text
      if (text === undefined) {
        const hint = 'List the versions with `foreword prompt versions`.'
        throw new RuntimeError('not-found', `The system prompt has no version ${version}.`, { version }, { hint })
      }
      return put(text)
    },
  }
}

function promptVersion({ version, time, value }: { version: number; time: string; value: unknown }): PromptVersion {
  return { version, time, text: value === null ? undefined : (value as { readonly text: string }).text }
}

interface PromptOptions {
  readonly file: string
  /** That of the home's layout, which the warnings are about. */
  readonly rule?: PromptRule
  readonly read?: TextReader
}

/**
 * As a layout has it. `fallback`: for a missing or unreadable file; if it is empty, no prompt; where absent, the packaged
 * one. `heading`: a line above the prompt, as the preset `ayati` has it (BEHAVIOURS §2.1); a missing file is then a warning.
 */
type PromptRule = Layout['prompt']

export type SystemPrompt = ReturnType<typeof systemPrompt>

/**
 * A blank prompt is a choice and withholds the layer; a missing one is replaced by the packaged one (BEHAVIOURS
 * §3.3).
 */
export function systemPrompt({ file, rule = {}, read = readText }: PromptOptions) {
  const ref = 'context/system_prompt.md'
  const isHeaded = rule.heading !== undefined
  let written: string | undefined
  let packaged = ''
  let warning: string | undefined

  async function load(): Promise<void> {
    const found = await read(file)
    written = found.type === 'text' ? found.text.trim() : undefined
    warning = loadWarning(found.type === 'unreadable' ? found.why : found.type, written === '')
    packaged = await packagedPrompt()
  }

  function loadWarning(found: string, isBlank: boolean): string | undefined {
    if (found === 'missing') return isHeaded ? `${ref} is missing; the packaged prompt is used` : undefined
    if (isBlank && !isHeaded) {
      return `${ref} is blank, so no system prompt is sent; remove the file to send the packaged one`
    }
    if (found === 'text') return isBlank ? `${ref} is not used, the packaged prompt is: it is blank` : undefined
    return `${ref} is not used, the packaged prompt is: ${found}`
  }

  function own({ heading, fallback = packaged }: PromptRule = rule) {
    const isUsed = written !== undefined && (written !== '' || heading === undefined)
    return isUsed ? { text: written!, ref } : { text: fallback, ref: PACKAGED }
  }

  return {
    load,
    /** What counts where nobody has edited it: the operator's own prompt, or the packaged one. `ref` names which. */
    own,
    warnings: () => (warning === undefined ? [] : [warning]),
    layers(context: Pick<LayerContext, 'system'> & { readonly layout: Pick<Layout, 'prompt'> }, edited?: string) {
      const { layout, system } = context
      const { prompt } = layout
      const { text: chosen, ref: from } = system ?? (edited === undefined ? own(prompt) : { text: edited, ref: EDITED })
      const text = chosen.trim()
      if (text === '') return from === PACKAGED ? [] : [noPrompt(from)]
      return [textLayer('system-prompt', prompt.heading === undefined ? text : `${prompt.heading}\n\n${text}`, from)]
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
    `Cannot read the packaged system prompt at ${path}: ${found.type === 'missing' ? 'it is not there' : found.why}.`,
    { path },
    { hint: 'Install foreword again.' },
  )
}
