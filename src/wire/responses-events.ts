import { elementsOf, fieldsOf } from '../platform.ts'
import type { AnswerDraft } from './answer-draft.ts'
import { type Correction, failureIn, filledText as text, inputJson, sameJson, UNNAMED } from './answer-stream.ts'
import type { JsonFields } from './part.ts'

type Kind = 'message' | 'reasoning' | 'function_call'

interface Item {
  readonly index: number
  readonly kind: Kind
  readonly id: string
  readonly call: string
  readonly name: string
  readonly phase: string | undefined
  /** Text, or the input of a call, by now. Of reasoning one for each part. */
  readonly texts: Map<unknown, string>
  isDone: boolean
}

/**
 * Reads an answer of the Responses API. Each item has a beginning and an end of its own, and what came in no delta is taken from
 * the end of its item or of the answer. What follows the end is no part of it.
 */
export function responsesCorrection(readsAll = false): Correction {
  /** By the index and by the id that the server gives them. */
  const items = new Map<unknown, Item>()
  const all: Item[] = []
  let hasBegun = false
  let ending: { readonly why: string | undefined; readonly isComplete: boolean } | undefined
  let isOver = false

  const begin = (response: JsonFields): readonly object[] => {
    if (hasBegun) return []
    hasBegun = true
    const about = { id: text(response['id']) ?? 'response', model: text(response['model']) ?? '' }
    return [{ type: 'response.created', response: { ...about, created_at: count(response['created_at']) } }]
  }
  const find = (event: JsonFields, kind: Kind): Item | undefined => {
    const id = event['item_id'] ?? event['call_id'] ?? fieldsOf(event['item'])['id']
    const found =
      (event['output_index'] === undefined || event['output_index'] === null
        ? undefined
        : items.get(event['output_index'])) ?? (typeof id === 'string' ? items.get(id) : undefined)
    if (found) return found.kind === kind ? found : undefined
    return all.findLast(
      (item) => item.kind === kind && !item.isDone && event['output_index'] === undefined && id === undefined,
    )
  }
  const start = (at: unknown, kind: Kind, fields: JsonFields): readonly object[] => {
    const index = all.length
    const item: Item = {
      index,
      kind,
      id: text(fields['id']) ?? `${PREFIX[kind]}_${index}`,
      call: text(fields['call_id']) ?? text(fields['id']) ?? `call_${index}`,
      name: text(fields['name']) ?? UNNAMED,
      phase: fields['phase'] === 'commentary' || fields['phase'] === 'final_answer' ? fields['phase'] : undefined,
      texts: new Map(),
      isDone: false,
    }
    all.push(item)
    items.set(at, item)
    if (text(fields['id'])) items.set(fields['id'], item)
    return [{ type: 'response.output_item.added', output_index: index, item: wireItem(item, fields) }]
  }
  const write = (item: Item, words: string, part: unknown = 0): readonly object[] => {
    if (item.isDone || words === '') return []
    const at = { item_id: item.id, output_index: item.index }
    const isNew = !item.texts.has(part)
    const number = isNew ? item.texts.size : [...item.texts.keys()].indexOf(part)
    item.texts.set(part, (item.texts.get(part) ?? '') + words)
    if (item.kind === 'message') return [{ type: 'response.output_text.delta', ...at, delta: words }]
    if (item.kind === 'function_call') return [{ type: 'response.function_call_arguments.delta', ...at, delta: words }]
    const about = { ...at, summary_index: number }
    return [
      ...(isNew && number > 0
        ? [
            { type: 'response.reasoning_summary_part.done', ...at, summary_index: number - 1 },
            { type: 'response.reasoning_summary_part.added', ...about },
          ]
        : []),
      { type: 'response.reasoning_summary_text.delta', ...about, delta: words },
    ]
  }
  /** The whole text of a part: what of it came in no delta. */
  const whole = (item: Item, words: string, part: unknown = 0): readonly object[] => {
    const known = item.texts.get(part) ?? ''
    return words.startsWith(known) ? write(item, words.slice(known.length), part) : []
  }
  const said = (event: JsonFields, kind: Kind, part?: unknown): readonly object[] => {
    const words = text(event['delta'])
    const full = text(event['text']) ?? text(event['refusal']) ?? text(event['arguments']) ?? text(event['input'])
    if (words === undefined && full === undefined) return []
    const known = find(event, kind)
    // A call without a name cannot be made.
    if (!known && kind === 'function_call') return []
    const id = event['item_id']
    const begun = known ? [] : start(event['output_index'] ?? id, kind, { id })
    const item = known ?? all.at(-1)!
    return [...begun, ...(words === undefined ? whole(item, full!, part) : write(item, words, part))]
  }
  const finish = (item: Item, fields: JsonFields): readonly object[] => {
    if (item.isDone) return []
    item.isDone = true
    return [{ type: 'response.output_item.done', output_index: item.index, item: wireItem(item, fields) }]
  }
  const itemOf = (value: unknown): JsonFields => (readsAll ? anyCall(fieldsOf(value)) : fieldsOf(value))
  const ended = (event: JsonFields, fields: JsonFields): readonly object[] => {
    const kind = kindOf(fields)
    if (!kind) return []
    const isRepeated =
      kind === 'function_call' &&
      all.some(
        (item) =>
          item.isDone &&
          item.kind === kind &&
          item.call === (fields['call_id'] ?? fields['id']) &&
          item.name === fields['name'] &&
          sameJson(item.texts.get(0) ?? '', inputJson(fields['arguments'])),
      )
    if (isRepeated) return []
    const known = find({ ...event, item: fields }, kind)
    if (known?.isDone) return []
    const begun = known ? [] : start(event['output_index'], kind, fields)
    const item = known ?? all.at(-1)!
    const texts =
      kind === 'message'
        ? whole(item, partsText(fields['content']))
        : kind === 'reasoning'
          ? // What came in deltas has parts of its own.
            (item.texts.size > 0 ? [] : [...elementsOf(fields['content']), ...elementsOf(fields['summary'])]).flatMap(
              (part, at) => write(item, text(fieldsOf(part)['text']) ?? '', at),
            )
          : whole(item, inputJson(fields['arguments']))
    return [...begun, ...texts, ...finish(item, fields)]
  }
  const close = (): readonly object[] => {
    if (isOver || !ending) return []
    isOver = true
    const { why, isComplete } = ending
    const open = all
      // A call that was cut stays one that has no end.
      .filter((item) => !item.isDone && (isComplete || item.kind !== 'function_call'))
      .flatMap((item) => finish(item, {}))
    const about = isComplete ? { type: 'response.completed' } : { type: 'response.incomplete' }
    return [...open, { ...about, response: { incomplete_details: isComplete ? null : { reason: why ?? 'other' } } }]
  }

  return {
    events(event, name) {
      const type = text(event['type']) ?? name
      const response = fieldsOf(event['response'])
      const failure =
        type === 'response.failed' ? failureIn({ error: 'failed', ...response }, undefined) : failureIn(event, name)
      if (failure) {
        const { message, code, type: kind = 'server_error' } = failure
        return [
          {
            type: 'error',
            sequence_number: 0,
            error: { message, type: line(kind) ?? 'server_error', code: line(code) ?? null },
          },
        ]
      }
      const fields = itemOf(event['item'])
      switch (type) {
        case 'response.created':
        case 'response.in_progress':
          return begin(response)
        case 'response.output_item.added': {
          const kind = kindOf(fields)
          if (!kind || find(event, kind)) return []
          const begun = start(event['output_index'] ?? fields['id'], kind, fields)
          return [
            ...begin({}),
            ...begun,
            ...(kind === 'function_call' ? write(all.at(-1)!, inputJson(fields['arguments'])) : []),
          ]
        }
        case 'response.output_text.delta':
        case 'response.output_text.done':
        case 'response.refusal.delta':
        case 'response.refusal.done':
          return [...begin({}), ...said(event, 'message')]
        case 'response.reasoning_text.delta':
        case 'response.reasoning_text.done':
          return [...begin({}), ...said(event, 'reasoning', count(event['content_index']))]
        case 'response.reasoning_summary_text.delta':
        case 'response.reasoning_summary_text.done':
          return [...begin({}), ...said(event, 'reasoning', count(event['summary_index']))]
        case 'response.function_call_arguments.delta':
        case 'response.function_call_arguments.done':
        case 'response.custom_tool_call_input.delta':
        case 'response.custom_tool_call_input.done':
          return [...begin({}), ...said(event, 'function_call')]
        case 'response.output_item.done':
          return [...begin({}), ...ended(event, fields)]
        case 'response.completed':
        case 'response.incomplete': {
          const why = text(fieldsOf(response['incomplete_details'])['reason'])
          ending = { why, isComplete: why === undefined && type === 'response.completed' }
          const rest = elementsOf(response['output'])
            .map(itemOf)
            .flatMap((item, at) =>
              readsAll || ending!.isComplete || kindOf(item) !== 'function_call'
                ? ended({ output_index: at }, item)
                : [],
            )
          return [...begin(response), ...rest, ...close()]
        }
        default:
          return []
      }
    },
    hasReason: () => ending !== undefined,
    isOver: () => isOver,
  }
}

/** A call of a tool of any kind as that of a function. */
function anyCall(item: JsonFields): JsonFields {
  const input = INPUTS.get(item['type'])
  if (input === undefined) return item
  const [group, name] = [text(item['namespace']), text(item['name']) ?? text(item['type'])]
  const named = { name: group === undefined ? name : `${group}.${name}` }
  return { ...item, ...named, type: 'function_call', arguments: item[input] }
}

const INPUTS: ReadonlyMap<unknown, string> = new Map([
  ['function_call', 'arguments'],
  ['custom_tool_call', 'input'],
  ['local_shell_call', 'action'],
  ['shell_call', 'action'],
])

const PREFIX = { message: 'msg', reasoning: 'rs', function_call: 'fc' } as const

function wireItem(item: Item, fields: JsonFields): object {
  const { kind: type, id, call: call_id, name, phase } = item
  if (type === 'message') return { type, id, phase }
  if (type === 'reasoning') return { type, id, encrypted_content: text(fields['encrypted_content']) ?? null }
  return { type, id, call_id, name, arguments: item.texts.get(0) ?? '', status: 'completed' }
}

function kindOf({ type }: JsonFields): Kind | undefined {
  return type === 'message' || type === 'reasoning' || type === 'function_call' ? type : undefined
}

function partsText(content: unknown): string {
  return elementsOf(content)
    .map(fieldsOf)
    .map((part) => text(part['text']) ?? text(part['refusal']) ?? '')
    .join('')
}

function count(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0
}

/** A text or a number as a text. */
function line(value: unknown): string | undefined {
  return typeof value === 'number' ? String(value) : text(value)
}

export function wholeEvent(response: JsonFields): JsonFields {
  const { error, status, output } = response
  if (error) return { type: 'error', error }
  // A count of tokens, or a response that is not ready, has no end.
  return { type: `response.${text(status) ?? (output === undefined ? 'counted' : 'completed')}`, response }
}

export function addResponseEvent(draft: AnswerDraft, event: JsonFields): void {
  const key = String(event['output_index'])
  switch (event['type']) {
    case 'response.output_item.added': {
      const { type, call_id: id, name } = fieldsOf(event['item'])
      if (type === 'function_call') draft.call(key, { id, name })
      return
    }
    case 'response.output_text.delta':
      draft.addText(event['delta'])
      return
    case 'response.reasoning_summary_text.delta':
      draft.addReasoning(event['delta'])
      return
    case 'response.function_call_arguments.delta':
      draft.addInput(key, event['delta'])
      return
    case 'response.completed':
    case 'response.incomplete':
      draft.set({ finish: fieldsOf(fieldsOf(event['response'])['incomplete_details'])['reason'] ?? 'completed' })
  }
}
