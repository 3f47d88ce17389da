import { type Layer, layouts, type Reason } from '../context.ts'
import { FOREIGN_TEXT } from './foreign-text-rule.ts'

/** The layer `system-prompt` of somebody who chose to send none (BEHAVIOURS §3.3); `ref` is where that was chosen. */
export function noPrompt(ref: string): Layer {
  const origin = { kind: 'operator', ref } as const
  return { id: PROMPT, layer: PROMPT, renditions: [{ form: 'full', text: '', tokens: 0 }], origin, withheld: reason }
}

/**
 * Where somebody chose to send no system prompt, what is only ever filled into one is withheld with it: the date, the
 * guidance for tools, and in `onyx` the words about citations. The rule about foreign text goes along with other system
 * text, such as an `AGENTS.md`, and makes no system message alone.
 */
export function withoutPrompt(layers: readonly Layer[], layout: string): readonly Layer[] {
  if (!layers.some(({ id, withheld }) => id === PROMPT && withheld?.code === reason.code)) return layers
  const { placements } = layouts[layout.replace(/\+$/, '')] ?? layouts['auto']!
  const isSystem = ({ layer, placement }: Layer) => (placement ?? placements[layer]) === 'system'
  const isOwn = (layer: Layer) => isSystem(layer) && layer.renditions.some(({ text }) => text.trim() !== '')
  const hasOther = layers.some((layer) => !filled.includes(layer.layer) && layer.layer !== FOREIGN_TEXT && isOwn(layer))
  const goes = (layer: Layer) => filled.includes(layer.layer) || (layer.layer === FOREIGN_TEXT && !hasOther)
  return layers.map((layer) => (isSystem(layer) && goes(layer) ? { ...layer, withheld: reason } : layer))
}

const PROMPT = 'system-prompt'
const reason: Reason = { code: 'no-system-prompt' }
const filled: readonly string[] = ['date', 'tool-guidance', 'citation-guidance']
