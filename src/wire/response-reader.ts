import { createParser } from 'eventsource-parser'
import { fieldsOf, parseJson } from '../platform.ts'
import { type AnswerDraft, answerDraft } from './answer-draft.ts'
import type { FormatReader } from './answer-stream.ts'
import { formatReaders, type WireFormat } from './formats.ts'
import type { JsonFields } from './part.ts'

/** Reads the bytes of an answer beside their way to the caller. */
export type ResponseReader = ReturnType<typeof responseReader>

/** The most characters of an answer in one piece, and of one event of a stream; what is longer is not read. */
const MOST_CHARACTERS = 32_000_000

export function responseReader(format: WireFormat) {
  const draft = answerDraft()
  const decoder = new TextDecoder()
  const form = formatReaders[format]
  const body = answerBody(draft, form)
  let isEnded = false
  return {
    /** The next bytes, cut anywhere. Never throws, whatever they are. */
    write(bytes: Uint8Array) {
      if (!isEnded) body.add(decoder.decode(bytes, { stream: true }))
    },
    /** Tokens that were written so far, about: of what came in events, wherever their bytes were cut. */
    size: draft.size,
    /** What was said up to here. A stream that broke off has no `finish`. */
    end() {
      if (!isEnded) {
        isEnded = true
        body.add(decoder.decode())
        body.close()
      }
      return draft.close()
    },
  }
}

interface BodyReader {
  add(text: string): void
  close(): void
}

/** JSON or a stream of events: its first character says so, since not every provider names the right type. */
function answerBody(draft: AnswerDraft, form: FormatReader): BodyReader {
  let isBroken = false
  let plain: BodyReader | undefined
  let hasBegun = false
  const lines = lineBreaks()
  const parser = createParser({
    maxBufferSize: MOST_CHARACTERS,
    onEvent: ({ data }) => {
      const event = parsed(data)
      if (!event) return
      draft.report(event)
      form.event(draft, event)
    },
  })
  return {
    add(text) {
      if (!hasBegun && text.trim() !== '') {
        hasBegun = true
        if (text.trimStart().startsWith('{')) plain = wholeBody(draft, form)
      }
      if (plain) plain.add(text)
      else if (!isBroken) {
        try {
          parser.feed(lines.next(text))
        } catch {
          isBroken = true
          draft.overflow()
        }
      }
    },
    close() {
      plain?.close()
      // The last event of a stream may have no blank line behind it.
      if (!plain && !isBroken) this.add('\n\n')
    },
  }
}

/** One kind of line break for all three: the parser needs the square of the time for lone carriage returns. */
function lineBreaks(): { next(text: string): string } {
  let isHeld = false
  return {
    next(text) {
      const all = isHeld ? `\r${text}` : text
      isHeld = all.endsWith('\r')
      return (isHeld ? all.slice(0, -1) : all).replaceAll(/\r\n?/g, '\n')
    },
  }
}

function wholeBody(draft: AnswerDraft, form: FormatReader): BodyReader {
  const texts: string[] = []
  let left = MOST_CHARACTERS
  return {
    add(text) {
      left -= text.length
      if (left >= 0) texts.push(text)
    },
    close() {
      if (left < 0) {
        draft.overflow()
        return
      }
      const answer = parsed(texts.join(''))
      if (!answer) return
      draft.report(answer)
      form.answer(draft, answer)
    },
  }
}

function parsed(text: string): JsonFields | undefined {
  const value = parseJson(text)
  return typeof value === 'object' && value !== null ? fieldsOf(value) : undefined
}
