import type { Document, Unreadable } from './document.ts'
import type { ReadingProgress, ReadingTask } from './reading-task.ts'

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
