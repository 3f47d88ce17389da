import { auditCases } from './session-store-audit-cases.ts'
import { callCases, sessionCases } from './session-store-session-cases.ts'
import { contentCases, recordCases, valueCases } from './session-store-record-cases.ts'
import { exportCases } from './session-store-export-cases.ts'
import { exportFileCases } from './session-store-export-file-cases.ts'
import { fileCases } from './session-store-file-cases.ts'
import { logCases } from './session-store-log-cases.ts'
import type { StoreCase, StorePlace, Test } from './session-store-entries.ts'
import { turnCases } from './session-store-turn-cases.ts'

/** Runs the cases of one part of a store, or of all of them. */
export type StoreSuite = (test: Test, makePlace: () => Promise<StorePlace>) => void

/** The promises of each part of `SessionStore`, as tests, so that a driver can be written part by part. */
export const storeSuites = {
  log: suite((storeCase) => {
    logCases(storeCase)
    turnCases(storeCase)
    sessionCases(storeCase)
  }),
  calls: suite(callCases),
  contents: suite(contentCases),
  values: suite(valueCases),
  records: suite(recordCases),
  files: suite(fileCases),
  audit: suite(auditCases),
  /** Needs all parts: a session with its calls, contents and files is written out and read in again. */
  exports: suite((storeCase, makePlace) => {
    exportCases(storeCase, makePlace)
    exportFileCases(storeCase, makePlace)
  }),
} satisfies Readonly<Record<string, StoreSuite>>

/**
 * Every promise of `SessionStore`, as tests. A driver runs them all:
 *
 * ```ts
 * storeCases(test, async () => ({ open: () => myDriver.open(…), remove: async () => … }))
 * ```
 */
export function storeCases(test: Test, makePlace: () => Promise<StorePlace>): void {
  for (const run of Object.values(storeSuites)) run(test, makePlace)
}

/** Each case has a store of its own, which is closed and removed behind it. */
function suite(cases: (storeCase: StoreCase, makePlace: () => Promise<StorePlace>) => void): StoreSuite {
  return (test, makePlace) => {
    cases((name, run) => {
      test(name, async () => {
        const place = await makePlace()
        const store = await place.open()
        try {
          await run(store, place)
        } finally {
          await store.close()
          await place.remove()
        }
      })
    }, makePlace)
  }
}
