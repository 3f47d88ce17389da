import assert from 'node:assert/strict'
import test from 'node:test'
import { builtIn } from '../../src/foreword.ts'
import { configurationSchema } from '../../src/runtime.ts'
import { findKeyPath, schemaAt } from '../../src/runtime/configuration/key.ts'
import { parseWords, variableName } from '../../src/runtime/configuration/value.ts'

const schema = configurationSchema(builtIn)

test('every key says what it is for', () => {
  for (const { path } of schema.plainKeys) assert.ok(schemaAt(path, schema.json)?.description, path.join('.'))
})

test('every key has a variable of its own', () => {
  const variables = schema.plainKeys.map(({ path }) => variableName(path))
  assert.equal(new Set(variables).size, variables.length)
  for (const [path, variable] of [
    [['gateway', 'port'], 'FOREWORD_GATEWAY_PORT'],
    [['agent', 'maxSteps'], 'FOREWORD_AGENT_MAX_STEPS'],
    [['agent', 'toolTimeoutMs'], 'FOREWORD_AGENT_TOOL_TIMEOUT_MS'],
    [['model'], 'FOREWORD_MODEL'],
  ] as const) {
    assert.equal(variableName(path), variable)
  }
})

for (const [written, path] of [
  ['gateway.port', ['gateway', 'port']],
  ['"gateway".port', ['gateway', 'port']],
  ['models."lab/m1".window', ['models', 'lab/m1', 'window']],
  ["models.'lab/m1'.window", ['models', 'lab/m1', 'window']],
  ['models."ollama/llama3.2"', ['models', 'ollama/llama3.2']],
  ['models."ollama/llama3.2".price.input', ['models', 'ollama/llama3.2', 'price', 'input']],
  ['models.ollama/llama3.2.window', ['models', 'ollama/llama3.2', 'window']],
  ['models.ollama/llama3.2', ['models', 'ollama/llama3.2']],
  ['models."a.window".window', ['models', 'a.window', 'window']],
  ['providers.lab.headers.a.headers.b', ['providers', 'lab.headers.a', 'headers', 'b']],
  ['context.layout.placements."date"', ['context', 'layout', 'placements', 'date']],
  ['models."lab/m1".wind', undefined],
  ['models."lab/m1.window', undefined],
  ['models."lab"/m1.window', undefined],
  ['models."".window', undefined],
  ['gateway."port', undefined],
  ['gateway..port', undefined],
  ['', undefined],
] as const) {
  test(`the key ${written} is ${path?.join(' › ') ?? 'none'}`, () =>
    assert.deepEqual(findKeyPath(written, schema), path))
}

for (const [key, words, value] of [
  ['gateway.port', ['4142'], 4142],
  ['gateway.port', ['high'], 'high'],
  ['context.headShare', ['0.5'], 0.5],
  ['skills.allowScripts', ['true'], true],
  ['skills.allowScripts', ['0'], false],
  ['skills.allowScripts', ['perhaps'], 'perhaps'],
  ['skills.extraDirs', ['a, b'], ['a', 'b']],
  ['skills.extraDirs', ['a', 'b, c'], ['a', 'b, c']],
  ['skills.extraDirs', ['["a","b"]'], ['a', 'b']],
  ['skills.extraDirs', [''], []],
  ['channels.telegram.allowedUsers', ['1,2'], [1, 2]],
  ['channels.telegram.allowedUsers', ['1', '2'], [1, 2]],
  ['model', ['ollama/llama3.2'], 'ollama/llama3.2'],
  ['model', ['5'], 5],
  ['model', ['"5"'], '5'],
  ['context.layout', ['chai'], 'chai'],
  ['context.layout', ['{"extends":"chai"}'], { extends: 'chai' }],
  ['store', ['postgres://u@h/d'], 'postgres://u@h/d'],
  ['store', ['"postgres://u@h/d"'], 'postgres://u@h/d'],
  ['models.a/b', ['{"window":9}'], { window: 9 }],
] as const) {
  test(`${words.join(' ')} for ${key} is ${JSON.stringify(value)}`, () =>
    assert.deepEqual(parseWords(findKeyPath(key, schema)!, words, schema), value))
}
