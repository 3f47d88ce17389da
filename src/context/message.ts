import type { AssistantModelMessage, ModelMessage, ToolModelMessage, UserModelMessage } from '@ai-sdk/provider-utils'
import type { Media } from './media-cost.ts'

/**
 * One message of a conversation, in the AI SDK's `ModelMessage` shape, so that a request can be handed to any AI SDK
 * call as it is. The system message is not among them: it is made of layers.
 */
export type Message = UserMessage | AssistantMessage | ToolMessage
/** A message of a person. */
export type UserMessage = UserModelMessage
/** A message of a model: text, reasoning and calls. */
export type AssistantMessage = AssistantModelMessage
/** The results of the calls of one step. */
export type ToolMessage = ToolModelMessage

type AssistantPart = Exclude<AssistantMessage['content'], string>[number]
/** A call of a tool in an assistant message: `toolCallId`, `toolName` and `input`. */
export type ToolCallPart = Extract<AssistantPart, { type: 'tool-call' }>
/** The result of a call in a tool message, paired with the call by `toolCallId`. */
export type ToolResultPart = Extract<ToolMessage['content'][number], { type: 'tool-result' }>
/** What a tool answered, in the shapes of the AI SDK. */
export type ToolOutput = ToolResultPart['output']

/** Any message of an AI SDK loop, including system messages. */
export type AnyMessage = ModelMessage

/** A user message that the core itself words. */
export function userMessage(text: string): UserMessage {
  return { role: 'user', content: text }
}

/** The text of a message, without reasoning, calls and results. */
export function messageText({ content }: AnyMessage): string {
  if (typeof content === 'string') return content
  let text = ''
  for (const part of content) if (part.type === 'text') text += part.text
  return text
}

/** Marks reasoning that a model wrote into its text: the API has no place for it, so it is neither sent again nor counted. */
export const TEXT_THINKING = { foreword: { thinking: 'in-text' } } as const

/** Whether a part is never sent: thinking that a model wrote into its text. */
export function isTextThinking(part: { readonly providerOptions?: Readonly<Record<string, unknown>> }): boolean {
  const { foreword } = part.providerOptions ?? {}
  return typeof foreword === 'object' && foreword !== null && 'thinking' in foreword
}

/** The reasoning text of a message; empty for messages that are not a model's. */
export function messageReasoning({ content }: AnyMessage): string {
  if (typeof content === 'string') return ''
  let text = ''
  for (const part of content) if (part.type === 'reasoning') text += part.text
  return text
}

/** The tool calls of a message, in the order the model made them; none for other roles. */
export function toolCalls(message: AnyMessage): readonly ToolCallPart[] {
  if (message.role !== 'assistant' || typeof message.content === 'string') return []
  return message.content.filter((part) => part.type === 'tool-call')
}

/** The tool results of a message, none for other roles. */
export function toolResults(message: AnyMessage): readonly ToolResultPart[] {
  if (message.role !== 'tool') return []
  return message.content.filter((part) => part.type === 'tool-result')
}

/** The words of a tool's output: its text, or its JSON. Media in it are named, never pasted. */
export function outputText(output: ToolOutput): string {
  switch (output.type) {
    case 'text':
    case 'error-text':
      return output.value
    case 'json':
    case 'error-json':
      return JSON.stringify(output.value)
    case 'execution-denied':
      return output.reason ?? 'denied'
    case 'content':
      return output.value.map((part) => (part.type === 'text' ? part.text : mediaName(part))).join('\n')
  }
}

/** `[map.png]`, or `[image/png]` for what has no name. */
function mediaName(part: { readonly type: string; readonly filename?: string; readonly mediaType?: string }): string {
  return `[${part.filename ?? part.mediaType ?? part.type}]`
}

/** Whether a tool's output contains images or files, which cost more than their names. */
export function holdsMedia(output: ToolOutput): boolean {
  return output.type === 'content' && output.value.some(({ type }) => type !== 'text' && type !== 'custom')
}

/** An image or a file in a tool's output, in any of the forms that the AI SDK has had for it. */
export function outputMedia(part: MediaOutput): Media {
  const { mediaType, providerOptions } = part as {
    mediaType?: string
    providerOptions?: Readonly<Record<string, unknown>>
  }
  const kind = part.type.startsWith('image') ? 'image' : 'application/octet-stream'
  const filename = 'filename' in part ? part.filename : undefined
  return {
    mediaType: mediaType ?? kind,
    data: 'data' in part ? part.data : 'url' in part ? { type: 'url', url: part.url } : { type: 'reference' },
    ...(filename === undefined ? {} : { filename }),
    ...(providerOptions === undefined ? {} : { providerOptions }),
  }
}

type MediaOutput = Exclude<Extract<ToolOutput, { type: 'content' }>['value'][number], { type: 'text' | 'custom' }>
