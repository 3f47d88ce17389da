import assert from 'node:assert/strict'
import { after, test, type TestContext } from 'node:test'
import { providers as known } from '../../src/capabilities/providers.ts'
import { createModels } from '../../src/model.ts'
import type { RuntimeSettings } from '../../src/runtime/settings.ts'
import { scriptedProvider } from '../../src/testing/scripted-provider.ts'
import { type AlarmClock, alarmClock } from './alarm-clock.ts'
import { gate, type Gate, type Opened, opened, type Setting } from './opened.ts'
import { systemClock } from '../../src/platform.ts'

const NOTE = 'They agreed that the tide is measured in feet.'
let noteRequests = 0
/** Opens with the first request for a note. */
let asked = gate()
/** Holds answers to requests for notes back until it opens. */
let held: Gate | undefined

const server = await scriptedProvider({
  answer: async ({ bytes }) => {
    if (!bytes.toString().includes('Write the note that will stand')) {
      return { text: `Answer. ${'The tide comes in twice a day. '.repeat(36)}` }
    }
    noteRequests += 1
    asked.open()
    await held?.passed
    return { text: NOTE, usage: { promptTokens: 1000, outputTokens: 20 } }
  },
  models: [{ name: 'small' }],
})
after(() => server.close())

const size = { window: 4_000, maxOutput: 600, tools: true }
const cache = { kind: 'automatic', minimumTokens: 0, lifetimeSeconds: 300 } as const
const price = { input: 1, cachedInput: 0.1, output: 4 }
const models = createModels({
  clock: systemClock,
  known,
  environment: { KEY: 'sk-test-0123456789abcdef' },
  providers: { local: { kind: 'openai-compatible', baseURL: server.url, apiKeyEnv: 'KEY' } },
  models: {
    'local/small': { ...size, cache, price },
    'local/free': { ...size, cache, free: true },
    'local/unknown': size,
  },
})

interface Idle {
  readonly at: Opened
  readonly alarm: AlarmClock
  readonly session: string
}

/** A session whose last prompt fills more than a share of the room, and less than what a note is asked for at once. */
async function idleSession(
  t: TestContext,
  changes: Partial<RuntimeSettings> = {},
  { share = 0.5, ...rest }: Setting & { readonly share?: number } = {},
): Promise<Idle> {
  const alarm = alarmClock()
  const settings = { model: 'local/small', notes: 'model', reserve: 600, margin: 0, ...changes } as const
  const at = await opened(t, { models, sleep: alarm.sleep, ...rest, settings })
  noteRequests = 0
  asked = gate()
  held = undefined
  let session: string | undefined
  for (;;) {
    const view = await at.say('How high is the water?', session === undefined ? {} : { session })
    assert.equal(view.outcome?.type, 'completed')
    session = view.session
    const { used, budget } = (await at.store.calls(session)).at(-1)!.manifest
    if (used > budget.available * share) break
  }
  await quiet()
  assert.equal(noteRequests, 0)
  return { at, alarm, session }
}

/** Lets everything run that waits for nothing. */
async function quiet(): Promise<void> {
  for (let rounds = 0; rounds < 100; rounds += 1) await new Promise(setImmediate)
}

const notesIn = async (at: Opened, session: string) => (await at.log(session)).filter(({ type }) => type === 'note')

async function noteIn(at: Opened, session: string): Promise<void> {
  await at.runtime.idle(session)
  assert.ok((await notesIn(at, session)).length > 0)
}

/** Lets time pass, and wakes what sleeps. */
async function pass({ at, alarm }: Pick<Idle, 'at' | 'alarm'>, seconds: number): Promise<void> {
  await at.clock.advance(seconds * 1000)
  void alarm.ring()
}

test('a session that is more than half full gets its note before the provider forgets the prompt, and the next cut uses it', async (t) => {
  const idle = await idleSession(t, {}, { share: 0.68 })
  const { at, alarm, session } = idle
  assert.equal(alarm.wanted, 240_000)
  await pass(idle, 240)
  await noteIn(at, session)
  const calls = await at.store.calls(session)
  const note = calls.find(({ kind }) => kind === 'note')!
  const { noteOf } = note.input as { noteOf: string }
  const [base, own] = await Promise.all([at.runtime.request(noteOf), at.runtime.request(note.id)])
  assert.deepEqual(own.request.messages.slice(0, -1), base.request.messages)
  assert.equal(own.identical, true)
  await pass(idle, 50)
  let used: readonly (string | undefined)[] = []
  while (used.length === 0) {
    await at.say('And now?', { session })
    used = (await at.store.calls(session)).at(-1)!.manifest.cut?.notes?.map(({ by }) => by) ?? []
  }
  assert.deepEqual(used, [note.id])
  assert.equal(noteRequests, 1)
  assert.deepEqual((await at.runtime.replay(session)).different, [])
  assert.deepEqual(at.warnings, [])
})

test('no note is asked for once the prompt is forgotten', async (t) => {
  const idle = await idleSession(t)
  await pass(idle, 301)
  await quiet()
  assert.equal(noteRequests, 0)
})

test('a message that comes before moves the note behind its own call', async (t) => {
  const idle = await idleSession(t)
  const { at, alarm, session } = idle
  await idle.at.clock.advance(200_000)
  await at.say('And now?', { session })
  await quiet()
  assert.equal(alarm.wanted, 240_000)
  const newest = (await at.store.calls(session)).at(-1)!
  await pass(idle, 240)
  await noteIn(at, session)
  const [note] = (await at.store.calls(session)).filter(({ kind }) => kind === 'note')
  assert.equal((note!.input as { noteOf: string }).noteOf, newest.id)
  assert.equal(noteRequests, 1)
})

test('a message that comes while the note is written waits for nothing, and takes nothing from it', async (t) => {
  const idle = await idleSession(t)
  const { at, session } = idle
  held = gate()
  await pass(idle, 240)
  await asked.passed
  const view = await at.say('And now?', { session })
  assert.equal(view.outcome?.type, 'completed')
  assert.deepEqual(await notesIn(at, session), [])
  held.open()
  await noteIn(at, session)
  assert.equal((await at.runtime.notes.list(session)).ready?.text, NOTE)
  await at.say('And then?', { session })
  assert.deepEqual((await at.runtime.replay(session)).different, [])
})

test('after a restart the time of the log counts, and a forgotten prompt is left alone', async (t) => {
  const { at, alarm, session } = await idleSession(t)
  const passed = (seconds: number) => new Date(Date.parse(at.clock.time()) + seconds * 1000).toISOString()
  const later = await at.reopened({ start: passed(100) })
  await alarm.nextSleep()
  assert.equal(alarm.wanted, 140_000)
  const dead = await later.reopened({ start: passed(301) })
  await quiet()
  void alarm.ring()
  await quiet()
  assert.equal(noteRequests, 0)
  const again = await dead.reopened({ start: passed(150) })
  await alarm.nextSleep()
  assert.equal(alarm.wanted, 90_000)
  await pass({ at: again, alarm }, 90)
  await noteIn(again, session)
  assert.equal(noteRequests, 1)
  // What lies ready is not asked for again.
  const last = await again.reopened({ start: passed(250) })
  await quiet()
  void alarm.ring()
  await quiet()
  assert.equal((await last.runtime.notes.list(session)).ready?.text, NOTE)
  assert.equal(noteRequests, 1)
})

for (const [what, settings] of Object.entries({
  "on a machine of one's own": { model: 'local/free' },
  'for a model whose cache is not known': { model: 'local/unknown' },
  'where notes are an index': { notes: 'index' as const },
})) {
  test(`${what}, nothing waits for the end of a cache`, async (t) => {
    const { alarm } = await idleSession(t, settings)
    assert.equal(alarm.wanted, undefined)
  })
}

test('a turn that was taken back gets no note', async (t) => {
  const idle = await idleSession(t)
  await idle.at.runtime.undo(idle.session)
  await pass(idle, 240)
  await quiet()
  assert.equal(noteRequests, 0)
})

test('a note that could pass a budget is not asked for', async (t) => {
  const { at, alarm, session } = await idleSession(t)
  const tight = await at.reopened({ budgets: [{ limit: { tokens: 1_000 }, per: 'session' }], start: at.clock.time() })
  await alarm.nextSleep()
  await pass({ at: tight, alarm }, 240)
  await noteIn(tight, session)
  assert.equal(noteRequests, 0)
})

test('a gateway stops at once while a session waits for the end of its cache', async (t) => {
  const { at, alarm } = await idleSession(t)
  assert.equal(alarm.wanted, 240_000)
  await at.runtime.close()
  assert.equal(noteRequests, 0)
})
