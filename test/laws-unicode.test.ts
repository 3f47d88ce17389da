import assert from 'node:assert/strict'
import test from 'node:test'
import { forAll, outcomeOf } from './arbitrary/for-all.ts'
import { inputs, shortInputs } from './arbitrary/inputs.ts'

for (const [name, values] of Object.entries({ 'any room': inputs(), 'a shortage': shortInputs() })) {
  test(`every text of a request is well-formed Unicode, in ${name}`, () => {
    forAll(values, (input) => {
      const { assembly } = outcomeOf(input)
      if (!assembly) return
      for (const text of textsIn(assembly.request)) assert.ok(text.isWellFormed(), JSON.stringify(text.slice(-60)))
    })
  })
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}
