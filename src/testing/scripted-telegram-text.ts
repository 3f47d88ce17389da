import { parseJson } from '../platform.ts'
import type { MessageEntity } from 'grammy/types'
import type { IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'

interface WrittenText {
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
  const body = text.trimEnd()
  const blank = body.length - body.trimStart().length
  const start = Math.min(blank, ...list.map(({ offset }) => offset))
  return {
    text: body.slice(start),
    entities: list.map((entity) => ({
      ...entity,
      offset: entity.offset - start,
      length: Math.min(entity.length, body.length - entity.offset),
    })),
  }
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

/** Reads the parameters of a call from its query and its body, JSON or a form, as the Bot API does. */
export async function readParameters(incoming: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  const address = new URL(incoming.url ?? '/', 'http://localhost')
  const bytes = await buffer(incoming)
  const type = incoming.headers['content-type'] ?? ''
  const query = parseFields(address.searchParams)
  if (bytes.byteLength === 0) return query
  if (type.startsWith('application/json')) return { ...query, ...parseJsonObject(bytes) }
  const form = await new Response(bytes, { headers: { 'content-type': type } }).formData().catch(() => {
    throw badRequest('the body can not be read')
  })
  return { ...query, ...parseFields(form) }
}

/** The values of these fields are always texts. */
const WORDS = new Set(['text', 'caption', 'callback_query_id', 'secret_token', 'url', 'file_id'])

/** The values of a form are texts. A value of another type is written as JSON. */
function parseFields(entries: Iterable<[string, unknown]>): Record<string, unknown> {
  return Object.fromEntries(
    Array.from(entries, ([name, value]) => [
      name,
      typeof value === 'string' && !WORDS.has(name) ? parseJson(value, value) : value,
    ]),
  )
}

function parseJsonObject(bytes: Buffer): Record<string, unknown> {
  const value = parseJson(bytes.toString('utf8'))
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw badRequest("can't parse JSON body")
  return value as Record<string, unknown>
}

export class BotApiRefusal extends Error {
  override readonly name = 'BotApiRefusal'
  readonly code: number
  readonly parameters: Readonly<Record<string, number>> | undefined

  constructor(code: number, description: string, parameters?: Readonly<Record<string, number>>) {
    super(description)
    this.code = code
    this.parameters = parameters
  }
}

export function badRequest(description: string): BotApiRefusal {
  return new BotApiRefusal(400, `Bad Request: ${description}`)
}
