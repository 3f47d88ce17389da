import { CommandFailure } from './failure.ts'
import { type Io, note } from './io.ts'

/** How long the first bytes of a pipe are waited for beside a text, ms. A producer such as `git diff` needs much less. */
const FIRST_BYTES_MS = 2_000

/**
 * What is piped in; `undefined` where nothing is: on a terminal, where the input is empty, and where a pipe is open but idle,
 * as those that cron, a service or a test harness leave open. `patient`: the input was asked for, so it is waited for.
 */
export async function pipedInput(
  io: Io,
  { patient = false }: { readonly patient?: boolean } = {},
): Promise<string | undefined> {
  if (io.stdin.isTTY === true && !patient) return undefined
  const bytes = await everything(io.stdin, patient ? undefined : (io.firstInputMs ?? FIRST_BYTES_MS))
  if (bytes === undefined) {
    const text =
      'Nothing came on the standard input, so it is not part of the message. `-` behind the text waits for it.'
    note(io, text)
    return undefined
  }
  const text = decoded(bytes).replace(/(?:\r?\n)+$/, '')
  return text.trim() === '' ? undefined : text
}

/** `undefined`: the first bytes did not come within `firstMs`. Once they came, the rest is waited for. */
function everything(input: Io['stdin'], firstMs: number | undefined): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const timer = firstMs === undefined ? undefined : setTimeout(giveUp, firstMs)

    function giveUp(): void {
      input.off('data', take)
      // An open pipe would keep the process alive.
      if ('destroy' in input && typeof input.destroy === 'function') input.destroy()
      resolve(undefined)
    }

    function take(chunk: Buffer | string): void {
      clearTimeout(timer)
      chunks.push(Buffer.from(chunk))
    }

    input.on('data', take)
    input.once('end', () => {
      clearTimeout(timer)
      resolve(Buffer.concat(chunks))
    })
    input.once('error', (error: Error) => {
      clearTimeout(timer)
      const hint = 'Send without it: `< /dev/null`.'
      reject(new CommandFailure('file', `the standard input cannot be read: ${error.message}.`, { hint, cause: error }))
    })
  })
}

function decoded(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw new CommandFailure('invalid-input', 'the standard input is no text (UTF-8).', {
      hint: 'Attach it as a file: `--file PATH`.',
      cause: error,
    })
  }
}
