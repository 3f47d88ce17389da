import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Finding } from '../../src/capability.ts'
import { scriptedRuntime } from './scripted-runtime.ts'
import { served } from './served.ts'

const fine: Finding = { check: 'node', level: 'ok', message: 'Node 24' }
const full: Finding = { check: 'disk', level: 'problem', message: '3 MiB free', hint: 'Free some space.' }

test('findings come as events, each when it is known', async () => {
  const gate = Promise.withResolvers<void>()
  const { request } = served(scriptedRuntime(), {
    async *examine() {
      yield fine
      await gate.promise
      yield full
    },
  })
  const response = await request('/api/doctor')
  assert.match(response.headers.get('content-type') ?? '', /^text\/event-stream/)
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  assert.equal((await reader.read()).value, `event: finding\ndata: ${JSON.stringify(fine)}\n\n`)
  gate.resolve()
  let rest = ''
  for (let read = await reader.read(); !read.done; read = await reader.read()) rest += read.value
  assert.equal(rest, `event: finding\ndata: ${JSON.stringify(full)}\n\nevent: end\ndata: {}\n\n`)
})

test('checks that break off say so, and a reader that leaves ends them', async () => {
  const broken = served(scriptedRuntime(), {
    async *examine() {
      yield fine
      throw new Error('the disk is gone')
    },
  })
  assert.match(
    await (await broken.request('/api/doctor')).text(),
    /event: error\ndata: \{"error":\{.*"code":"internal"/,
  )

  const ended = Promise.withResolvers<void>()
  const endless = served(scriptedRuntime(), {
    async *examine() {
      try {
        for (;;) {
          await new Promise((resolve) => setImmediate(resolve))
          yield fine
        }
      } finally {
        ended.resolve()
      }
    },
  })
  const response = await endless.request('/api/doctor')
  await response.body!.cancel()
  await ended.promise
})

test('all who ask at once share one run of the checks, and one who leaves does not end it for the others', async () => {
  let runs = 0
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const { request } = served(scriptedRuntime(), {
    async *examine() {
      const gate = gates[runs]!
      runs += 1
      yield fine
      await gate.promise
      yield full
    },
  })
  const [leaves, stays, late] = [
    await request('/api/doctor'),
    await request('/api/doctor'),
    await request('/api/doctor'),
  ]
  await leaves.body!.cancel()
  gates[0]!.resolve()
  const whole = [fine, full].map((each) => `event: finding\ndata: ${JSON.stringify(each)}\n\n`).join('')
  for (const response of [stays, late]) assert.equal(await response.text(), `${whole}event: end\ndata: {}\n\n`)
  assert.equal(runs, 1)
  gates[1]!.resolve()
  await (await request('/api/doctor')).text()
  assert.equal(runs, 2, 'what has ended is not told again')
})
