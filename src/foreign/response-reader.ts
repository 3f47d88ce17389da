import { createParser } from 'eventsource-parser'
import { fieldsOf, parseJson, elementsOf } from '../platform.ts'
import { type AnswerDraft, answerDraft, errorFacts } from './answer-draft.ts'
import { readEmbeddings } from './embeddings-format.ts'
import type { ForeignFormat } from './foreign-call.ts'
import { readMessagesAnswer, readMessagesEvent } from './messages-answer.ts'
import { readResponsesAnswer, readResponsesEvent } from './responses-answer.ts'
import { type JsonFields, countOf, textOf } from './wire-part.ts'

/** Reads a chunk of a stream of OpenAI's Chat Completions, or a whole completion. Of several choices the first is the answer. */
function readChatCompletion(draft: AnswerDraft, completion: JsonFields): void {
  const error = errorFacts(completion['error'])
  if (error) draft.fail(error.code, error.message)
  draft.set({ model: completion['model'], id: completion['id'] })
  for (const choice of elementsOf(completion['choices']).map(fieldsOf)) {
    if ((choice['index'] ?? 0) !== 0) continue
    draft.set({ finish: choice['finish_reason'] })
    readSaid(draft, fieldsOf(choice['delta'] ?? choice['message']))
  }
  readUsage(draft, completion['usage'])
}

function readSaid(draft: AnswerDraft, said: JsonFields): void {
  draft.addReasoning(said['reasoning_content'] ?? said['reasoning'])
  draft.addText(said['content'] ?? said['refusal'])
  for (const [position, value] of elementsOf(said['tool_calls']).entries()) {
    const call = fieldsOf(value)
    const about = fieldsOf(call['function'] ?? call['custom'])
    const key = String(countOf(call['index']) ?? position)
    draft.call(key, { id: call['id'], name: about['name'] })
    const json = textOf(about['arguments'] ?? about['input'])
    if (json) draft.addInput(key, json)
  }
  const former = fieldsOf(said['function_call'])
  if (typeof former['name'] === 'string' || typeof former['arguments'] === 'string') {
    draft.call('function', { name: former['name'] })
    draft.addInput('function', former['arguments'])
  }
}

function readUsage(draft: AnswerDraft, value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  const usage = fieldsOf(value)
  const details = fieldsOf(usage['prompt_tokens_details'])
  draft.usage({
    promptTokens: countOf(usage['prompt_tokens']),
    cachedTokens: countOf(details['cached_tokens']) ?? countOf(usage['prompt_cache_hit_tokens']),
    cacheWrittenTokens: countOf(details['cache_write_tokens']) ?? countOf(details['cache_creation_tokens']),
    outputTokens: countOf(usage['completion_tokens']),
    reasoningTokens: countOf(fieldsOf(usage['completion_tokens_details'])['reasoning_tokens']),
  })
}

/** Reads the bytes of an answer beside their way to the caller. */
export type ResponseReader = ReturnType<typeof responseReader>

/** The most characters of an answer in one piece, and of one event of a stream; what is longer is not read. */
const MOST_CHARACTERS = 32_000_000

export function responseReader(format: ForeignFormat, { streamed }: { readonly streamed: boolean }) {
  const draft = answerDraft()
  const decoder = new TextDecoder()
  const form = readers[format]
  const body = streamed ? streamBody(draft, form) : wholeBody(draft, form)
  let isEnded = false
  return {
    /** The next bytes, cut anywhere. Never throws, whatever they are. */
    write(bytes: Uint8Array) {
      if (!isEnded) body.add(decoder.decode(bytes, { stream: true }))
    },
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

interface FormatReader {
  readonly event: (draft: AnswerDraft, event: JsonFields) => void
  readonly whole: (draft: AnswerDraft, answer: JsonFields) => void
}

const readers: Readonly<Record<ForeignFormat, FormatReader>> = {
  messages: { event: readMessagesEvent, whole: readMessagesAnswer },
  responses: { event: readResponsesEvent, whole: readResponsesAnswer },
  'chat-completions': { event: readChatCompletion, whole: readChatCompletion },
  embeddings: { event: readEmbeddings, whole: readEmbeddings },
}

/** A stream of events. A provider that refuses may answer with JSON instead: its first character says so. */
function streamBody(draft: AnswerDraft, form: FormatReader): BodyReader {
  let isBroken = false
  let plain: BodyReader | undefined
  let hasBegun = false
  const lines = lineBreaks()
  const parser = createParser({
    maxBufferSize: MOST_CHARACTERS,
    onEvent: ({ data }) => {
      const event = parsed(data)
      if (event) form.event(draft, event)
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
      if (answer) form.whole(draft, answer)
    },
  }
}

function parsed(text: string): JsonFields | undefined {
  const value = parseJson(text)
  return typeof value === 'object' && value !== null ? fieldsOf(value) : undefined
}
