import { exactLine } from './exact-text.ts'
import type { ForeignText, Origin } from './layer.ts'
import type { Manifest } from './manifest.ts'
import { type Message, outputText, type ToolCallPart, toolCalls, type ToolResultPart, toolResults } from './message.ts'
import { isClearedOutput } from './tool-output.ts'

/** What the result of a call is made of; nothing where only the operator, the person or the model wrote it. */
export type ResultOrigins = (call: ToolCallPart) => readonly ForeignText[]

/**
 * The texts of others in one request, each once, in reading order: layers and attached files by their origin in the manifest,
 * results of tools, pictures and files in messages. What was left out or cleared is not among them.
 */
export function foreignTexts(
  { entries }: Pick<Manifest, 'entries'>,
  messages: readonly Message[],
  resultOrigins: ResultOrigins,
): readonly ForeignText[] {
  const layers = entries.flatMap(({ layer, name, outcome, origin }): readonly ForeignText[] => {
    if (outcome === 'omitted' || !isForeign(origin) || layer === 'tool') return []
    return [{ kind: origin.kind, ref: name ?? origin.ref }]
  })
  return distinctTexts([...layers, ...messageTexts(messages, resultOrigins)])
}

/** The texts of others in messages alone: results of tools, pictures and files. */
export function messageTexts(messages: readonly Message[], resultOrigins: ResultOrigins): readonly ForeignText[] {
  // Some providers give the same id in every step: the newest call of that id is the one that is answered.
  const calls = new Map<string, ToolCallPart>()
  return messages.flatMap((message) => {
    for (const call of toolCalls(message)) calls.set(call.toolCallId, call)
    const results = [...toolResults(message), ...providerResults(message)].flatMap(
      ({ toolCallId, toolName, output }) => {
        if (isClearedOutput(outputText(output))) return []
        return resultOrigins(calls.get(toolCallId) ?? { type: 'tool-call', toolCallId, toolName, input: undefined })
      },
    )
    return [...results, ...messageFiles(message)]
  })
}

/** Results of tools that the provider itself ran, such as its search. */
function providerResults({ role, content }: Message): readonly ToolResultPart[] {
  if (role !== 'assistant' || typeof content === 'string') return []
  return content.filter((part) => part.type === 'tool-result')
}

function messageFiles({ role, content }: Message): readonly ForeignText[] {
  if (role !== 'user' || typeof content === 'string') return []
  return content.flatMap((part): readonly ForeignText[] => {
    if (part.type === 'text') return []
    const filename = 'filename' in part ? part.filename : undefined
    return [{ kind: 'file', ref: filename ?? part.mediaType ?? part.type }]
  })
}

function isForeign(origin: Origin): origin is Origin & Pick<ForeignText, 'kind'> {
  return origin.kind === 'file' || origin.kind === 'web' || origin.kind === 'tool'
}

/** Each text once, where it is first. */
export function distinctTexts<Text extends ForeignText>(texts: readonly Text[]): readonly Text[] {
  const known = new Map<string, Text>()
  for (const text of texts) {
    const key = textKey(text)
    if (!known.has(key)) known.set(key, text)
  }
  return [...known.values()]
}

/** The same for the same text, whatever step it came in. */
export function textKey({ kind, ref, tool, owner }: ForeignText): string {
  return JSON.stringify([kind, ref, tool, owner])
}

/** Texts that are named one by one. */
const MOST_NAMED = 10
/** The longest name of a text, characters. */
const LONGEST_NAME = 120

/** A text in words for a person: `page https://…`, `file notes.md`. Nothing in it can control a terminal or turn the line. */
function foreignTextName({ kind, ref, tool, owner }: ForeignText): string {
  const whole = exactLine(ref)
  const name = whole.length > LONGEST_NAME ? `${whole.slice(0, LONGEST_NAME).toWellFormed()}…` : whole
  if (ref === tool || kind === 'tool') {
    return owner === undefined ? `result of ${name}` : `result of ${name} of ${exactLine(owner)}`
  }
  return kind === 'web' ? `page ${name}` : `file ${name}`
}

/** The texts in words, the newest first, and how many others there are. */
export function foreignTextNames(texts: readonly ForeignText[]): readonly string[] {
  const newest = texts.toReversed()
  const more = newest.length - MOST_NAMED
  return [...newest.slice(0, MOST_NAMED).map(foreignTextName), ...(more > 0 ? [`${more} more`] : [])]
}

/** The sentence about them that a person reads beside a call. */
export function foreignTextSentence(texts: readonly ForeignText[]): string {
  const names = foreignTextNames(texts)
  return `This call was asked for after the model read: ${names.join(', ').replace(/, (\d+ more)$/, ' and $1')}.`
}
