import type { FetchFaultCode } from './fetch-fault.ts'

/** One page, opened or not. */
export type OpenedPage =
  | {
      readonly type: 'opened'
      readonly title: string
      /** Where it was in the end. */
      readonly url: string
      /** As much of it as is shown. */
      readonly content: string
      /** ISO 8601. */
      readonly updated?: string
    }
  | { readonly type: 'failed'; readonly code: FetchFaultCode | 'unreadable'; readonly reason: string }

/** Opens each page once in a turn. What failed is tried again when it is asked for again. */
export interface PageCache {
  /** `open` is called where the page is not there yet. Calls at the same time share one opening. */
  page(turn: string, address: string, signal: AbortSignal, open: () => Promise<OpenedPage>): Promise<OpenedPage>
}

/** Turns whose pages are kept, and pages of each: older ones are opened again. */
const MOST_TURNS = 16
const MOST_PAGES = 100

export function pageCache(): PageCache {
  const turns = new Map<string, Map<string, Promise<OpenedPage>>>()

  function pagesOf(turn: string): Map<string, Promise<OpenedPage>> {
    const pages = turns.get(turn) ?? new Map<string, Promise<OpenedPage>>()
    turns.delete(turn)
    return keep(turns, turn, pages, MOST_TURNS)
  }

  return {
    async page(turn, address, signal, open) {
      const pages = pagesOf(turn)
      const other = pages.get(address)
      if (other) {
        const page = await other
        // Another call gave up, which is no reason for this one.
        if (page.type === 'opened' || page.code !== 'cancelled' || signal.aborted) return page
      }
      const page = await keep(pages, address, open(), MOST_PAGES)
      if (page.type === 'failed') pages.delete(address)
      return page
    },
  }
}

/** The oldest goes where there are too many. */
function keep<Value>(map: Map<string, Value>, key: string, value: Value, most: number): Value {
  map.set(key, value)
  for (const oldest of map.keys()) {
    if (map.size <= most) break
    map.delete(oldest)
  }
  return value
}
