import { fieldsOf, isObject, parseJson } from '../platform.ts'
import { answerDraft } from './answer-draft.ts'
import { eventParser } from './answer-stream.ts'
import { formatReaders, type WireFormat } from './formats.ts'
import type { JsonFields } from './part.ts'
import { headReport } from './usage.ts'

/** The most characters of an answer in one piece, and of one event of a stream; what is longer is not read. */
const MOST_CHARACTERS = 32_000_000

/** Reads the bytes of an answer beside their way to the caller. `headers`: those of the answer, in lower case. */
export function responseReader(format: WireFormat, headers: JsonFields = {}) {
  const draft = answerDraft()
  const { correction, asEvent, add } = formatReaders[format]
  const { events, close, hasReason } = correction(true)
  const decoder = new TextDecoder()
  const parser = eventParser(({ event, data }) => read(parseJson(data), event), MOST_CHARACTERS)
  /** The parts of an answer in one piece; `undefined` for a stream. */
  let whole: string[] | undefined
  let left = MOST_CHARACTERS
  let hasBegun = false
  let isBroken = false
  let isEnded = false

  const addAll = (all: readonly object[]) => {
    for (const event of all as readonly JsonFields[]) {
      const { code, type, message } = fieldsOf(event['error'])
      if (event['error']) draft.fail(code ?? type, message)
      else add(draft, event)
    }
  }
  const read = (value: unknown, name?: string, toEvent = (event: JsonFields) => event) => {
    if (!isObject(value)) return
    draft.report(value)
    const { model, id } = fieldsOf(value['response'] ?? value['message'] ?? value)
    draft.set({ model, id })
    addAll(events(toEvent(value), name))
  }
  const feed = (text: string) => {
    if (!hasBegun && text.trim() !== '') {
      hasBegun = true
      // The first character decides, since not every provider names the right type.
      if (/^\s*[{[]/.test(text)) whole = []
    }
    if (whole) {
      left -= text.length
      if (left >= 0) whole.push(text)
    } else if (!isBroken) {
      try {
        parser.feed(text)
      } catch {
        isBroken = true
        draft.overflow()
      }
    }
  }
  return {
    /** The next bytes, cut anywhere. Never throws, whatever they are. */
    write(bytes: Uint8Array) {
      if (!isEnded) feed(decoder.decode(bytes, { stream: true }))
    },
    /** Tokens that were written so far, about: of what came in events, wherever their bytes were cut. */
    size: draft.size,
    /** What was said up to here. A stream that broke off has no `finish`. */
    end() {
      if (!isEnded) {
        isEnded = true
        feed(decoder.decode())
        const answer = whole && left >= 0 ? parseJson(whole.join('')) : undefined
        if (left < 0) draft.overflow()
        if (whole) draft.report(headReport(headers))
        // The last event of a stream may have no blank line behind it.
        if (!whole) feed('\n\n')
        // Gemini sends a list of answers where no events were asked for.
        else for (const each of Array.isArray(answer) ? answer : [answer]) read(each, undefined, asEvent)
        if (hasReason()) addAll(close?.() ?? [])
      }
      return draft.close()
    },
  }
}
