import type { AnswerCitation } from '../../citation.ts'
import { costOfCalls, type Sink, type CompletionCut, type CompletionEvent, type Runtime } from '../../capability.ts'
import type { CompletionSource } from './completion-source.ts'
import type { AnswerEvent } from './turn-completion.ts'
import { defined } from '../../platform.ts'

/** A format of an API in which an answer is written as it comes. */
interface CompletionFormat {
  headers(names: CompletionNames): Readonly<Record<string, string>>
  /** Asked once, when something is to be written. */
  open(names: CompletionNames): CompletionWriter
}

/** An answer that is being written. A text without characters is not. */
interface CompletionWriter {
  readonly start?: string
  piece(event: Exclude<AnswerEvent, { type: 'call-start' }>): string
  end(said: CollectedAnswer): Promise<string>
}

/** Writes an answer no faster than it is read. A failure before its first word is thrown while the headers are still open. */
export async function writeCompletion(
  sink: Sink,
  { source, model }: { readonly source: CompletionSource; readonly model: string },
  format: CompletionFormat,
): Promise<void> {
  const answer = collectAnswer(source, model)
  let writer: CompletionWriter | undefined
  const begun = () => {
    if (writer) return writer
    const names = answer.names()
    for (const [name, value] of Object.entries(format.headers(names))) sink.header(name, value)
    writer = format.open(names)
    if (writer.start !== undefined) void sink.write(writer.start)
    return writer
  }
  for await (const event of source.events(sink.signal)) {
    answer.note(event)
    if (event.type === 'call-start') continue
    const text = begun().piece(event)
    const full = text === '' ? undefined : sink.write(text)
    if (full !== undefined) await full
    if (sink.signal.aborted) return
  }
  await sink.write(await begun().end(answer.said))
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
