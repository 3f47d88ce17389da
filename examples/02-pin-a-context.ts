/**
 * A context that is tested like code. The scenarios stand in `contexts/`; `foreword check examples/contexts` compares
 * their outlines with the committed ones. What must never change whatever else does is said here as a promise.
 */
import { outline } from 'foreword/context'
import { readScenarios, runScenario } from 'foreword/context/scenario'
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'

const file = join(import.meta.dirname, 'contexts', 'support-desk.json')

for (const scenario of readScenarios(readFileSync(file, 'utf8'))) {
  const { name, manifest, ...result } = runScenario(scenario)

  test(`${name}: the policy is always read, and the tone comes last`, () => {
    assert.ok('request' in result, outline(manifest))
    assert.match(result.request.system!, /Refunds within 30 days/)
    assert.equal(result.request.messages.at(-1)!.content, 'Be kind and short.')
  })
}
