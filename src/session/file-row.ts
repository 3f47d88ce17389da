/** A file that somebody handed in. Its bytes lie beside the store under their hash; its text among the contents. */
export interface FileRow {
  readonly id: string
  readonly name: string
  /** ISO 8601, UTC: when it was handed in. */
  readonly time: string
  readonly owner: FileOwner
  /** What was said of it when it was handed in; `mediaTypeOf` knows better once it is read. */
  readonly mediaType: string
  readonly bytes: number
  /** SHA-256 of the bytes, lowercase hexadecimal. */
  readonly hash: string
  readonly state: FileState
}

/** What a file belongs to. It is read where that is, and nowhere else. */
export type FileOwner =
  | { readonly type: 'session'; readonly id: string }
  | { readonly type: 'agent'; readonly id: string }
  | { readonly type: 'project'; readonly id: string }

/** Bytes first, then text: a file is stored before anybody tries to read it. */
export type FileState =
  | { readonly type: 'processing' }
  | { readonly type: 'ready'; readonly reading: FileReading }
  /** `code` for programs, `reason` is a sentence for people. */
  | { readonly type: 'failed'; readonly code: string; readonly reason: string }

export type FileReading =
  /** `content` is `sha256:HASH` of its text, `tokens` by the model-agnostic counter named. `indexed`: it can be searched. */
  | {
      readonly kind: 'text'
      readonly mediaType?: string
      readonly content: string
      readonly characters: number
      readonly tokens: number
      readonly counter: string
      /** Characters before which each page begins, the first at 0; absent where there are no pages. */
      readonly pages?: readonly number[]
      readonly indexed?: boolean
    }
  /** A spreadsheet: listed, not counted. `content` holds its sheets as text. `indexed`: it can be searched. */
  | {
      readonly kind: 'table'
      readonly mediaType?: string
      readonly content: string
      readonly characters: number
      readonly sheets: readonly string[]
      readonly indexed?: boolean
    }
  | { readonly kind: 'image'; readonly mediaType: string; readonly width?: number; readonly height?: number }

/** The media type of a file: as it was found in its bytes, as far as they were read. */
export function mediaTypeOf({ mediaType, state }: FileRow): string {
  return (state.type === 'ready' ? state.reading.mediaType : undefined) ?? mediaType
}

/** What is known of files that were handed in. Their bytes are kept beside the store. */
export interface FileStore {
  /** `conflict` where a file of this id is known. */
  putFile(row: FileRow): Promise<void>
  /** `not-found` where no file of this id is known. */
  setFileState(id: string, state: FileState): Promise<void>
  /** Makes a file belong to something else. `not-found` where no file of this id is known. */
  setFileOwner(id: string, owner: FileOwner): Promise<void>
  file(id: string): Promise<FileRow | undefined>
  /** In the order in which they were handed in; what is given must all hold. */
  files(options?: FilesOptions): Promise<readonly FileRow[]>
  /** Answers whether there was one. Whether its bytes are still needed is for the caller to know. */
  deleteFile(id: string): Promise<boolean>
}

/** Which files are listed. `hash`: those with exactly these bytes. */
export interface FilesOptions {
  readonly owner?: FileOwner
  readonly state?: FileState['type']
  readonly hash?: string
}
