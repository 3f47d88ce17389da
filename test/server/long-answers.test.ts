import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Hono } from 'hono'
import { z } from 'zod'
import { jsonAnswer, route } from '../../src/capability.ts'
import { clockOf, systemClock } from '../../src/platform.ts'
import { mount, type RouteBindings } from '../../src/server/route.ts'

test('while an answer of megabytes is sent, other work runs after each of its parts that took long', async () => {
  const text = 'Words “of” an answer. '.repeat(200_000)
  let [now, rests] = [0, 0]
  const clock = clockOf({
    ...systemClock,
    monotonic: () => (now += 20),
    soon(work) {
      rests += 1
      systemClock.soon(work)
    },
  })
  const app = new Hono<{ Bindings: RouteBindings }>()
  const routes = [
    route('GET /long', {
      tag: 'system',
      summary: 'Says much',
      needsToken: false,
      answers: () => jsonAnswer('Words', { text: z.string() }),
      handle: () => ({ text }),
    }),
  ]
  const bodyBudgets = () => ({ end() {} })
  mount(app, routes, { maxBodyBytes: 1, streams: undefined, visits: undefined, bodyBudgets, clock } as never)
  const answer = await app.request('/long', {}, { visitor: { by: 'somebody' } })
  assert.deepEqual(await answer.json(), { text })
  assert.ok(rests >= text.length / 500_000, `${rests} rests for ${text.length} characters`)
})
