import { type Manifest, outputText, type Piece } from '../../../src/context.ts'

/** A candidate of a call, by its layer and id. */
export function entryKey({ layer, id }: Pick<Manifest['entries'][number], 'layer' | 'id'>): string {
  return `${layer} ${id}`
}

/** What the model reads of each candidate, as text for people, by `entryKey`. */
export function textsOf({
  manifest,
  pieces,
}: {
  readonly manifest: Manifest
  readonly pieces: readonly Piece[]
}): ReadonlyMap<string, string> {
  const texts = new Map<string, string>()
  const said = pieces.flatMap(({ entry, content, joined }) => joined ?? [{ entry, text: contentText(content) }])
  for (const { entry, text } of said) {
    const key = entryKey(manifest.entries[entry]!)
    const before = texts.get(key)
    texts.set(key, before === undefined ? text : `${before}\n\n${text}`)
  }
  return texts
}

export function contentText(content: Piece['content']): string {
  if (typeof content === 'string') return content
  if (!('role' in content)) return JSON.stringify(content, null, 2)
  return `${content.role}:\n${typeof content.content === 'string' ? content.content : content.content.map(partText).join('\n')}`
}

type Part = Exclude<Extract<Piece['content'], { role: string }>['content'], string>[number]

function partText(part: Part): string {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return part.text
    case 'tool-call':
      return `${part.toolName} ${JSON.stringify(part.input)}`
    case 'tool-result':
      return outputText(part.output)
    default:
      return `[${part.type}]`
  }
}
