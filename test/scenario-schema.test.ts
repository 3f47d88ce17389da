import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { readScenarios, runScenario, scenarioJsonSchema } from '../src/context/scenario.ts'

const root = join(import.meta.dirname, '..')
const published = JSON.parse(readFileSync(join(root, 'schema', 'scenario.schema.json'), 'utf8')) as object
const validate = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(published)

test('the published schema is the one that validates (npm run schema writes it)', () => {
  assert.deepEqual(published, scenarioJsonSchema())
})

test('every golden and every example is valid by the published schema', () => {
  const scenarios = ['test/golden', 'examples'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.json'))
      .map((name) => join(root, folder, name)),
  )
  assert.ok(scenarios.length > 20)
  for (const path of scenarios) {
    for (const scenario of readScenarios(readFileSync(path, 'utf8'))) {
      assert.ok(validate(scenario), `${path}: ${JSON.stringify(validate.errors)}`)
    }
  }
})

test("the guide's own example is a scenario, comments and all", () => {
  const page = readFileSync(join(root, 'docs', 'guide', 'scenarios.md'), 'utf8')
  const [, example] = /```jsonc\n(.*?)```/s.exec(page)!
  const [scenario, ...others] = readScenarios(example!)
  assert.deepEqual(others, [])
  assert.ok(validate(scenario), JSON.stringify(validate.errors))
  const result = runScenario(scenario)
  assert.equal(result.name, 'the custom agent moves along')
})

test('the published schema refuses what is not a scenario', () => {
  const current = { id: 't1', messages: [] }
  assert.equal(validate({ budget: { window: 1 }, current }), true)
  for (const wrong of [
    {},
    { budget: { window: 1 } },
    { budget: { window: -1 }, current },
    { budget: { window: 1 }, current, windw: 1 },
    { budget: { window: 1 }, current: { id: 't1', messages: [{ role: 'system', content: '' }] } },
    { budget: { window: 1 }, current, layout: { extends: 'auto', headShare: 2 } },
  ]) {
    assert.equal(validate(wrong), false, JSON.stringify(wrong))
  }
})
