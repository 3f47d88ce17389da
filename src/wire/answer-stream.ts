import { createParser, type ParserCallbacks } from 'eventsource-parser'
import { defined, fieldsOf, isObject, parseJson } from '../platform.ts'
import type { AnswerDraft } from './answer-draft.ts'
import { type JsonFields, jsonOf, type WirePart } from './part.ts'
import { providerSentence } from './refusal.ts'
import { type Usage, usageReader } from './usage.ts'

/** What is read of one format of an API. No reader throws, whatever it is given. */
export interface FormatReader {
  /** The fields of a body that `parts` reads. */
  readonly fields: readonly string[]
  /** The parts of a body, in the order in which the model reads them. */
  readonly parts: (body: JsonFields) => Iterable<WirePart>
  /** Reads one answer. `readsAll`: also what our own calls have no use for, such as tools that a provider runs. */
  readonly correction: (readsAll?: boolean) => Correction
  /** A whole answer as one event of a stream. */
  readonly asEvent: (answer: JsonFields) => JsonFields
  /** Adds an event of a correction to what an answer said. */
  readonly add: (draft: AnswerDraft, event: JsonFields) => void
}

/** Passes the events of one stream on, as text of server-sent events. */
export interface EventFilter {
  /** What may be read by now, of the stream as it comes, cut anywhere. */
  next(text: string): string
  /** What completes an answer whose provider has only said why it ends, once nothing follows. */
  end(): string
  /** Whether the provider has said that the answer is over: what follows is not read. */
  isOver(): boolean
  /** Whether the provider has said why the answer ends: a connection that breaks after that has lost nothing. */
  hasReason(): boolean
  /** What the provider reported of its tokens by now. */
  usage(): Usage | undefined
}

/** How one format is corrected. */
export interface Correction {
  /** The events to be read in the place of this one, which is a value of JSON. `type`: that of the event. */
  events(value: JsonFields, type: string | undefined): readonly object[]
  /** The events that end an answer, where its provider has only said why it ends. */
  close?(): readonly object[]
  hasReason(): boolean
  isOver(): boolean
}

export function eventFilter({ events, close, hasReason, isOver: hasEnded }: Correction): EventFilter {
  let out = ''
  let isOver = false
  const reader = usageReader()
  const write = (all: readonly object[]) => {
    for (const event of all) {
      const type = (event as { readonly type?: unknown }).type
      out += `${typeof type === 'string' ? `event: ${type}\n` : ''}data: ${JSON.stringify(event)}\n\n`
    }
  }
  const parser = eventParser(({ event, data }) => {
    if (isOver || data.trim() === '') return
    if (data.trim() === '[DONE]') {
      isOver = true
      write(close?.() ?? [])
      out += 'data: [DONE]\n\n'
      return
    }
    const value = parseJson(data)
    if (value === undefined && hasReason()) return
    if (value === undefined) out += `data: ${data.replaceAll('\n', ' ')}\n\n`
    if (!isObject(value)) return
    reader.add(value)
    write(events(value, event))
    isOver = hasEnded()
  })
  return {
    next(text) {
      parser.feed(text)
      const ready = out
      out = ''
      return ready
    },
    end() {
      if (hasReason()) write(close?.() ?? [])
      const ready = out
      out = ''
      return ready
    },
    isOver: () => isOver,
    hasReason,
    usage: reader.usage,
  }
}

/** Reads server-sent events. One kind of line break for all three: the parser needs the square of the time for lone carriage returns. */
export function eventParser(onEvent: NonNullable<ParserCallbacks['onEvent']>, maxBufferSize?: number) {
  const parser = createParser({ onEvent, ...defined({ maxBufferSize }) })
  let isHeld = false
  return {
    feed(text: string): void {
      const all = isHeld ? `\r${text}` : text
      isHeld = all.endsWith('\r')
      parser.feed((isHeld ? all.slice(0, -1) : all).replaceAll(/\r\n?/g, '\n'))
    },
  }
}

/** The failure that an event reports, with its `message`. Some servers give it no field of its own. */
export function failureIn(value: JsonFields, event: string | undefined): JsonFields | undefined {
  const { error, object, code, type } = value
  const isReported = Boolean(error) || object === 'error' || event === 'error' || type === 'error'
  const isNamed = typeof type === 'string' || value['choices'] !== undefined
  if (!isReported && (isNamed || !(typeof value['message'] === 'string' || 'detail' in value))) return undefined
  const inner = fieldsOf(error)
  return {
    message: providerSentence(value) ?? jsonOf(value),
    ...defined({ type: inner['type'] ?? type, code: inner['code'] ?? code ?? inner['status'] ?? value['status'] }),
  }
}

/** Of a format whose events are read as they come: a failure alone is told in one form. */
export function failureAlone(failure = failureIn): Correction {
  return {
    events(value, type) {
      const error = failure(value, type)
      return [error ? { error } : value]
    },
    hasReason: () => false,
    isOver: () => false,
  }
}

/** Whether two texts are the same object of JSON. */
export function sameJson(one: string, other: string): boolean {
  return isObject(parseJson(one)) && jsonOf(parseJson(one)) === jsonOf(parseJson(other))
}

/** A text that is not empty. */
export function filledText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** The input of a call as JSON: some servers give it as an object. */
export function inputJson(input: unknown): string {
  return typeof input === 'string' ? input : isObject(input) ? jsonOf(input) : ''
}

/** The name of a call whose model gave none: it is answered like that of any tool that does not exist. */
export const UNNAMED = 'unnamed'
