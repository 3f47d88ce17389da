import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { layoutOf, tokenx } from '../../context.ts'
import type { TurnQuestion } from '../../capability.ts'
import type { Recall } from '../../search.ts'
import { openStore } from '../../session.ts'
import { fixedClock } from '../../testing.ts'
import { memory, memoryService } from './memory.ts'
import { systemClock } from '../../platform.ts'

const layout = layoutOf('ayati')

test('a turn is given the session before in its conversation, and the account knows whose words it holds', async (t) => {
  const { self, say } = await running(t)
  await say('first', 'My boat is called Marigold.')
  await say('second', 'Hello.')
  const part = await memory.turn!(self, question('second'))
  assert.equal(part.readsForeign, true)
  const [layer] = await part.layers!(context)
  assert.match(layer!.renditions[0]!.text, /My boat is called Marigold/)
  assert.deepEqual(part.holds!('memory'), ['first'])
  assert.equal(part.holds!('project'), undefined)

  await memory.sessions!.deleted!(self, 'first')
  const [blank] = await part.layers!(context)
  assert.equal(blank!.renditions[0]!.text, '')
})

test('a session that is forgotten is no part of its conversation any more', async (t) => {
  const { self, say } = await running(t)
  await say('first', 'My boat is called Marigold.')
  await say('second', 'Hello.')
  await self.service.forget('first')
  assert.deepEqual(await memory.sessions!.conversation!(self, 'second', ['second', 'first']), ['second'])
  assert.deepEqual(await memory.sessions!.conversation!(self, 'first', ['first']), ['first'])
  assert.equal((await memory.turn!(self, question('second'))).readsForeign, false)
  assert.equal((await self.service.show('first', '')).forgotten, true)
})

test('nothing is remembered where the layout does not say so, and the place of `conversation` is shown only where it has one', async (t) => {
  const { self, say } = await running(t)
  await say('first', 'My boat is called Marigold.')
  await say('second', 'Hello.')
  const auto = layoutOf('auto')
  const part = await memory.turn!(self, { ...question('second'), layout: auto })
  assert.deepEqual(part, { readsForeign: false })
  assert.deepEqual(await memory.layers!(self, { ...context, layout: auto }), [])
  const [withheld] = await memory.layers!(self, context)
  assert.deepEqual([withheld?.id, withheld?.withheld], ['conversation', { code: 'sent-as-messages' }])
})

test('its service is found under its name, and its settings keep their keys', () => {
  assert.deepEqual([memoryService.name, memory.settings?.key], [memory.name, 'context.memory'])
})

type MemorySelf = Parameters<NonNullable<typeof memory.stop>>[0]

/** The capability over a store in memory, with the sessions of one conversation. */
async function running(t: TestContext) {
  const store = await openStore({ clock: systemClock, path: ':memory:' })
  t.after(() => store.close())
  const clock = fixedClock()
  const sessions: string[] = []
  const recall: Recall = {
    find: async () => ({ passages: [], found: 'words', complete: true }) as never,
    conversationSessions: async (session) => sessions.slice(0, sessions.indexOf(session) + 1).toReversed(),
  }
  const settings = memory.settings!.schema.parse({ toolHistory: { enabled: false } })
  const host = { settings, store, clock, layout, counter: tokenx, runtime: { recall }, writes: true, warn: assert.fail }
  // Members read nothing else of the host.
  const service = await memory.start!(host as unknown as MemorySelf)
  const self = { ...host, service } as unknown as MemorySelf
  t.after(() => memory.stop!(self))
  return {
    self,
    async say(session: string, text: string) {
      sessions.push(session)
      const tokens = { counter: 'none', full: 1, least: 1 }
      const message = { role: 'user', content: text } as const
      await store.append(
        session,
        [{ type: 'session-start' }, { type: 'input', turn: `turn-${session}`, message, tokens }],
        clock.time(),
      )
    },
  }
}

const base = { time: '2026-01-05T12:00:00.000Z', layout, tools: [], callsTools: true, choices: {}, promptBlocks: [] }
const context = { ...base, readsForeign: true, cites: false }

function question(session: string): TurnQuestion {
  const facts = { window: 8_000 } as unknown as TurnQuestion['facts']
  const rest = { facts, window: 8_000, reserve: 1_000, keeps: true }
  return { session, text: 'What is my boat called?', choices: {}, layout, model: 'rehearsal', ...rest }
}
