import type { ForeignAssembly } from '../../foreign.ts'

/** The first words of a person in a prompt; `undefined` where there are none. What a program puts around them is no part of them. */
export function firstWords({ manifest, pieces }: ForeignAssembly): string | undefined {
  for (const { entry, content, joined } of pieces) {
    if (typeof content === 'string' || !('role' in content) || content.role !== 'user') continue
    const sections = joined ?? [{ entry, text: textInMessage(content.content) }]
    const said = sections.find((each) => manifest.entries[each.entry]?.layer === 'turn' && each.text.trim() !== '')
    if (said) return said.text
  }
  return undefined
}

/** What a message says, without its images, calls and results. */
export function textInMessage(content: string | readonly object[]): string {
  if (typeof content === 'string') return content
  return content.flatMap((part) => ('text' in part && typeof part.text === 'string' ? [part.text] : [])).join('\n')
}

/** The turn of a prompt without words of a person. */
export const NO_TURN = 'turn'

/** Names the turn of a prompt whose program names none: the last one that a person began. */
export function turnIn({ manifest }: ForeignAssembly): string {
  return manifest.entries.findLast(({ layer, slot }) => layer === 'turn' && slot === 'input')?.id ?? NO_TURN
}

/** The newest words of a person in a prompt; `undefined` where there are none. */
export function newestWords({ manifest, pieces }: ForeignAssembly): string | undefined {
  const newest = manifest.entries.findLast(({ layer, slot }) => layer === 'turn' && slot === 'input')
  if (newest === undefined) return undefined
  const said = pieces.flatMap(({ entry, content, joined }) => {
    if (typeof content === 'string' || !('role' in content) || content.role !== 'user') return []
    const sections = joined ?? [{ entry, text: textInMessage(content.content) }]
    return sections.filter((each) => {
      const { layer, id } = manifest.entries[each.entry] ?? {}
      return layer === 'turn' && id === newest.id && each.text.trim() !== ''
    })
  })
  return said.map(({ text }) => text).join('\n\n') || undefined
}
