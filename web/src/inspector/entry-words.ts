import {
  changedLayer,
  formPhrase,
  type Manifest,
  type ManifestEntry,
  noteNumber,
  type Piece,
  reasonSentence,
  turnNumber,
} from '../../../src/context.ts'
import { t, translated } from '../language/language.ts'

/** What a candidate is called where only its account is known: `System prompt`, `read_file`, `Turn 3`. */
export function entryTitle(entry: ManifestEntry, manifest: Manifest): string {
  const { id, layer, slot, name: called = id } = entry
  if (slot === 'tools') return id
  if (layer === 'turn' && slot === 'input') return entry.name ?? t`Your message`
  if (layer === 'tool-call' || layer === 'tool-result') return toolTitle(entry)
  const number = turnNumber(entry, manifest)
  if (layer === 'turn') return id === 'earlier' ? t`Earlier turns` : number === undefined ? t`Turn` : t`Turn ${number}`
  const changed = changedLayer(entry)
  if (changed !== undefined) return t`Change of ${layerTitles[changed] ?? changed}`
  if (layer === 'note') return t`Note ${noteNumber(entry, manifest)}`
  const name = layer.replaceAll('-', ' ')
  const title = layerTitles[layer] ?? name.charAt(0).toUpperCase() + name.slice(1)
  if (number !== undefined) return t`${title}, turn ${number}`
  const [, copy] = name === called.replace(/-\d+$/, '').replaceAll('-', ' ') ? (/-(\d+)$/.exec(called) ?? []) : []
  if (copy !== undefined) return `${title} ${copy}`
  return id === layer ? title : `${title}: ${called}`
}

/** Of a call of another program: the tool, and the file or command that it names. */
function toolTitle({ layer, origin, name }: ManifestEntry): string {
  const what = name === undefined ? origin.ref : `${origin.ref} ${name}`
  return layer === 'tool-call' ? t`Call of ${what}` : t`Result of ${what}`
}

/** What a part of the running turn is: what was said, a call, a result. */
export function turnPieceTitle(piece: Piece): string {
  const { content } = piece
  if (typeof content === 'string' || !('role' in content)) return t`Your message`
  const parts = typeof content.content === 'string' ? [] : content.content
  const names = parts.flatMap((part) => ('toolName' in part ? [part.toolName] : []))
  if (names.length > 0)
    return content.role === 'tool' ? t`Result of ${names.join(', ')}` : t`Call of ${names.join(', ')}`
  const title = content.role === 'user' ? t`Your message` : t`Said by the model`
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
  const sentence = reasonSentence(entry, manifest)
  const reason = sentence && translated(sentence)
  if (outcome === 'reduced') return t`Sent ${formWords(form)}: ${reason ?? t`there is no room for its full form.`}`
  const choice =
    forms === 1 ? t`It has no other form.` : t`It is the fullest of its ${forms ?? 0} forms, and there is room for it.`
  return [t`Sent ${formWords(form)}.`, forms === undefined ? undefined : choice, reason].filter(Boolean).join(' ')
}

const forms: Readonly<Record<string, string>> = {
  full: t`in full`,
  excerpt: t`as an excerpt`,
  list: t`as a list`,
  'list-names': t`as a list of names`,
  'list-search': t`as a hint to search`,
  'tool-output-excerpt': t`with excerpts of tool results`,
  'tool-output-cleared': t`without tool results`,
  words: t`in words of the model, with an index`,
  index: t`as an index`,
  'image-marker': t`with a marker in place of images`,
}

/** A form as it follows `Sent`: `as a list`. One that the core does not know has its own name. */
export function formWords(form: string): string {
  return forms[form] ?? formPhrase(form)
}

/** Layers that Foreword itself brings along; others are called by their ids. */
const layerTitles: Readonly<Record<string, string>> = {
  attachment: t`Attachment`,
  caller: t`Caller`,
  command: t`Command`,
  'custom-agent': t`Custom agent`,
  date: t`Date`,
  'deferred-tools': t`Deferred tools`,
  environment: t`Environment`,
  instructions: t`Instructions`,
  memory: t`Memory`,
  reminder: t`Reminder`,
  'agent-reminder': t`Agent reminder`,
  skill: t`Skill`,
  skills: t`Skills`,
  subject: t`Subject`,
  'system-prompt': t`System prompt`,
}

/** Kinds of origins, as the beginning of a sentence. */
export const originTitles: Readonly<Record<ManifestEntry['origin']['kind'], string>> = {
  operator: t`From the owner`,
  user: t`From a person`,
  file: t`From a file`,
  web: t`From the web`,
  tool: t`From a tool`,
  model: t`From the model`,
}
