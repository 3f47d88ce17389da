import assert from 'node:assert/strict'
import test from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { accessSchema } from './access.ts'
import { readAccess } from './read-access.ts'

const fits = new Ajv2020({ strict: true }).compile(accessSchema())

for (const written of [
  {},
  { $schema: './tool-access.schema.json', global: { enabled: true, mode: 'full', allowedTools: ['a', 'b*'] } },
  { tools: { web: { enabled: false, approval: 'ask', timeoutMs: 5, maxShownChars: 6 }, constructor: {} } },
  { tools: { shell: { enabled: true, mode: 'off', allowedPrefixes: ['ls'], timeoutMs: 500_000, allowAnyCwd: true } } },
  { _help: 5, global: { _mode: 'x' }, tools: { _: 1, 'read_*': { enabled: false, _why: [] }, shell: { _: 1 } } },
  { globl: {} },
  { tools: { 'a*b': {} } },
  { global: { mode: 'ful' } },
  { global: { enabled: 1 } },
  { global: { allowedTools: ['a*b'] } },
  { global: { allowedTools: [' '] } },
  { tools: { shell: { timeoutMs: 0 } } },
  { tools: { web: { mode: 'full' } } },
  { tools: { web: true } },
]) {
  test(`the schema and the reader agree on ${JSON.stringify(written)}`, () => {
    assert.equal(fits(written), readAccess(JSON.stringify(written), {}).type === 'access')
  })
}
