import type { Document, Unreadable } from './document.ts'
import type { ReadingLimits } from './reading-limits.ts'

/** How far a PDF has been read. */
export interface ReadingProgress {
  /** Pages that were read. */
  readonly page: number
  readonly pages: number
}

export interface ReadingTask {
  /** Decides among the kinds of plain text, and nothing else. */
  readonly name: string
  /** Where a page comes from: its links become absolute. */
  readonly url?: string
  /** The character set that whoever delivered the bytes declared, as in `Content-Type`. */
  readonly charset?: string
  readonly limits: ReadingLimits
  /** Id of the counter that the text is counted with; it is not counted where absent. */
  readonly counter?: string
  /** Told as soon as it is known what the file is: its media type. */
  readonly onKind?: (mediaType: string) => void
  readonly onProgress?: (progress: ReadingProgress) => void
}

/** What a reading process is told. Bytes come in pieces before the `read` that they are for. */
export type ReadingOrder =
  | { readonly type: 'bytes'; readonly bytes: Uint8Array }
  | { readonly type: 'read'; readonly path?: string; readonly task: Omit<ReadingTask, 'onKind' | 'onProgress'> }

/** What it tells. After `outcome` or `failed` it is free again. */
export type ReadingNews =
  | { readonly type: 'kind'; readonly mediaType: string }
  | { readonly type: 'progress'; readonly progress: ReadingProgress }
  /** `spent`: it holds so much memory that another one had better read the next file. */
  | { readonly type: 'outcome'; readonly outcome: Document | Unreadable; readonly spent: boolean }
  /** The file could not be opened. */
  | { readonly type: 'failed'; readonly message: string }

/** The exit code of a reading process that an error ended which nobody caught. */
export const errorExit = 70
