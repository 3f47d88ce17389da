import type { MessageEntity } from 'grammy/types'
import { lexer } from 'marked'
import { type FormattedText, plainText, textSlice, trimEntity } from './formatted-text.ts'
import { type Mark, type MarkKind, type Style, textWriter } from './text-writer.ts'
import { writeBlocks } from './write-blocks.ts'

/**
 * Markdown, as models write it. What Telegram cannot format stays as plain text. No words are lost, and no input
 * makes it throw. An open code fence is a code block; open bold words show the asterisks.
 */
export function formatMarkdown(markdown: string): FormattedText {
  const source = markdown.toWellFormed()
  try {
    const writer = textWriter()
    writeBlocks(lexer(source), writer)
    const { text, marks } = writer
    return textSlice({ text, entities: messageEntities(text, marks) })
  } catch (error) {
    // Thousands of nested quotes exceed the stack.
    if (error instanceof RangeError) return textSlice(plainText(source))
    throw error
  }
}

/**
 * By Telegram's rules (Bot API, "Formatting options"): code contains no other entity and may be only in quotes;
 * quotes and links do not nest; no entity begins or ends with white space.
 */
function messageEntities(text: string, marks: readonly Mark[]): readonly MessageEntity[] {
  const links = outermost(marks.filter(({ type }) => type === 'text_link'))
  const quotes = outermost(marks.filter(({ type }) => type === 'blockquote'))
  // A link counts for more than the style of its words.
  const code = marks.filter((mark) => mark.type === 'pre' || (mark.type === 'code' && !isWithinAny(mark, links)))
  const solid = code.toSorted(byPlace)
  const styled = STYLES.flatMap((type) =>
    outermost(marks.filter((mark) => mark.type === type)).flatMap((mark) => without(mark, solid)),
  )
  return [...quotes, ...links, ...styled, ...solid]
    .map(markEntity)
    .flatMap((entity) => trimEntity(text, entity) ?? [])
    .toSorted((one, other) => one.offset - other.offset || other.length - one.length)
}

const STYLES: readonly Style[] = ['bold', 'italic', 'strikethrough']

function byPlace(one: Mark, other: Mark): number {
  return one.start - other.start || other.end - one.end
}

/** Marks come from a tree: two of them are either disjoint, or one contains the other and ended after it. */
function outermost(marks: readonly Mark[]): readonly Mark[] {
  let end = -1
  return marks
    .toReversed()
    .toSorted(byPlace)
    .filter((mark) => {
      if (mark.start < end) return false
      end = mark.end
      return true
    })
}

function isWithinAny(mark: Mark, others: readonly Mark[]): boolean {
  return others.some(({ start, end }) => start <= mark.start && mark.end <= end)
}

function without(mark: Mark, solid: readonly Mark[]): readonly Mark[] {
  const left: Mark[] = []
  let start = mark.start
  for (const hole of solid) {
    if (hole.end <= start || hole.start >= mark.end) continue
    if (hole.start > start) left.push({ ...mark, start, end: hole.start })
    start = hole.end
  }
  return start < mark.end ? [...left, { ...mark, start }] : left
}

function markEntity({ start, end, ...kind }: Mark): MessageEntity {
  return { ...(kind as MarkKind), offset: start, length: end - start }
}
