import { fieldsOf, sha256 } from '../../platform.ts'
import type { ForeignAssembly } from '../foreign-call.ts'
import { type ConversationFormat, formatReaders, type WirePart, jsonOf, textOf } from '../../wire.ts'

/** One message or item of a conversation that another program keeps. */
export interface ConversationItem {
  readonly value: unknown
  readonly parts: readonly ItemPart[]
  /** `person`: begins a turn. `model`: says or calls. `results`: answers calls. `operator`: instructions on the way. */
  readonly side: 'person' | 'model' | 'results' | 'operator'
  /** It has to stay where it is, with what is around it: what it does to the conversation is known to the provider alone. */
  readonly stays: boolean
  readonly tokens: number
  /** Of what it says: without cache marks and ids, and whatever the form of its texts is. */
  readonly digest: string
}

export interface ItemPart extends WirePart {
  readonly tokens: number
}

export const conversationFields: Readonly<Record<ConversationFormat, string>> = {
  messages: 'messages',
  responses: 'input',
  'chat-completions': 'messages',
  'generate-content': 'contents',
}

/**
 * The items of a conversation with what each costs. `undefined`: there is no list of them, or the account of the body has other
 * pieces than its items have.
 */
export function conversationItems(
  format: ConversationFormat,
  body: unknown,
  { pieces }: Pick<ForeignAssembly, 'pieces'>,
): readonly ConversationItem[] | undefined {
  const field = conversationFields[format]
  const fields = fieldsOf(body)
  const values = fields[field]
  if (!Array.isArray(values)) return undefined
  const items = (values as readonly unknown[]).map((value) => ({ value, parts: [] as ItemPart[] }))
  const sent = [...formatReaders[format].parts(fields)].filter(({ deferred }) => !deferred)
  if (pieces.length < sent.length) return undefined
  for (const [at, part] of sent.entries()) {
    const [list, index] = part.path?.split('.', 2) ?? []
    if (list === field) items[Number(index)]!.parts.push({ ...part, tokens: pieces[at]!.tokens })
  }
  return items.map(({ value, parts }) => itemOf(format, value, parts))
}

function itemOf(format: ConversationFormat, value: unknown, parts: readonly ItemPart[]): ConversationItem {
  const said = parts.map(({ kind, role, content, text, call }) => [kind, role, call ?? '', text, content])
  return {
    value,
    parts,
    side: sideOf(value, parts),
    stays: staysInPlace(format, value),
    tokens: parts.reduce((sum, { tokens }) => sum + tokens, 0),
    digest: sha256(jsonOf(said)),
  }
}

function sideOf(value: unknown, parts: readonly ItemPart[]): ConversationItem['side'] {
  if (ownItems.has(textOf(fieldsOf(value)['type']) ?? '')) return 'model'
  if (parts.some(({ role }) => role === 'tool')) return 'results'
  const [first] = parts
  if (first?.role === 'assistant') return 'model'
  return first?.role === 'system' ? 'operator' : 'person'
}

/** Items of Responses in which a provider tells what it did itself, and which need nothing else. */
const ownItems: ReadonlySet<string> = new Set([
  'web_search_call',
  'file_search_call',
  'code_interpreter_call',
  'image_generation_call',
])

/** Items of Responses that can leave together with those around them. */
const knownItems: ReadonlySet<string> = new Set([
  ...ownItems,
  'message',
  'reasoning',
  'function_call',
  'function_call_output',
  'custom_tool_call',
  'custom_tool_call_output',
  'local_shell_call',
  'local_shell_call_output',
  'shell_call',
  'shell_call_output',
])

function staysInPlace(format: ConversationFormat, value: unknown): boolean {
  const { type, role, content } = fieldsOf(value)
  if (format === 'responses') return !knownItems.has(textOf(type) ?? (typeof role === 'string' ? 'message' : ''))
  if (format !== 'messages' || !Array.isArray(content)) return false
  // A result that loads a tool: without it the tool is gone.
  return content.some((block) => {
    const inner = fieldsOf(block)['content']
    const types = [block, ...(Array.isArray(inner) ? (inner as readonly unknown[]) : [])].map((each) =>
      textOf(fieldsOf(each)['type']),
    )
    return types[0] === 'compaction' || types.some((each) => /^tool_(?:reference|search)/.test(each ?? ''))
  })
}

/** Items that leave or stay together: a person's words and the first rounds that answer them, or further rounds. */
export interface ItemGroup {
  /** The same in every later call of the conversation, as long as its beginning stays as it is. */
  readonly id: string
  /** As in its id. */
  readonly number: number
  /** The turn that it belongs to, from 1. */
  readonly turn: number
  /** Positions from `first` up to and without `end`. */
  readonly first: number
  readonly end: number
  readonly stays: boolean
}

export interface GroupedItems {
  /** How many items there are before the first answer: they stay, and so do the instructions in them. */
  readonly head: number
  /** Oldest first. The last one is the one that is being answered. */
  readonly groups: readonly ItemGroup[]
  /** The positions of a person's words that begin the turn which is being answered. Empty where they are in the head. */
  readonly opening: readonly number[]
}

/** An answer of the model with the results of its calls is a round. So many of them are a group. */
const ROUNDS = 8

/** Groups end where no call is open, and where they ended in the call before: what comes later changes none. */
export function groupItems(items: readonly ConversationItem[]): GroupedItems {
  const first = items.findIndex(({ side }) => side === 'model' || side === 'results')
  const head = first < 0 ? items.length : first
  const answeredUntil = openUntil(items)
  const groups: ItemGroup[] = []
  let opening: number[] = []
  let turn = 1
  let rounds = 0
  let begin = head
  const close = (end: number) => {
    if (end === begin) return
    const stays = items.slice(begin, end).some((item) => item.stays)
    const number = groups.length + 1
    groups.push({ id: `group-${number}`, number, turn, first: begin, end, stays })
    begin = end
    rounds = 0
  }
  let before: ConversationItem['side'] = 'person'
  for (let at = head; at < items.length; at += 1) {
    const { side } = items[at]!
    if (side === 'operator') continue
    const asks = side === 'person'
    const isFree = answeredUntil[at]! <= at
    if (asks && before !== 'person' && isFree) {
      close(at)
      turn += 1
      opening = []
    }
    if (side === 'model' && before !== 'model') {
      if (rounds >= ROUNDS && isFree) close(at)
      rounds += 1
    }
    if (asks) opening.push(at)
    before = side
  }
  close(items.length)
  return { head, groups, opening }
}

/** For each position, behind which one the last result of the calls before it is. */
function openUntil(items: readonly ConversationItem[]): readonly number[] {
  const results = new Map<string, number>()
  for (const [at, { parts }] of items.entries()) {
    for (const { role, call } of parts) if (role === 'tool' && call !== undefined) results.set(call, at)
  }
  const until: number[] = []
  let open = 0
  for (const { parts } of items) {
    until.push(open)
    for (const { kind, call } of parts) {
      if (kind === 'call' && call !== undefined) open = Math.max(open, (results.get(call) ?? -1) + 1)
    }
  }
  return until
}
