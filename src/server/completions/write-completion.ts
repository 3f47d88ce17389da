import type { Sink, CompletionCut, CompletionEvent } from '../../capability.ts'
import type { CompletionSource } from './completion-source.ts'
import type { AnswerEvent } from './turn-completion.ts'
import { defined } from '../../platform.ts'

/** A format of an API in which an answer is written as it comes. */
interface CompletionFormat {
  /** Called with every event, before it is written. */
  note(event: AnswerEvent): void
  headers(names: CompletionNames): Readonly<Record<string, string>>
  /** Asked once, when something is to be written. */
  open(names: CompletionNames): CompletionWriter
}

/** An answer that is being written. A text without characters is not. */
interface CompletionWriter {
  readonly start?: string
  piece(event: Exclude<AnswerEvent, { type: 'call-start' }>): string
  end(): Promise<string>
}

/** Writes an answer no faster than it is read. A failure before its first word is thrown while the headers are still open. */
export async function writeCompletion(
  sink: Sink,
  { source, model }: { readonly source: CompletionSource; readonly model: string },
  format: CompletionFormat,
): Promise<void> {
  const naming = answerNaming(source, model)
  let writer: CompletionWriter | undefined
  const begun = () => {
    if (writer) return writer
    const names = naming.names()
    for (const [name, value] of Object.entries(format.headers(names))) sink.header(name, value)
    writer = format.open(names)
    if (writer.start !== undefined) void sink.write(writer.start)
    return writer
  }
  for await (const event of source.events(sink.signal)) {
    naming.note(event)
    format.note(event)
    if (event.type === 'call-start') continue
    const text = begun().piece(event)
    const full = text === '' ? undefined : sink.write(text)
    if (full !== undefined) await full
    if (sink.signal.aborted) return
  }
  await sink.write(await begun().end())
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

/** Names an answer after its first call that was not refused as too large. `model`: the name where no call has begun. */
export function answerNaming({ session, turn }: Pick<CompletionSource, 'session' | 'turn'>, model: string) {
  let start: CallStart | undefined
  let answers = false
  return {
    note(event: AnswerEvent): void {
      if (event.type !== 'call-start') answers = true
      else if (!answers) start = event
    },
    names: (): CompletionNames => ({
      call: start?.call ?? turn ?? 'none',
      model: start?.model || model,
      ...defined({ session, turn, cut: start?.cut }),
    }),
  }
}

type CallStart = Extract<CompletionEvent, { type: 'call-start' }>

export function namingHeaders({ call, session, turn, cut }: CompletionNames): Readonly<Record<string, string>> {
  return {
    'x-foreword-call': encodeURIComponent(call),
    ...(session === undefined ? {} : { 'x-foreword-session': encodeURIComponent(session) }),
    ...(turn === undefined ? {} : { 'x-foreword-turn': encodeURIComponent(turn) }),
    ...(cut === undefined ? {} : { 'x-foreword-cut': cutHeader(cut) }),
  }
}

function cutHeader({ messagesLeftOut, messages, resultsShortened, tokensLeftOut }: CompletionCut): string {
  return `messages=${messagesLeftOut}/${messages}, results=${resultsShortened}, tokens=${tokensLeftOut}`
}

export function cutField({ messages, messagesLeftOut, resultsShortened, tokensLeftOut }: CompletionCut): unknown {
  return {
    messages,
    messages_left_out: messagesLeftOut,
    results_shortened: resultsShortened,
    tokens_left_out: tokensLeftOut,
  }
}

/** The header that names the fields of a request that were read by nobody, each once. */
export function ignoredHeader(names: readonly string[]): Readonly<Record<string, string>> {
  return names.length === 0 ? {} : { 'x-foreword-ignored': [...new Set(names)].map(encodeURIComponent).join(', ') }
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
