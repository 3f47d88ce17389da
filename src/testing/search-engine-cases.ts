import { indexCases } from './search-engine-index-cases.ts'
import { meaningCases } from './search-engine-meaning-cases.ts'
import type { SearchCase, SearchPlace } from './search-engine-place.ts'
import { sightCases } from './search-engine-sight-cases.ts'
import { wordCases } from './search-engine-word-cases.ts'
import type { Test } from './session-store-place.ts'

/**
 * Every promise of `SearchEngine`, as tests. A backend runs them all:
 *
 * ```ts
 * searchEngineCases(test, async () => ({ open: (options) => openMySearch(…), remove: async () => … }))
 * ```
 */
export function searchEngineCases(test: Test, makePlace: () => Promise<SearchPlace>): void {
  const searchCase: SearchCase = (name, run) => {
    test(name, async () => {
      const place = await makePlace()
      const engine = await place.open()
      try {
        await run(engine, place)
      } finally {
        await engine.close()
        await place.remove()
      }
    })
  }
  indexCases(searchCase)
  wordCases(searchCase)
  sightCases(searchCase)
  meaningCases(searchCase)
}
