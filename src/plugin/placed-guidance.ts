import type { Layer } from '../context.ts'
import { fillPlaceholders } from './placeholder.ts'

/**
 * Puts the date and the guidance for tools and citations where a prompt asks for them, with `{{date}}`, `{{tools}}` and
 * `{{citations}}` (BEHAVIOURS §3.3); a layer that was put there does not stand beside it as well. What can appear in the
 * middle of a turn stays out of the head in `auto`: there the guidance for citations keeps its own place at the tail.
 */
export function placedGuidance(layers: readonly Layer[], layout: string): readonly Layer[] {
  const prompt = layers.find(({ id }) => id === 'system-prompt')
  const [whole] = prompt?.renditions ?? []
  if (!prompt || !whole?.text.includes('{{')) return layers
  const fillers = { date: 'date', tools: 'tool-guidance', citations: 'citation-guidance' }
  const values = Object.fromEntries(
    Object.entries(fillers).map(([name, id]) => {
      const stays = name === 'citations' && layout.startsWith('auto')
      return [name, stays ? '' : (layers.find((layer) => layer.id === id)?.renditions[0]?.text ?? '')]
    }),
  )
  const { text, used } = fillPlaceholders(whole.text, values)
  const placed = new Set(used.flatMap((name) => (values[name] ? [fillers[name as keyof typeof fillers]] : [])))
  return layers
    .filter(({ id }) => !placed.has(id))
    .map((layer) => (layer === prompt ? { ...layer, renditions: [{ ...whole, text }] } : layer))
}
