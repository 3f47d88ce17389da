import type { Layer, Layout } from '../context.ts'
import { fillPlaceholders } from './placeholder.ts'

/**
 * Puts what capabilities give for placeholders, such as `{{date}}`, and the guidance for tools and citations where a prompt asks for
 * them with `{{tools}}` and `{{citations}}` (BEHAVIOURS §3.3); a layer that was put there does not stand beside it as well.
 * What can appear in the middle of a turn stays out of the head unless the layout has it there: the guidance for citations
 * keeps its own place at the tail.
 */
export function placedGuidance(
  layers: readonly Layer[],
  layout: Layout,
  placeholders: Readonly<Record<string, string>> = {},
): readonly Layer[] {
  const prompt = layers.find(({ id }) => id === 'system-prompt')
  const [whole] = prompt?.renditions ?? []
  if (!prompt || !whole?.text.includes('{{')) return layers
  const textOf = (id: string): string => layers.find((layer) => layer.id === id)?.renditions[0]?.text ?? ''
  const values: Readonly<Record<string, string>> = {
    date: '',
    ...placeholders,
    tools: textOf(fillers.tools),
    citations: layout.citations.inPrompt ? textOf(fillers.citations) : '',
  }
  const { text, used } = fillPlaceholders(whole.text, values)
  const placed = new Set(used.flatMap((name) => (values[name] === '' ? [] : [layerOf(name)])))
  return layers
    .filter(({ id }) => !placed.has(id))
    .map((layer) => (layer === prompt ? { ...layer, renditions: [{ ...whole, text }] } : layer))
}

/** The layer that says by itself what a placeholder says in a prompt: it has the name of the placeholder unless these say otherwise. */
const fillers = { tools: 'tool-guidance', citations: 'citation-guidance' }

function layerOf(placeholder: string): string {
  return new Map(Object.entries(fillers)).get(placeholder) ?? placeholder
}
