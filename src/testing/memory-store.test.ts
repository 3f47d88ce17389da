import { test } from 'node:test'
import { memoryDriver } from './memory-store.ts'
import { storeCases } from './session-store-cases.ts'

storeCases(test, async () => {
  const driver = memoryDriver()
  return { open: () => driver.open({ folder: '/data' }), remove: async () => {} }
})
