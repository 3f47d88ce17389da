import type { Api } from 'grammy'
import { type FileLibrary, inbox, RuntimeError } from '../../../capability.ts'
import { exactLine } from '../../../context.ts'
import { type Clock, type ErrorCode, errorMessage, ForewordError } from '../../../platform.ts'
import type { ParsedFile } from '../parsed-update.ts'
import { shorten } from '../text/formatted-text.ts'
import type { Sleep } from '../timing.ts'
import { readFault, withoutToken, withoutSlash } from './telegram-api.ts'

export interface ReceivedFiles {
  /** Ids in the library, in the order of the message. */
  readonly ids: readonly string[]
  /** For each file that was not received, a line for the person who sent it. */
  readonly faults: readonly string[]
}

interface ReceiveFilesParts {
  /** `undefined` where this gateway accepts no files. */
  readonly library: Pick<FileLibrary, 'add'> | undefined
  readonly files: TelegramFiles
  /** Of one file, bytes. */
  readonly maxBytes: number
  readonly sleep: Sleep
  readonly signal: AbortSignal
}

/** Waits before each retry where Telegram cannot be reached, ms. */
const RETRY_DELAYS = [1_000, 5_000] as const

/** Downloads the files of a message into the library, one after another. A file that fails does not stop the others. */
export async function receiveFiles(parsed: readonly ParsedFile[], parts: ReceiveFilesParts): Promise<ReceivedFiles> {
  const ids: string[] = []
  const faults: string[] = []
  for (const file of parsed) {
    try {
      ids.push(await receiveFile(file, parts))
    } catch (error) {
      parts.signal.throwIfAborted()
      if (!isForSender(error)) throw error
      faults.push(`${shorten(exactLine(file.name), 100)}: ${error.message}`)
    }
  }
  return { ids, faults }
}

async function receiveFile(file: ParsedFile, parts: ReceiveFilesParts): Promise<string> {
  for (let n = 0; ; n += 1) {
    try {
      return await tryToReceive(file, parts)
    } catch (error) {
      const wait = RETRY_DELAYS[n]
      if (!(error instanceof TelegramFileError) || error.code !== 'network' || wait === undefined) throw error
      await parts.sleep(wait, parts.signal)
      parts.signal.throwIfAborted()
    }
  }
}

async function tryToReceive({ id, name, size }: ParsedFile, parts: ReceiveFilesParts): Promise<string> {
  const { library, files, maxBytes, signal } = parts
  if (!library) throw new RuntimeError('invalid-input', 'This gateway accepts no files.')
  if (size !== undefined && size > maxBytes) {
    throw new TelegramFileError('too-large', `The file has ${size} bytes. The limit is ${maxBytes} bytes.`)
  }
  const bytes = await files.download(id, { maxBytes, signal })
  return (await library.add({ name, bytes, owner: inbox })).id
}

function isForSender(error: unknown): error is Error {
  return error instanceof TelegramFileError || (error instanceof RuntimeError && error.code === 'invalid-input')
}

export interface TelegramFilesOptions {
  readonly clock: Clock
  readonly api: Api
  readonly token: string
  /** The same as that of `api`. */
  readonly apiRoot: string
  readonly fetch?: typeof fetch
  /** How long a download may receive no bytes, ms. */
  readonly silenceMs?: number
}

type TelegramFiles = ReturnType<typeof telegramFiles>

interface DownloadOptions {
  readonly maxBytes: number
  readonly signal: AbortSignal
}

/** A file could not be downloaded. With the code `network` a retry may succeed. */
class TelegramFileError extends ForewordError {
  override readonly name = 'TelegramFileError'

  constructor(code: Extract<ErrorCode, 'too-large' | 'not-found' | 'network'>, message: string) {
    super(code, message)
  }
}

/** How long a download may receive no bytes before it counts as broken, ms. */
const LONGEST_SILENCE = 30_000

export function telegramFiles(options: TelegramFilesOptions) {
  const { api, token, apiRoot, fetch: ask = fetch, silenceMs = LONGEST_SILENCE } = options
  const root = withoutSlash(apiRoot)

  return {
    /**
     * The bytes of a file, to be read once. Rejects with `TelegramFileError`; a later fault comes from within the
     * bytes.
     */
    async download(fileId: string, { maxBytes, signal }: DownloadOptions): Promise<AsyncIterable<Uint8Array>> {
      const { path, size } = await filePath(api, fileId, signal)
      if (size !== undefined && size > maxBytes) throw tooLarge(maxBytes)
      const watch = silenceWatch(options.clock, silenceMs)
      watch.begin()
      const ending = AbortSignal.any([signal, watch.signal])
      const address = `${root}/file/bot${token}/${encodeURI(path)}`
      // A redirect would send the token elsewhere.
      const response = await ask(address, { signal: ending, redirect: 'error' }).catch((error: unknown) => {
        watch.end()
        signal.throwIfAborted()
        throw unreachable(error, token)
      })
      const refusal = refusalError(response, maxBytes)
      if (!refusal && response.body) return limitedBytes(response, maxBytes, { token, signal, watch })
      watch.end()
      await response.body?.cancel()
      throw refusal ?? new TelegramFileError('not-found', 'Telegram returned no content for the file.')
    },
  }
}

async function filePath(api: Api, fileId: string, signal: AbortSignal) {
  try {
    const ending = signal as unknown as Parameters<Api['raw']['getFile']>[1]
    const { file_path: path, file_size: size } = await api.raw.getFile({ file_id: fileId }, ending)
    // A path with `..` would lead to other endpoints of that server, with the token.
    if (path === undefined || path.split('/').includes('..')) {
      throw new TelegramFileError('not-found', 'Telegram does not report where the file is.')
    }
    return { path, size }
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof TelegramFileError) throw error
    throw getFileError(error, api.token)
  }
}

function getFileError(error: unknown, token: string): TelegramFileError {
  const fault = readFault('getFile', error, token)
  if (fault.type === 'limited') return new TelegramFileError('network', 'Telegram limits downloads at the moment.')
  if (fault.type === 'unreachable') return unreachable(fault.text, token)
  if (!/file is too big/i.test(fault.refusal.description)) {
    return new TelegramFileError('not-found', fault.refusal.message)
  }
  return new TelegramFileError(
    'too-large',
    'The file is larger than a bot may download: 20 MB on the public Bot API. Use a Bot API server of your own for larger files (channels.telegram.apiRoot).',
  )
}

function refusalError({ ok, status, headers }: Response, maxBytes: number): TelegramFileError | undefined {
  if (ok) return Number(headers.get('content-length') ?? 0) > maxBytes ? tooLarge(maxBytes) : undefined
  if (status === 429 || status >= 500) return unreachable(`status ${status}`, '')
  return new TelegramFileError('not-found', `Telegram no longer has the file: status ${status}.`)
}

/** Aborts `signal` when no bytes have arrived for a while. A slow reader does not count. */
type SilenceWatch = ReturnType<typeof silenceWatch>

function silenceWatch(clock: Clock, ms: number) {
  const silent = new AbortController()
  let cancel: (() => void) | undefined
  return {
    signal: silent.signal,
    begin: () => void (cancel = clock.timer(ms, () => silent.abort(new Error(`no bytes for ${ms / 1000} s`)))),
    end: () => cancel?.(),
  }
}

/** Keeps a reference to the response: Node ends the body of a response that was collected, as if the body were empty. */
async function* limitedBytes(
  response: Response,
  maxBytes: number,
  { token, signal, watch }: { readonly token: string; readonly signal: AbortSignal; readonly watch: SilenceWatch },
): AsyncIterable<Uint8Array> {
  let received = 0
  try {
    for await (const chunk of response.body!) {
      watch.end()
      received += chunk.byteLength
      if (received > maxBytes) throw tooLarge(maxBytes)
      yield chunk
      watch.begin()
    }
    const promised = promisedBytes(response) ?? received
    if (received < promised) throw unreachable(`received ${received} of ${promised} bytes`, token)
  } catch (error) {
    signal.throwIfAborted()
    throw error instanceof TelegramFileError ? error : unreachable(error, token)
  } finally {
    watch.end()
  }
}

/** `undefined` for a compressed answer, whose length is not known before it is unpacked. */
function promisedBytes({ headers }: Response): number | undefined {
  const length = headers.get('content-length')
  return length === null || headers.has('content-encoding') ? undefined : Number(length)
}

function tooLarge(maxBytes: number): TelegramFileError {
  return new TelegramFileError('too-large', `The file is larger than ${maxBytes} bytes.`)
}

function unreachable(error: unknown, token: string): TelegramFileError {
  const reason = withoutToken(errorMessage(error), token)
  return new TelegramFileError('network', `The download from Telegram failed: ${reason}`)
}
