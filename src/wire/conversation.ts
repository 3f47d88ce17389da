import type { AnyMessage, AssistantMessage, ToolOutput, UserMessage } from '../context.ts'
import { parseJson } from '../platform.ts'
import type { WireMedia, WirePart } from './part.ts'

/** A part of a caller's body that cannot be passed on. `path` is where it stands. */
export class UnreadablePart extends Error {
  override readonly name = 'UnreadablePart'
  readonly path: string

  constructor(path: string, why: string) {
    super(`${path}: ${why}.`)
    this.path = path
  }
}

type FilePart = Extract<Exclude<UserMessage['content'], string>[number], { type: 'file' }>
type AssistantPart = Exclude<AssistantMessage['content'], string>[number]
type ResultPart = Extract<ToolOutput, { type: 'content' }>['value'][number]

/** What the formats have of their own when their parts become messages. */
export interface ConversationRules {
  /** A file as a part of a message. Throws for one that cannot be passed on. */
  readonly file: (media: WireMedia, path: string) => FilePart
  /** Says of a result that the call with this id is not before it. */
  readonly orphan: (id: string) => string
  /** The format has one text in an answer and in a result: several are joined by a line break. */
  readonly joinsTexts?: true
  /** Each item is one part of an answer: what a model said, thought and called before a result is one message. */
  readonly joinsItems?: true
  /** What the provider needs back with its reasoning, from what only it can read. Absent: that is not passed on. */
  readonly sealed?: (data: string, part: WirePart) => Extract<AssistantPart, { type: 'reasoning' }>['providerOptions']
}

/**
 * The conversation that a caller sends, in the format of the core: what a reader of a body found becomes messages. Strict, where
 * the account of a body is not.
 *
 * @throws UnreadablePart for what no reader knows, and for a result without its call.
 */
export function conversationOf(parts: Iterable<WirePart>, rules: ConversationRules): readonly AnyMessage[] {
  const drafts: MessageDraft[] = []
  const tools = new Map<string, string>()
  for (const part of parts) {
    refuseUnknown(part)
    if (part.rest || part.kind === 'tool') continue
    const last = drafts.at(-1)
    const draft =
      last && joins(last, part, rules)
        ? last
        : { role: part.role as MessageDraft['role'], parts: [], kinds: new Set<WirePart['kind']>() }
    if (draft !== last) drafts.push(draft)
    draft.parts.push(part)
    draft.kinds.add(part.kind)
    if (part.kind === 'call') tools.set(part.call!, part.tool!)
    else if (part.role === 'tool' && !tools.has(part.call!)) {
      throw new UnreadablePart(part.path ?? '', rules.orphan(part.call!))
    }
  }
  const said = drafts.filter(({ role, parts: [first, ...more] }) => role !== 'system' || first?.text || more.length > 0)
  // Reasoning that only its provider can read may leave nothing of a message.
  return said
    .map((draft) => messageOf(draft, tools, rules))
    .filter(({ content }) => !Array.isArray(content) || content.length > 0)
}

/** What the last message of a body says. */
export function lastMessageOf(parts: readonly WirePart[]): {
  readonly text: string
  readonly media: readonly { readonly media: WireMedia; readonly path: string }[]
} {
  const last = parts.slice(parts.findLastIndex(({ opens }) => opens))
  for (const part of last) refuseUnknown(part)
  const said = last.filter(({ rest }) => !rest)
  const odd = said.find(({ kind, media }) => kind !== 'text' && !media)
  if (odd) throw new UnreadablePart(odd.path ?? '', 'a session runs its own tools: a message has texts and files alone')
  return {
    text: said.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n'),
    media: said.flatMap(({ media, path = '' }) => (media ? [{ media, path }] : [])),
  }
}

/** The fields of a conversation that nobody reads, each named once, such as `messages.content.cache_control`. */
export function ignoredIn(parts: Iterable<WirePart>): readonly string[] {
  const names = new Set<string>()
  for (const { path = '', rest = [], silent = [], mark, media, isError } of parts) {
    const place = path.replaceAll(/\.\d+(?=\.|$)/g, '')
    for (const name of mark ? [...rest, 'cache_control'] : rest) names.add(`${place}.${name}`)
    for (const name of silent) names.add(`${place.split('.')[0]}.${name}`)
    // A result with files has no place for the mark of a failure.
    if (media && isError) names.add(`${place.replace(/\.content$/, '')}.is_error`)
  }
  return [...names]
}

function refuseUnknown({ kind, isUnknown, isMissing, rest, text, media, path = '' }: WirePart): void {
  if (isMissing) throw new UnreadablePart(path, 'a message of the role user needs content, a text or a list of parts')
  if (rest || ((kind !== 'other' || media) && !isUnknown)) return
  const { type } = (parseJson(text) ?? {}) as { readonly type?: unknown }
  const it = path.split('.').length === 2 ? 'an item' : 'a part'
  const what = typeof type === 'string' ? `${it} of type ${type} has no place here` : 'this has no place here'
  throw new UnreadablePart(path, `${what}, or has not the fields of its type`)
}

interface MessageDraft {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  readonly parts: WirePart[]
  readonly kinds: Set<WirePart['kind']>
}

function joins(last: MessageDraft, part: WirePart, { joinsItems }: ConversationRules): boolean {
  if (last.role !== part.role) return false
  if (!part.opens || last.role === 'tool') return true
  if (!joinsItems || last.role !== 'assistant') return false
  return part.kind === 'call' || last.kinds.has('call') || !last.kinds.has('text')
}

function messageOf(
  { role, parts }: MessageDraft,
  tools: ReadonlyMap<string, string>,
  rules: ConversationRules,
): AnyMessage {
  switch (role) {
    case 'system':
      return { role, content: parts.map(({ text }) => text).join('\n') }
    case 'user': {
      const content = parts.map((part) =>
        part.media ? rules.file(part.media, part.path ?? '') : { type: 'text' as const, text: part.text },
      )
      return { role, content: onlyText(content) ?? content }
    }
    case 'assistant': {
      const content = parts.flatMap((part) => assistantPart(part, rules))
      const joined = rules.joinsTexts ? joinTexts(content) : content
      return { role, content: onlyText(joined) ?? joined }
    }
    case 'tool': {
      const calls = Map.groupBy(parts, ({ call }) => call!)
      return {
        role,
        content: Array.from(calls, ([toolCallId, results]) => ({
          type: 'tool-result' as const,
          toolCallId,
          toolName: tools.get(toolCallId)!,
          output: outputOf(results, rules),
        })),
      }
    }
  }
}

function onlyText(content: readonly { readonly type: string }[]): string | undefined {
  const [first] = content as readonly { readonly type: string; readonly text: string }[]
  return content.length === 1 && first?.type === 'text' ? first.text : undefined
}

/** Texts that follow each other as one, with a line break between them. */
function joinTexts(content: readonly AssistantPart[]): AssistantPart[] {
  const joined: AssistantPart[] = []
  for (const part of content) {
    const last = joined.at(-1)
    if (last?.type === 'text' && part.type === 'text')
      joined.splice(-1, 1, { type: 'text', text: `${last.text}\n${part.text}` })
    else joined.push(part)
  }
  return joined
}

function assistantPart(part: WirePart, { sealed }: ConversationRules): readonly AssistantPart[] {
  const { kind, text, call, tool, input } = part
  if (kind === 'call') {
    // Arguments that are not JSON stay as text.
    const value = typeof input === 'string' ? parseJson(input === '' ? '{}' : input, input) : input
    return [{ type: 'tool-call', toolCallId: call!, toolName: tool!, input: value }]
  }
  if (kind !== 'reasoning') return [{ type: 'text', text }]
  const providerOptions = part.sealed === undefined ? undefined : sealed?.(part.sealed, part)
  if (text === '' && providerOptions === undefined) return []
  return [{ type: 'reasoning', text, ...(providerOptions ? { providerOptions } : {}) }]
}

/** A failure with several texts is one text: only a text can be marked as a failure. */
function outputOf(results: readonly WirePart[], { file, joinsTexts }: ConversationRules): ToolOutput {
  const fails = results.some(({ isError }) => isError)
  const texts = results.flatMap((part) => (part.media ? [] : [part.text]))
  if (texts.length === results.length && (fails || joinsTexts || texts.length === 1)) {
    return { type: fails ? 'error-text' : 'text', value: texts.join('\n') }
  }
  return {
    type: 'content',
    value: results.map((part) =>
      part.media ? resultFile(file(part.media, part.path ?? '')) : { type: 'text', text: part.text },
    ),
  }
}

function resultFile({ data, mediaType, filename, providerOptions }: FilePart): ResultPart {
  const inner = data as string | { readonly text: string }
  if (typeof inner !== 'string') return { type: 'text', text: inner.text }
  return {
    type: 'file',
    mediaType,
    ...(filename === undefined ? {} : { filename }),
    data: { type: 'data', data: inner },
    ...(providerOptions === undefined ? {} : { providerOptions }),
  }
}
