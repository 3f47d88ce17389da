import { fileLibrary, inbox, type Runtime, type Submitted } from '../capability.ts'
import { failureOf, HttpFailure } from './failure.ts'
import type { InlineFile } from './inline-file.ts'

/**
 * Submits input with files that came in the same request: they are kept as if they had been uploaded, and taken back where
 * it is not accepted, or was before. Throws `HttpFailure` for a file that is too large, and where files cannot be kept.
 */
export async function submitWithFiles<Answer extends Pick<Submitted, 'repeated'>>(
  runtime: Pick<Runtime, 'capability'>,
  files: readonly InlineFile[],
  submit: (attachments: readonly string[]) => Promise<Answer>,
): Promise<Answer> {
  const library = runtime.capability(fileLibrary)
  if (library === undefined) {
    if (files.length === 0) return submit([])
    throw new HttpFailure(400, 'invalid-input', 'No files can be attached: the capability `files` is not in use.')
  }
  const added: string[] = []
  const takeBack = () => Promise.allSettled(added.map((id) => library.remove(id)))
  try {
    for (const { name, bytes } of files) {
      const row = await library.add({ name, bytes: once(bytes), owner: inbox })
      added.push(row.id)
    }
    const answer = await submit(added)
    if (answer.repeated) await takeBack()
    return answer
  } catch (error) {
    await takeBack()
    throw tooLarge(error) ?? error
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

function tooLarge(error: unknown): HttpFailure | undefined {
  const { facts, message } = failureOf(error)
  return facts['store'] === 'too-large' ? new HttpFailure(413, 'file-too-large', `${message}.`) : undefined
}
