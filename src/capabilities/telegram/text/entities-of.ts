import type { MessageEntity } from 'grammy/types'
import type { Mark, MarkKind, Style } from './mark.ts'
import { tightened } from './text-slice.ts'

/**
 * Marks as Telegram takes them (Bot API, "Formatting options"): code holds nothing else and stands in quotes alone; quotes and
 * links do not hold their like; nothing begins or ends in white space.
 */
export function entitiesOf(text: string, marks: readonly Mark[]): readonly MessageEntity[] {
  const links = outermost(marks.filter(({ type }) => type === 'text_link'))
  const quotes = outermost(marks.filter(({ type }) => type === 'blockquote'))
  // A link is worth more than the looks of its words.
  const code = marks.filter((mark) => mark.type === 'pre' || (mark.type === 'code' && !isWithinAny(mark, links)))
  const solid = code.toSorted(byPlace)
  const styled = STYLES.flatMap((type) =>
    outermost(marks.filter((mark) => mark.type === type)).flatMap((mark) => without(mark, solid)),
  )
  return [...quotes, ...links, ...styled, ...solid]
    .map(entityOf)
    .flatMap((entity) => tightened(text, entity) ?? [])
    .toSorted((one, other) => one.offset - other.offset || other.length - one.length)
}

const STYLES: readonly Style[] = ['bold', 'italic', 'strikethrough']

function byPlace(one: Mark, other: Mark): number {
  return one.start - other.start || other.end - one.end
}

/** Marks come from a tree: each two are apart, or one holds the other and ended after it. */
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

/** What is left of a mark beside code. */
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

function entityOf({ start, end, ...kind }: Mark): MessageEntity {
  return { ...(kind as MarkKind), offset: start, length: end - start }
}
