import type { Embedder, MeaningSettings } from '../search.ts'
import type { FileOwner, FileRow, FileState } from '../session.ts'

/** Names the service of a capability together with its type: `runtime.capability(fileLibrary)`. */
export interface ServiceKey<Service> {
  readonly name: string
  /** Only for the type: never set. */
  readonly service?: (service: Service) => Service
}

/** A key for what the capability of this name returns from `start`. */
export function serviceKey<Service>(name: string): ServiceKey<Service> {
  return { name }
}

/** Files that people hand in: stored first, then read, then indexed (BEHAVIOURS §3.4). What is interrupted continues at the next start. */
export interface FileLibrary {
  /**
   * Resolves once the bytes are on disk. Rejects with `invalid-input` where the file is too large. What its owner has already,
   * under the same name and byte for byte, is the file that is there; in the inbox every file is one of its own.
   */
  add(file: NewFile): Promise<AddedFile>
  /** Rejects with `not-found`. */
  file(id: string): Promise<FileRow>
  /** Those of a project or an agent that was removed are not among them, until it is brought back. */
  files(owner?: FileOwner): Promise<readonly FileRow[]>
  /** The file once it is read, or cannot be; as it is when `signal` is aborted. */
  settled(id: string, signal?: AbortSignal): Promise<FileRow>
  /** Resolves when files that came are read and can be searched; `undefined`: all of them. */
  idle(): Promise<unknown> | undefined
  /** The text of a file that has one. */
  text(row: FileRow): Promise<string | undefined>
  bytes(row: FileRow): Promise<Uint8Array>
  /** Makes a file belong to something else, as an upload that is attached to a message of a session. */
  give(id: string, owner: FileOwner): Promise<void>
  /**
   * A file as one of `owner`, which what happens to the other does not change: the one that is there, under the same name and
   * byte for byte, or a new one, which `keep` stores. Writes nothing.
   */
  copy(row: FileRow, owner: FileOwner): Promise<FileRow>
  /** Stores what `copy` gave, unless it is there. */
  keep(row: FileRow): Promise<void>
  remove(id: string): Promise<void>
  /** Reads every file that a former process had not read, and removes bytes that no file needs. */
  recover(): Promise<number>
  close(): Promise<void>
}

/** `repeated`: it was there before. */
export type AddedFile = FileRow & { readonly repeated?: true }

export interface NewFile {
  readonly name: string
  readonly bytes: AsyncIterable<Uint8Array>
  readonly owner: FileOwner
  /** Where it is known what the file is, it is `ready`, and nothing reads it. */
  readonly state?: FileState
  /** Who hands it in, such as `token:laptop`: files of one caller do not wait behind all files of another. */
  readonly by?: string | undefined
}

/** Owner of files that were handed in for a message that is not written yet: each may go into another conversation. */
export const inbox = { type: 'session', id: 'inbox' } as const

/** The files that people handed in. */
export const fileLibrary = serviceKey<FileLibrary>('files')

/** The embedding model that files are searched with, where one is configured. */
export interface FileEmbedder {
  readonly embedder?: Embedder
  readonly meaning?: MeaningSettings
}

export const fileEmbedder = serviceKey<FileEmbedder>('search')

/** Gets pages of the public web, through every guard of the tools that do. */
export interface PageReader {
  /** Never rejects. `reason`: a sentence without the address. */
  fetch(
    address: string,
    signal: AbortSignal,
  ): Promise<
    { readonly type: 'fetched'; readonly bytes: Uint8Array } | { readonly type: 'failed'; readonly reason: string }
  >
}

export const pageReader = serviceKey<PageReader>('web')
