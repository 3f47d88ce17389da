import assert from 'node:assert/strict'
import test from 'node:test'
import { keepSession } from './kept-session.ts'

test('a session of 500 calls whose last body has 10 MB is kept in less than 15 MB', () => {
  const { sentBytes, largestBytes, keptBytes } = keepSession(500, 20_000)
  assert.ok(largestBytes > 10_000_000 && sentBytes > 2_000_000_000, `${largestBytes} and ${sentBytes} bytes`)
  assert.ok(keptBytes < 15_000_000, `${keptBytes} bytes`)
})
