import { resultsText } from '../../context.ts'
import type { ToolAnswered } from '../../tool.ts'
import type { FoundDocument } from '../../capability/cited-document.ts'

/** An answer whose documents have numbers from 1, as long as nobody gives them those of the turn (BEHAVIOURS §3.6). */
export function webResults(documents: readonly FoundDocument[]): ToolAnswered {
  const numbers = new Map<string, number>()
  for (const { document } of documents) if (!numbers.has(document)) numbers.set(document, numbers.size + 1)
  const results = documents.map(({ document, title, url, updated, content }) => ({
    citation_id: numbers.get(document)!,
    title,
    ...(url !== undefined && { url }),
    ...(updated !== undefined && { updated_at: updated }),
    content,
  }))
  return { ok: true, output: resultsText(results), meta: { documents } }
}
