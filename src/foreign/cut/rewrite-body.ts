import { defined, fieldsOf, elementsOf } from '../../platform.ts'
import { conversationFields, type ConversationItem } from './conversation-items.ts'
import { answerField, type ConversationFormat } from '../../wire.ts'

/** What is changed in a body. Positions are those of the items in its conversation. */
export interface BodyChanges {
  readonly items: readonly ConversationItem[]
  readonly dropped: ReadonlySet<number>
  /** New texts of results: by position, and by the id of the call. */
  readonly results: ReadonlyMap<number, ReadonlyMap<string, string>>
  /** Texts of one message of the user in front of the first item that was dropped. */
  readonly notes: readonly string[]
  /** Added where the body has none. */
  readonly cacheKey?: string | undefined
}

/** A body with the changes: everything else in it, and every item that is kept as it is, has the bytes that it had. */
export function rewriteBody(text: string, format: ConversationFormat, body: unknown, changes: BodyChanges): string {
  const field = conversationFields[format]
  const list = spanAt(text, [field])
  if (!list) throw new Error(`the body has no ${field}`)
  const { items: all, dropped, results, notes, cacheKey } = changes
  const noteAt = Math.min(...dropped)
  const items: string[] = []
  const spans = text[list.start] === '[' ? childrenOf(text, list) : []
  for (const [at, span] of spans.entries()) {
    if (at === noteAt && notes.length > 0) items.push(noteItem(format, notes, freeMark(format, body, dropped, noteAt)))
    if (dropped.has(at)) continue
    const shorter = results.get(at)
    items.push(shorter ? shortenedItem(text, span, format, all[at]!, shorter) : text.slice(span.start, span.end))
  }
  const end = text.lastIndexOf('}')
  const key =
    cacheKey !== undefined && format === 'responses' && fieldsOf(body)['prompt_cache_key'] === undefined
      ? `,"prompt_cache_key":${JSON.stringify(cacheKey)}`
      : ''
  return `${text.slice(0, list.start)}[${items.join(',')}]${text.slice(list.end, end)}${key}${text.slice(end)}`
}

function noteItem(format: ConversationFormat, notes: readonly string[], mark: unknown): string {
  if (format === 'chat-completions') return JSON.stringify({ role: 'user', content: notes.join('\n\n') })
  if (format === 'generate-content') return JSON.stringify({ role: 'user', parts: notes.map((text) => ({ text })) })
  const type = format === 'messages' ? 'text' : 'input_text'
  const content = notes.map((text, at) => ({
    type,
    text,
    ...defined({ cache_control: at === notes.length - 1 ? mark : undefined }),
  }))
  return JSON.stringify(format === 'messages' ? { role: 'user', content } : { type: 'message', role: 'user', content })
}

function shortenedItem(
  text: string,
  span: TextSpan,
  format: ConversationFormat,
  item: ConversationItem,
  results: ReadonlyMap<string, string>,
): string {
  const changes = [...results].map(([call, shorter]) => {
    const path = resultPath(format, item, call)
    const at = spanAt(text, path, span)
    if (!at) throw new Error('a result is not where it was read')
    return { ...at, text: resultValue(path, item.value, shorter) }
  })
  let written = ''
  let from = span.start
  for (const change of changes.toSorted((one, other) => one.start - other.start)) {
    written += text.slice(from, change.start) + change.text
    from = change.end
  }
  return written + text.slice(from, span.end)
}

function resultPath(format: ConversationFormat, item: ConversationItem, call: string): readonly (string | number)[] {
  if (format === 'responses') return ['output']
  if (format === 'chat-completions') return ['content']
  if (format === 'generate-content') return answerPath(item, call)!
  const blocks = elementsOf(fieldsOf(item.value)['content'])
  return ['content', blocks.findIndex((block) => fieldsOf(block)['tool_use_id'] === call), 'content']
}

/** Where a message of Gemini's has the text that a function answered; `undefined` where it answered more than that. */
export function answerPath({ value, parts }: ConversationItem, call: string): readonly (string | number)[] | undefined {
  const [part, ...others] = parts.filter((each) => each.role === 'tool' && each.call === call)
  const at = Number(part?.path?.split('.')[3])
  const [name, response] = Object.entries(fieldsOf(elementsOf(fieldsOf(value)['parts'])[at])).find(([key]) =>
    /^function_?response$/i.test(key),
  ) ?? ['', undefined]
  const field = answerField(fieldsOf(response)['response'])
  return field === undefined || others.length > 0 ? undefined : ['parts', at, name, 'response', field]
}

/** A text; a block with its mark where the caller's mark was within the result. */
function resultValue(path: readonly (string | number)[], value: unknown, text: string): string {
  const old = path.reduce<unknown>(
    (at, key) => (fieldsOf(at) as Readonly<Record<string | number, unknown>>)[key],
    value,
  )
  const mark = elementsOf(old)
    .map((block) => fieldsOf(block)['cache_control'])
    .findLast((each) => each !== undefined && each !== null)
  return mark === undefined ? JSON.stringify(text) : JSON.stringify([{ type: 'text', text, cache_control: mark }])
}

/** The most marks that Anthropic accepts in one request. */
const MOST_MARKS = 4

/** A mark for the end of the note, as the caller's next one is; `undefined` where it uses none, or all that there are. */
function freeMark(format: ConversationFormat, body: unknown, dropped: ReadonlySet<number>, noteAt: number): unknown {
  if (format !== 'messages') return undefined
  const fields = fieldsOf(body)
  const kept = elementsOf(fields['messages']).map((item, at) => (dropped.has(at) ? [] : marksIn(item)))
  const before = [...marksIn(fields['tools']), ...marksIn(fields['system']), ...kept.slice(0, noteAt).flat()]
  const own = fieldsOf(body)['cache_control']
  const after = [...kept.slice(noteAt).flat(), ...(own === undefined || own === null ? [] : [own])]
  const count = before.length + after.length
  // Marks that live longer come first: this one lives as long as the one behind it.
  return count === 0 || count >= MOST_MARKS ? undefined : (after[0] ?? before.at(-1))
}

function marksIn(value: unknown): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) return value.flatMap(marksIn)
  const { cache_control: mark, content } = value as Readonly<Record<string, unknown>>
  const own = mark === undefined || mark === null ? [] : [mark]
  return [...marksIn(content), ...own]
}

/** Where a value stands in a JSON text: from `start` up to and without `end`. */
interface TextSpan {
  readonly start: number
  readonly end: number
}

/** A field of an object, or an element of a list, whose key is then its index. */
interface Child extends TextSpan {
  readonly key: string
}

/**
 * The value at a path in a JSON text that `JSON.parse` accepts, as it is written. `undefined`: there is none. Of several fields
 * of one name the last counts, as for `JSON.parse`.
 */
function spanAt(text: string, path: readonly (string | number)[], from?: TextSpan): TextSpan | undefined {
  let found = from ?? { start: afterSpace(text, 0), end: text.trimEnd().length }
  for (const key of path) {
    const inner = childrenOf(text, found).findLast((child) => child.key === String(key))
    if (!inner) return undefined
    found = inner
  }
  return { start: found.start, end: found.end }
}

function childrenOf(text: string, { start }: TextSpan): readonly Child[] {
  const isFields = text[start] === '{'
  if (!isFields && text[start] !== '[') return []
  const children: Child[] = []
  let at = afterSpace(text, start + 1)
  while (at < text.length && text[at] !== '}' && text[at] !== ']') {
    let key = String(children.length)
    if (isFields) {
      const end = valueEnd(text, at)
      key = JSON.parse(text.slice(at, end)) as string
      at = afterSpace(text, afterSpace(text, end) + 1)
    }
    const end = valueEnd(text, at)
    children.push({ key, start: at, end })
    at = afterSpace(text, end)
    if (text[at] === ',') at = afterSpace(text, at + 1)
  }
  return children
}

function afterSpace(text: string, from: number): number {
  let at = from
  while (at < text.length && text.charCodeAt(at) <= 0x20) at += 1
  return at
}

/** Behind the value that begins here. */
function valueEnd(text: string, begin: number): number {
  const first = text[begin]
  if (first === '"') return textEnd(text, begin)
  let at = begin
  if (first !== '{' && first !== '[') {
    while (at < text.length && !',}]'.includes(text[at]!) && text.charCodeAt(at) > 0x20) at += 1
    return at
  }
  let depth = 0
  while (at < text.length) {
    const sign = text[at]
    if (sign === '"') {
      at = textEnd(text, at)
      continue
    }
    if (sign === '{' || sign === '[') depth += 1
    if (sign === '}' || sign === ']') depth -= 1
    at += 1
    if (depth === 0) return at
  }
  return at
}

/** Behind the quote that ends a text. */
function textEnd(text: string, begin: number): number {
  for (let from = begin + 1; ;) {
    const quote = text.indexOf('"', from)
    if (quote < 0) return text.length
    let slashes = 0
    while (text[quote - slashes - 1] === '\\') slashes += 1
    if (slashes % 2 === 0) return quote + 1
    from = quote + 1
  }
}
