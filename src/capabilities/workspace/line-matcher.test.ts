import assert from 'node:assert/strict'
import test from 'node:test'
import { expressionMatcher, literalMatcher } from './line-matcher.ts'
import { systemClock } from '../../platform.ts'

const never = new AbortController().signal

test('a text is found as it is, whatever its characters mean elsewhere', async () => {
  const { match } = literalMatcher('a.b(')
  assert.deepEqual(await match('axb(\nsay a.b(c)\n', 10), [{ line: 2, text: 'say a.b(c)', at: 4 }])
})

test('an expression finds lines, the first ones where there are more than wanted', async (t) => {
  const matcher = await expressionMatcher(systemClock, '^b\\d$', never)
  t.after(() => matcher.close())
  assert.deepEqual(await matcher.match('a\nb1\nb2\nb3', 2), [
    { line: 2, text: 'b1', at: 0 },
    { line: 3, text: 'b2', at: 0 },
  ])
  assert.deepEqual(await matcher.match('none', 2), [])
})

test('an invalid expression is reported at once', async () => {
  await assert.rejects(expressionMatcher(systemClock, '(', never), /Invalid regular expression/)
})

test('an expression that would take for ever is ended, and so is every search with it', async (t) => {
  const matcher = await expressionMatcher(systemClock, '(a+)+$', never, 300)
  t.after(() => matcher.close())
  await assert.rejects(matcher.match(`${'a'.repeat(200)}!`, 10), /takes too long \(more than 300 ms/)
})

test('a cancelled search ends in the middle of an expression', async (t) => {
  const cancel = new AbortController()
  const matcher = await expressionMatcher(systemClock, '(a+)+$', cancel.signal, 60_000)
  t.after(() => matcher.close())
  const searching = matcher.match(`${'a'.repeat(200)}!`, 10)
  setTimeout(() => cancel.abort(), 50)
  await assert.rejects(searching, /was ended/)
})
