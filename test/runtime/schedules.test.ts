import assert from 'node:assert/strict'
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import type { NewSchedule } from '../../src/capabilities/schedules/schedule-record.ts'
import { schedules, scheduleService } from '../../src/capabilities/schedules/schedules.ts'
import { shell } from '../../src/capabilities/shell/shell.ts'
import { messageText } from '../../src/context.ts'
import { type SessionStore, StoreError } from '../../src/session.ts'
import { scriptedModel } from '../../src/testing.ts'
import { readAccess } from '../../src/tool.ts'
import { runResultText, viewRuns } from '../../src/capabilities/schedules/run-view.ts'
import { alarmClock } from './alarm-clock.ts'
import { type Opened, opened, type Setting, tool } from './opened.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

test('a schedule sends its message when it is due, once, and the gateway sleeps until then', async (t) => {
  const alarm = alarmClock()
  const { at, run } = await scheduled(t, { when: 'every day at 12' }, { listens: true, sleep: alarm.sleep })
  await alarm.asleep()
  assert.deepEqual(await inputs(at), [])
  await at.clock.advance(DAY)
  await alarm.ring()
  assert.deepEqual(await inputs(at), ['2026-01-06T12:00:00.000Z Look at the news.'])
  await alarm.ring()
  assert.equal((await inputs(at)).length, 1)
  assert.equal(alarm.wanted, 60_000)
  const [sent] = await run.runs(run.id)
  assert.equal(sent?.result.type, 'sent')
  if (sent?.result.type === 'sent') assert.equal((await at.ended(sent.result)).text, 'ok')
})

test('a schedule that is added while the gateway sleeps is not slept through', async (t) => {
  const alarm = alarmClock()
  const at = await opened(t, setting({ listens: true, sleep: alarm.sleep }))
  const service = at.runtime.capability(scheduleService)!
  await service.add(given())
  await alarm.asleep()
  const awake = alarm.nextSleep()
  await service.add(given({ when: 'at 2026-01-05 13:00' }))
  await awake
  assert.equal(alarm.wanted, 60_000)
  await at.clock.advance(HOUR - 1_000)
  await alarm.ring()
  assert.equal(alarm.wanted, 1_000)
  await at.clock.advance(1_000)
  await alarm.ring()
  assert.equal((await inputs(at)).length, 1)
})

/** A gateway that cannot write any more from one moment on, as one that is killed there. */
function killedBefore(moment: (write: string) => boolean): Setting['around'] {
  let dead = false
  return (store: SessionStore) => {
    const guard = (write: string) => {
      dead ||= moment(write)
      if (dead) throw new StoreError('full', 'this process is dead')
    }
    return {
      ...store,
      async append(session, bodies, time) {
        guard(`append ${bodies.map(({ type }) => type).join()}`)
        return store.append(session, bodies, time)
      },
      async putValue(key, value) {
        guard(`value ${key.split('/')[0]} ${Object.keys((value as object) ?? {}).join()}`)
        return store.putValue(key, value)
      },
    }
  }
}

for (const [moment, isMoment] of [
  ['before it is decided', (write: string) => /^value schedule .*pending/.test(write)],
  ['between the decision and the message', (write: string) => write.startsWith('append session-start')],
  ['between the message and the note about it', (write: string) => /^value schedule (?!.*pending)/.test(write)],
] as const) {
  test(`an end ${moment} makes no message twice and loses none`, async (t) => {
    const { at, run } = await scheduled(t, {}, { around: killedBefore(isMoment) })
    await at.clock.advance(DAY)
    await run.check()
    const after = await at.reopened({ around: (store) => store, start: '2026-01-06T18:00:00.000Z' })
    const again = after.runtime.capability(scheduleService)!
    await again.check()
    await again.check()
    assert.deepEqual(
      (await inputs(after)).map((line) => line.slice(25)),
      ['Look at the news.'],
    )
    const runs = await again.runs(run.id)
    assert.deepEqual(
      runs.map(({ due, result }) => `${due} ${result.type}`),
      ['2026-01-06T08:00:00.000Z sent'],
    )
  })
}

test('a message that waits to be sent is the one that was decided, whatever became of the schedule', async (t) => {
  const { at, run } = await scheduled(
    t,
    {},
    { around: killedBefore((write) => write.startsWith('append session-start')) },
  )
  await at.clock.advance(DAY)
  await run.check()
  const after = await at.reopened({ around: (store) => store, start: '2026-01-06T18:00:00.000Z' })
  const again = after.runtime.capability(scheduleService)!
  await again.change(run.id, { paused: true })
  await again.check()
  assert.equal((await inputs(after)).length, 1)
})

test('two processes on one store send a message once', async (t) => {
  const { at, run } = await scheduled(t)
  const { openSchedules } = await import('../../src/capabilities/schedules/open-schedules.ts')
  const { createRecords } = await import('../../src/runtime.ts')
  const second = openSchedules({
    settings: { enabled: true },
    store: at.store,
    clock: at.clock,
    runtime: at.runtime,
    timeZone: 'UTC',
    records: (kind: never) => createRecords(at, kind),
    warn: (text: string) => assert.fail(text),
  } as never)
  await at.clock.advance(DAY)
  await Promise.all([run.check(), second.check()])
  assert.equal((await inputs(at)).length, 1)
  await second.stop()
})

test('what was missed follows the rule of the schedule', async (t) => {
  const missed = { skip: 'never', once: 'never', all: 'never' }
  for (const rule of ['skip', 'once', 'all'] as const) {
    const { at, run } = await scheduled(t, { missed: rule })
    const after = await at.reopened({ start: '2026-01-08T18:00:00.000Z' })
    const again = after.runtime.capability(scheduleService)!
    await again.check()
    await again.check()
    const runs = await again.runs(run.id)
    missed[rule] = runs.map(({ due, result }) => `${due.slice(0, 10)} ${result.type}`).join(', ')
    assert.equal((await inputs(after)).length, { skip: 0, once: 1, all: 3 }[rule])
  }
  assert.deepEqual(missed, {
    skip: '2026-01-08 missed',
    once: '2026-01-08 sent',
    all: '2026-01-08 sent, 2026-01-07 sent, 2026-01-06 sent',
  })
})

test('of a long time away at most a hundred messages come', async (t) => {
  const { at } = await scheduled(t, { when: 'every minute', missed: 'all' }, { model: scriptedModel() })
  await at.clock.advance(400 * DAY)
  await at.runtime.capability(scheduleService)!.check()
  const found = await inputs(at)
  assert.equal(found.length, 100)
})

test('clocks that change make no daily message twice and leave none out, in both directions', async (t) => {
  for (const [time, timeZone, start, days] of [
    ['2:30', 'Europe/Berlin', '2026-03-28T12:00:00.000Z', ['2026-03-29T01:00', '2026-03-30T00:30']],
    ['2:30', 'Europe/Berlin', '2026-10-24T12:00:00.000Z', ['2026-10-25T00:30', '2026-10-26T01:30']],
    ['2:30', 'America/New_York', '2026-03-07T12:00:00.000Z', ['2026-03-08T07:00', '2026-03-09T06:30']],
    ['1:30', 'America/New_York', '2026-10-31T12:00:00.000Z', ['2026-11-01T05:30', '2026-11-02T06:30']],
  ] as const) {
    const { at, run } = await scheduled(t, { when: `every day at ${time}`, timeZone }, { start })
    for (let quarter = 0; quarter < 2 * 24 * 4; quarter++) {
      await at.clock.advance(HOUR / 4)
      await run.check()
    }
    const runs = (await run.runs(run.id)).toReversed()
    assert.deepEqual(
      runs.map(({ due }) => due.slice(0, 16)),
      days,
      `${timeZone} from ${start}`,
    )
    assert.equal((await inputs(at)).length, 2)
  }
})

test('a clock of the machine that is set back makes nothing twice', async (t) => {
  const { at, run } = await scheduled(t)
  await at.clock.advance(DAY)
  await run.check()
  await at.clock.advance(-12 * HOUR)
  await run.check()
  await at.clock.advance(12 * HOUR)
  await run.check()
  assert.equal((await inputs(at)).length, 1)
})

for (const when of ['every day at 8', 'every 2 hours', 'at 2026-01-20 08:00']) {
  test(`a clock that was years ahead once silences nothing (${when}): it is told, and what is due comes`, async (t) => {
    const { at, run } = await scheduled(t, { when })
    await at.clock.advance(5 * 365 * DAY)
    await run.check()
    await at.clock.advance(-5 * 365 * DAY)
    const before = (await inputs(at)).length
    await run.check()
    assert.deepEqual(at.warnings, [
      `The clock of this machine was wrong: the schedule Look at the news. had decided its times up to ${
        when.startsWith('at') ? '2026-01-20T08:00' : when.includes('2') ? '2031-01-04T12:00' : '2031-01-04T08:00'
      }:00.000Z. It is due again from now on.`,
    ])
    assert.match((await run.get(run.id)).next[0]!, /^2026-01/)
    await at.clock.advance(15 * DAY)
    await run.check()
    assert.ok((await inputs(at)).length > before)
    await run.check()
    assert.equal(at.warnings.length, 1)
  })
}

test('nothing is due while a schedule is paused, and nothing of that comes later', async (t) => {
  const { at, run } = await scheduled(t, { missed: 'all' })
  assert.equal((await run.change(run.id, { paused: true })).state, 'paused')
  await at.clock.advance(3 * DAY)
  await run.check()
  assert.equal((await run.change(run.id, { paused: false })).state, 'active')
  await run.check()
  assert.deepEqual(await inputs(at), [])
  await at.clock.advance(DAY)
  await run.check()
  assert.equal((await inputs(at)).length, 1)
})

test('a run by hand happens now, also of a paused schedule, and takes no due time away', async (t) => {
  const { at, run } = await scheduled(t, { ifChanged: 'file:news.txt' })
  await run.change(run.id, { paused: true })
  const { by, result } = await run.run(run.id)
  assert.deepEqual([by, result.type], ['person', 'sent'])
  await run.change(run.id, { paused: false })
  await at.clock.advance(DAY)
  await run.check()
  assert.equal((await inputs(at)).length, 2)
})

test('runs go on in one session, or each begins its own with its agent', async (t) => {
  const at = await opened(t, setting())
  const service = at.runtime.capability(scheduleService)!
  const { id: session } = await at.runtime.newSession()
  const { id: agent } = await at.runtime.agents.create({ name: 'Clerk' })
  await service.add(given({ session, name: 'one' }))
  await service.add(given({ agent, name: 'each' }))
  for (let day = 0; day < 2; day++) {
    await at.clock.advance(DAY)
    await service.check()
  }
  const rows = await at.store.sessions({ limit: 10 })
  assert.equal((await at.store.turns(session)).length, 2)
  assert.deepEqual(
    rows.filter(({ id }) => id !== session).map(({ choices }) => choices),
    [{ agent }, { agent }],
  )
})

test('each message carries the budget of its schedule, for its own turn', async (t) => {
  const { at, run } = await scheduled(t, { budget: { tokens: 20_000 } })
  await run.run(run.id)
  const [row] = await at.store.sessions({ limit: 1 })
  const [input] = (await at.log(row!.id)).filter(({ type }) => type === 'input')
  assert.deepEqual(input?.type === 'input' && input.options, {
    channel: 'schedule',
    budgets: [{ limit: { tokens: 20_000 }, owner: `schedule/${run.id}`, per: 'turn' }],
  })
})

test('while a run waits for its budget, due times are missed and say so, and ask no second question', async (t) => {
  const model = scriptedModel({ facts: { price: { input: 1, output: 10 } } })
  const { at, run } = await scheduled(t, { when: 'every minute', budget: { tokens: 1 } }, { model })
  const minute = async () => {
    await at.clock.advance(60_000)
    await run.check()
    return (await run.runs(run.id))[0]!.result
  }
  const first = await minute()
  assert.ok(first.type === 'sent')
  for await (const event of at.runtime.events(first.session, { turn: first.turn })) {
    if (event.type === 'entry' && event.entry.type === 'approval-request') break
  }
  for (let times = 0; times < 3; times += 1) assert.deepEqual(await minute(), { type: 'missed', waits: true })
  const asked = await at.runtime.approvals()
  assert.equal(asked.length, 1)
  const [listed] = await viewRuns(at.runtime, await run.runs(run.id))
  assert.equal(runResultText(listed!), 'skipped: the last run waits for its budget')
  const { approval, digest } = asked[0]!
  await at.runtime.decide(approval, { decision: { type: 'deny' }, digest, by: 'test' })
  await at.ended(first)
  assert.equal((await minute()).type, 'sent')
})

test('a run says what became of its turn: that it waits for an approval, how it ended and what it cost', async (t) => {
  const usage = { promptTokens: 1_000, outputTokens: 10 }
  const model = scriptedModel({
    facts: { price: { input: 1, output: 10 } },
    answer: (_, n) => (n === 1 ? { toolCalls: [{ name: 'post', input: {} }], usage } : { text: 'ok', usage }),
  })
  const post = tool('post', async () => ({ ok: true, output: 'posted' }))
  const access = () => readAccess('{"global": {"mode": "full"}, "tools": {"post": {"approval": "ask"}}}', {})
  const { at, run } = await scheduled(t, {}, { model, tools: [post], access })
  const { result } = await run.run(run.id)
  assert.ok(result.type === 'sent')
  for await (const event of at.runtime.events(result.session, { turn: result.turn })) {
    if (event.type === 'entry' && event.entry.type === 'approval-request') break
  }
  const [waits] = await viewRuns(at.runtime, await run.runs(run.id))
  assert.deepEqual([waits?.waits, waits?.outcome], [true, undefined])
  const [question] = await at.runtime.approvals()
  const { approval, digest } = question!
  await at.runtime.decide(approval, { decision: { type: 'approve', scope: 'once' }, digest, by: 'test' })
  await at.ended(result)
  const [ended] = await viewRuns(at.runtime, await run.runs(run.id))
  assert.deepEqual([ended?.waits, ended?.outcome, ended?.cost?.calls], [undefined, 'completed', 2])
  assert.equal(ended?.cost?.money?.toFixed(6), '0.002200')
})

test('a schedule whose session is gone says so and sends nothing', async (t) => {
  const at = await opened(t, setting())
  const service = at.runtime.capability(scheduleService)!
  const { id: session } = await at.runtime.newSession()
  const { id } = await service.add(given({ session }))
  await at.runtime.deleteSession(session)
  await at.clock.advance(DAY)
  await service.check()
  const [run] = await service.runs(id)
  assert.deepEqual(run?.result.type, 'failed')
  assert.match(at.warnings.join(), /did not run/)
})

test('a file that has not changed costs no call, and one that has makes a run', async (t) => {
  const model = scriptedModel()
  const { at, run } = await scheduled(t, { ifChanged: 'file:news.txt' }, { model })
  const file = join(at.home, 'workspace', 'news.txt')
  await mkdir(join(at.home, 'workspace'), { recursive: true })
  const day = async (news?: string) => {
    if (news !== undefined) await writeFile(file, news)
    await at.clock.advance(DAY)
    await run.check()
    return (await run.runs(run.id))[0]?.result.type
  }
  assert.equal(await day('old'), 'sent')
  assert.equal(await day(), 'unchanged')
  assert.equal(await day('old'), 'unchanged')
  assert.equal(await day('new'), 'sent')
  await rm(file)
  assert.equal(await day(), 'sent')
  assert.equal(await day(), 'unchanged')
  await mkdir(file)
  assert.equal(await day(), 'failed')
  await rm(file, { recursive: true })
  await symlink('../config.json', file)
  await writeFile(join(at.home, 'config.json'), '{}')
  assert.equal(await day(), 'failed', 'a link leads out of the workspace')
  const sent = (await run.runs(run.id)).flatMap(({ result }) => (result.type === 'sent' ? [result] : []))
  for (const each of sent) await at.ended(each)
  assert.equal(model.calls.length, 3)
})

test('an address is read through the guard of the web tools, and a failure sends nothing', async (t) => {
  const asked: string[] = []
  let page: string | undefined = 'one'
  const web = {
    name: 'web',
    start: () => ({
      fetch: async (url: string) => {
        asked.push(url)
        return page === undefined
          ? { type: 'failed', reason: 'it could not be read' }
          : { type: 'fetched', bytes: Buffer.from(page) }
      },
    }),
  }
  const { at, run } = await scheduled(t, { ifChanged: 'url:https://example.org/news' }, {}, [web])
  const results: (string | undefined)[] = []
  for (const next of ['one', 'one', undefined, 'two']) {
    page = next
    await at.clock.advance(DAY)
    await run.check()
    results.push((await run.runs(run.id))[0]?.result.type)
  }
  assert.deepEqual(results, ['sent', 'unchanged', 'failed', 'sent'])
  assert.deepEqual(
    asked,
    Array.from({ length: 4 }, () => 'https://example.org/news'),
  )
})

test('a program runs only where the owner allowed it', async (t) => {
  let allowed: readonly string[] = ['echo']
  const access = () => {
    const rules = { enabled: true, mode: 'allowlist', allowedPrefixes: allowed }
    return readAccess(
      JSON.stringify({ global: { mode: 'full' }, sandbox: { enabled: false }, tools: { shell: rules } }),
      {},
    )
  }
  const at = await opened(t, setting({ access }, [shell]))
  await mkdir(join(at.home, 'workspace'), { recursive: true })
  const service = at.runtime.capability(scheduleService)!
  await assert.rejects(service.add(given({ ifChanged: 'program:rm -r /' })), { message: /may not run/ })
  const { id } = await service.add(given({ ifChanged: 'program:echo same' }))
  const results: (string | undefined)[] = []
  for (const prefixes of [['echo'], ['echo'], []]) {
    allowed = prefixes
    await at.clock.advance(DAY)
    await service.check()
    results.push((await service.runs(id))[0]?.result.type)
  }
  assert.deepEqual(results, ['sent', 'unchanged', 'failed'])
})

test('what cannot be a schedule is refused, with the reason', async (t) => {
  const at = await opened(t, setting())
  const service = at.runtime.capability(scheduleService)!
  const refused: readonly (readonly [Partial<NewSchedule>, RegExp])[] = [
    [{ when: 'soon' }, /when: Cannot read the time/],
    [{ when: 'at 2020-01-01 09:00' }, /has passed/],
    [{ budget: undefined }, /budget/],
    [{ budget: { usd: 0 } }, /budget/],
    [{ text: ' ' }, /text/],
    [{ timeZone: 'Mars/Olympus' }, /timeZone/],
    [{ session: 'session_none' }, /no session session_none/],
    [{ agent: 'agent_none' }, /no agent agent_none/],
    [{ ifChanged: 'moon:full' }, /ifChanged/],
  ]
  for (const [fault, message] of refused) await assert.rejects(service.add(given(fault)), { message })
  assert.deepEqual(await service.list(), [])
})

test('a schedule is changed in place: it keeps its id and its runs, and a new time makes nothing up', async (t) => {
  const { at, run } = await scheduled(t, { missed: 'all', ifChanged: 'file:/news.txt' })
  await at.clock.advance(DAY)
  await run.check()
  await at.clock.advance(DAY / 2)
  const { id, when, next, text, ...changed } = await run.change(run.id, {
    when: 'every hour',
    text: 'Look at the weather.',
    ifChanged: null,
  })
  assert.deepEqual([id, when, text, changed.ifChanged], [run.id, 'every hour', 'Look at the weather.', undefined])
  assert.equal(next[0], '2026-01-07T01:00:00.000Z')
  await run.check()
  await at.clock.advance(HOUR)
  await run.check()
  assert.deepEqual(await inputs(at), [
    '2026-01-06T12:00:00.000Z Look at the news.',
    '2026-01-07T01:00:00.000Z Look at the weather.',
  ])
  assert.equal((await run.runs(run.id)).length, 2)
})

test('what a change does not name stays, a session takes the place of an agent, and the other way round', async (t) => {
  const at = await opened(t, setting())
  const service = at.runtime.capability(scheduleService)!
  const { id: session } = await at.runtime.newSession()
  const { id: agent } = await at.runtime.agents.create({ name: 'Clerk' })
  const before = await service.add(given({ agent, missed: 'skip' }))
  const places = async (change: Parameters<typeof service.change>[1]) => {
    const now = await service.change(before.id, change)
    return { agent: now.agent, session: now.session, when: now.when, missed: now.missed, budget: now.budget }
  }
  const { when, missed, budget } = before
  assert.deepEqual(await places({ session }), { agent: undefined, session, when, missed, budget })
  assert.deepEqual(await places({ session: null, agent }), { agent, session: undefined, when, missed, budget })
  assert.deepEqual(await places({ budget: { usd: 1 } }), {
    agent,
    session: undefined,
    when,
    missed,
    budget: { usd: 1 },
  })
})

test('a change that cannot be is refused, and nothing of the schedule is different', async (t) => {
  const { at, run } = await scheduled(t, { name: 'News' })
  const other = await run.add(given({ name: 'Weather' }))
  await at.clock.advance(DAY)
  const before = await run.get(run.id)
  for (const change of [
    { when: 'soon' },
    { when: 'at 2020-01-01 09:00' },
    { text: ' ' },
    { name: 'weather' },
    { session: 'session_none' },
    { agent: 'agent_none' },
    { budget: null },
    { ifChanged: 'moon:full' },
    { when: 'every hour', name: 'Weather' },
  ]) {
    await assert.rejects(run.change(run.id, change as never), { name: /Error/ }, JSON.stringify(change))
  }
  await assert.rejects(run.change('schedule_none', { text: 'Look.' }), {
    code: 'not-found',
    hint: 'List them with `foreword schedule`.',
  })
  assert.deepEqual(await run.get(run.id), before)
  await run.check()
  assert.equal((await inputs(at)).length, 2, other.id)
})

test('schedules that are switched off send nothing', async (t) => {
  const alarm = alarmClock()
  const { at } = await scheduled(t, {}, { listens: true, sleep: alarm.sleep })
  await alarm.asleep()
  const capabilitySettings = { schedules: { enabled: false } }
  const off = await at.reopened({ start: '2026-01-07T12:00:00.000Z', capabilitySettings })
  const service = off.runtime.capability(scheduleService)!
  const [{ id } = { id: '' }] = await service.list()
  await assert.rejects(service.run(id), { message: 'Schedules are switched off.' })
  assert.deepEqual(await inputs(off), [])
})

function setting(changes: Setting = {}, capabilities: readonly object[] = []): Setting {
  return { timeZone: 'UTC', capabilities: [...(capabilities as never[]), schedules], ...changes }
}

function given(changes: Partial<NewSchedule> = {}): NewSchedule {
  return { when: 'every day at 8', text: 'Look at the news.', budget: { tokens: 100_000 }, ...changes }
}

/** A runtime with one schedule. */
async function scheduled(
  t: TestContext,
  changes: Partial<NewSchedule> = {},
  given_: Setting = {},
  capabilities: readonly object[] = [],
) {
  const at = await opened(t, setting(given_, capabilities))
  const service = at.runtime.capability(scheduleService)!
  const { id } = await service.add(given(changes))
  return { at, run: { ...service, id } }
}

/** Every message in every session: when it came and what it says. */
async function inputs(at: Opened): Promise<readonly string[]> {
  const rows = await at.store.sessions({ limit: 1_000 })
  const all = await Promise.all(rows.map(({ id }) => at.log(id)))
  return all
    .flat()
    .flatMap((entry) => (entry.type === 'input' ? [`${entry.time} ${messageText(entry.message)}`] : []))
    .toSorted()
}
