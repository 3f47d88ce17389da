import assert from 'node:assert/strict'
import test from 'node:test'
import { fillTemplate, templateFields } from './template-fields.ts'

test('a field is named once, whatever the number of its places, and one of them may give it values', () => {
  assert.deepEqual(templateFields('{{a}} {{ b-c :x}} {{a: one | two}} {{ größe }} {{a:three}} {{d:}}'), [
    { name: 'a', options: ['one', 'two'] },
    { name: 'b-c', options: ['x'] },
    { name: 'größe' },
    { name: 'd', options: [''] },
  ])
})

test('braces of JSON, of code and of other templates are no fields', () => {
  const text = '{{"a": 1}} {{.Name}} {{}} {{ }} {{#each x}} {{a\n}} { {a} }'
  assert.deepEqual(templateFields(text), [])
  assert.equal(fillTemplate(text, { a: 'x' }), text)
})

test('a field without a value stays as it is written, and one that has a value of its own may be emptied', () => {
  const text = '{{a}}|{{b:x}}|{{b}}|{{c:}}|{{constructor}}'
  assert.equal(fillTemplate(text, {}), '{{a}}|x|x||{{constructor}}')
  assert.equal(fillTemplate(text, { a: '', b: '', c: 'z' }), '{{a}}|||z|{{constructor}}')
  assert.equal(fillTemplate(text, { a: '$& {{b}}', b: 'y' }), '$& {{b}}|y|y||{{constructor}}')
})
