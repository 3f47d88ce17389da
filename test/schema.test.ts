import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { builtIn } from '../src/foreword.ts'
import { scenarioJsonSchema } from '../src/context/scenario.ts'
import { configurationSchema } from '../src/runtime/configuration/schema.ts'
import { accessSchema } from '../src/tool.ts'

for (const [name, current] of [
  ['config.schema.json', configurationSchema(builtIn).json],
  ['scenario.schema.json', scenarioJsonSchema()],
  ['tool-access.schema.json', accessSchema()],
] as const) {
  test(`the committed ${name} is the current one`, () => {
    const committed: unknown = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'schema', name), 'utf8'))
    assert.deepEqual(committed, JSON.parse(JSON.stringify(current)), 'write it anew with: npm run schema')
  })
}
