import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { runConformance } from '../mcp-server/run-conformance.ts'

/**
 * What does not apply, because it is not declared: signing in at a server by OAuth (its headers are configured), answering questions of
 * a server, and tools that ask back.
 */
const notDeclared: Readonly<Record<string, readonly string[]>> = {
  '2025-11-25': ['auth/', 'elicitation-'],
  '2026-07-28': ['auth/', 'sep-2322-client-request-state'],
}

/** So that a suite that did not run is no success. */
const leastScenarios: Readonly<Record<string, number>> = { '2025-11-25': 4, '2026-07-28': 7 }

const client = join(import.meta.dirname, 'conformance-client.ts')

for (const revision of Object.keys(notDeclared)) {
  test(`the conformance suite for clients passes for ${revision}, in everything that is declared`, async () => {
    const command = `"${process.execPath}" --conditions=foreword-source "${client}"`
    const checks = await runConformance({ command }, revision)
    const declared = checks.filter(({ scenario }) => !notDeclared[revision]!.some((name) => scenario.startsWith(name)))
    assert.deepEqual(
      declared.filter(({ status }) => status === 'FAILURE' || status === 'WARNING'),
      [],
    )
    const scenarios = new Set(declared.map(({ scenario }) => scenario))
    assert.ok(scenarios.size >= leastScenarios[revision]!, `only ${[...scenarios].join(', ')} ran`)
  })
}
