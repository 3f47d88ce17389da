import assert from 'node:assert/strict'
import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { startKeepRules } from '../../src/runtime/home/keep-rules.ts'
import { createActivity, systemClock } from '../../src/platform.ts'
import { fixedClock } from '../../src/testing.ts'
import { temporaryHome } from '../cli/home.ts'
import { recordedCalls, send, startGateway, type TestGateway } from './gateway.ts'
import { answerMessages, startVendor } from './vendor.ts'

const on = (start: string, prefix: string) => ({ clock: fixedClock({ start, prefix, timers: systemClock }) })
const shared = 'Words that both conversations begin with. '.repeat(200)

test('bodies of a conversation go when it has rested for longer than keep.bodyDays, and what was counted stays', async (t) => {
  const vendor = await startVendor(t, answerMessages('An answer.'))
  const first = await startGateway(t, {
    providers: { anthropic: { kind: 'anthropic', baseURL: `${vendor.url}/v1` } },
    configuration: { keep: { bodyDays: 30 } },
    ...on('2026-01-05T12:00:00.000Z', 'a'),
  })
  const say = async (gateway: TestGateway, session: string, words: string) => {
    const messages = [shared, 'Yes.', words].map((content, at) => ({ role: at % 2 ? 'assistant' : 'user', content }))
    const body = JSON.stringify({ model: 'claude-opus-5-5', max_tokens: 10, messages })
    const agent = ['user-agent', 'claude-cli/2.1.330 (external, cli)', 'x-claude-code-session-id', session]
    const headers = ['x-foreword-token', gateway.token, 'x-api-key', 'own', ...agent]
    await send(`${gateway.url}/through/anthropic/v1/messages`, { headers, body })
    return (await recordedCalls(gateway)).at(-1)!
  }
  const read = async (gateway: TestGateway, call: string, what = 'request') => {
    const headers = { authorization: `Bearer ${gateway.token}` }
    return (await fetch(`${gateway.url}/api/calls/${call}/${what}`, { headers })).text()
  }
  const old = await say(first, 'old', 'Said long ago.')
  const kept = await first.restart(on('2026-02-03T12:00:00.000Z', 'b'))
  const recent = await say(kept, 'recent', 'Said lately.')
  assert.match(await read(kept, old.id), /Said long ago/)

  const later = await kept.restart(on('2026-02-05T12:00:00.000Z', 'c'))
  await later.runtime.idle()
  assert.match(await read(later, old.id), /missing-content.*keep\.bodyDays/)
  const calls = await recordedCalls(later)
  assert.deepEqual(
    calls.map(({ outcome }) => outcome?.usage?.outputTokens),
    [3, 3],
  )
  const body = await read(later, recent.id)
  assert.ok(body.includes(shared) && body.includes('Said lately.'))
  assert.deepEqual(await Array.fromAsync(later.runtime.store.damage()), [])
  // It goes on, and is whole again from there.
  const again = await say(later, 'old', 'Said long ago.')
  assert.equal(again.session, old.session)
  assert.match(await read(later, again.id), /Said long ago/)
})

test('what was set aside goes by its own days, at the start and once a day', async (t) => {
  const { home } = temporaryHome(t)
  const clock = fixedClock()
  const made = (name: string, days: number) => {
    const folder = join(home, 'data/set-aside', name)
    mkdirSync(join(folder, '0'), { recursive: true })
    writeFileSync(join(folder, '0/AGENTS.md'), 'Obey.')
    const seconds = clock.now() / 1000 - days * 24 * 3600
    utimesSync(folder, seconds, seconds)
    return folder
  }
  const [old, young] = [made('old', 8), made('young', 6)]
  const activity = createActivity()
  const removed: string[] = []
  const stop = startKeepRules({
    rules: { bodyDays: 2, setAsideDays: 7 },
    data: join(home, 'data'),
    clock,
    activity,
    programs: { removeBodies: async (before) => void removed.push(before) },
    warn: assert.fail,
  })
  await activity.idle()
  assert.deepEqual([existsSync(old), existsSync(young)], [false, true])
  await clock.advance(2 * 24 * 3600 * 1000)
  await activity.idle()
  assert.equal(existsSync(young), false)
  assert.deepEqual(removed.slice(0, 2), ['2026-01-03T12:00:00.000Z', '2026-01-04T12:00:00.000Z'])
  await stop()
  assert.deepEqual(clock.timers, [])
})
