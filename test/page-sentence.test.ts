import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sentence } from '../web/src/parts/sentence.ts'
import { ruleText } from '../web/src/settings/access-words.ts'

test('a phrase of the gateway is shown as a sentence, and a name at its beginning stays as it is', () => {
  assert.equal(sentence('no real model is attached'), 'No real model is attached.')
  assert.equal(sentence('subjects: none'), 'Subjects: none.')
  assert.equal(sentence('ollama/llama3.2 cannot be used'), 'ollama/llama3.2 cannot be used.')
  assert.equal(sentence('tool-access.json is not read.'), 'tool-access.json is not read.')
})

test('a rule is said in words, with the place in the file', () => {
  assert.equal(
    ruleText({ rule: 'global.allowedTools', access: 'refused' }),
    'tool-access.json does not allow it (global.allowedTools).',
  )
  assert.equal(
    ruleText({ rule: 'tools.read_*.enabled', access: 'refused' }),
    'tool-access.json switches it off (tools.read_*.enabled).',
  )
  assert.equal(
    ruleText({ rule: 'tools.shell.approval', access: 'ask' }),
    'tool-access.json allows it, and asks before each call (tools.shell.approval).',
  )
  assert.equal(
    ruleText({ rule: 'reads-context', access: 'allowed' }),
    'It only reads what the conversation contains, which needs no rule.',
  )
  assert.equal(ruleText({ rule: 'another', access: 'allowed' }), 'another')
})
