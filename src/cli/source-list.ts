import type { SessionEvent } from '../runtime.ts'
import type { Entry, Source } from '../session.ts'
import { exactLine } from './exact-text.ts'

/** What the answers of one turn cite, each number once. */
export interface SourceList {
  readonly take: (entry: Entry) => void
  readonly sources: () => readonly Source[]
}

export function sourceList(): SourceList {
  const cited = new Map<number, Source>()
  return {
    take(entry) {
      if (entry.type !== 'message') return
      for (const source of entry.citations ?? []) if (!cited.has(source.citation)) cited.set(source.citation, source)
    },
    sources: () => [...cited.values()].toSorted((one, other) => one.citation - other.citation),
  }
}

/** One source in a line, such as `[1] Tides.pdf, page 3`. */
export function sourceLine({ citation, title, url, page, headings = [] }: Source): string {
  const place = page === undefined ? headings.at(-1) : `page ${page}`
  const parts = [title, ...(place === undefined ? [] : [place]), ...(url === undefined || url === title ? [] : [url])]
  return `[${citation}] ${parts.map(exactLine).join(', ')}`
}

/** Keeps what a turn cites and shows nothing. */
export function quietSources(): SourceList & { show: (event: SessionEvent) => void; finish: () => void } {
  const list = sourceList()
  return { ...list, show: (event) => event.type === 'entry' && list.take(event.entry), finish: () => {} }
}
