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
