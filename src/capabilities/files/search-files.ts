import type { SearchEngine } from '../../search.ts'
import type { FileSearch, FileSearchAnswer } from '../../runtime/features.ts'
import { RuntimeError } from '../../capability/runtime-error.ts'
import { collectionOf } from './library.ts'
import type { FileLibrary } from '../../capability.ts'

/**
 * Searches files for a person: all of them, or those of one project. Where nothing is in the index yet, nothing is found.
 * Rejects with `storage` where the index cannot be read.
 */
export async function searchFiles(
  library: FileLibrary,
  engine: () => Promise<SearchEngine>,
  { text, project, limit = 10, by }: FileSearch,
): Promise<FileSearchAnswer> {
  const files = await library.files(project === undefined ? undefined : { type: 'project', id: project })
  const nothing = { hits: [], progress: { documents: files.length, indexed: 0, chunks: 0, embedded: 0 } }
  if (files.length === 0) return nothing
  const collections = [...new Set(files.map(({ owner }) => collectionOf(owner)))]
  try {
    const index = await engine()
    const [found, progress] = await Promise.all([
      index.search({ text, collections, limit, ...(by === undefined ? {} : { by }) }),
      index.progress(collections),
    ])
    return { ...found, progress }
  } catch (error) {
    const { SearchError } = await import('../../search.ts')
    if (!(error instanceof SearchError)) throw error
    if (error.code === 'not-found') return nothing
    throw new RuntimeError('storage', error.message, { index: error.code }, { cause: error })
  }
}
