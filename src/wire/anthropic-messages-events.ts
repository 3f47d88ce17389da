import { fieldsOf, isObject, elementsOf } from '../platform.ts'
import type { AnswerDraft } from './answer-draft.ts'
import { type Correction, failureIn, filledText as text, sameJson, UNNAMED } from './answer-stream.ts'
import { type JsonFields, jsonOf } from './part.ts'

type Kind = 'text' | 'thinking' | 'redacted_thinking' | 'tool_use'

interface Block {
  readonly index: number
  readonly kind: Kind
  readonly id: string
  readonly name: string
  json: string
  /** It may be a call that comes again: that shows when it ends. */
  isHeld: boolean
}

/**
 * Reads an answer of the Messages API. Each block has a beginning and an end of its own, whatever the server left out, repeated or
 * sent in another order. What follows `message_stop` is no part of the answer.
 */
export function messagesCorrection(readsAll = false): Correction {
  /** By the index that the server gives them. */
  const open = new Map<unknown, Block>()
  const calls: Block[] = []
  let count = 0
  let hasBegun = false
  let reason: string | undefined
  let isOver = false

  const begin = (message: JsonFields): readonly object[] => {
    if (hasBegun) return []
    hasBegun = true
    const { id, model, stop_reason: stop } = message
    const about = { id: text(id), model: text(model), stop_reason: text(stop), role: 'assistant' }
    // The library wants a figure; what was reported is read beside it.
    return [{ type: 'message_start', message: { ...about, usage: { input_tokens: 0 } } }]
  }
  const start = (at: unknown, kind: Kind, fields: JsonFields = {}): Block => {
    const block = {
      index: (count += 1) - 1,
      kind,
      id: text(fields['id']) ?? `call_${count}`,
      name: text(fields['name']) ?? UNNAMED,
      json: '',
      isHeld: false,
    }
    open.set(at, block)
    if (kind === 'tool_use') calls.push(block)
    return block
  }
  const startEvent = ({ index, kind, id, name }: Block, data?: unknown): object => {
    const empty = {
      text: { text: '' },
      thinking: { thinking: '' },
      redacted_thinking: { data },
      tool_use: { id, name },
    }
    return { type: 'content_block_start', index, content_block: { type: kind, ...empty[kind] } }
  }
  const delta = ({ index }: Block, fields: object): object => ({ type: 'content_block_delta', index, delta: fields })
  const end = (at: unknown): readonly object[] => {
    const block = open.get(at)
    open.delete(at)
    if (!block) return []
    const stop = { type: 'content_block_stop', index: block.index }
    if (!block.isHeld) return [stop]
    const isRepeated = calls.some(
      (call) =>
        call !== block &&
        call.id === block.id &&
        call.name === block.name &&
        (call.json === block.json || sameJson(call.json || '{}', block.json || '{}')),
    )
    return isRepeated
      ? []
      : [startEvent(block), delta(block, { type: 'input_json_delta', partial_json: block.json }), stop]
  }

  const begunBlock = (at: unknown, fields: JsonFields): readonly object[] => {
    const known = open.get(at)
    const kind = kindOf(fields, readsAll)
    if (!kind) return []
    const says = text(fields['text']) ?? text(fields['thinking'])
    if (kind !== 'tool_use' && known?.kind === kind && says === undefined) return []
    const twin = calls.some(({ id, name }) => id === fields['id'] && name === fields['name'])
    const closed = end(at)
    const block = start(at, kind, fields)
    block.isHeld = kind === 'tool_use' && twin
    const begun = block.isHeld ? [] : [startEvent(block, text(fields['data']) ?? '')]
    return [...closed, ...begun, ...more(block, { ...fields, type: undefined })]
  }
  const more = (block: Block, fields: JsonFields): readonly object[] => {
    const { kind } = block
    const [words, thinking, signature] = [text(fields['text']), text(fields['thinking']), text(fields['signature'])]
    if (kind === 'text' && words !== undefined) return [delta(block, { type: 'text_delta', text: words })]
    if (kind === 'thinking') {
      return [
        ...(thinking === undefined ? [] : [delta(block, { type: 'thinking_delta', thinking })]),
        ...(signature === undefined ? [] : [delta(block, { type: 'signature_delta', signature })]),
      ]
    }
    const input = fields['input']
    const json = text(fields['partial_json']) ?? (typeof input === 'string' ? input : filled(input))
    if (kind !== 'tool_use' || json === undefined || json === '') return []
    block.json += json
    if (block.isHeld) return []
    return [delta(block, { type: 'input_json_delta', partial_json: json })]
  }
  const changedBlock = (at: unknown, fields: JsonFields): readonly object[] => {
    const known = open.get(at)
    const wanted =
      'partial_json' in fields ? 'tool_use' : 'thinking' in fields || 'signature' in fields ? 'thinking' : 'text'
    if (known?.kind === wanted) return more(known, fields)
    // A call without a name cannot be made, and a signature alone proves nothing.
    if (wanted === 'tool_use' || text(fields[wanted]) === undefined) return []
    const closed = end(at)
    const block = start(at, wanted)
    return [...closed, startEvent(block), ...more(block, fields)]
  }
  const content = (message: JsonFields): readonly object[] =>
    elementsOf(message['content']).flatMap((block, at) => {
      const key = `whole ${at}`
      return isObject(block) ? [...begunBlock(key, block), ...end(key)] : []
    })
  const close = (): readonly object[] => {
    if (isOver || reason === undefined) return []
    isOver = true
    const ends = [...open].flatMap(([at, block]) =>
      // A call that was cut stays one that has no end.
      block.kind === 'tool_use' && CUTS.test(reason ?? '') ? [] : end(at),
    )
    return [
      ...ends,
      { type: 'message_delta', delta: { stop_reason: reason }, usage: { output_tokens: 0 } },
      { type: 'message_stop' },
    ]
  }

  return {
    events(event, name) {
      const failure = failureIn(event, name)
      if (failure) {
        const { message: why, type: kind, code } = failure
        const about = typeof code === 'string' || typeof code === 'number' ? { code } : {}
        return [{ type: 'error', error: { type: text(kind) ?? 'api_error', message: why, ...about } }]
      }
      const at = event['index'] ?? [...open.keys()].at(-1) ?? 'none'
      const message = fieldsOf(event['message'])
      switch (event['type'] ?? name) {
        case 'message_start':
          reason ??= text(message['stop_reason'])
          return [...begin(message), ...content(message)]
        case 'message':
          reason = text(event['stop_reason']) ?? reason
          return [...begin(event), ...content(event), ...close()]
        case 'content_block_start':
          return [...begin({}), ...begunBlock(at, fieldsOf(event['content_block']))]
        case 'content_block_delta':
          return [...begin({}), ...changedBlock(at, fieldsOf(event['delta']))]
        case 'content_block_stop':
          return end(at)
        case 'message_delta':
          reason = text(fieldsOf(event['delta'])['stop_reason']) ?? text(event['stop_reason']) ?? reason
          return begin({})
        case 'message_stop':
          return close()
        case 'ping':
          return [{ type: 'ping' }]
        default:
          return []
      }
    },
    close,
    hasReason: () => reason !== undefined,
    isOver: () => isOver,
  }
}

const CUTS = /^(?:max_\w*tokens|length|model_context_window_exceeded)$/

function kindOf(block: JsonFields, readsAll: boolean): Kind | undefined {
  const type = block['type']
  if (readsAll && (type === 'server_tool_use' || type === 'mcp_tool_use')) return 'tool_use'
  if (type === 'text' || type === 'thinking' || type === 'redacted_thinking' || type === 'tool_use') return type
  return text(block['text']) === undefined ? undefined : 'text'
}

/** The JSON of an input that holds something. */
function filled(input: unknown): string | undefined {
  return isObject(input) && Object.keys(input).length > 0 ? jsonOf(input) : undefined
}

export function addMessageEvent(draft: AnswerDraft, event: JsonFields): void {
  const key = String(event['index'])
  const block = fieldsOf(event['content_block'])
  if (block['type'] === 'tool_use') draft.call(key, block)
  const delta = fieldsOf(event['delta'])
  draft.addText(delta['text'])
  draft.addReasoning(delta['thinking'])
  if (delta['partial_json'] !== undefined) draft.addInput(key, delta['partial_json'])
  draft.set({ finish: delta['stop_reason'] })
}
