import type { Document, Unreadable } from './document.ts'
import type { ReadingLimits } from './reading-limits.ts'

/** How far a PDF has been read. */
export interface ReadingProgress {
  /** Pages that were read. */
  readonly page: number
  readonly pages: number
}

export interface ReadingTask {
  /** Of the processor, ms: what a busy machine gives to others does not count. */
  readonly timeMs?: number
  /** Decides among the kinds of plain text, and nothing else. */
  readonly name: string
  /** Where a page comes from: its links become absolute. */
  readonly url?: string
  /** The character set that the sender of the bytes declared, as in `Content-Type`. */
  readonly charset?: string
  readonly limits: ReadingLimits
  /** Id of the counter that the text is counted with; it is not counted where absent. */
  readonly counter?: string
  /** Called with the media type as soon as it is known. */
  readonly onKind?: (mediaType: string) => void
  readonly onProgress?: (progress: ReadingProgress) => void
}

/** The orders to a reading process. Bytes come in pieces before the `read` that they belong to. */
export type ReadingOrder =
  | { readonly type: 'bytes'; readonly bytes: Uint8Array }
  | { readonly type: 'read'; readonly task: Omit<ReadingTask, 'onKind' | 'onProgress'> }

/** The reports of a reading process. After `outcome` or `failed` it is free again. */
export type ReadingNews =
  | { readonly type: 'kind'; readonly mediaType: string }
  | { readonly type: 'progress'; readonly progress: ReadingProgress }
  /** A piece of the text of the outcome that follows, whose own text is empty. */
  | { readonly type: 'text'; readonly text: string }
  /** `spent`: it uses so much memory that another process should read the next file. */
  | { readonly type: 'outcome'; readonly outcome: Document | Unreadable; readonly spent: boolean }
  /** A fault of the program itself. */
  | { readonly type: 'failed'; readonly message: string }

/** The signal that ends a reading process whose file took too long. */
export const overtimeSignal = 'SIGALRM'

/** What a process has had of the processors, all its threads together, ms. */
export function processorMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** The exit code of a reading process after an uncaught error. */
export const errorExit = 70
