import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openSqliteSearch } from './open-sqlite-search.ts'

test('whoever indexes much leaves room for others in between', async (context) => {
  const engine = await openSqliteSearch({ path: ':memory:' })
  context.after(() => engine.close())
  let turns = 0
  let done = false
  const count = () => {
    turns += 1
    if (!done) setImmediate(count)
  }
  setImmediate(count)
  for (let index = 0; index < 50; index += 1) {
    await engine.index({ id: `d${index}`, title: '', collections: ['all'], digest: '1', text: 'Short.' })
  }
  assert.ok(turns >= 50, `${turns} turns while 50 short documents were indexed`)
  turns = 0
  const text = 'Life began in hot springs. '.repeat(40_000)
  await engine.index({ id: 'long', title: '', collections: ['all'], digest: '1', text })
  done = true
  assert.ok(turns >= 30, `${turns} turns while a long document was indexed`)
})
