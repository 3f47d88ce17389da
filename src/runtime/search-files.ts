import type { SearchEngine } from '../search.ts'
import type { FileSearch, FileSearchAnswer } from './contract.ts'
import { collectionOf, type Library } from './library.ts'

/** Searches files for a person: all of them, or those of one project. */
export async function searchFiles(
  library: Library,
  engine: () => Promise<SearchEngine>,
  { text, project, limit = 10 }: FileSearch,
): Promise<FileSearchAnswer> {
  const collections =
    project === undefined
      ? [...new Set((await library.files()).map(({ owner }) => collectionOf(owner)))]
      : [collectionOf({ type: 'project', id: project })]
  const index = await engine()
  const [hits, progress] = await Promise.all([index.search({ text, collections, limit }), index.progress(collections)])
  return { hits, progress }
}
