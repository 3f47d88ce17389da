import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { auditRecordAfter, CHAIN_START } from './audit-chain.ts'

const time = '2026-01-01T00:00:00.000Z'

test('anybody can compute the hash of a record again: its JSON without blanks, keys in order', () => {
  const { hash } = auditRecordAfter(CHAIN_START, 1, time, { tool: 'shell', kind: 'call', argv: ['ls', '字'], ok: true })
  const text = `{"argv":["ls","字"],"kind":"call","number":1,"ok":true,"previous":"${CHAIN_START}","time":"${time}","tool":"shell"}`
  assert.equal(hash, createHash('sha256').update(text).digest('hex'))
})

test('the order of facts does not matter, and what is not known is not there', () => {
  const one = auditRecordAfter(CHAIN_START, 1, time, { kind: 'call', tool: 'shell', session: 'a' })
  const other = auditRecordAfter(
    CHAIN_START,
    1,
    time,
    Object.assign({ session: 'a', turn: undefined }, { tool: 'shell', kind: 'call' } as const),
  )
  assert.equal(one.hash, other.hash)
})

test('every part of a record, and its place, decides its hash', () => {
  const hashes = [
    auditRecordAfter(CHAIN_START, 1, time, { kind: 'call' }),
    auditRecordAfter('1'.repeat(64), 1, time, { kind: 'call' }),
    auditRecordAfter(CHAIN_START, 2, time, { kind: 'call' }),
    auditRecordAfter(CHAIN_START, 1, '2026-01-01T00:00:00.001Z', { kind: 'call' }),
    auditRecordAfter(CHAIN_START, 1, time, { kind: 'decision' }),
    auditRecordAfter(CHAIN_START, 1, time, { kind: 'call', argv: ['a', 'b'] }),
    auditRecordAfter(CHAIN_START, 1, time, { kind: 'call', argv: ['a b'] }),
  ].map((record) => record.hash)
  assert.equal(new Set(hashes).size, hashes.length)
})
