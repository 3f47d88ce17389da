import assert from 'node:assert/strict'
import test from 'node:test'
import { type Clock, systemClock } from '../../src/platform.ts'
import { scriptedModel } from '../../src/testing.ts'
import { gate, opened } from '../runtime/opened.ts'
import { served } from './served.ts'

test('a reader who waited for a turn leaves no timer behind', async (t) => {
  const waits = { begun: 0, left: 0 }
  const timer: Clock['timer'] = (milliseconds, work, kind) => {
    const cancel = systemClock.timer(milliseconds, work, kind)
    if (milliseconds !== 54_321) return cancel
    waits.begun += 1
    waits.left += 1
    return () => {
      waits.left -= 1
      cancel()
    }
  }
  const answering = gate()
  const model = scriptedModel({
    async answer() {
      await answering.passed
      return { text: 'Two metres.' }
    },
  })
  const { runtime } = await opened(t, { model, around: (store) => ({ ...store, clock: { ...systemClock, timer } }) })
  const { json } = served(runtime)
  const { session, turn } = await json('/api/messages', { body: { text: 'How high is the water?' } })
  const ended = Promise.all(
    Array.from({ length: 3 }, () => json<object>(`/api/sessions/${session}/turns/${turn}?wait=54321`)),
  )
  while (waits.begun < 3) await systemClock.yield()
  answering.open()
  await ended
  assert.deepEqual(waits, { begun: 3, left: 0 })
})
