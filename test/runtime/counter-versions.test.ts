import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { formerCounters, tokenx } from '../../src/context.ts'
import { scriptedModel } from '../../src/testing.ts'
import { opened } from './opened.ts'

const digest = (text: string) => createHash('sha512').update(text).digest('base64')

test('calls that an earlier version of the counter has counted are assembled again as they were, and the session goes on', async (t) => {
  const former = formerCounters.find(({ id }) => id === tokenx.id)!
  assert.notEqual(former.version, tokenx.version)
  const model = scriptedModel({
    facts: { window: 3_000 },
    answer: (_, number) => ({ text: Array.from({ length: 6 }, (__, line) => digest(`${number} ${line}`)).join('\n') }),
  })
  const settings = { notes: 'index', reserve: 300, margin: 0 } as const
  const before = await opened(t, { model, settings: { ...settings, counter: former } })
  const { session } = await before.say('What is the digest of 0?')
  for (let turn = 1; turn < 24; turn += 1) await before.say(`And of ${turn}?`, { session })
  const old = await before.store.calls(session)
  assert.ok(old.some(({ manifest }) => manifest.cut !== undefined))

  const at = await before.reopened({ settings: { ...settings, counter: tokenx } })
  assert.deepEqual((await at.runtime.replay(session)).different, [])
  for (let turn = 24; turn < 30; turn += 1) await at.say(`And of ${turn}?`, { session })
  const calls = await at.store.calls(session)
  const versions = calls.map(({ manifest }) => manifest.counter.version)
  assert.deepEqual([...new Set(versions)], [former.version, tokenx.version])
  const { different, identical } = await at.runtime.replay(session)
  assert.deepEqual([different, identical], [[], calls.length])
})
