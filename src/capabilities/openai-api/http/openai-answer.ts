import type { Runtime } from '../../../capability.ts'
import { defined } from '../../../platform.ts'
import { type Usage } from '../../../session.ts'
import { type AnswerCitation, isWebAddress } from '../../../citation.ts'
import { type AnswerEvent, type CollectedAnswer, answerAccount, type CompletionNames } from '../../../server.ts'

export interface AnswerNames extends CompletionNames {
  /** Unix time, seconds. */
  readonly created: number
}

export function chatCompletion(names: AnswerNames, answer: CollectedAnswer, foreword: object): unknown {
  const { text, reasoning, toolCalls, citations, finish } = answer
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
    ...defined({ usage: openaiUsage(finish?.usage, ['prompt', 'completion']) }),
    foreword,
  }
}

/** A stream of `chat.completion.chunk` events, each as text to send. */
export function completionChunks(
  names: AnswerNames,
  { includeUsage }: { readonly includeUsage: boolean },
): {
  piece(event: AnswerEvent): string
  end(answer: CollectedAnswer, foreword: object): string
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
    end({ citations, finish }, foreword) {
      const first = role === '' ? '' : delta('"content":""')
      const reason = JSON.stringify(finishReason(finish))
      const links = annotations(citations)
      const cited = links.length === 0 ? '' : `"annotations":${JSON.stringify(links)}`
      const last = `${choice}{${cited}},"logprobs":null,"finish_reason":${reason}}],"foreword":${JSON.stringify(foreword)}${noUsage}}\n\n`
      const usage = includeUsage
        ? `${head},"choices":[],"usage":${JSON.stringify(openaiUsage(finish?.usage, ['prompt', 'completion']) ?? null)}}\n\n`
        : ''
      return `${first}${last}${usage}data: [DONE]\n\n`
    },
  }
}

function toolCall({
  toolCallId,
  toolName,
  input,
}: CollectedAnswer['toolCalls'][number]): Readonly<Record<string, unknown>> {
  return { id: toolCallId, type: 'function', function: { name: toolName, arguments: argumentsText(input) } }
}

/** Arguments that are not JSON are the text that the model wrote. */
export function argumentsText(input: unknown): string {
  return typeof input === 'string' ? input : JSON.stringify(input ?? {})
}

/** What the answer has beyond OpenAI's format, citations of files among it. */
export async function forewordField(
  runtime: Runtime,
  names: CompletionNames,
  { calls, citations }: Pick<CollectedAnswer, 'calls' | 'citations'>,
): Promise<object> {
  const files = fileCitations(citations)
  return { ...(await answerAccount(runtime, names, calls)), ...(files.length > 0 && { citations: files }) }
}

function finishReason(finish: CollectedAnswer['finish']): string {
  if (finish === undefined || finish.reason === 'other') return 'stop'
  if (finish.reason === 'tool-calls') return 'tool_calls'
  return finish.reason === 'content-filter' ? 'content_filter' : finish.reason
}

/**
 * Tokens as one of OpenAI's two formats names the sides of a call. `undefined` where the provider reported none: they have no
 * "unknown", and a guess would be worse. `silent`: what a detail is that was not reported; absent unless given.
 */
export function openaiUsage(
  usage: Usage | undefined,
  [input, output]: readonly [string, string],
  silent?: 0,
): object | undefined {
  if (usage?.promptTokens === undefined || usage.outputTokens === undefined) return undefined
  const { promptTokens, outputTokens, cachedTokens = silent, reasoningTokens = silent } = usage
  return {
    [`${input}_tokens`]: promptTokens,
    [`${output}_tokens`]: outputTokens,
    total_tokens: promptTokens + outputTokens,
    ...(cachedTokens === undefined ? {} : { [`${input}_tokens_details`]: { cached_tokens: cachedTokens } }),
    ...(reasoningTokens === undefined ? {} : { [`${output}_tokens_details`]: { reasoning_tokens: reasoningTokens } }),
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
