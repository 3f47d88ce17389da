/** Archives of the whole home, for a person who downloads them: the same as those of `foreword backup`. */
export interface BackupService {
  state(): Promise<BackupState>
  /** Begins to make an archive; the one before goes when it is whole. `state` shows how far it is. Rejects with `decided` while one is made. */
  make(): Promise<void>
  /** The bytes of the archive of this id. Rejects with `not-found` where it is gone. */
  open(id: string): Promise<BackupContent>
  /** Breaks off what is being made, and removes the archive. */
  close(): Promise<void>
}

export interface BackupState {
  /** The archive that is being made. Bytes; absent where unknown. */
  readonly running?: { readonly stage: string; readonly done?: number; readonly all?: number }
  /** The archive that can be downloaded: for an hour, and until the gateway stops. */
  readonly ready?: MadeBackup
  readonly failed?: { readonly message: string; readonly hint?: string }
  /** Archives that were made here, newest first. */
  readonly made: readonly { readonly time: string; readonly bytes: number; readonly files: number }[]
}

export interface MadeBackup {
  readonly id: string
  /** Of the file, such as `foreword-2026-01-02-030405.tar.gz`. */
  readonly name: string
  /** ISO 8601. */
  readonly time: string
  readonly bytes: number
  readonly files: number
  /** What could not be part of it, with the reason. */
  readonly leftOut: readonly string[]
  /** Folders outside the home that are in use, and that no archive contains. */
  readonly outside: readonly string[]
}

interface BackupContent extends Pick<MadeBackup, 'name' | 'bytes'> {
  readonly content: ReadableStream<Uint8Array>
}
