import type { FileOwner, FileRow, FileState } from '../file-row.ts'

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
