import { outputText, type ToolDefinition } from '../context.ts'
import { exactLine } from './exact-text.ts'
import type { Io } from '../capability.ts'
import type { RequestView } from '../runtime.ts'
import { harmless, styled } from './style.ts'

/**
 * A request for people: its tools, its system message, and each message with its calls and results. Whatever a message says
 * is indented, so that nothing in it can pass for a heading.
 */
export function requestText({ tools, system, messages }: RequestView, io: Io): string {
  const blocks = [
    ...(tools.length === 0 ? [] : [block(`tools (${tools.length})`, tools.map(toolText).join('\n'), io)]),
    ...(system === undefined ? [] : [block('system', system, io)]),
    ...messages.map((message, index) => block(`${index + 1} ${message.role}`, messageLines(message).join('\n'), io)),
  ]
  return blocks.join('\n\n')
}

function block(heading: string, text: string, io: Io): string {
  const lines = harmless(text, io.stdout).split(/\r\n|\r|\n/)
  return [styled(io, 'bold', heading), ...lines.map((line) => (line === '' ? '' : `  ${line}`))].join('\n')
}

/** `name(parameter, optional?): description`, the description below where it has several lines. */
function toolText({ name, description = '', inputSchema }: ToolDefinition): string {
  const { properties = {}, required = [] } = inputSchema as {
    readonly properties?: object
    readonly required?: readonly string[]
  }
  const parameters = Object.keys(properties).map((key) => exactLine(required.includes(key) ? key : `${key}?`))
  return `${exactLine(name)}(${parameters.join(', ')})\n${description.trim().replaceAll(/^(?=.)/gm, '  ')}`.trimEnd()
}

type Message = RequestView['messages'][number]

function messageLines({ content }: Message): readonly string[] {
  if (typeof content === 'string') return [content]
  return content.map(partText)
}

type Part = Exclude<Message['content'], string>[number]

function partText(part: Part): string {
  switch (part.type) {
    case 'text':
      return part.text
    case 'reasoning':
      return `(reasoning) ${part.text}`
    case 'tool-call':
      return `→ ${exactLine(part.toolName)} ${JSON.stringify(part.input)}`
    case 'tool-result':
      return `← ${exactLine(part.toolName)}: ${outputText(part.output)}`
    default:
      return `[${exactLine('mediaType' in part && part.mediaType ? part.mediaType : part.type)}]`
  }
}
