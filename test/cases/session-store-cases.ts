import type { TestFunction } from '../../src/testing.ts'
import { auditCases } from './session-store-audit-cases.ts'
import { type StoreCase, type StoreFixture, withStore } from './session-store-entries.ts'
import { exportCases } from './session-store-export-cases.ts'
import { exportFileCases } from './session-store-export-file-cases.ts'
import { fileCases } from './session-store-file-cases.ts'
import { labelCases } from './session-store-label-cases.ts'
import { logCases } from './session-store-log-cases.ts'
import { contentCases, recordCases, valueCases } from './session-store-record-cases.ts'
import { callCases, sessionCases } from './session-store-session-cases.ts'
import { sumCases } from './session-store-sum-cases.ts'
import { turnCases } from './session-store-turn-cases.ts'

/**
 * Adds a test for every rule of `SessionStore`. Each has its own store, which is closed and removed afterwards:
 *
 * ```ts
 * storeCases(test, async () => ({ open: () => openMyStore(…), remove: async () => … }))
 * ```
 */
export function storeCases(test: TestFunction, makeFixture: () => Promise<StoreFixture>): void {
  const storeCase: StoreCase = (name, run) => {
    test(name, () => withStore(makeFixture, run))
  }
  logCases(storeCase)
  turnCases(storeCase)
  sessionCases(storeCase)
  labelCases(storeCase)
  callCases(storeCase)
  sumCases(storeCase)
  contentCases(storeCase)
  valueCases(storeCase)
  recordCases(storeCase)
  fileCases(storeCase)
  auditCases(storeCase)
  exportCases(storeCase, makeFixture)
  exportFileCases(storeCase, makeFixture)
}
