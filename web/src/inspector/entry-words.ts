import type { ManifestEntry, Piece } from '../../../src/context.ts'

/** What a candidate is called where only its account is known: `System prompt`, `read_file`, `Turn`. */
export function entryTitle({ id, layer, slot }: Pick<ManifestEntry, 'id' | 'layer' | 'slot'>): string {
  if (layer === 'tool') return id
  if (layer === 'turn') return id === 'earlier' ? 'Earlier turns' : slot === 'input' ? 'Your message' : 'Turn'
  const name = layer.replaceAll('-', ' ')
  const title = name.charAt(0).toUpperCase() + name.slice(1)
  return id === layer ? title : `${title}: ${id}`
}

/** The same with the first words of a turn, where its messages are known. */
export function pieceTitle(entry: ManifestEntry, pieces: readonly Piece[]): string {
  const title = entryTitle(entry)
  if (entry.layer !== 'turn') return title
  const [first] = pieces
  const words = first === undefined ? '' : pieceText(first).replaceAll(/\s+/g, ' ').trim()
  return words === '' ? title : `${title}: ${words.length > 60 ? `${words.slice(0, 59)}…` : words}`
}

/** Exactly what is sent of a piece: a text, or the JSON of a tool or of a message with parts. */
export function pieceText({ content }: Piece): string {
  if (typeof content === 'string') return content
  if ('role' in content && typeof content.content === 'string') return content.content
  if ('role' in content && Array.isArray(content.content) && content.content.every(({ type }) => type === 'text')) {
    return content.content.map((part) => ('text' in part ? part.text : '')).join('')
  }
  return JSON.stringify('role' in content ? content.content : content, null, 2)
}

/** Who or what a candidate comes from. */
export function originSentence({ origin }: ManifestEntry): string {
  const { kind, ref } = origin
  const from = {
    operator: 'From you, the owner',
    user: 'From a person',
    file: 'From a file',
    web: 'From the web',
    tool: 'From a tool',
    model: 'From the model',
  }[kind]
  return `${from}: ${ref}`
}
