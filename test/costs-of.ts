import assert from 'node:assert/strict'
import { type CostService, costService, type Runtime } from '../src/capability.ts'

/** What adds up the costs of a runtime that has it. */
export function costsOf(runtime: Pick<Runtime, 'capability'>): CostService {
  const service = runtime.capability(costService)
  assert.ok(service)
  return service
}
