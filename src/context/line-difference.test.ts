import assert from 'node:assert/strict'
import test from 'node:test'
import { lineDifference } from './head-change.ts'

const lines = (...all: readonly string[]) => all.join('\n')
const long = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`)

test('a changed line is shown with the lines beside it', () => {
  const after = lines(...long.with(9, 'another line'))
  assert.equal(lineDifference(lines(...long), after), lines('  line 9', '- line 10', '+ another line', '  line 11'))
})

test('two changes far apart leave out what is between them', () => {
  const after = lines('first', ...long.slice(0, 20), ...long.slice(21))
  assert.equal(
    lineDifference(lines(...long), after),
    lines('+ first', '  line 1', '…', '  line 20', '- line 21', '  line 22'),
  )
})

test('where most is new, and where lines are too many to compare, there is no difference to show', () => {
  assert.equal(lineDifference('one', 'two'), undefined)
  const many = (word: string) => Array.from({ length: 3000 }, (_, index) => `${word} ${index}`).join('\n')
  assert.equal(lineDifference(many('old'), many('new')), undefined)
})
