/** A value for each placeholder, by its name. Blank: there is nothing to say. */
export type PlaceholderValues = Readonly<Record<string, string>>

/**
 * Puts values where a prompt asks for them, such as `{{date}}`, `{{tools}}` and `{{citations}}` (BEHAVIOURS §3.3): in any case,
 * with or without spaces inside the braces. Other names stay as they are. A line that holds nothing but placeholders whose
 * values are blank goes as a whole. A value is text: what looks like a placeholder in it is none. `used` names those that the
 * prompt asks for, each once, in its order.
 */
export function fillPlaceholders(
  prompt: string,
  values: PlaceholderValues,
): { readonly text: string; readonly used: readonly string[] } {
  const known = new Map(Object.entries(values).map(([name, value]) => [name.toLowerCase(), { name, value }]))
  const used = new Set<string>()
  const lines = prompt.split('\n').flatMap((line) => {
    let asked = false
    const filled = line.replace(placeholder, (whole, written: string) => {
      const found = known.get(written.toLowerCase())
      if (!found) return whole
      used.add(found.name)
      asked = true
      return found.value
    })
    return asked && filled.trim() === '' ? [] : [filled]
  })
  return { text: lines.join('\n'), used: [...used] }
}

const placeholder = /\{\{[ \t]*([\w-]+)[ \t]*\}\}/g
