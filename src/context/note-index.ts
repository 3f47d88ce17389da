import { exactLine } from './exact-text.ts'
import {
  type AnyMessage,
  messageText,
  outputText,
  type ToolCallPart,
  toolCalls,
  type ToolResultPart,
  toolResults,
} from './message.ts'
import { sha256Text } from './sha256-text.ts'

/**
 * What turns held, from their messages alone: the first words of what was asked, what tools were called with (a path with the
 * beginning of the hash of its last result, a command with its exit code), ids and addresses. Lines of a note:
 * what they name can be looked up.
 */
export function noteIndex(turns: readonly SaidTurn[], mostCharacters: number): readonly string[] {
  const asked: string[] = []
  const calls = new Map<string, Map<string, string>>()
  const named = new Set<string>()
  for (const { messages } of turns) {
    const open = new Map<string, ToolCallPart>()
    for (const { message } of messages) {
      const text = messageText(message)
      if (message.role === 'user') asked.push(shortened(oneLine(text), LONGEST_OPENING))
      if (message.role !== 'tool') addNames(named, text)
      for (const call of toolCalls(message)) open.set(call.toolCallId, call)
      for (const result of toolResults(message)) addCall(calls, open.get(result.toolCallId), result)
    }
  }
  const tools = [...calls].map(([tool, inputs]) => [`${exactLine(tool)}: `, newest(inputs)] as const)
  const lists: readonly (readonly [string, readonly string[]])[] = [
    ['asked: ', asked.filter((text) => text !== '').map((text) => JSON.stringify(text))],
    ...tools,
    ['named: ', [...named]],
  ]
  return fitLines(
    lists.filter(([, items]) => items.length > 0),
    mostCharacters,
  )
}

interface SaidTurn {
  readonly messages: readonly { readonly message: AnyMessage }[]
}

/** Characters. */
const LONGEST_OPENING = 90
const LONGEST_INPUT = 80

/** Every list gets its part of the characters; in each the newest are kept. */
function fitLines(lists: readonly (readonly [string, readonly string[]])[], most: number): readonly string[] {
  let left = most
  const shortestFirst = lists
    .map(([lead, items], at) => ({ lead, items, at, length: lineLength(lead, items) }))
    .toSorted((one, other) => one.length - other.length || one.at - other.at)
  const lines: string[] = []
  for (const [done, { lead, items, at }] of shortestFirst.entries()) {
    const line = fitLine(lead, items, Math.floor(left / (shortestFirst.length - done)))
    lines[at] = line
    left -= line.length
  }
  return lines.filter((line) => line !== '')
}

function lineLength(lead: string, items: readonly string[]): number {
  return items.reduce((sum, item) => sum + item.length + 2, lead.length)
}

function fitLine(lead: string, items: readonly string[], most: number): string {
  const kept: string[] = []
  let length = lead.length + 16
  for (const item of items.toReversed()) {
    if (length + item.length + 2 > most) break
    length += item.length + 2
    kept.unshift(item)
  }
  if (kept.length === 0) return ''
  const more = items.length - kept.length
  return `${lead}${more > 0 ? `${more} more; ` : ''}${kept.join('; ')}`
}

function addCall(
  calls: Map<string, Map<string, string>>,
  call: ToolCallPart | undefined,
  { toolName, output }: ToolResultPart,
): void {
  const about = call === undefined ? undefined : mainInput(call.input)
  if (about === undefined) return
  const text = outputText(output)
  const isFailure = output.type === 'error-text' || output.type === 'error-json' || output.type === 'execution-denied'
  const exit = /\bexit(?:ed with)?(?: code)?:? (\d{1,3})\b/i.exec(text.slice(-400))?.[1]
  const result = isFailure
    ? 'failed'
    : exit === undefined
      ? about.isPath
        ? sha256Text(text).slice(0, 8)
        : ''
      : `exit ${exit}`
  const inputs = calls.get(toolName) ?? new Map<string, string>()
  calls.set(toolName, inputs)
  inputs.delete(about.text)
  inputs.set(about.text, result)
}

function newest(inputs: ReadonlyMap<string, string>): readonly string[] {
  return [...inputs].map(([input, result]) => (result === '' ? input : `${input} (${result})`))
}

/** The argument that says what a call is about, on one line; `undefined` where none is a text. `isPath`: it names a file. */
export function mainInput(input: unknown): { readonly text: string; readonly isPath: boolean } | undefined {
  if (typeof input !== 'object' || input === null) return undefined
  const values = input as Readonly<Record<string, unknown>>
  const key = MAIN.find((name) => values[name] !== undefined) ?? Object.keys(values)[0]
  const value = key === undefined ? undefined : values[key]
  const words = Array.isArray(value) ? value.filter((word) => typeof word === 'string').join(' ') : value
  if (typeof words !== 'string' || words.trim() === '') return undefined
  return { text: shortened(oneLine(words), LONGEST_INPUT), isPath: PATHS.has(key!) }
}

/** The best first: what is looked for says more than where. */
const MAIN = [
  'query',
  'pattern',
  'path',
  'file',
  'file_path',
  'filename',
  'command',
  'argv',
  'url',
  'urls',
  'name',
  'id',
]
const PATHS: ReadonlySet<string> = new Set(['path', 'file', 'file_path', 'filename'])

/** Addresses, mail addresses, ids, keys of tickets and long numbers, as they stand in a text. */
const NAMES =
  /https?:\/\/[^\s<>"'`\\)\]]{3,120}|[\w.+-]{1,40}@[\w-]{1,40}\.[\w.-]{2,40}|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|\b[A-Z][A-Z0-9]{1,9}-\d{1,7}\b|#\d{2,7}\b|\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b|\b\d[\d.,:]{2,14}\d\b/g

/** Characters of one message that are looked through, and names of it that are kept. */
const LOOKED_THROUGH = 20_000
const MOST_OF_A_MESSAGE = 12

function addNames(named: Set<string>, text: string): void {
  let left = MOST_OF_A_MESSAGE
  for (const [name] of text.slice(0, LOOKED_THROUGH).matchAll(NAMES)) {
    if (left === 0) return
    left -= 1
    const plain = exactLine(name.replace(/[.,:;]+$/, ''))
    named.delete(plain)
    named.add(plain)
  }
}

function oneLine(text: string): string {
  return exactLine(text.replaceAll(/\s+/g, ' ').trim())
}

/** By code points, so that no character is cut in half. */
function shortened(text: string, most: number): string {
  if (text.length <= most) return text
  const characters = Array.from(text)
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`
}
