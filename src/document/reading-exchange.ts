import type { ChildProcess } from 'node:child_process'
import type { Document, Unreadable } from './document.ts'
import { type ReadingLimits, sizeInWords } from './reading-limits.ts'
import { errorExit, type ReadingNews, type ReadingOrder } from './reading-messages.ts'
import type { ReadingProgress } from './reading-task.ts'

export type ReadingSource = { readonly bytes: Uint8Array } | { readonly path: string }

export type ExchangeRequest = ReadingSource & {
  readonly name: string
  readonly url?: string
  readonly charset?: string
  /** Id of the counter that the text is counted with. */
  readonly counter?: string
  readonly onProgress?: (progress: ReadingProgress) => void
}

export interface Exchange {
  readonly outcome: Document | Unreadable
  readonly died: boolean
  /** It holds so much memory that another one had better read the next file. */
  readonly spent: boolean
}

/** Bytes of one message: what is copied at once, while everything else in this process waits. */
const pieceSize = 2 ** 20

/**
 * Hands one file to a reading process and waits for what it tells, or for its end. Ends it when the time is over or
 * `signal` is aborted; the latter rejects with the reason, and so do a path that cannot be opened and a listener that throws.
 */
export async function exchange(
  child: ChildProcess,
  request: ExchangeRequest,
  limits: ReadingLimits,
  signal: AbortSignal,
): Promise<Exchange> {
  const told = Promise.withResolvers<Exchange>()
  let mediaType = 'application/octet-stream'
  const failed = (code: Unreadable['code'], reason: string, died: boolean) =>
    told.resolve({ outcome: { kind: 'unreadable', code, reason, mediaType }, died, spent: false })
  const onNews = (news: ReadingNews) => {
    if (news.type === 'kind') mediaType = news.mediaType
    else if (news.type === 'progress') tellOn(news.progress)
    else if (news.type === 'failed') told.reject(new Error(news.message))
    else told.resolve({ outcome: news.outcome, died: false, spent: news.spent })
  }
  const tellOn = (progress: ReadingProgress) => {
    try {
      request.onProgress?.(progress)
    } catch (error) {
      giveUp(error)
    }
  }
  const onExit = (code: number | null, ending: NodeJS.Signals | null) => failed(...deathOf(code, ending, limits), true)
  const giveUp = (reason: unknown) => {
    told.reject(reason)
    child.kill('SIGKILL')
  }
  const onAbort = () => giveUp(signal.reason)
  const timer = setTimeout(() => {
    failed('timeout', `reading it took more than ${limits.timeMs / 1000} seconds`, false)
    child.kill('SIGKILL')
  }, limits.timeMs)
  child.on('message', onNews)
  child.once('exit', onExit)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    await Promise.race([told.promise, handOver(child, request, limits)])
    return await told.promise
  } finally {
    clearTimeout(timer)
    child.off('message', onNews)
    child.off('exit', onExit)
    signal.removeEventListener('abort', onAbort)
  }
}

/** Hands a file over piece by piece. Where the process is gone meanwhile, its exit tells. */
async function handOver(child: ChildProcess, request: ExchangeRequest, limits: ReadingLimits): Promise<void> {
  const { name, url, charset, counter } = request
  const task = {
    name,
    limits,
    ...(url !== undefined && { url }),
    ...(charset !== undefined && { charset }),
    ...(counter !== undefined && { counter }),
  }
  if ('path' in request) return send(child, { type: 'read', path: request.path, task })
  for (let at = 0; at < request.bytes.length; at += pieceSize) {
    // oxlint-disable-next-line no-await-in-loop -- one piece at a time, so that nothing piles up
    await send(child, { type: 'bytes', bytes: request.bytes.subarray(at, at + pieceSize) })
  }
  await send(child, { type: 'read', task })
}

function send(child: ChildProcess, order: ReadingOrder): Promise<void> {
  return new Promise((resolve) => {
    if (child.connected) child.send(order, () => resolve())
    else resolve()
  })
}

function deathOf(
  code: number | null,
  signal: NodeJS.Signals | null,
  limits: ReadingLimits,
): readonly [Unreadable['code'], string] {
  if (code === errorExit || signal === 'SIGSEGV' || signal === 'SIGBUS') {
    return ['broken', 'the file is damaged in a way that ended its reading']
  }
  return ['too-large', `reading it takes more than ${sizeInWords(limits.memoryBytes)} of memory`]
}
