import { type Manifest, type ManifestEntry, type Piece, type Scenario, turnNumber } from '../../../src/context.ts'

/** What a candidate is called where only its account is known: `System prompt`, `read_file`, `Turn 3`. */
export function entryTitle(entry: ManifestEntry, manifest: Manifest): string {
  const { id, layer, slot } = entry
  if (slot === 'tools') return id
  if (layer === 'turn' && slot === 'input') return 'Your message'
  const number = turnNumber(entry, manifest)
  if (layer === 'turn') return id === 'earlier' ? 'Earlier turns' : number === undefined ? 'Turn' : `Turn ${number}`
  const name = layer.replaceAll('-', ' ')
  const title = name.charAt(0).toUpperCase() + name.slice(1)
  if (number !== undefined) return `${title}, turn ${number}`
  return id === layer ? title : `${title}: ${id}`
}

/** The candidate as people name it: a file by its name, where the input is known, instead of by its id. For words only. */
export function namedEntry(entry: ManifestEntry, scenario: Pick<Scenario, 'attachments'> | undefined): ManifestEntry {
  if (entry.layer !== 'attachment') return entry
  const file = scenario?.attachments.find(({ id }) => id === entry.id)
  return file === undefined ? entry : { ...entry, id: file.name }
}

/** A title with the first words of a turn, where its messages are known. */
export function pieceTitle(entry: ManifestEntry, manifest: Manifest, pieces: readonly Piece[]): string {
  const title = entryTitle(entry, manifest)
  if (entry.layer !== 'turn') return title
  const [first] = pieces
  const words = first === undefined ? '' : pieceWords(first).replaceAll(/\s+/g, ' ').trim()
  return words === '' ? title : `${title}: ${words.length > 60 ? `${words.slice(0, 59)}…` : words}`
}

/** What a message says; a part of it that is no text by its kind. */
function pieceWords(piece: Piece): string {
  const { content } = piece
  if (typeof content === 'string' || !('role' in content) || !Array.isArray(content.content)) return pieceText(piece)
  return content.content.map((part) => ('text' in part ? part.text : `[${part.type}]`)).join(' ')
}

/** Exactly what is sent of a piece: a text, or the JSON of a tool or of a message with parts. */
export function pieceText({ content }: Pick<Piece, 'content'>): string {
  if (typeof content === 'string') return content
  if ('role' in content && typeof content.content === 'string') return content.content
  if ('role' in content && Array.isArray(content.content) && content.content.every(({ type }) => type === 'text')) {
    return content.content.map((part) => ('text' in part ? part.text : '')).join('')
  }
  return JSON.stringify('role' in content ? content.content : content, null, 2)
}
