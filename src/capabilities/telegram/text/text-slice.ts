import type { MessageEntity } from 'grammy/types'
import type { FormattedText } from './formatted-text.ts'

/**
 * A stretch of a text without the white space at its ends. The blanks before the first line of a block of code belong to it
 * and stay.
 */
export function textSlice({ text, entities }: FormattedText, start = 0, end = text.length): FormattedText {
  const last = start + text.slice(start, end).trimEnd().length
  const first = firstKept(text, entities, start, last)
  const shown = text.slice(first, last)
  return { text: shown, entities: entities.flatMap((entity) => clipped(shown, entity, first) ?? []) }
}

/** Where a stretch begins once the white space before it is left out. */
export function firstKept(text: string, entities: readonly MessageEntity[], start: number, end = text.length): number {
  const ink = start + blanksBefore(text.slice(start, end))
  const line = Math.max(start, text.lastIndexOf('\n', ink - 1) + 1)
  if (line >= ink || ink >= end) return ink
  const isCode = entities.some(({ type, offset, length }) => type === 'pre' && offset <= line && ink < offset + length)
  return isCode ? line : ink
}

/** An entity without the white space at its ends, none where nothing else is left. */
export function tightened(text: string, entity: MessageEntity): MessageEntity | undefined {
  const { type, offset, length } = entity
  const end = offset + text.slice(offset, offset + length).trimEnd().length
  const ink = offset + blanksBefore(text.slice(offset, end))
  // What may hold code keeps whole lines: it would begin within the code otherwise.
  const keepsLines = type === 'pre' || type === 'blockquote'
  const first = keepsLines ? Math.max(offset, text.lastIndexOf('\n', ink - 1) + 1) : ink
  return ink < end ? { ...entity, offset: first, length: end - first } : undefined
}

function clipped(shown: string, entity: MessageEntity, first: number): MessageEntity | undefined {
  const offset = Math.max(0, entity.offset - first)
  const end = Math.min(shown.length, entity.offset + entity.length - first)
  return end > offset ? tightened(shown, { ...entity, offset, length: end - offset }) : undefined
}

function blanksBefore(text: string): number {
  return text.length - text.trimStart().length
}
