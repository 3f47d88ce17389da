/** What can be asked for in a prompt. */
const names = ['date', 'tools', 'citations'] as const

/** A value for each placeholder. Absent is blank: there is nothing to say. */
export type PlaceholderValues = { readonly [name in (typeof names)[number]]?: string }

/**
 * Puts values where a prompt asks for them, with `{{date}}`, `{{tools}}` and `{{citations}}` (BEHAVIOURS §3.3): in any case,
 * with or without spaces inside the braces. Other names stay as they are. A line that holds nothing but placeholders whose
 * values are blank goes as a whole. A value is text: what looks like a placeholder in it is none. `used` names those that the
 * prompt asks for, each once, in its order.
 */
export function fillPlaceholders(
  prompt: string,
  values: PlaceholderValues,
): { readonly text: string; readonly used: readonly string[] } {
  const used = new Set<string>()
  const lines = prompt.split('\n').flatMap((line) => {
    let asked = false
    const filled = line.replace(placeholder, (_, written: string) => {
      const name = written.toLowerCase() as keyof PlaceholderValues
      used.add(name)
      asked = true
      return values[name] ?? ''
    })
    return asked && filled.trim() === '' ? [] : [filled]
  })
  return { text: lines.join('\n'), used: [...used] }
}

const placeholder = new RegExp(`\\{\\{[ \\t]*(${names.join('|')})[ \\t]*\\}\\}`, 'gi')
