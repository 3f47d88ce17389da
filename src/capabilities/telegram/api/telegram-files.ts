import type { Api } from 'grammy'
import { redacted } from './redacted.ts'
import { withoutSlash } from './telegram-api.ts'
import { telegramFault } from './telegram-fault.ts'

export interface TelegramFilesOptions {
  readonly api: Api
  readonly token: string
  /** As it was given to `api`. */
  readonly apiRoot: string
  readonly fetch?: typeof fetch
  /** How long nothing at all may come, ms. */
  readonly silenceMs?: number
}

export interface TelegramFiles {
  /**
   * Takes a file that somebody sent: its bytes, to be read once. Rejects with `TelegramFileError`: before the first byte for
   * whatever is known by then, from within the bytes for the rest. Leaving early ends the connection.
   */
  download(fileId: string, options: DownloadOptions): Promise<AsyncIterable<Uint8Array>>
}

export interface DownloadOptions {
  readonly maxBytes: number
  readonly signal: AbortSignal
}

/** `unreachable` may go well later, the others will not. */
export class TelegramFileError extends Error {
  override readonly name = 'TelegramFileError'
  readonly reason: 'too-large' | 'gone' | 'unreachable'

  constructor(reason: TelegramFileError['reason'], message: string) {
    super(message)
    this.reason = reason
  }
}

/** How long nothing at all may come before a download counts as broken off, ms. */
const LONGEST_SILENCE = 30_000

/** Files that people sent to the bot. */
export function telegramFiles(options: TelegramFilesOptions): TelegramFiles {
  const { api, token, apiRoot, fetch: ask = fetch, silenceMs = LONGEST_SILENCE } = options
  const root = withoutSlash(apiRoot)

  return {
    async download(fileId, { maxBytes, signal }) {
      const { path, size } = await place(api, fileId, signal)
      if (size !== undefined && size > maxBytes) throw tooLarge(maxBytes)
      const watch = silenceWatch(silenceMs)
      watch.begin()
      const ending = AbortSignal.any([signal, watch.signal])
      const address = `${root}/file/bot${token}/${encodeURI(path)}`
      // Whoever answers there may not send us elsewhere.
      const response = await ask(address, { signal: ending, redirect: 'error' }).catch((error: unknown) => {
        watch.end()
        signal.throwIfAborted()
        throw unreachable(error, token)
      })
      const refusal = refusalOf(response, maxBytes)
      if (!refusal && response.body) return bounded(response, maxBytes, { token, signal, watch })
      watch.end()
      await response.body?.cancel()
      throw refusal ?? new TelegramFileError('gone', 'Telegram gives no content for the file.')
    },
  }
}

function refusalOf(response: Response, maxBytes: number): TelegramFileError | undefined {
  if (!response.ok) return refused(response.status)
  return Number(response.headers.get('content-length') ?? 0) > maxBytes ? tooLarge(maxBytes) : undefined
}

/** Ends what nothing has come of for a while. Whoever takes the bytes may take his time. */
interface SilenceWatch {
  readonly signal: AbortSignal
  begin(): void
  end(): void
}

function silenceWatch(ms: number): SilenceWatch {
  const silent = new AbortController()
  let timer: NodeJS.Timeout | undefined
  return {
    signal: silent.signal,
    begin: () => void (timer = setTimeout(() => silent.abort(new Error(`nothing has come for ${ms / 1000} s`)), ms)),
    end: () => clearTimeout(timer),
  }
}

async function place(api: Api, fileId: string, signal: AbortSignal) {
  try {
    const ending = signal as unknown as Parameters<Api['raw']['getFile']>[1]
    const { file_path: path, file_size: size } = await api.raw.getFile({ file_id: fileId }, ending)
    // A path that climbs would lead to other doors of that server, with our token.
    if (path === undefined || path.split('/').includes('..')) {
      throw new TelegramFileError('gone', 'Telegram does not say where the file is.')
    }
    return { path, size }
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof TelegramFileError) throw error
    throw faultOf(error, api.token)
  }
}

function faultOf(error: unknown, token: string): TelegramFileError {
  const fault = telegramFault('getFile', error, token)
  if (fault.type === 'limited') return new TelegramFileError('unreachable', 'Telegram wants no more calls for now.')
  if (fault.type === 'unreachable') return unreachable(fault.text, token)
  if (!/file is too big/i.test(fault.refusal.description)) return new TelegramFileError('gone', fault.refusal.message)
  return new TelegramFileError(
    'too-large',
    'The file is larger than a bot may take: 20 MB on the public Bot API. A Bot API server of your own takes larger ones (channels.telegram.apiRoot).',
  )
}

/** It holds the response and not its body alone: Node ends the body of a response that nobody holds, as if it were empty. */
async function* bounded(
  response: Response,
  maxBytes: number,
  { token, signal, watch }: { readonly token: string; readonly signal: AbortSignal; readonly watch: SilenceWatch },
): AsyncIterable<Uint8Array> {
  let taken = 0
  try {
    for await (const chunk of response.body!) {
      watch.end()
      taken += chunk.byteLength
      if (taken > maxBytes) throw tooLarge(maxBytes)
      yield chunk
      watch.begin()
    }
    const promised = promisedBytes(response) ?? taken
    if (taken < promised) throw unreachable(`only ${taken} of ${promised} bytes came`, token)
  } catch (error) {
    signal.throwIfAborted()
    throw error instanceof TelegramFileError ? error : unreachable(error, token)
  } finally {
    watch.end()
  }
}

/** Of a packed answer nobody says how long it is unpacked. */
function promisedBytes({ headers }: Response): number | undefined {
  const length = headers.get('content-length')
  return length === null || headers.has('content-encoding') ? undefined : Number(length)
}

function tooLarge(maxBytes: number): TelegramFileError {
  return new TelegramFileError('too-large', `The file is larger than ${maxBytes} bytes.`)
}

function refused(status: number): TelegramFileError {
  if (status === 429 || status >= 500) return unreachable(`it answers ${status}`, '')
  return new TelegramFileError('gone', `Telegram does not give the file any more: it answers ${status}.`)
}

function unreachable(error: unknown, token: string): TelegramFileError {
  const reason = error instanceof Error ? error.message : String(error)
  return new TelegramFileError('unreachable', `The file could not be taken from Telegram: ${redacted(reason, token)}`)
}
