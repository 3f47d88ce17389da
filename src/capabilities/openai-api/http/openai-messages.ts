import { type AnyMessage, type Message, type ToolDefinition } from '../../../context.ts'
import { HttpFailure } from '../../../server.ts'
import { textAndFiles, textContent, userContent } from './openai-parts.ts'
import { type CompletionBody, type OpenaiMessage } from './openai-schema.ts'

/** The messages of a chat completion request, in the shape the core takes. Throws `HttpFailure` where one does not fit. */
export function conversationOf(messages: readonly OpenaiMessage[]): readonly AnyMessage[] {
  const toolNames = new Map<string, string>()
  const own = messages.map((message, at): AnyMessage => {
    const where = `messages.${at}`
    switch (message.role) {
      case 'system':
      case 'developer':
        return { role: 'system', content: textContent(message.content, where) }
      case 'user':
        return { role: 'user', content: userContent(message.content, where) }
      case 'assistant':
        for (const call of message.tool_calls ?? []) toolNames.set(call.id, call.function.name)
        return assistantMessage(message, where)
      case 'tool':
        return toolMessage(message, toolNames, where)
    }
  })
  return joinResults(own)
}

/** What is said in a session: the last message, which has to be the user's. */
export function lastInput(messages: readonly OpenaiMessage[]): ReturnType<typeof textAndFiles> {
  const at = messages.length - 1
  const last = messages[at]!
  if (last.role !== 'user') {
    throw new HttpFailure(
      400,
      'invalid-input',
      'In a session the last message has to be one of the user: it is what is answered.',
    )
  }
  const said = textAndFiles(last.content, `messages.${at}`)
  if (said.text.trim() === '' && said.files.length === 0) {
    throw new HttpFailure(400, 'invalid-input', 'The last message is blank. Say something.')
  }
  return said
}

export function toolsOf({ tools }: CompletionBody): readonly ToolDefinition[] {
  return (tools ?? []).map(({ function: { name, description, parameters, strict } }) => ({
    name,
    ...(description ? { description } : {}),
    inputSchema: parameters ?? { type: 'object', properties: {} },
    ...(typeof strict === 'boolean' ? { strict } : {}),
  }))
}

function assistantMessage(message: Extract<OpenaiMessage, { role: 'assistant' }>, where: string): Message {
  const text = message.content ? textContent(message.content, where) : ''
  const calls = (message.tool_calls ?? []).map((call) => ({
    type: 'tool-call' as const,
    toolCallId: call.id,
    toolName: call.function.name,
    input: parsed(call.function.arguments),
  }))
  const thought = message.reasoning_content ?? message.reasoning ?? ''
  const reasoning = thought === '' ? [] : [{ type: 'reasoning' as const, text: thought }]
  if (calls.length === 0 && reasoning.length === 0) return { role: 'assistant', content: text }
  const words = text === '' && calls.length > 0 ? [] : [{ type: 'text' as const, text }]
  return { role: 'assistant', content: [...reasoning, ...words, ...calls] }
}

function toolMessage(
  message: Extract<OpenaiMessage, { role: 'tool' }>,
  toolNames: ReadonlyMap<string, string>,
  where: string,
): Message {
  const toolCallId = message.tool_call_id
  const toolName = toolNames.get(toolCallId)
  if (toolName === undefined) {
    throw new HttpFailure(400, 'invalid-input', `${where}: no assistant message before it made the call ${toolCallId}.`)
  }
  const output = { type: 'text' as const, value: textContent(message.content, where) }
  return { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName, output }] }
}

/** OpenAI has one message for each result, the core one for all results of a step. */
function joinResults(messages: readonly AnyMessage[]): readonly AnyMessage[] {
  const joined: AnyMessage[] = []
  for (const message of messages) {
    const before = joined.at(-1)
    if (message.role === 'tool' && before?.role === 'tool') {
      joined[joined.length - 1] = { role: 'tool', content: [...before.content, ...message.content] }
    } else {
      joined.push(message)
    }
  }
  return joined
}

/** Arguments that are not JSON stay the text they are. */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json === '' ? '{}' : json)
  } catch {
    return json
  }
}
