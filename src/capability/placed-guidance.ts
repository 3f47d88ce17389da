import type { Layer } from '../context.ts'
import { fillPlaceholders } from './placeholder.ts'

/**
 * Puts `date`, which can stand in a sentence, and the guidance for tools and citations where a prompt asks for them, with `{{date}}`, `{{tools}}` and
 * `{{citations}}` (BEHAVIOURS §3.3); a layer that was put there does not stand beside it as well. What can appear in the
 * middle of a turn stays out of the head in `auto`: there the guidance for citations keeps its own place at the tail.
 */
export function placedGuidance(layers: readonly Layer[], layout: string, date = ''): readonly Layer[] {
  const prompt = layers.find(({ id }) => id === 'system-prompt')
  const [whole] = prompt?.renditions ?? []
  if (!prompt || !whole?.text.includes('{{')) return layers
  const textOf = (id: string): string => layers.find((layer) => layer.id === id)?.renditions[0]?.text ?? ''
  const values: Readonly<Record<keyof typeof fillers, string>> = {
    date,
    tools: textOf(fillers.tools),
    citations: layout.startsWith('auto') ? '' : textOf(fillers.citations),
  }
  const { text, used } = fillPlaceholders(whole.text, values)
  const placed = new Set<string>(used.flatMap((name) => (isFiller(name) && values[name] !== '' ? [fillers[name]] : [])))
  return layers
    .filter(({ id }) => !placed.has(id))
    .map((layer) => (layer === prompt ? { ...layer, renditions: [{ ...whole, text }] } : layer))
}

/** The layer that says by itself what a placeholder can say in a prompt. */
const fillers = { date: 'date', tools: 'tool-guidance', citations: 'citation-guidance' } as const

function isFiller(name: string): name is keyof typeof fillers {
  return Object.hasOwn(fillers, name)
}
