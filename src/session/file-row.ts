/** An uploaded file. Its bytes are beside the store under their hash, its text among the contents. */
export interface FileRow {
  readonly id: string
  readonly name: string
  /** ISO 8601, UTC: when it was uploaded. */
  readonly time: string
  readonly owner: FileOwner
  /** The media type that was declared at the upload; `fileMediaType` is more reliable once the file is read. */
  readonly mediaType: string
  readonly bytes: number
  /** SHA-256 of the bytes, lowercase hexadecimal. */
  readonly hash: string
  readonly state: FileState
}

/** What a file belongs to. It is read there, and nowhere else. */
export type FileOwner =
  | { readonly type: 'session'; readonly id: string }
  | { readonly type: 'agent'; readonly id: string }
  | { readonly type: 'project'; readonly id: string }

/** A file is stored before its text is read. */
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
  /** `tokens` are those that it is assumed to cost, by its size in pixels; absent in records of earlier versions. */
  | {
      readonly kind: 'image'
      readonly mediaType: string
      readonly width?: number
      readonly height?: number
      readonly tokens?: number
    }
  /** A recording. `tokens` are those that it is assumed to cost, by its length. */
  | { readonly kind: 'audio'; readonly mediaType: string; readonly seconds?: number; readonly tokens: number }

/** The media type of a file: as found in its bytes, or as declared where they were not read yet. */
export function fileMediaType({ mediaType, state }: FileRow): string {
  return (state.type === 'ready' ? state.reading.mediaType : undefined) ?? mediaType
}

/** The rows of uploaded files. Their bytes are kept beside the store. */
export interface FileStore {
  /** `conflict` where a file with this id exists. */
  putFile(row: FileRow): Promise<void>
  /** `not-found` where no file with this id exists. */
  setFileState(id: string, state: FileState): Promise<void>
  /** Changes the owner of a file. `not-found` where no file with this id exists. */
  setFileOwner(id: string, owner: FileOwner): Promise<void>
  file(id: string): Promise<FileRow | undefined>
  /** In the order of their uploads; a file has to match all options. */
  files(options?: FilesOptions): Promise<readonly FileRow[]>
  /** How many files there are, and how many bytes of them together. */
  fileTotals(): Promise<FileTotals>
  /** Returns whether the file existed. Its bytes stay: the caller knows whether they are still needed. */
  deleteFile(id: string): Promise<boolean>
}

export interface FileTotals {
  readonly files: number
  readonly bytes: number
}

/** Filters for files. `hash`: files with exactly these bytes. */
export interface FilesOptions {
  readonly owner?: FileOwner
  readonly state?: FileState['type']
  readonly hash?: string
}
