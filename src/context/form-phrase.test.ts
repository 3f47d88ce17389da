import assert from 'node:assert/strict'
import test from 'node:test'
import { formPhrase } from './place.ts'
import { outputForms } from './tool-output.ts'

test('each form of the core and of the capabilities has words of its own', () => {
  const forms = [...outputForms, 'image-marker', 'excerpt', 'list', 'list-names', 'list-search']
  const words = forms.map(formPhrase)
  assert.equal(new Set(words).size, forms.length)
  for (const phrase of words) assert.match(phrase, /^(?:in|as|with|without) [a-z ]+$/)
  assert.deepEqual(
    words.filter((phrase, index) => phrase === `as ${forms[index]!.replaceAll('-', ' ')}`),
    [],
  )
})

test('the form of somebody else is given by its name', () => {
  assert.equal(formPhrase('three-lines'), 'as three lines')
})
