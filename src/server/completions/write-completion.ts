import type { AnswerCitation } from '../../citation.ts'
import {
  type CompletionCut,
  type CompletionEvent,
  costOfCalls,
  type RouteCall,
  type Runtime,
} from '../../capability.ts'
import { defined, fieldsOf } from '../../platform.ts'
import { json } from '../answer.ts'
import { type CompletionSource, CONFIGURED_MODEL } from './completion-source.ts'
import type { AnswerEvent } from './turn-completion.ts'

/** A format of an API in which an answer is written, whole or as it comes. */
export interface CompletionFormat {
  headers(names: CompletionNames): Readonly<Record<string, string>>
  /** Asked once, when something is to be written. */
  open(names: CompletionNames): CompletionWriter
  whole(names: CompletionNames, said: CollectedAnswer, events: readonly AnswerEvent[]): Promise<unknown>
  /** The end of a stream that fails. */
  lastWords(error: unknown, names: () => CompletionNames): string
  /** Whether clients look for this failure in the stream, even where nothing of the answer has come. No failure unless given. */
  readonly streamsFailure?: (error: unknown) => boolean
}

/** An answer that is being written. A text without characters is not. */
interface CompletionWriter {
  readonly start?: string
  piece(event: Exclude<AnswerEvent, { type: 'call-start' }>): string
  end(said: CollectedAnswer): Promise<string>
}

/** Answers a request. A stream is written no faster than it is read, and a failure before its first word has a status of its own. */
export async function answerCompletion(
  { source, model, streams }: { readonly source: CompletionSource; readonly model?: string; readonly streams: unknown },
  { request, stream }: Pick<RouteCall<unknown, unknown>, 'request' | 'stream'>,
  format: CompletionFormat,
): Promise<Response> {
  const answer = collectAnswer(source, model ?? CONFIGURED_MODEL)
  // What is ignored may be known only once the answer has begun.
  const headers = () => ({ ...ignoredHeader(source.ignored), ...format.headers(answer.names()) })
  if (streams !== true) {
    const events: AnswerEvent[] = []
    for await (const event of source.events(request.signal)) {
      answer.note(event)
      events.push(event)
    }
    return json(await format.whole(answer.names(), answer.said, events), 200, headers())
  }
  const failedNames = (error: unknown): CompletionNames => {
    // What fails before its first call is named after the call that its account was written for.
    const id = fieldsOf(fieldsOf(error)['facts'])['call']
    if (answer.said.calls.length === 0 && typeof id === 'string')
      answer.note({ type: 'call-start', call: id, model: '' })
    return answer.names()
  }
  return stream({
    isAnswer: true,
    headers: ignoredHeader(source.ignored),
    async run(sink) {
      const begin = () => Object.entries(headers()).forEach(([name, value]) => sink.header(name, value))
      let writer: CompletionWriter | undefined
      const begun = () => {
        if (writer) return writer
        begin()
        writer = format.open(answer.names())
        if (writer.start !== undefined) void sink.write(writer.start)
        return writer
      }
      try {
        for await (const event of source.events(sink.signal)) {
          answer.note(event)
          if (event.type === 'call-start') continue
          const text = begun().piece(event)
          const full = text === '' ? undefined : sink.write(text)
          if (full !== undefined) await full
          if (sink.signal.aborted) return
        }
        await sink.write(await begun().end(answer.said))
      } catch (error) {
        if (writer || !format.streamsFailure?.(error)) throw error
        const names = failedNames(error)
        begin()
        await sink.write(format.lastWords(error, () => names))
      }
    },
    lastWords: (error) => format.lastWords(error, () => failedNames(error)),
  })
}

/** What an answer is called: in its headers, and in every piece of it. */
export interface CompletionNames {
  /** The first call that answers: `x-foreword-call`, and the id of the answer. */
  readonly call: string
  readonly model: string
  readonly session?: string
  readonly turn?: string
  readonly cut?: CompletionCut
}

/** What an answer said, as far as it came. */
export interface CollectedAnswer {
  text: string
  reasoning: string
  readonly toolCalls: Extract<CompletionEvent, { type: 'tool-call' }>[]
  readonly calls: string[]
  readonly citations: AnswerCitation[]
  finish: Extract<CompletionEvent, { type: 'finish' }> | undefined
}

/**
 * Collects the events of an answer, and names it after its first call that was not refused as too large. `model`: the name where
 * no call has begun.
 */
export function collectAnswer({ session, turn }: Pick<CompletionSource, 'session' | 'turn'>, model: string) {
  const said: CollectedAnswer = { text: '', reasoning: '', toolCalls: [], calls: [], citations: [], finish: undefined }
  let start: Extract<CompletionEvent, { type: 'call-start' }> | undefined
  let answers = false
  return {
    said,
    note(event: AnswerEvent): void {
      if (event.type !== 'call-start') answers = true
      else if (!answers) start = event
      if (event.type === 'text-delta') said.text += event.text
      else if (event.type === 'reasoning-delta') said.reasoning += event.text
      else if (event.type === 'tool-call') said.toolCalls.push(event)
      else if (event.type === 'call-start') said.calls.push(event.call)
      else if (event.type === 'citations') said.citations.push(...event.citations)
      else if (event.type === 'finish') said.finish = event
    },
    names: (): CompletionNames => ({
      call: start?.call ?? turn ?? 'none',
      model: start?.model || model,
      ...defined({ session, turn, cut: start?.cut }),
    }),
  }
}

export function namingHeaders({ call, session, turn, cut }: CompletionNames): Readonly<Record<string, string>> {
  return {
    'x-foreword-call': encodeURIComponent(call),
    ...(session === undefined ? {} : { 'x-foreword-session': encodeURIComponent(session) }),
    ...(turn === undefined ? {} : { 'x-foreword-turn': encodeURIComponent(turn) }),
    ...(cut === undefined
      ? {}
      : {
          'x-foreword-cut': `messages=${cut.messagesLeftOut}/${cut.messages}, results=${cut.resultsShortened}, tokens=${cut.tokensLeftOut}`,
        }),
  }
}

/** What every format says of an answer beyond itself: its session, its calls, their cost in US dollars, and what was cut. */
export async function answerAccount(
  runtime: Runtime,
  { session, turn, cut }: CompletionNames,
  calls: readonly string[],
): Promise<object> {
  const cost = await costOfCalls(runtime, calls)
  return {
    ...defined({ session, turn }),
    calls,
    ...defined({ cost }),
    ...(cut && {
      cut: {
        messages: cut.messages,
        messages_left_out: cut.messagesLeftOut,
        results_shortened: cut.resultsShortened,
        tokens_left_out: cut.tokensLeftOut,
      },
    }),
  }
}

/** The header that names the fields of a request that were read by nobody, each once. */
export function ignoredHeader(names: readonly string[]): Readonly<Record<string, string>> {
  const ignored = [...new Set(names)].map((name) => encodeURIComponent(name.toWellFormed()))
  return ignored.length === 0 ? {} : { 'x-foreword-ignored': ignored.join(', ') }
}

/** The fields of an object, or of each of a list, that say something and are not among those that are read. */
export function unreadFields(
  value: object | null | undefined,
  read: readonly string[],
  before = '',
): readonly string[] {
  return [value ?? []].flat().flatMap((each: object) =>
    Object.entries(each)
      .filter(([key, field]) => field !== null && field !== undefined && !read.includes(key))
      .map(([key]) => `${before}${key}`),
  )
}
