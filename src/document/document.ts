/** The text of a file, as Markdown where the file has headings, lists or tables. */
export type Document =
  | {
      readonly kind: 'text'
      readonly text: string
      /** Characters before which each page begins, the first at 0; absent where the file has no pages. */
      readonly pages?: readonly number[]
      readonly title?: string
      readonly mediaType: string
      /** Tokens of the text, by the counter that its reader was given; absent where it was given none. */
      readonly tokens?: number
    }
  | {
      readonly kind: 'table'
      /** Each sheet with its name and its rows, tabs between cells. */
      readonly text: string
      readonly sheets: readonly string[]
      readonly mediaType: string
    }
  /** A recording. `seconds`, as far as its header says it. */
  | { readonly kind: 'audio'; readonly seconds?: number; readonly bytes: number; readonly mediaType: string }
  /** Size in pixels, read from the bytes. */
  | { readonly kind: 'image'; readonly width?: number; readonly height?: number; readonly mediaType: string }

/** A file that could not be read: a code for programs and a sentence for people, without the file's name. */
export interface Unreadable {
  readonly kind: 'unreadable'
  readonly code: 'empty' | 'too-large' | 'encrypted' | 'broken' | 'binary' | 'unsupported' | 'timeout' | 'no-text'
  readonly reason: string
  readonly mediaType: string
}
