import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { fixedClock } from '../../testing.ts'
import { createFlows, FLOW_SECONDS } from './flows.ts'

const begun = { state: 's', nonce: 'n', verifier: 'v', back: 'https://foreword.example/sign-in/done', to: '/settings' }

test('a cookie has the flow that was sealed in it, unreadable for its browser, for ten minutes', async () => {
  const clock = fixedClock()
  const flows = createFlows({ clock, random: randomBytes })
  const cookie = flows.seal(begun)
  assert.match(cookie, /^[\w-]+$/)
  assert.ok(!Buffer.from(cookie, 'base64url').toString('latin1').includes('foreword.example'))
  assert.deepEqual(flows.open(cookie), { ...begun, until: clock.now() + FLOW_SECONDS * 1_000 })
  assert.notEqual(flows.seal(begun), cookie)
  await clock.advance(FLOW_SECONDS * 1_000 - 1)
  assert.ok(flows.open(cookie))
  await clock.advance(1)
  assert.equal(flows.open(cookie), undefined)
})

test('a cookie that was changed anywhere, cut, or sealed by another process is none', () => {
  const clock = fixedClock()
  const flows = createFlows({ clock, random: randomBytes })
  const bytes = Buffer.from(flows.seal(begun), 'base64url')
  for (let at = 0; at < bytes.length; at += 1) {
    const changed = Buffer.from(bytes)
    changed[at]! ^= 1
    assert.equal(flows.open(changed.toString('base64url')), undefined, `byte ${at}`)
    assert.equal(flows.open(bytes.subarray(0, at).toString('base64url')), undefined, `cut at ${at}`)
  }
  assert.equal(createFlows({ clock, random: randomBytes }).open(bytes.toString('base64url')), undefined)
})

test('a flow ends once, however many others begin and end', async () => {
  const clock = fixedClock()
  const flows = createFlows({ clock, random: randomBytes })
  const flow = flows.open(flows.seal(begun))!
  assert.equal(flows.use(flow), true)
  for (let other = 0; other < 1_000; other += 1) flows.use({ ...flow, state: `other ${other}` })
  assert.equal(flows.use(flow), false)
  // Once it is over, its cookie is none, and nothing has to be remembered.
  await clock.advance(FLOW_SECONDS * 1_000)
  assert.equal(flows.open(flows.seal(begun))!.until > flow.until, true)
})
