import { exactLine } from './exact-text.ts'
import { type Message, userMessage } from './message.ts'
import type { TokenCounter } from './token-counter.ts'
import type { ToolDefinition } from './tool-definition.ts'
import type { PricedMessage } from './tool-output.ts'

/** The names of the tools, if offered, with which the model can read what is no longer in front of it. */
export interface Readers {
  readonly history: string | undefined
  readonly files: string | undefined
}

export function readersAmong(tools: readonly ToolDefinition[]): Readers {
  return {
    history: tools.find(({ reads }) => reads === 'history')?.name,
    files: tools.find(({ reads }) => reads === 'files')?.name,
  }
}

/** What was dropped from the front of a conversation. */
export interface Dropped {
  readonly count: number
  readonly unit: 'turn' | 'message'
  /** In the order of their names. */
  readonly files: readonly DroppedFile[]
}

export interface DroppedFile {
  readonly id: string
  /** What the tool that reads files calls it; `id` unless given. */
  readonly file?: string
  readonly name: string
}

/**
 * Tells the model what it no longer sees, if it is offered a tool to read it: a promise it cannot act on would only
 * confuse it. The text changes only when a cut does, so that a prompt cache is not broken between cuts.
 */
export function announcement(dropped: Dropped, readers: Readers, counter: TokenCounter): PricedMessage | undefined {
  const lines: string[] = []
  if (dropped.count > 0 && readers.history) {
    lines.push(`[${formatCount(dropped)} of this conversation not shown; ${readers.history} finds and reads them]`)
  }
  if (dropped.files.length > 0 && readers.files) {
    lines.push(`[files not shown: ${listNames(dropped.files)}; ${readers.files} reads them]`)
  }
  if (lines.length === 0) return undefined
  const text = lines.join('\n')
  const message: Message = userMessage(text)
  return { message, tokens: counter.made?.(text) ?? counter.text(text) + counter.perMessage }
}

/** The most files that are named, in their order. The others are counted: a long list would use the room of the turns that it announces. */
const MOST_NAMED = 10

/** Characters of a name. */
const LONGEST_NAME = 60

function listNames(files: readonly DroppedFile[]): string {
  const byFile = new Map(files.map(({ id, file = id, name }) => [file, name]))
  const named = [...byFile].slice(0, MOST_NAMED).map(([file, name]) => `${shortName(name)} (${file})`)
  const others = byFile.size - named.length
  return others > 0 ? `${named.join(', ')} and ${others} more` : named.join(', ')
}

/** By code points, so that no character is cut in half. */
function shortName(name: string): string {
  const shown = exactLine(name)
  const characters = Array.from(shown)
  return characters.length <= LONGEST_NAME ? shown : `${characters.slice(0, LONGEST_NAME - 1).join('')}…`
}

/** Messages are not counted: the number of messages in turns that were never loaded is unknown. */
function formatCount({ count, unit }: Dropped): string {
  if (unit === 'message') return 'earlier messages'
  return count === 1 ? '1 earlier turn' : `${count} earlier turns`
}
