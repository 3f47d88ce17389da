import type { AssistantModelMessage, ModelMessage, ToolModelMessage, UserModelMessage } from '@ai-sdk/provider-utils'

/**
 * One message of a conversation, in the AI SDK's `ModelMessage` shape, so that a request can be handed to any AI SDK
 * call as it is. The system message is not among them: it is made of layers.
 */
export type Message = UserMessage | AssistantMessage | ToolMessage
/** What a person said. */
export type UserMessage = UserModelMessage
/** What a model said: text, reasoning and calls. */
export type AssistantMessage = AssistantModelMessage
/** The results of the calls of one step. */
export type ToolMessage = ToolModelMessage

export type AssistantPart = Exclude<AssistantMessage['content'], string>[number]
export type ToolCallPart = Extract<AssistantPart, { type: 'tool-call' }>
export type ToolResultPart = Extract<ToolMessage['content'][number], { type: 'tool-result' }>
/** What a tool answered, in the shapes of the AI SDK. */
export type ToolOutput = ToolResultPart['output']

/** Any message an AI SDK loop may hold, a system message included. */
export type AnyMessage = ModelMessage

/** A user message that the core itself words. */
export function userMessage(text: string): UserMessage {
  return { role: 'user', content: text }
}

/** What a message says: its text, without reasoning, calls and results. */
export function messageText({ content }: Message): string {
  if (typeof content === 'string') return content
  let text = ''
  for (const part of content) if (part.type === 'text') text += part.text
  return text
}

/** The tool calls of a message, in the order the model made them; none for other roles. */
export function toolCalls(message: Message): readonly ToolCallPart[] {
  if (message.role !== 'assistant' || typeof message.content === 'string') return []
  return message.content.filter((part) => part.type === 'tool-call')
}

/** The tool results of a message, none for other roles. */
export function toolResults(message: Message): readonly ToolResultPart[] {
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
      return output.value.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n')
  }
}
