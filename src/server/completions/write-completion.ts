import type { Sink } from '../../capability.ts'
import { answerNaming, type CompletionNames } from './answer-names.ts'
import type { CompletionSource } from './completion-source.ts'
import type { AnswerEvent } from './turn-completion.ts'

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
