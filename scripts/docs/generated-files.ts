import { readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { houseGraph } from './house-graph.ts'
import { keptRuns } from '../../bench/history.ts'
import { housePicture } from './house-picture.ts'
import { houseText, withHouseText } from './house-text.ts'
import { llmsText, pageHead } from './llms-text.ts'
import { measuredPage, measuredPicture, withProof } from './measured.ts'
import { withPublicApi } from './public-api.ts'
import { referencePages } from './reference.ts'

/** Everything that is made from the source and from what was measured, by its path from `docs/`. The same sources give the same bytes. */
export function generatedFiles(root: string): ReadonlyMap<string, string> {
  const docs = join(root, 'docs')
  const graph = houseGraph(join(root, 'src'))
  const house = withHouseText(readFileSync(join(docs, 'house.md'), 'utf8'), houseText(graph))
  const reference = withPublicApi(root, referencePages)
  const runs = keptRuns()
  const measured = measuredPage(runs)
  const written = pagesOf(docs)
    .filter((path) => !path.startsWith('reference/') && path !== 'house.md' && path !== 'measured.md')
    .map((path) => [path, readFileSync(join(docs, path), 'utf8')] as const)
  const pages = [...written, ['house.md', house] as const, ['measured.md', measured] as const, ...reference]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([path, text]) => pageHead(path, text))
  const { name, description } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<string, string>
  const title = name![0]!.toUpperCase() + name!.slice(1)
  return new Map([
    ...reference,
    ['house.md', house],
    ['house.svg', housePicture(graph)],
    ['measured.md', measured],
    ['measured.svg', measuredPicture(runs)],
    ['../README.md', withProof(readFileSync(join(root, 'README.md'), 'utf8'), runs)],
    ['llms.txt', llmsText(title, description!, pages)],
  ])
}

/** Every Markdown page below a folder, by its path in it. */
export function pagesOf(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => path.split(sep).join('/'))
    .filter((path) => path.endsWith('.md'))
    .toSorted()
}
