import { responseReader, type WireFormat } from '../../wire.ts'
import { decodingStream } from './decode-body.ts'

export type AnswerReader = ReturnType<typeof readAnswer>

/** `encoding` as the answer has it. `grew` is told of each part that was read, with the tokens that are written by then, about. */
export function readAnswer(format: WireFormat, encoding: string | undefined, grew: (tokens: number) => void) {
  const reader = responseReader(format)
  const decoder = decodingStream(encoding)
  const over = Promise.withResolvers<void>()
  const write = (bytes: Uint8Array) => {
    reader.write(bytes)
    grew(reader.size())
  }
  if (decoder) {
    decoder.on('data', write)
    // What broke off is read as far as it came.
    decoder.once('error', () => over.resolve())
    decoder.once('end', () => over.resolve())
  } else over.resolve()
  return {
    push: (bytes: Uint8Array) => void (decoder ? decoder.write(bytes) : write(bytes)),
    async end() {
      decoder?.end()
      await over.promise
      return reader.end()
    },
  }
}
