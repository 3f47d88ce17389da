import type {
  JSONObject,
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from '@ai-sdk/provider'
import { outputText } from '../../context.ts'
import {
  expectOk,
  fromLanguageModel,
  httpModelSettings,
  type Model,
  type ModelSettings,
  type StreamingModel,
  UnexpectedAnswer,
} from '../../model.ts'
import { defined, elementsOf, fieldsOf } from '../../platform.ts'
import { type EventFilter, usageReader } from '../../wire.ts'
import { randomUUID } from 'node:crypto'

/** Loading a large model and reading a long prompt take minutes; Node's own `fetch` gives up after 300 seconds. */
const TIMEOUTS = { firstMs: 280_000, idleMs: 120_000 }

/** Ollama's native `/api/chat`: it alone accepts a window (`num_ctx`) and reports how much it has read. */
export function ollamaModel(settings: ModelSettings): Model {
  return fromLanguageModel({
    ...httpModelSettings(settings, TIMEOUTS),
    stream: 'lines',
    filter: ollamaLines,
    carries: { resultImages: false, imageAddresses: false, oneText: true },
    missing: `Fetch it with \`ollama pull ${settings.model}\`.`,
    open: (fetch) => streaming(settings, fetch),
    mark: (call, { window, keepAlive }) => ({
      ...call,
      providerOptions: { ollama: { num_ctx: window ?? settings.facts.window, ...defined({ keepAlive }) } },
    }),
  })
}

function streaming(settings: ModelSettings, fetch: ModelSettings['fetch']): StreamingModel {
  return {
    async doStream(call: LanguageModelV4CallOptions) {
      const { apiKey, headers } = settings
      const response = await fetch(`${settings.baseURL}/api/chat`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}),
          ...headers,
        },
        body: JSON.stringify(ollamaRequest(settings.model, call)),
        ...(call.abortSignal ? { signal: call.abortSignal } : {}),
      })
      const { body, headers: responseHeaders } = await expectOk(response)
      if (!body) throw new Error('the answer has no body')
      return {
        stream: body
          .pipeThrough(new TextDecoderStream())
          .pipeThrough(ollamaParts(responseHeaders.get('content-type') ?? '')),
      }
    },
  }
}

/** The order of its keys is fixed, so that the same call has the same bytes. */
function ollamaRequest(model: string, call: LanguageModelV4CallOptions): JSONObject {
  const { tools = [], toolChoice, reasoning, responseFormat, providerOptions } = call
  const { keepAlive, ...options } = providerOptions?.['ollama'] ?? {}
  // This API has no tool choice, so a call that may use no tool is offered none.
  const offered = toolChoice?.type === 'none' ? [] : tools.filter((tool) => tool.type === 'function')
  return {
    model,
    stream: true,
    messages: call.prompt.flatMap(formatMessage),
    ...(offered.length > 0 ? { tools: offered.map(formatTool) } : {}),
    ...(reasoning === undefined ? {} : { think: thinkOption(model, reasoning) }),
    ...(responseFormat?.type === 'json' ? { format: (responseFormat.schema as JSONObject | undefined) ?? 'json' } : {}),
    options: { ...options, ...samplingOptions(call) },
    ...defined({ keep_alive: keepAlive }),
  }
}

function samplingOptions(call: LanguageModelV4CallOptions): JSONObject {
  const { maxOutputTokens, temperature, topP, stopSequences, seed, presencePenalty, frequencyPenalty } = call
  return defined({
    num_predict: maxOutputTokens,
    temperature,
    top_p: topP,
    stop: stopSequences,
    seed,
    presence_penalty: presencePenalty,
    frequency_penalty: frequencyPenalty,
  })
}

/** Only gpt-oss accepts a level. Other models accept true or false. */
function thinkOption(model: string, reasoning: string): boolean | string {
  if (reasoning === 'none') return false
  return /gpt-?oss/i.test(model) && /^(?:low|medium|high)$/.test(reasoning) ? reasoning : true
}

type Tool = Extract<NonNullable<LanguageModelV4CallOptions['tools']>[number], { type: 'function' }>

function formatTool({ name, description, inputSchema }: Tool): JSONObject {
  const parameters = inputSchema as JSONObject
  return { type: 'function', function: { name, ...defined({ description }), parameters } }
}

function formatMessage(message: LanguageModelV4Message): JSONObject[] {
  switch (message.role) {
    case 'system':
      return [{ role: 'system', content: message.content }]
    case 'user':
      return [userMessage(message.content)]
    case 'assistant':
      return [assistantMessage(message.content)]
    case 'tool':
      return message.content.flatMap((part) =>
        part.type === 'tool-result'
          ? [
              {
                role: 'tool',
                content: outputText(part.output),
                tool_name: part.toolName,
                tool_call_id: part.toolCallId,
              },
            ]
          : [],
      )
  }
}

function userMessage(content: Extract<LanguageModelV4Message, { role: 'user' }>['content']): JSONObject {
  const images: string[] = []
  const texts: string[] = []
  for (const part of content) {
    if (part.type === 'text') texts.push(part.text)
    else if (part.data.type === 'data' && part.mediaType.startsWith('image'))
      images.push(typeof part.data.data === 'string' ? part.data.data : Buffer.from(part.data.data).toString('base64'))
    else texts.push(`[${part.filename ?? part.mediaType}: this server takes images only, and only as data]`)
  }
  return { role: 'user', content: texts.join('\n'), ...(images.length > 0 ? { images } : {}) }
}

/** Earlier reasoning has a field of its own and is never part of the content. */
function assistantMessage(content: Extract<LanguageModelV4Message, { role: 'assistant' }>['content']): JSONObject {
  let text = ''
  let thinking = ''
  const calls: JSONObject[] = []
  for (const part of content) {
    if (part.type === 'text') text += part.text
    if (part.type === 'reasoning') thinking += part.text
    if (part.type === 'tool-call') {
      const { toolCallId: id, toolName: name, input } = part
      calls.push({ id, function: { name, arguments: input as JSONObject } })
    }
  }
  return {
    role: 'assistant',
    content: text,
    ...(thinking ? { thinking } : {}),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  }
}

/** Passes the lines of an answer on up to the one that ends it, whatever the connection does after that. */
function ollamaLines(): EventFilter {
  let unfinished = ''
  let isOver = false
  const { add, usage } = usageReader()
  return {
    next(text) {
      // A line may come in many pieces, and is looked at once.
      if (!text.includes('\n')) {
        unfinished += text
        return ''
      }
      const lines = (unfinished + text).split('\n')
      unfinished = lines.pop() ?? ''
      const last = lines.findIndex((line) => {
        const value = parsed(line)
        if (value) add(value as Readonly<Record<string, unknown>>)
        return value?.done === true
      })
      isOver = last !== -1
      return lines
        .slice(0, isOver ? last + 1 : undefined)
        .map((line) => `${line}\n`)
        .join('')
    },
    end: () => '',
    isOver: () => isOver,
    hasReason: () => isOver,
    usage,
  }
}

type Controller = TransformStreamDefaultController<LanguageModelV4StreamPart>

/** Converts whole lines of an answer, as `ollamaLines` passes them on, to parts of an AI SDK stream. An error names `contentType`. */
function ollamaParts(contentType = ''): TransformStream<string, LanguageModelV4StreamPart> {
  const blocks = blockWriter()
  return new TransformStream({
    transform(chunk, controller) {
      for (const line of chunk.split('\n')) readLine(line, blocks, controller, contentType)
    },
  })
}

interface Line {
  readonly error?: string
  /** As the server wrote it: `content`, `thinking` and `tool_calls` may be anything. */
  readonly message?: unknown
  readonly done?: boolean
  readonly done_reason?: string
  readonly prompt_eval_count?: number
  readonly eval_count?: number
}

function readLine(text: string, blocks: BlockWriter, controller: Controller, contentType: string): void {
  if (text.trim() === '') return
  const line = parsed(text)
  if (!line) return controller.enqueue({ type: 'error', error: new UnexpectedAnswer('', text) })
  if (line.error !== undefined) return controller.enqueue({ type: 'error', error: { error: line.error } })
  const { message } = line
  if (!message && !line.done)
    return controller.enqueue({ type: 'error', error: new UnexpectedAnswer(contentType, text) })
  const { thinking, content, tool_calls: calls } = fieldsOf(message)
  if (words(thinking)) blocks.write('reasoning', words(thinking), controller)
  if (words(content)) blocks.write('text', words(content), controller)
  for (const call of elementsOf(calls)) {
    blocks.end(controller)
    const { id, function: called } = fieldsOf(call)
    const { name, arguments: input = {} } = fieldsOf(called)
    controller.enqueue({
      type: 'tool-call',
      toolCallId: words(id) || `call_${randomUUID().replaceAll('-', '')}`,
      toolName: words(name),
      input: typeof input === 'string' ? input : JSON.stringify(input),
    })
  }
  if (!line.done) return
  blocks.end(controller)
  controller.enqueue({ type: 'finish', finishReason: finishReason(line.done_reason), usage: readUsage(line) })
}

/** A text that a server wrote as a number is that number; anything else in its place says nothing. */
function words(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

type BlockWriter = ReturnType<typeof blockWriter>

/** Consecutive text, and consecutive reasoning, is one block with a start and an end. */
function blockWriter() {
  let open: { type: 'text' | 'reasoning'; id: string } | undefined
  let count = 0
  const end = (controller: Controller): void => {
    if (open) controller.enqueue({ type: `${open.type}-end`, id: open.id })
    open = undefined
  }
  return {
    write(type: 'text' | 'reasoning', delta: string, controller: Controller): void {
      if (open?.type !== type) {
        end(controller)
        open = { type, id: String((count += 1)) }
        controller.enqueue({ type: `${type}-start`, id: open.id })
      }
      controller.enqueue({ type: `${type}-delta`, id: open.id, delta })
    },
    end,
  }
}

/** Older servers end only complete answers without a reason. */
function finishReason(raw = 'stop'): LanguageModelV4FinishReason {
  return { unified: raw === 'stop' || raw === 'length' ? raw : 'other', raw }
}

/** Zero counts as unreported: with the whole prompt cached, servers report none or 0 (ollama issues 2068, 3427). */
function readUsage(line: Line): LanguageModelV4Usage {
  const total = line.prompt_eval_count || undefined
  return {
    inputTokens: { total, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: line.eval_count, text: undefined, reasoning: undefined },
  }
}

function parsed(text: string): Line | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
