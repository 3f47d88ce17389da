import type { MessageEntity } from 'grammy/types'

export interface FormattedText {
  readonly text: string
  /** Offsets and lengths are UTF-16 code units of `text`. Sorted; of two that share characters, one contains the other. */
  readonly entities: readonly MessageEntity[]
}

export function plainText(text: string): FormattedText {
  return { text: text.toWellFormed(), entities: [] }
}

/** At most `most` characters of a text; what was cut ends with `…`. */
export function shorten(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`
}

export function styledText(text: string, type: 'bold' | 'italic' | 'pre' | 'code'): FormattedText {
  const plain = plainText(text)
  return plain.text === '' ? plain : { ...plain, entities: [{ type, offset: 0, length: plain.text.length }] }
}

/** Joins texts and leaves out empty ones. */
export function joinFormatted(texts: readonly FormattedText[], between: string): FormattedText {
  let text = ''
  const entities: FormattedText['entities'][number][] = []
  for (const part of texts) {
    if (part.text === '') continue
    if (text !== '') text += between
    const start = text.length
    entities.push(...part.entities.map((entity) => ({ ...entity, offset: entity.offset + start })))
    text += part.text
  }
  return { text, entities }
}

/** Without the white space at the ends. The indentation of the first line of a code block stays. */
export function textSlice({ text, entities }: FormattedText, start = 0, end = text.length): FormattedText {
  const last = start + text.slice(start, end).trimEnd().length
  const first = firstKept(text, entities, start, last)
  const shown = text.slice(first, last)
  return { text: shown, entities: entities.flatMap((entity) => clipped(shown, entity, first) ?? []) }
}

/** Where a slice begins without the white space before it. */
export function firstKept(text: string, entities: readonly MessageEntity[], start: number, end = text.length): number {
  const first = start + blanksBefore(text.slice(start, end))
  const line = Math.max(start, text.lastIndexOf('\n', first - 1) + 1)
  if (line >= first || first >= end) return first
  const isCode = entities.some(
    ({ type, offset, length }) => type === 'pre' && offset <= line && first < offset + length,
  )
  return isCode ? line : first
}

/** An entity without the white space at its ends; `undefined` if it has nothing else. */
export function trimEntity(text: string, entity: MessageEntity): MessageEntity | undefined {
  const { type, offset, length } = entity
  const end = offset + text.slice(offset, offset + length).trimEnd().length
  const first = offset + blanksBefore(text.slice(offset, end))
  // An entity that may contain code keeps whole lines. Otherwise it would begin within the code.
  const keepsLines = type === 'pre' || type === 'blockquote'
  const start = keepsLines ? Math.max(offset, text.lastIndexOf('\n', first - 1) + 1) : first
  return first < end ? { ...entity, offset: start, length: end - start } : undefined
}

function clipped(shown: string, entity: MessageEntity, first: number): MessageEntity | undefined {
  const offset = Math.max(0, entity.offset - first)
  const end = Math.min(shown.length, entity.offset + entity.length - first)
  return end > offset ? trimEntity(shown, { ...entity, offset, length: end - offset }) : undefined
}

function blanksBefore(text: string): number {
  return text.length - text.trimStart().length
}
