import type { FoundDocument } from '../../capability/cited-document.ts'
import { pageAddress } from './page-address.ts'
import type { SearchResult } from './search-provider.ts'

/** The most of one title, one excerpt and one URL that is kept, characters. */
const LONGEST_TITLE = 300
const LONGEST_EXCERPT = 2000
const LONGEST_URL = 2000

/** Results of others as documents: whole URLs of the web, each once, texts on one line and not too long. */
export function foundPages(results: readonly SearchResult[], limit: number): readonly FoundDocument[] {
  const found = new Map<string, FoundDocument>()
  for (const result of results) {
    if (found.size === limit) break
    const page = foundPage(result)
    if (page && !found.has(page.document)) found.set(page.document, page)
  }
  return [...found.values()]
}

function foundPage({ url, title, content, updated, score }: SearchResult): FoundDocument | undefined {
  if (typeof url !== 'string' || url.length > LONGEST_URL) return undefined
  const parsed = URL.parse(url)
  if (!parsed || !/^https?:$/.test(parsed.protocol) || parsed.username !== '' || parsed.password !== '')
    return undefined
  const document = pageAddress(url)
  const date = typeof updated === 'string' ? new Date(updated) : undefined
  return {
    document,
    title: oneLine(title, LONGEST_TITLE) || document,
    url: document,
    content: oneLine(content, LONGEST_EXCERPT),
    ...(date && !Number.isNaN(date.getTime()) && { updated: date.toISOString() }),
    ...(typeof score === 'number' && Number.isFinite(score) && { score }),
  }
}

function oneLine(text: unknown, longest: number): string {
  if (typeof text !== 'string') return ''
  const line = text
    .slice(0, longest * 5)
    .replaceAll(/\s+/g, ' ')
    .trim()
  return (line.length > longest ? `${line.slice(0, longest - 1)}…` : line).toWellFormed()
}
