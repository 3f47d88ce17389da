import type { ForeignAssembly } from '../../foreign.ts'

/** The first words of a person in a prompt; `undefined` where there are none. What programs put around them begins with a tag. */
export function firstWords({ request }: ForeignAssembly): string | undefined {
  for (const { role, content } of request.messages) {
    if (role !== 'user') continue
    const texts =
      typeof content === 'string' ? [content] : content.flatMap((part) => (part.type === 'text' ? [part.text] : []))
    const words = texts.find((text) => text.trim() !== '' && !/^\s*[<#]/.test(text))
    if (words !== undefined) return words
  }
  return undefined
}

/** Names the turn of a prompt whose program names none: by the last message of a person. */
export function turnIn({ manifest, pieces }: ForeignAssembly): string {
  const last = pieces.findLast(
    ({ content }) => typeof content !== 'string' && 'role' in content && content.role === 'user',
  )
  return last === undefined ? 'turn' : (manifest.entries[last.entry]?.id.split('/')[0] ?? 'turn')
}
