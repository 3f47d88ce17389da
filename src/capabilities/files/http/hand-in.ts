import { inbox, type Runtime, type Submitted } from '../../../runtime.ts'
import { failureOf, HttpFailure } from '../../../server/failure.ts'
import type { InlineFile } from './inline-file.ts'

/**
 * Says something with files that came in the same request: they are kept as if they had been uploaded, and taken back
 * where it is not accepted, or was before. Throws `HttpFailure` for a file that is too large.
 */
export async function sayWithFiles<Said extends Pick<Submitted, 'repeated'>>(
  { library }: Pick<Runtime, 'library'>,
  files: readonly InlineFile[],
  say: (attachments: readonly string[]) => Promise<Said>,
): Promise<Said> {
  const added: string[] = []
  const takeBack = () => Promise.allSettled(added.map((id) => library.remove(id)))
  try {
    for (const { name, bytes } of files) {
      const row = await library.add({ name, bytes: once(bytes), owner: inbox })
      added.push(row.id)
    }
    const said = await say(added)
    if (said.repeated) await takeBack()
    return said
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
