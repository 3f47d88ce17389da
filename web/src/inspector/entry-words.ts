import {
  formPhrase,
  type Manifest,
  type ManifestEntry,
  type Piece,
  reasonSentence,
  turnNumber,
} from '../../../src/context.ts'

/** What a candidate is called where only its account is known: `System prompt`, `read_file`, `Turn 3`. */
export function entryTitle(entry: ManifestEntry, manifest: Manifest): string {
  const { id, layer, slot, name: called = id } = entry
  if (slot === 'tools') return id
  if (layer === 'turn' && slot === 'input') return entry.name ?? 'Your message'
  if (layer === 'tool-call' || layer === 'tool-result') return toolTitle(entry)
  const number = turnNumber(entry, manifest)
  if (layer === 'turn') return id === 'earlier' ? 'Earlier turns' : number === undefined ? 'Turn' : `Turn ${number}`
  if (layer === 'note') return `Note ${noteNumber(entry, manifest)}`
  const name = layer.replaceAll('-', ' ')
  const title = name.charAt(0).toUpperCase() + name.slice(1)
  if (number !== undefined) return `${title}, turn ${number}`
  const [, copy] = name === called.replace(/-\d+$/, '').replaceAll('-', ' ') ? (/-(\d+)$/.exec(called) ?? []) : []
  if (copy !== undefined) return `${title} ${copy}`
  return id === layer ? title : `${title}: ${called}`
}

/** Of a call of another program: the tool, and the file or command that it names. */
function toolTitle({ layer, origin, name }: ManifestEntry): string {
  const what = name === undefined ? origin.ref : `${origin.ref} ${name}`
  return layer === 'tool-call' ? `Call of ${what}` : `Result of ${what}`
}

/** From 1, in reading order. */
export function noteNumber({ id }: Pick<ManifestEntry, 'id'>, { entries }: Manifest): number {
  return entries.filter(({ layer }) => layer === 'note').findIndex((note) => note.id === id) + 1
}

/** What a part of the running turn is: what was said, a call, a result. */
export function turnPieceTitle(piece: Piece): string {
  const { content } = piece
  if (typeof content === 'string' || !('role' in content)) return 'Your message'
  const parts = typeof content.content === 'string' ? [] : content.content
  const names = parts.flatMap((part) => ('toolName' in part ? [part.toolName] : []))
  if (names.length > 0) return `${content.role === 'tool' ? 'Result' : 'Call'} of ${names.join(', ')}`
  const title = content.role === 'user' ? 'Your message' : 'Said by the model'
  return `${title}: ${shortWords(piece)}`
}

/** A title with the first words of a turn, where its messages are known. */
export function pieceTitle(entry: ManifestEntry, manifest: Manifest, pieces: readonly Piece[]): string {
  const title = entryTitle(entry, manifest)
  if (entry.layer !== 'turn') return title
  const [first] = pieces
  const words = first === undefined ? '' : shortWords(first)
  return words === '' ? title : `${title}: ${words}`
}

function shortWords(piece: Piece): string {
  const words = pieceWords(piece).replaceAll(/\s+/g, ' ').trim()
  return words.length > 60 ? `${words.slice(0, 59)}…` : words
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

/** In which form a candidate is sent, and why. `forms`: how many it has, where that is known. */
export function formSentence(entry: ManifestEntry, manifest: Manifest, forms?: number): string {
  const { form = 'full', outcome } = entry
  const reason = reasonSentence(entry, manifest)
  if (outcome === 'reduced') return `Sent ${formPhrase(form)}: ${reason ?? 'there is no room for its full form.'}`
  const choice =
    forms === 1 ? 'It has no other form.' : `It is the fullest of its ${forms} forms, and there is room for it.`
  return [`Sent ${formPhrase(form)}.`, forms === undefined ? undefined : choice, reason].filter(Boolean).join(' ')
}

/** Kinds of origins, as the beginning of a sentence. */
export const originTitles: Readonly<Record<ManifestEntry['origin']['kind'], string>> = {
  operator: 'From the owner',
  user: 'From a person',
  file: 'From a file',
  web: 'From the web',
  tool: 'From a tool',
  model: 'From the model',
}
