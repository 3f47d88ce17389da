import type { FileFrame } from './attachment.ts'
import { countedInFrame, type FrameKind, frameOf, unframed } from './frame.ts'
import { type AnyMessage, type Message, outputText, type ToolResultPart, toolResults } from './message.ts'
import { withoutTokens } from './neutral-text.ts'

/** That the text of a result is of others: layouts with frames put it into one. Kept with the message, and not sent. */
export interface ResultFrame {
  readonly as: FrameKind
  /** SHA-256 of the text, hexadecimal. */
  readonly digest: string
}

/** A result with the mark. Anything but text is framed by no layout. */
export function markResult(part: ToolResultPart, { as, digest }: ResultFrame): ToolResultPart {
  return { ...part, providerOptions: { ...part.providerOptions, foreword: { frame: { as, digest } } } }
}

/** A message as it is sent, and what frames add to it. Marks are taken off. */
export function framedResults(
  message: Message,
  frame: FileFrame,
): { readonly message: Message; readonly added: readonly string[] } {
  const added: string[] = []
  const sent = changedResults(message, (part) => {
    const mark = resultMark(part)
    if (!mark) return part
    const plain = withoutMark(part)
    const { output } = plain
    if (frame !== 'hashed' || (output.type !== 'text' && output.type !== 'error-text')) return plain
    const lines = frameOf(output.value, { what: `result of ${part.toolName}`, as: mark.as }, mark.digest)
    const framed = countedInFrame(lines, output.value)
    added.push(framed.added)
    return { ...plain, output: { ...output, value: framed.text } }
  })
  return { message: sent, added }
}

/** A message with its results as their tools gave them: without frames. */
export function unframedResults<Given extends AnyMessage>(message: Given): Given {
  return changedResults(message, (part) => {
    const { output } = part
    const text = output.type === 'text' || output.type === 'error-text' ? unframed(outputText(output))?.text : undefined
    return text === undefined ? part : ({ ...part, output: { ...output, value: text } } as ToolResultPart)
  })
}

/**
 * A message in which tokens of chat templates do not work in texts of others: results of tools, and framed texts. What people and
 * models say stays as it is. For servers that make one text of all messages.
 */
export function withoutTemplates<Given extends AnyMessage>(message: Given): Given {
  if (message.role === 'user' && typeof message.content === 'string' && unframed(message.content)) {
    return { ...message, content: withoutTokens(message.content) }
  }
  return changedResults(message, (part) => {
    const { output } = part
    if (output.type !== 'text' && output.type !== 'error-text') return part
    return { ...part, output: { ...output, value: withoutTokens(output.value) } }
  })
}

function resultMark({ providerOptions }: ToolResultPart): ResultFrame | undefined {
  const mark = providerOptions?.['foreword']?.['frame'] as Partial<ResultFrame> | undefined
  if (typeof mark?.digest !== 'string' || !/^[0-9a-f]{64}$/.test(mark.digest)) return undefined
  return { as: mark.as === 'guidance' ? 'guidance' : 'material', digest: mark.digest }
}

function withoutMark({ providerOptions, ...part }: ToolResultPart): ToolResultPart {
  const { foreword: { frame: _, ...own } = {}, ...others } = providerOptions ?? {}
  const left = Object.keys(own).length > 0 ? { ...others, foreword: own } : others
  return Object.keys(left).length > 0 ? { ...part, providerOptions: left } : part
}

/** The same message where nothing changes. */
function changedResults<Given extends AnyMessage>(
  message: Given,
  change: (part: ToolResultPart) => ToolResultPart,
): Given {
  if (message.role !== 'tool' || toolResults(message).length === 0) return message
  const content = message.content.map((part) => (part.type === 'tool-result' ? change(part) : part))
  return content.every((part, index) => part === message.content[index]) ? message : { ...message, content }
}
