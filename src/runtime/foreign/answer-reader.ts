import { decodingStream } from './decode-body.ts'
import { type WireFormat, responseReader } from '../../wire.ts'

export type AnswerReader = ReturnType<typeof readAnswer>

/** `contentType` and `encoding` as the answer has them. */
export function readAnswer(
  format: WireFormat,
  { contentType, encoding }: { readonly contentType: string; readonly encoding: string | undefined },
) {
  const reader = responseReader(format, { streamed: contentType.startsWith('text/event-stream') })
  const decoder = decodingStream(encoding)
  const over = Promise.withResolvers<void>()
  let characters = 0
  const write = (bytes: Uint8Array) => {
    reader.write(bytes)
    characters += writtenCharacters(bytes)
  }
  if (decoder) {
    decoder.on('data', write)
    // What broke off is read as far as it came.
    decoder.once('error', () => over.resolve())
    decoder.once('end', () => over.resolve())
  } else over.resolve()
  return {
    push: (bytes: Uint8Array) => void (decoder ? decoder.write(bytes) : write(bytes)),
    /** Characters that the model has written so far, about: without what the form of the answer adds. */
    size: () => characters,
    async end() {
      decoder?.end()
      await over.promise
      return reader.end()
    },
  }
}

/** The texts in events of a stream, in the fields in which the three formats have what a model writes. */
const WRITTEN =
  /"(?:text|delta|partial_json|thinking|content|arguments|reasoning_content|reasoning)":"((?:[^"\\]|\\.)*)"/g

function writtenCharacters(bytes: Uint8Array): number {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  let characters = 0
  for (const [, written = ''] of text.matchAll(WRITTEN)) characters += written.length
  return characters
}
