import { auditCases } from './session-store-audit-cases.ts'
import { callCases } from './session-store-call-cases.ts'
import { exportCases } from './session-store-export-cases.ts'
import { exportFileCases } from './session-store-export-file-cases.ts'
import { fileCases } from './session-store-file-cases.ts'
import { logCases } from './session-store-log-cases.ts'
import { recordCases } from './session-store-record-cases.ts'
import { sessionCases } from './session-store-session-cases.ts'
import type { StoreCase, StorePlace, Test } from './session-store-place.ts'
import { turnCases } from './session-store-turn-cases.ts'

/**
 * Every promise of `SessionStore`, as tests. A backend runs them all:
 *
 * ```ts
 * sessionStoreCases(test, async () => ({ open: () => openMyStore(…), remove: async () => … }))
 * ```
 */
export function sessionStoreCases(test: Test, makePlace: () => Promise<StorePlace>): void {
  const storeCase: StoreCase = (name, run) => {
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
  }
  logCases(storeCase)
  turnCases(storeCase)
  sessionCases(storeCase)
  callCases(storeCase)
  auditCases(storeCase)
  recordCases(storeCase)
  fileCases(storeCase)
  exportCases(storeCase, makePlace)
  exportFileCases(storeCase, makePlace)
}
