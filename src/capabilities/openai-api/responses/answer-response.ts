import { costOfCalls, type RouteCall, type Runtime } from '../../../capability.ts'
import { defined, fieldsOf } from '../../../platform.ts'
import {
  type AnswerEvent,
  answerNaming,
  type CompletionNames,
  CONFIGURED_MODEL,
  ignoredHeader,
  json,
  namingHeaders,
} from '../../../server.ts'
import { collect, emptyAnswer, forewordField } from '../http/openai-answer.ts'
import type { KeptResponses } from './kept-responses.ts'
import { type ResponseBuilder, responseBuilder } from './response-builder.ts'
import type { ResponseEvent } from './response-event.ts'
import { turnKey } from './response-conversation.ts'
import { belongsInStream, responseError, streamedError } from './response-failure.ts'
import type { ResponseNames, ResponseObject } from './response-object.ts'
import type { ResponseBody } from './response-schema.ts'
import type { ResponseSource } from './response-source.ts'

interface AnswerParts {
  readonly runtime: Runtime
  readonly kept: KeptResponses
  readonly source: ResponseSource
  readonly body: ResponseBody
  readonly call: Pick<RouteCall<unknown, unknown>, 'request' | 'caller' | 'stream'>
}

/** Rejects with an `HttpFailure` where the answer fails. */
export async function wholeResponse(parts: AnswerParts): Promise<Response> {
  const answer = answering(parts)
  try {
    for await (const event of parts.source.events(parts.call.request.signal)) answer.add(event)
    answer.close()
    const { response } = await answer.end()
    return json(response, 200, answer.headers())
  } catch (error) {
    throw responseError(error)
  }
}

/**
 * The response as events. A failure before the first word has a status of its own, except those that the clients look
 * for in the stream: an input that is too large, and a call that a budget does not allow.
 */
export async function streamedResponse(parts: AnswerParts): Promise<Response> {
  const answer = answering(parts)
  const number = numbering()
  let begun = false
  const lastWords = (error: unknown) => {
    const failed = answer.fail(error)
    return number(begun ? failed : [...answer.begin(), ...failed])
  }
  try {
    return await parts.call.stream({
      isAnswer: true,
      async run(sink) {
        const write = (events: readonly ResponseEvent[]) => {
          if (events.length === 0) return undefined
          if (!begun) for (const [name, value] of Object.entries(answer.headers())) sink.header(name, value)
          const all = begun ? events : [...answer.begin(), ...events]
          begun = true
          return sink.write(number(all))
        }
        try {
          for await (const event of parts.source.events(sink.signal)) {
            const full = write(answer.add(event))
            if (full !== undefined) await full
            if (sink.signal.aborted) return
          }
          await write(answer.close())
          await write([await answer.end()])
        } catch (error) {
          if (begun || !belongsInStream(error)) throw error
          await write(answer.fail(error))
        }
      },
      lastWords,
    })
  } catch (error) {
    throw responseError(error)
  }
}

function answering({ runtime, kept, source, body, call }: AnswerParts) {
  const naming = answerNaming(source, body.model ?? CONFIGURED_MODEL)
  const collected = emptyAnswer()
  let named: ResponseNames | undefined
  let builder: ResponseBuilder | undefined
  const names = () => (named ??= withKey(naming.names()))
  const built = () => (builder ??= responseBuilder(names(), body, source.tools))

  return {
    headers: () => ({ ...ignoredHeader(source.ignored), ...namingHeaders(names()) }),
    add(event: AnswerEvent): readonly ResponseEvent[] {
      naming.note(event)
      collect(collected, event)
      return event.type === 'call-start' ? [] : built().add(event)
    },
    begin: () => built().begin(),
    close: () => built().close(),
    /** What fails before its first call is named after the call that its account was written for. */
    fail(error: unknown): readonly ResponseEvent[] {
      const id = fieldsOf(fieldsOf(error)['facts'])['call']
      if (!named && typeof id === 'string') naming.note({ type: 'call-start', call: id, model: '' })
      return [built().fail(streamedError(error))]
    },
    /** What is kept is on disk when this resolves. */
    async end(): Promise<ResponseEvent & { readonly response: ResponseObject }> {
      const cost = await costOfCalls(runtime, collected.calls)
      const foreword = forewordField(names(), collected.calls, collected.citations, cost)
      const whole = (store: boolean) => built().end({ store, foreword })
      // A session keeps its turns by itself.
      if (source.inSession) return whole(true)
      return whole(body.store !== false && (await keep(whole(true).response)))
    },
  }

  function withKey(found: CompletionNames): ResponseNames {
    const { session, turn, call: id } = found
    const key = session !== undefined && turn !== undefined ? turnKey({ session, turn }) : id
    return { ...found, key, created: Math.floor(Date.now() / 1000) }
  }

  function keep(response: ResponseObject): Promise<boolean> {
    const previous = body.previous_response_id
    const { input } = source
    const { by, tokenId: token } = call.caller
    return kept.keep({ by, ...defined({ token }), response, input, ...(previous ? { previous } : {}) })
  }
}

function numbering(): (events: readonly ResponseEvent[]) => string {
  let sequence = 0
  return (events) =>
    events
      .map((event) => `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number: sequence++ })}\n\n`)
      .join('')
}
