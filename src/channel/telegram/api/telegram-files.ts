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
}

export interface TelegramFiles {
  /**
   * Takes a file that somebody sent. Rejects with `TelegramFileError`: before the first byte for whatever is known by then,
   * from within `bytes` for the rest.
   */
  download(fileId: string, options: DownloadOptions): Promise<TelegramDownload>
}

export interface DownloadOptions {
  readonly maxBytes: number
  readonly signal: AbortSignal
}

export interface TelegramDownload {
  /** To be read once. Ends the connection where it is left early. */
  readonly bytes: AsyncIterable<Uint8Array>
  /** The last part of the path that Telegram keeps it under, such as `file_3.jpg`: not what the person called it. */
  readonly name: string
  /** What Telegram says, bytes; `undefined` where it does not. */
  readonly size: number | undefined
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

/** Files that people sent to the bot. */
export function telegramFiles({ api, token, apiRoot, fetch: ask = fetch }: TelegramFilesOptions): TelegramFiles {
  const root = withoutSlash(apiRoot)

  return {
    async download(fileId, { maxBytes, signal }) {
      const { path, size } = await place(api, fileId, signal)
      if (size !== undefined && size > maxBytes) throw tooLarge(maxBytes)
      const response = await ask(`${root}/file/bot${token}/${encodeURI(path)}`, { signal }).catch((error: unknown) => {
        signal.throwIfAborted()
        throw unreachable(error, token)
      })
      if (!response.ok || !response.body) {
        await response.body?.cancel()
        throw refused(response.status)
      }
      const told = Number(response.headers.get('content-length') ?? Number.NaN)
      if (told > maxBytes) {
        await response.body.cancel()
        throw tooLarge(maxBytes)
      }
      return {
        bytes: bounded(response.body, maxBytes, { token, signal }),
        name: path.slice(path.lastIndexOf('/') + 1),
        size: size ?? (Number.isNaN(told) ? undefined : told),
      }
    },
  }
}

async function place(api: Api, fileId: string, signal: AbortSignal) {
  try {
    const ending = signal as unknown as Parameters<Api['raw']['getFile']>[1]
    const { file_path: path, file_size: size } = await api.raw.getFile({ file_id: fileId }, ending)
    if (path === undefined) throw new TelegramFileError('gone', 'Telegram does not say where the file is.')
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

async function* bounded(
  body: ReadableStream<Uint8Array>,
  maxBytes: number,
  { token, signal }: { readonly token: string; readonly signal: AbortSignal },
): AsyncIterable<Uint8Array> {
  let taken = 0
  try {
    for await (const chunk of body) {
      taken += chunk.byteLength
      if (taken > maxBytes) throw tooLarge(maxBytes)
      yield chunk
    }
  } catch (error) {
    signal.throwIfAborted()
    throw error instanceof TelegramFileError ? error : unreachable(error, token)
  }
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
