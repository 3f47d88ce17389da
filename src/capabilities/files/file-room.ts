import type { FileLibrary } from '../../capability.ts'
import type { SearchEngine } from '../../search.ts'
import { type FileService, type FileServiceOptions, openFileService } from './file-service.ts'

export type { MeaningStatus } from './file-service.ts'

/** The service as the runtime asks for it until capabilities are started. */
export interface FileRoom extends Pick<FileService, 'meaning' | 'close'> {
  readonly library: FileLibrary
  recover(): Promise<unknown>
  readonly engine: () => Promise<SearchEngine>
}

export function openFileRoom(options: FileServiceOptions): FileRoom {
  const service = openFileService(options)
  return { ...service, library: service }
}
