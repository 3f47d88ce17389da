import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Client } from '@modelcontextprotocol/client'
import { outline } from '../../src/context.ts'
import { runScenario } from '../../src/context/scenario.ts'
import type { Runtime } from '../home/features.ts'
import type { SessionStore } from '../../src/session.ts'
import { connected, kinds, ways } from './clients.ts'
import { mcpHome, oneSubject } from './mcp-home.ts'

const scenario = {
  name: 'a small one',
  layout: 'auto',
  budget: { window: 1000, reserve: 100 },
  layers: [{ id: 'base', layer: 'system-prompt', text: 'You are helpful.' }],
  current: { id: 't1', messages: [{ role: 'user', content: 'Hello' }] },
}

for (const way of ways) {
  for (const kind of kinds) {
    test(`assemble answers a ${kind} client over ${way} what the command line does, and tells how far it is`, async (t) => {
      const home = await mcpHome(t)
      const { client, call } = await connected(t, home, kind, way)
      const arrived = progressesOf(client)
      const told: number[] = []
      const { data, isError } = await call('assemble', scenario, {
        onprogress: ({ progress }) => void told.push(progress),
      })
      const result = runScenario(scenario)
      assert.equal(isError, false)
      assert.deepEqual(data, JSON.parse(JSON.stringify({ ...result, outline: outline(result.manifest) })))
      assert.deepEqual(arrived, [0, 1, 2])
      // A client stops to listen with the answer, which may come together with what was told before.
      assert.deepEqual(told, [0, 1, 2].slice(0, told.length))
    })
  }
}

/** What the server tells of its progress, as it arrives, whether or not the client still listens to it. */
function progressesOf({ transport }: Client): readonly number[] {
  const arrived: number[] = []
  const handle = transport!.onmessage
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a transport of MCP has this one place for a listener
  transport!.onmessage = (message, extra) => {
    if ('method' in message && message.method === 'notifications/progress') {
      arrived.push((message.params as { progress: number }).progress)
    }
    handle?.(message, extra)
  }
  return arrived
}

test('a context that does not fit is an answer of assemble, with its account', async (t) => {
  const home = await mcpHome(t)
  const { call } = await connected(t, home, 'v2 2026-07-28', 'http')
  const { data, isError } = await call('assemble', { ...scenario, budget: { window: 3 } })
  assert.equal(isError, false)
  assert.equal(data.error!.code, 'context-overflow')
  assert.match(data.outline!, /^window 3/)
})

test('assemble counts with the exact counter too', async (t) => {
  const home = await mcpHome(t)
  const { call } = await connected(t, home, 'v2 2026-07-28', 'http')
  assert.match((await call('assemble', { ...scenario, counter: 'o200k' })).data.outline!, /used \d+ of 900/)
})

for (const [tool, input] of [
  ['propose_notes_update', { image_id: 'one', content: 'The haze stays.' }],
  ['log_operation', { image_id: 'one', op: 'crop' }],
] as const) {
  test(`a call of ${tool} that is cancelled before it has written writes nothing`, async (t) => {
    const begun = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<void>()
    let notes = 0
    const slow = (store: SessionStore): SessionStore => ({
      ...store,
      async transaction(writes) {
        notes += 1
        if (notes === 1) begun.resolve()
        if (notes === 1) await goOn.promise
        const entries = await store.transaction(writes)
        if (notes === 2) ended.resolve()
        return entries
      },
    })
    const around = (runtime: Runtime): Runtime => ({ ...runtime, store: slow(runtime.store) })
    const home = await mcpHome(t, { files: oneSubject, around })
    const { call } = await connected(t, home, 'v2 2025-11-25', 'http')
    const abort = new AbortController()
    const reply = call(tool, input, { signal: abort.signal })
    await begun.promise
    abort.abort()
    await assert.rejects(reply)
    // The cancellation has arrived before this later call is answered.
    await call('read_context', { image_id: 'one' })
    goOn.resolve()
    await ended.promise

    assert.deepEqual(await home.runtime.proposals.list(), [])
    assert.equal(readFileSync(join(home.home, 'subjects/one/log.jsonl'), 'utf8'), oneSubject['subjects/one/log.jsonl'])
    const records = await home.runtime.store.audit({ tool })
    assert.deepEqual(
      records.map(({ kind, ok }) => [kind, ok]),
      [
        ['decision', undefined],
        ['call', false],
      ],
    )
  })
}

for (const way of ways) {
  test(`a yes that comes after the call was cancelled (${way}) confirms nothing`, async (t) => {
    const home = await mcpHome(t, { files: oneSubject })
    const asked = Promise.withResolvers<void>()
    const answer = Promise.withResolvers<void>()
    const { call } = await connected(t, home, 'v2 2025-11-25', way, {
      async person() {
        asked.resolve()
        await answer.promise
        return { action: 'accept', content: { decision: 'confirm' } }
      },
    })
    const abort = new AbortController()
    const reply = call('propose_notes_update', { image_id: 'one', content: 'Late.' }, { signal: abort.signal })
    await asked.promise
    abort.abort()
    await assert.rejects(reply)
    answer.resolve()
    await call('read_context', { image_id: 'one' })
    assert.deepEqual(
      (await home.runtime.proposals.list()).map(({ state }) => state.type),
      ['waiting'],
    )
  })
}

test('a question to one person holds up no other call of the same client', async (t) => {
  const home = await mcpHome(t, { files: oneSubject })
  const asked = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<void>()
  const { call } = await connected(t, home, 'v1 2025-11-25', 'stdio', {
    async person() {
      asked.resolve()
      await answer.promise
      return { action: 'accept', content: { decision: 'confirm' } }
    },
  })
  const waiting = call('propose_notes_update', { image_id: 'one', content: 'Slowly.' })
  await asked.promise
  assert.equal((await call('read_context', { image_id: 'one' })).isError, false)
  answer.resolve()
  assert.equal((await waiting).data.status, 'confirmed')
})

test('many clients at once, over both ways, keep whole lines and every proposal', async (t) => {
  const home = await mcpHome(t, { files: oneSubject })
  const clients = await Promise.all([
    connected(t, home, 'v2 2026-07-28', 'http'),
    connected(t, home, 'v2 2025-11-25', 'http'),
    connected(t, home, 'v1 2025-11-25', 'stdio'),
  ])
  const each = Array.from({ length: 10 }, (_, at) => at)
  const replies = await Promise.all(
    clients.flatMap(({ call }, client) =>
      each.flatMap((at) => [
        call('log_operation', { image_id: 'one', op: `op-${client}-${at}`, details: { long: 'x'.repeat(5_000) } }),
        call('propose_notes_update', { image_id: 'one', content: `note ${client} ${at}` }),
      ]),
    ),
  )
  assert.deepEqual(
    replies.filter(({ isError }) => isError),
    [],
  )
  const lines = readFileSync(join(home.home, 'subjects/one/log.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
  assert.equal(new Set(lines.map((line) => (JSON.parse(line) as { op: string }).op)).size, 31)
  assert.equal(lines.length, 31)
  assert.equal((await home.runtime.proposals.list({ state: 'waiting' })).length, 30)
  assert.equal((await home.runtime.verifyAudit()).type, 'whole')
})

test('the very same proposal twice is one', async (t) => {
  const home = await mcpHome(t, { files: oneSubject })
  const { call } = await connected(t, home, 'v2 2026-07-28', 'http')
  const proposal = { image_id: 'one', content: 'Once.' }
  const [one, other] = [await call('propose_notes_update', proposal), await call('propose_notes_update', proposal)]
  assert.equal(one.data.proposal_id, other.data.proposal_id)
})
