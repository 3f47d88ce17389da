import { defined } from '../../../platform.ts'
import { type CompletionEvent } from '../../../capability.ts'
import { type Usage } from '../../../session.ts'
import { type AnswerCitation, isWebAddress } from '../../../citation.ts'
import { type AnswerEvent, type CompletionNames, cutField } from '../../../server.ts'

export interface AnswerNames extends CompletionNames {
  /** Unix time, seconds. */
  readonly created: number
}

type Finish = Extract<CompletionEvent, { type: 'finish' }>
type OwnToolCall = Extract<CompletionEvent, { type: 'tool-call' }>

interface CollectedAnswer {
  text: string
  reasoning: string
  readonly toolCalls: OwnToolCall[]
  readonly calls: string[]
  readonly citations: AnswerCitation[]
  finish: Finish | undefined
}

export function emptyAnswer(): CollectedAnswer {
  return { text: '', reasoning: '', toolCalls: [], calls: [], citations: [], finish: undefined }
}

export function collect(into: CollectedAnswer, event: AnswerEvent): void {
  if (event.type === 'text-delta') into.text += event.text
  else if (event.type === 'reasoning-delta') into.reasoning += event.text
  else if (event.type === 'tool-call') into.toolCalls.push(event)
  else if (event.type === 'call-start') into.calls.push(event.call)
  else if (event.type === 'citations') into.citations.push(...event.citations)
  else if (event.type === 'finish') into.finish = event
}

export function chatCompletion(names: AnswerNames, answer: CollectedAnswer, cost?: number): unknown {
  const { text, reasoning, toolCalls, calls, citations, finish } = answer
  const links = annotations(citations)
  return {
    id: `chatcmpl-${names.call}`,
    object: 'chat.completion',
    created: names.created,
    model: names.model,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: text === '' && toolCalls.length > 0 ? null : text,
          refusal: null,
          ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
          ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls.map(toolCall) }),
          ...(links.length === 0 ? {} : { annotations: links }),
        },
        logprobs: null,
        finish_reason: finishReason(finish),
      },
    ],
    ...usageField(finish?.usage),
    foreword: forewordField(names, calls, citations, cost),
  }
}

/** A stream of `chat.completion.chunk` events, each as text to send. */
export function completionChunks(
  names: AnswerNames,
  { includeUsage }: { readonly includeUsage: boolean },
): {
  piece(event: AnswerEvent): string
  end(answer: CollectedAnswer, cost?: number): string
} {
  const { call, model, created } = names
  const head = `data: {"id":${JSON.stringify(`chatcmpl-${call}`)},"object":"chat.completion.chunk","created":${created},"model":${JSON.stringify(model)}`
  const choice = `${head},"choices":[{"index":0,"delta":`
  const noUsage = includeUsage ? ',"usage":null' : ''
  const tail = `,"logprobs":null,"finish_reason":null}]${noUsage}}\n\n`
  let role = '"role":"assistant",'
  let toolIndex = 0

  const delta = (fields: string): string => {
    const text = `${choice}{${role}${fields}}${tail}`
    role = ''
    return text
  }
  return {
    piece(event) {
      if (event.type === 'text-delta') return delta(`"content":${JSON.stringify(event.text)}`)
      if (event.type === 'reasoning-delta') return delta(`"reasoning_content":${JSON.stringify(event.text)}`)
      if (event.type !== 'tool-call') return ''
      return delta(`"tool_calls":${JSON.stringify([{ index: toolIndex++, ...toolCall(event) }])}`)
    },
    end({ calls, citations, finish }, cost) {
      const first = role === '' ? '' : delta('"content":""')
      const reason = JSON.stringify(finishReason(finish))
      const foreword = `"foreword":${JSON.stringify(forewordField(names, calls, citations, cost))}`
      const links = annotations(citations)
      const cited = links.length === 0 ? '' : `"annotations":${JSON.stringify(links)}`
      const last = `${choice}{${cited}},"logprobs":null,"finish_reason":${reason}}],${foreword}${noUsage}}\n\n`
      const usage = includeUsage
        ? `${head},"choices":[],"usage":${JSON.stringify(usageValue(finish?.usage) ?? null)}}\n\n`
        : ''
      return `${first}${last}${usage}data: [DONE]\n\n`
    },
  }
}

function toolCall({ toolCallId, toolName, input }: OwnToolCall): Readonly<Record<string, unknown>> {
  const text = typeof input === 'string' ? input : JSON.stringify(input ?? {})
  return { id: toolCallId, type: 'function', function: { name: toolName, arguments: text } }
}

/** What the answer has beyond OpenAI's format: its session, its calls, their cost in US dollars, what was cut, and citations of files. */
export function forewordField(
  { session, turn, cut }: AnswerNames,
  calls: readonly string[],
  citations: readonly AnswerCitation[],
  cost: number | undefined,
): unknown {
  const files = fileCitations(citations)
  return {
    ...defined({ session, turn }),
    calls,
    ...defined({ cost }),
    ...(cut === undefined ? {} : { cut: cutField(cut) }),
    ...(files.length === 0 ? {} : { citations: files }),
  }
}

function finishReason(finish: Finish | undefined): string {
  if (finish === undefined || finish.reason === 'other') return 'stop'
  if (finish.reason === 'tool-calls') return 'tool_calls'
  return finish.reason === 'content-filter' ? 'content_filter' : finish.reason
}

function usageField(usage: Usage | undefined): { readonly usage?: unknown } {
  const known = usageValue(usage)
  return known === undefined ? {} : { usage: known }
}

/** `undefined` where the provider reported none: OpenAI's format has no "unknown", and a guess would be worse. */
function usageValue(usage: Usage | undefined): unknown {
  if (usage?.promptTokens === undefined || usage.outputTokens === undefined) return undefined
  const { promptTokens, outputTokens, cachedTokens, reasoningTokens } = usage
  return {
    prompt_tokens: promptTokens,
    completion_tokens: outputTokens,
    total_tokens: promptTokens + outputTokens,
    ...(cachedTokens === undefined ? {} : { prompt_tokens_details: { cached_tokens: cachedTokens } }),
    ...(reasoningTokens === undefined ? {} : { completion_tokens_details: { reasoning_tokens: reasoningTokens } }),
  }
}

/** The citations with a web address, in OpenAI's format. Its clients refuse any other annotation. */
function annotations(citations: readonly AnswerCitation[]): readonly unknown[] {
  return citations.flatMap(({ start, end, source: { url, title } }) =>
    isWebAddress(url)
      ? [{ type: 'url_citation', url_citation: { start_index: start, end_index: end, url, title } }]
      : [],
  )
}

/** The other citations, for clients that support them. */
function fileCitations(citations: readonly AnswerCitation[]): readonly unknown[] {
  return citations.flatMap(({ start, end, source: { url, title, document, page } }) =>
    isWebAddress(url)
      ? []
      : [
          {
            type: 'file_citation',
            file_citation: {
              start_index: start,
              end_index: end,
              file_id: document,
              filename: title,
              ...defined({ page }),
            },
          },
        ],
  )
}
