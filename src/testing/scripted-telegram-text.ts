import type { MessageEntity } from 'grammy/types'
import { badRequest } from './scripted-telegram-request.ts'

export interface WrittenText {
  readonly text: string
  readonly entities: readonly MessageEntity[]
}

const LONGEST = 4096
const STYLES = new Set(['bold', 'italic', 'underline', 'strikethrough', 'spoiler'])
const SOLID = new Set(['pre', 'code'])
const QUOTES = new Set(['blockquote', 'expandable_blockquote'])
const TYPES = new Set([
  ...STYLES,
  ...SOLID,
  ...QUOTES,
  'text_link',
  'mention',
  'url',
  'hashtag',
  'bot_command',
  'email',
])

/** The text of a message as it appears in the chat. Throws the errors of the Bot API, and is stricter. */
export function parseText(text: unknown, entities: unknown): WrittenText {
  if (typeof text !== 'string') throw badRequest('message text is empty')
  if (!text.isWellFormed()) throw badRequest('strings must be encoded in UTF-8')
  if (text.trim() === '') throw badRequest('message text is empty')
  if (text.length > LONGEST) throw badRequest('message is too long')
  if (entities !== undefined && !Array.isArray(entities)) throw badRequest("can't parse entities: no array")
  const list = (entities ?? []) as readonly MessageEntity[]
  const fault = entitiesFault(text, list)
  if (fault) throw badRequest(`can't parse entities: ${fault}`)
  return trimText(text, list)
}

/** Checks the entities of a text against the section "Formatting options" of the Bot API documentation. */
function entitiesFault(text: string, entities: readonly MessageEntity[]): string | undefined {
  for (const [index, entity] of entities.entries()) {
    const { type, offset, length } = entity
    if (!TYPES.has(type)) return `unknown type ${type}`
    if (!Number.isInteger(offset) || !Number.isInteger(length) || offset < 0 || length <= 0)
      return 'wrong offset or length'
    const end = offset + length
    if (end > text.length) return `entity beyond the end of the text at offset ${offset}`
    if (splitsPair(text, offset) || splitsPair(text, end))
      return `entity in the midst of a character at offset ${offset}`
    if (text.slice(offset, end).trim() === '') return `entity of white space alone at offset ${offset}`
    if (type === 'text_link' && !/^(?:https?|mailto|tg):/i.test(entity.url ?? '')) return 'a link without an address'
    for (const other of entities.slice(index + 1)) {
      const otherEnd = other.offset + other.length
      if (other.offset >= end || offset >= otherEnd) continue
      const within = (other.offset >= offset && otherEnd <= end) || (offset >= other.offset && end <= otherEnd)
      if (!within) return `entities overlap at offset ${Math.max(offset, other.offset)}`
      if (!mayShare(type, other.type)) return `${type} and ${other.type} in one place at offset ${offset}`
    }
  }
  return undefined
}

function mayShare(one: string, other: string): boolean {
  if (one === other) return false
  if (SOLID.has(one)) return QUOTES.has(other)
  if (SOLID.has(other)) return QUOTES.has(one)
  return !(QUOTES.has(one) && QUOTES.has(other))
}

function splitsPair(text: string, at: number): boolean {
  return /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(Math.max(0, at - 1), at + 1))
}

/** Removes whitespace at both ends, except inside an entity at the beginning. */
function trimText(text: string, entities: readonly MessageEntity[]): WrittenText {
  const body = text.trimEnd()
  const blank = body.length - body.trimStart().length
  const start = Math.min(blank, ...entities.map(({ offset }) => offset))
  return {
    text: body.slice(start),
    entities: entities.map((entity) => ({
      ...entity,
      offset: entity.offset - start,
      length: Math.min(entity.length, body.length - entity.offset),
    })),
  }
}

/** Finds the entities that Telegram marks in the text of a person: commands, mentions and URLs. */
export function findEntities(text: string): MessageEntity[] {
  const found = (type: 'bot_command' | 'mention' | 'url', pattern: RegExp): MessageEntity[] =>
    Array.from(text.matchAll(pattern), (match) => ({ type, offset: match.index, length: match[0].length }))
  return [
    ...found('bot_command', /(?<![^\s])\/\w{1,32}(?:@\w{3,32})?(?!\w)/g),
    ...found('mention', /(?<![\w@/])@\w{3,32}/g),
    ...found('url', /https?:\/\/[^\s]+/g),
  ].toSorted((one, other) => one.offset - other.offset)
}
