import type { FinishReason } from '../../../model.ts'
import { type AnswerEvent, HttpFailure, toFailure } from '../../../server.ts'
import type { Usage } from '../../../session.ts'
import {
  emptyResponse,
  endedFields,
  type ResponseNames,
  type ResponseObject,
  type ResponseBody,
  type ResponseItem,
} from './response-schema.ts'
import { type OfferedTool, LOCAL_SHELL } from './response-tools.ts'
import { type AnswerCitation, isWebAddress } from '../../../citation.ts'
import type { CompletionEvent } from '../../../capability.ts'
import { defined, elementsOf, fieldsOf } from '../../../platform.ts'
import { textOf } from '../../../wire.ts'
import { argumentsText, openaiUsage } from '../http/openai-answer.ts'
import { openaiFailure } from '../http/openai-failure.ts'

interface ResponseEnd {
  /** Unix time, seconds. */
  readonly at: number
  readonly store: boolean
  readonly foreword: unknown
}

export type ResponseBuilder = ReturnType<typeof responseBuilder>

interface OpenItem {
  readonly type: 'message' | 'reasoning'
  readonly id: string
  text: string
  annotations: readonly unknown[]
  /** Where its text begins in the text of the whole answer. */
  readonly start: number
}

/**
 * Thoughts, words and calls become items in order:
 * https://platform.openai.com/docs/api-reference/responses-streaming.
 */
export function responseBuilder(names: ResponseNames, body: ResponseBody, tools: readonly OfferedTool[]) {
  const empty = emptyResponse(names, body)
  const output: ResponseItem[] = []
  let open: OpenItem | undefined
  let finish: FinishReason | undefined
  let usage: Usage | undefined
  let length = 0

  return {
    begin: () => [
      { type: 'response.created', response: empty },
      { type: 'response.in_progress', response: empty },
    ],
    add(event: AnswerEvent): readonly ResponseEvent[] {
      if (event.type === 'text-delta') {
        const events = [...opened('message'), delta('response.output_text.delta', 'content_index', event.text)]
        length += event.text.length
        return events
      }
      if (event.type === 'reasoning-delta') {
        return [...opened('reasoning'), delta('response.reasoning_summary_text.delta', 'summary_index', event.text)]
      }
      if (event.type === 'tool-call') {
        const closed = close()
        const { item, events } = callItem(event, tools, { key: names.key, index: output.length })
        output.push(item)
        return [...closed, ...events]
      }
      if (event.type === 'citations') return cite(event)
      if (event.type === 'finish') ({ reason: finish, usage } = event)
      return []
    },

    /** Ends the item that is open. The response is whole then, but for its end. */
    close(): readonly ResponseEvent[] {
      // OpenAI's clients look for a message where nothing else is there.
      const nothing = output.length === 0 && open === undefined ? opened('message') : []
      return [...nothing, ...close()]
    },
    end({ at, store, foreword }: ResponseEnd): ResponseEvent & { readonly response: ResponseObject } {
      const ended = endedFields(finish)
      const completed = ended.status === 'completed' ? { completed_at: at } : {}
      // A detail that was not reported is 0: the format has no other word for it.
      const tokens = openaiUsage(usage, ['input', 'output'], 0) ?? null
      const response = { ...empty, ...ended, ...completed, output, usage: tokens, store, foreword }
      return { type: `response.${ended.status}`, response }
    },
    fail: ({ reason, ...error }: StreamedError) => ({
      type: 'response.failed',
      response: { ...empty, status: 'failed' as const, error, output, foreword: { code: reason } },
    }),
  }

  function opened(type: OpenItem['type']): readonly ResponseEvent[] {
    if (open?.type === type) return []
    const closed = close()
    const id = `${type === 'message' ? 'msg' : 'rs'}_${names.key}_${output.length}`
    open = { type, id, text: '', annotations: [], start: length }
    const item =
      type === 'message'
        ? { id, type, status: 'in_progress', role: 'assistant', content: [] }
        : { id, type, status: 'in_progress', summary: [] }
    const part = type === 'message' ? textPart(open) : { type: 'summary_text', text: '' }
    const name = type === 'message' ? 'response.content_part' : 'response.reasoning_summary_part'
    return [
      ...closed,
      { type: 'response.output_item.added', output_index: output.length, item },
      { type: `${name}.added`, ...placeOf(open), part },
    ]
  }

  function delta(type: string, index: string, text: string): ResponseEvent {
    if (open) open.text += text
    const more = index === 'content_index' ? { logprobs: [] } : {}
    return { type, item_id: open?.id, output_index: output.length, [index]: 0, delta: text, ...more }
  }

  function cite({ citations }: Extract<AnswerEvent, { type: 'citations' }>): readonly ResponseEvent[] {
    if (open?.type !== 'message') return []
    const added = citationAnnotations(citations, open.start)
    const before = open.annotations.length
    open.annotations = [...open.annotations, ...added]
    const place = placeOf(open)
    return added.map((annotation, at) => ({
      type: 'response.output_text.annotation.added',
      ...place,
      annotation_index: before + at,
      annotation,
    }))
  }

  function close(): readonly ResponseEvent[] {
    if (!open) return []
    const done = open
    open = undefined
    const place = { ...placeOf(done) }
    const index = output.length
    if (done.type === 'reasoning') {
      const part = { type: 'summary_text', text: done.text }
      const item = { id: done.id, type: 'reasoning', status: 'completed', summary: [part] }
      output.push(item)
      return [
        { type: 'response.reasoning_summary_text.done', ...place, text: done.text },
        { type: 'response.reasoning_summary_part.done', ...place, part },
        { type: 'response.output_item.done', output_index: index, item },
      ]
    }
    const part = textPart(done)
    const status = endedFields(finish).status === 'incomplete' ? 'incomplete' : 'completed'
    const item = { id: done.id, type: 'message', status, role: 'assistant', content: [part] }
    output.push(item)
    return [
      { type: 'response.output_text.done', ...place, text: done.text, logprobs: [] },
      { type: 'response.content_part.done', ...place, part },
      { type: 'response.output_item.done', output_index: index, item },
    ]
  }

  function placeOf({ id, type }: OpenItem): Readonly<Record<string, unknown>> {
    return { item_id: id, output_index: output.length, [type === 'message' ? 'content_index' : 'summary_index']: 0 }
  }
}

function textPart({ text, annotations }: Pick<OpenItem, 'text' | 'annotations'>): object {
  return { type: 'output_text', text, annotations, logprobs: [] }
}

/** The citations of a text as its annotations. `start`: where the text begins in the answer that the citations count in. */
function citationAnnotations(citations: readonly AnswerCitation[], start: number): readonly unknown[] {
  return citations
    .filter((citation) => citation.start >= start)
    .map(({ start: from, end, source: { url, title, document } }) =>
      isWebAddress(url)
        ? { type: 'url_citation', start_index: from - start, end_index: end - start, url, title }
        : { type: 'file_citation', index: from - start, file_id: document, filename: title },
    )
}

type ToolCall = Extract<CompletionEvent, { type: 'tool-call' }>

interface CallItem {
  readonly item: ResponseItem
  readonly events: readonly ResponseEvent[]
}

/** A call of the model in the form of the tool that the client offered: a function, a custom tool, or its shell. */
function callItem(
  { toolCallId, toolName, input }: ToolCall,
  tools: readonly OfferedTool[],
  { key, index }: { readonly key: string; readonly index: number },
): CallItem {
  // A model can call what nobody offered; the client says so to it.
  const { kind, name, namespace } = tools.find(({ definition }) => definition.name === toolName) ?? {
    kind: 'function' as const,
    name: toolName,
    namespace: undefined,
  }
  const named = { call_id: toolCallId, name, ...(namespace === undefined ? {} : { namespace }) }
  if (kind === 'local_shell') {
    const { command, env, ...more } = fieldsOf(input)
    const words = typeof command === 'string' ? [command] : elementsOf(command)
    const action = { type: 'exec', ...more, command: words, env: env ?? {} }
    const item = { id: `lsh_${key}_${index}`, type: `${LOCAL_SHELL}_call`, call_id: toolCallId, action }
    return streamed({ item, index }, { status: 'in_progress' }, [])
  }
  const custom = kind === 'custom'
  // What did not keep to the schema of a custom tool goes back as the model wrote it.
  const text = (custom ? textOf(fieldsOf(input)['input']) : undefined) ?? argumentsText(input)
  const field = custom ? 'input' : 'arguments'
  const id = `${custom ? 'ctc' : 'fc'}_${key}_${index}`
  const item = { id, type: custom ? 'custom_tool_call' : 'function_call', ...named, [field]: text }
  const event = custom ? 'response.custom_tool_call_input' : 'response.function_call_arguments'
  const place = { item_id: id, output_index: index }
  return streamed({ item, index }, { status: 'in_progress', [field]: '' }, [
    { type: `${event}.delta`, ...place, delta: text },
    { type: `${event}.done`, ...place, ...(custom ? {} : { name }), [field]: text },
  ])
}

function streamed(
  { item, index }: { readonly item: ResponseItem; readonly index: number },
  before: object,
  between: readonly ResponseEvent[],
): CallItem {
  const done = { ...item, status: 'completed' }
  return {
    item: done,
    events: [
      { type: 'response.output_item.added', output_index: index, item: { ...item, ...before } },
      ...between,
      { type: 'response.output_item.done', output_index: index, item: done },
    ],
  }
}

export interface ResponseEvent extends Readonly<Record<string, unknown>> {
  readonly type: string
}

function responseError(error: unknown): unknown {
  const { code, message, facts, hint, headers } = toFailure(error)
  if (code === 'internal') return error
  const { parameter: former } = facts
  const renamed = typeof former === 'string' ? (NAMES[former] ?? former) : former
  const parameter = code === 'context-overflow' ? 'input' : renamed
  return new HttpFailure(
    code as ConstructorParameters<typeof HttpFailure>[0],
    typeof former === 'string' && parameter !== former ? message.replaceAll(former, String(parameter)) : message,
    { ...facts, ...defined({ parameter }) },
    { ...defined({ hint }), headers },
  )
}

/** Rejects with the failure under the names of this format. */
export function asResponses(error: unknown): never {
  throw responseError(error)
}

/** Names of Chat Completions, in which the runtime reports parameters. */
const NAMES: Readonly<Record<string, string>> = {
  messages: 'input',
  max_tokens: 'max_output_tokens',
  response_format: 'text.format',
  reasoning_effort: 'reasoning.effort',
}

/** Whether clients look for an error in the stream, even where nothing of the answer has come. */
export function belongsInStream(error: unknown): boolean {
  const { code } = toFailure(error)
  return code === 'context-overflow' || code === 'over-budget'
}

/** `reason` is Foreword's own code. */
export function streamedError(error: unknown): StreamedError {
  const failure = toFailure(responseError(error))
  const { body } = openaiFailure(failure)
  const { code, message } = (body as { readonly error: { readonly code: string; readonly message: string } }).error
  return { code: STREAM_CODES[failure.code] ?? code, message, reason: failure.code }
}

interface StreamedError {
  readonly code: string
  readonly message: string
  readonly reason: string
}

/** Codex repeats a stream that failed with an unknown code, not after `invalid_prompt`. */
const STREAM_CODES: Readonly<Record<string, string>> = {
  'over-budget': 'invalid_prompt',
  internal: 'server_error',
  server: 'server_error',
  network: 'server_error',
  timeout: 'server_error',
  closing: 'server_error',
}
