import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { builtIn } from '../src/foreword.ts'
import { scenarioJsonSchema } from '../src/context/scenario.ts'
import { configurationSchema } from '../src/runtime/configuration/schema.ts'
import { commandOverview } from '../scripts/docs/command-overview.ts'
import { accessSchema } from '../src/tool.ts'

for (const [path, current] of [
  ['schema/config.schema.json', configurationSchema(builtIn).json],
  ['schema/scenario.schema.json', scenarioJsonSchema()],
  ['schema/tool-access.schema.json', accessSchema()],
  ['src/foreword/overview.json', await commandOverview(builtIn)],
] as const) {
  test(`the committed ${path} is the current one`, () => {
    const committed: unknown = JSON.parse(readFileSync(join(import.meta.dirname, '..', path), 'utf8'))
    assert.deepEqual(committed, JSON.parse(JSON.stringify(current)), 'write it anew with: npm run schema')
  })
}
