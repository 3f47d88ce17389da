import type {
  LanguageModelV4FilePart,
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4TextPart,
} from '@ai-sdk/provider'
import {
  type AnyMessage,
  type AssistantMessage,
  type ImageSupport,
  markImages,
  type ToolDefinition,
  type ToolMessage,
  type UserMessage,
} from '../context.ts'
import { filePart } from './file-part.ts'
import type { ModelRequest } from './model.ts'
import { toolOutput } from './tool-output.ts'

/**
 * A request in the shape that the AI SDK's language models read. The request is not changed. An image that cannot reach the
 * model goes as a marker, as the assembly has it; results of tools are texts where the wire has no place for images in them.
 */
export function promptOf(request: ModelRequest, support: ImageSupport): LanguageModelV4Prompt {
  const messages = request.messages.map((message) =>
    messageOf(markImages(message, support)?.message ?? message, support.inResults),
  )
  return request.system ? [{ role: 'system', content: request.system }, ...messages] : messages
}

export function functionToolsOf(tools: readonly ToolDefinition[]): LanguageModelV4FunctionTool[] {
  return tools.map(({ name, description, inputSchema, strict }) => ({
    type: 'function',
    name,
    ...(description === undefined ? {} : { description }),
    inputSchema,
    ...(strict === undefined ? {} : { strict }),
  }))
}

function messageOf(message: AnyMessage, richResults: boolean): LanguageModelV4Message {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: message.content, ...optionsOf(message) }
    case 'user':
      return { role: 'user', content: userContent(message.content), ...optionsOf(message) }
    case 'assistant':
      return { role: 'assistant', content: assistantContent(message.content, richResults), ...optionsOf(message) }
    case 'tool':
      return { role: 'tool', content: toolContent(message.content, richResults), ...optionsOf(message) }
  }
}

type UserPart = LanguageModelV4TextPart | LanguageModelV4FilePart

function userContent(content: UserMessage['content']): UserPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return content.map((part) =>
    part.type === 'text' ? { type: 'text', text: part.text, ...optionsOf(part) } : filePart(part),
  )
}

type AssistantContent = Extract<LanguageModelV4Message, { role: 'assistant' }>['content']

function assistantContent(content: AssistantMessage['content'], richResults: boolean): AssistantContent {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  const parts: AssistantContent = []
  for (const part of content) {
    if (part.type === 'text' || part.type === 'reasoning') {
      parts.push({ type: part.type, text: part.text, ...optionsOf(part) })
    } else if (part.type === 'tool-call') {
      const { toolCallId, toolName, providerExecuted } = part
      const executed = providerExecuted === undefined ? {} : { providerExecuted }
      parts.push({
        type: 'tool-call',
        toolCallId,
        toolName,
        input: objectOf(part.input),
        ...executed,
        ...optionsOf(part),
      })
    } else if (part.type === 'tool-result') {
      const { toolCallId, toolName } = part
      parts.push({
        type: 'tool-result',
        toolCallId,
        toolName,
        output: toolOutput(part.output, richResults),
        ...optionsOf(part),
      })
    } else if (part.type === 'file') {
      parts.push(filePart(part))
    } else if (part.type === 'custom') {
      parts.push(part)
    }
  }
  return parts
}

type ToolContent = Extract<LanguageModelV4Message, { role: 'tool' }>['content']

function toolContent(content: ToolMessage['content'], richResults: boolean): ToolContent {
  const parts: ToolContent = []
  for (const part of content) {
    if (part.type !== 'tool-result') continue
    const { toolCallId, toolName } = part
    parts.push({
      type: 'tool-result',
      toolCallId,
      toolName,
      output: toolOutput(part.output, richResults),
      ...optionsOf(part),
    })
  }
  return parts
}

/** Every provider wants an object here. Input that was no JSON goes back as what the model wrote, under a name. */
function objectOf(input: unknown): unknown {
  if (typeof input === 'object' && input !== null && !Array.isArray(input)) return input
  return input === undefined ? {} : { input }
}

function optionsOf<T>(part: { readonly providerOptions?: T }): { providerOptions?: T } {
  return part.providerOptions === undefined ? {} : { providerOptions: part.providerOptions }
}
