import assert from 'node:assert/strict'
import test from 'node:test'
import { runsAllCases } from '../arbitrary/some-cases.ts'
import { keepSession } from './kept-session.ts'

const CALLS = runsAllCases ? 500 : 100

test(`a session of ${CALLS} calls whose last body has 10 MB is kept in less than 15 MB`, () => {
  const { sentBytes, largestBytes, keptBytes } = keepSession(CALLS, 10_200_000 / CALLS)
  assert.ok(largestBytes > 10_000_000 && sentBytes > CALLS * 4_000_000, `${largestBytes} and ${sentBytes} bytes`)
  assert.ok(keptBytes < 15_000_000, `${keptBytes} bytes`)
})
