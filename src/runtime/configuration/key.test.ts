import assert from 'node:assert/strict'
import test from 'node:test'
import { variableOf } from './environment.ts'
import { plainKeys, schemaAt } from './key.ts'

test('every key says what it is for', () => {
  for (const path of plainKeys()) assert.ok(schemaAt(path)?.description, path.join('.'))
})

test('every key has a variable of its own', () => {
  const variables = plainKeys().map(variableOf)
  assert.equal(new Set(variables).size, variables.length)
  for (const [path, variable] of [
    [['gateway', 'port'], 'FOREWORD_GATEWAY_PORT'],
    [['agent', 'maxSteps'], 'FOREWORD_AGENT_MAX_STEPS'],
    [['agent', 'toolTimeoutMs'], 'FOREWORD_AGENT_TOOL_TIMEOUT_MS'],
    [['model'], 'FOREWORD_MODEL'],
  ] as const) {
    assert.equal(variableOf(path), variable)
  }
})
