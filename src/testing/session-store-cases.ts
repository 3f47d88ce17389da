import { auditCases } from './session-store-audit-cases.ts'
import { callCases, sessionCases } from './session-store-session-cases.ts'
import { contentCases, recordCases, valueCases } from './session-store-record-cases.ts'
import { exportCases } from './session-store-export-cases.ts'
import { exportFileCases } from './session-store-export-file-cases.ts'
import { fileCases } from './session-store-file-cases.ts'
import { labelCases } from './session-store-label-cases.ts'
import { logCases } from './session-store-log-cases.ts'
import { type StoreCase, type StoreFixture, withStore } from './session-store-entries.ts'
import { sumCases } from './session-store-sum-cases.ts'
import { turnCases } from './session-store-turn-cases.ts'
import type { TestFunction } from './test-function.ts'

/** Adds the tests for one part of a store. */
export type StoreSuite = (test: TestFunction, makeFixture: () => Promise<StoreFixture>) => void

/** The tests for each part of `SessionStore`, so that a driver can be written part by part. */
export const storeSuites = {
  log: suite((storeCase) => {
    logCases(storeCase)
    turnCases(storeCase)
    sessionCases(storeCase)
    labelCases(storeCase)
  }),
  calls: suite(callCases),
  sums: suite(sumCases),
  contents: suite(contentCases),
  values: suite(valueCases),
  records: suite(recordCases),
  files: suite(fileCases),
  audit: suite(auditCases),
  /** Needs all other parts: a session is exported and imported with its calls, contents and files. */
  exports: suite((storeCase, makeFixture) => {
    exportCases(storeCase, makeFixture)
    exportFileCases(storeCase, makeFixture)
  }),
} satisfies Readonly<Record<string, StoreSuite>>

/**
 * Adds a test for every rule of `SessionStore`:
 *
 * ```ts
 * storeCases(test, async () => ({ open: () => myDriver.open(…), remove: async () => … }))
 * ```
 */
export function storeCases(test: TestFunction, makeFixture: () => Promise<StoreFixture>): void {
  for (const run of Object.values(storeSuites)) run(test, makeFixture)
}

/** Each case has its own store, which is closed and removed afterwards. */
function suite(cases: (storeCase: StoreCase, makeFixture: () => Promise<StoreFixture>) => void): StoreSuite {
  return (test, makeFixture) => {
    cases((name, run) => {
      test(name, () => withStore(makeFixture, run))
    }, makeFixture)
  }
}
