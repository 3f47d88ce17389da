import assert from 'node:assert/strict'
import { join } from 'node:path'
import test from 'node:test'
import { type ScheduleView, startText } from '../src/capabilities/schedules/run-view.ts'
import { temporaryHome } from './cli/home.ts'
import { run } from './cli/recorded-io.ts'

test('a schedule is added, listed, shown, paused, resumed, run and removed', async (t) => {
  const foreword = commandLine(t)
  const added = await foreword('add', 'every weekday at 8', 'Look at the news.', '--new', '--budget', '0.50')
  assert.equal(added.code, 0, added.stderr)
  assert.match(
    added.stderr,
    /^Added Look at the news\. \(schedule_\w+\): every weekday at 8, next \d{4}-\d\d-\d\d 08:00/,
  )

  const [listed] = (await foreword('list', '--json')).stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const { id, next } = listed as { id: string; next: readonly string[] }
  assert.equal(next.length, 3)
  assert.match((await foreword('show', 'look')).stdout, /budget +\$0\.50 a run/)

  assert.equal((await foreword('pause', id)).code, 0)
  assert.match((await foreword()).stdout, /paused/)
  assert.match((await foreword('resume', id)).stderr, /^Resumed Look at the news\.: next/)

  assert.match((await foreword('run', id)).stderr, /^Sent, as turn_\w+ of session_\w+\.$/m)
  assert.match((await foreword('show', id)).stdout, /by hand +\w+ +.*session_\w+/)
  assert.match((await foreword('remove', id, '--yes')).stderr, /^Removed Look at the news\./)
  assert.match((await foreword()).stderr, /No schedules yet/)
})

test('a schedule is edited in place, and what is not given stays', async (t) => {
  const foreword = commandLine(t)
  await foreword(
    'add',
    'every weekday at 8',
    'Look at the news.',
    '--new',
    '--budget',
    '0.50',
    '--if-changed',
    'file:/n',
  )
  const edited = await foreword('edit', 'look', '--when', 'every day at 9', '--if-changed', 'none', '--name', 'News')
  assert.match(edited.stderr, /^Changed News: every day at 9, next \d{4}-\d\d-\d\d 09:00/)
  const { stdout } = await foreword('edit', 'News', '--text', 'Read on.', '--budget', '20000tokens', '--json')
  const { when, text, budget, ifChanged } = JSON.parse(stdout) as Record<string, unknown>
  assert.deepEqual([when, text, budget, ifChanged], ['every day at 9', 'Read on.', { tokens: 20_000 }, undefined])
  assert.match((await foreword('edit', 'Weather', '--text', 'x')).stderr, /List them with `foreword schedule`\./)
  for (const [words, message] of [
    [[], /Nothing is to be changed/],
    [['--when', 'soon'], /Cannot read the time "soon"/],
    [['--session', 'last', '--agent', 'x'], /Where do the runs go/],
    [['--text', ' '], /text: is blank/],
  ] as const) {
    const { code, stderr } = await foreword('edit', 'News', ...words)
    assert.notEqual(code, 0, words.join(' '))
    assert.match(stderr, message)
  }
})

test('a path of a condition is meant from the folder of the person, and a budget may be of tokens', async (t) => {
  const foreword = commandLine(t)
  const words = ['--new', '--budget', '20000tokens', '--if-changed', 'file:news.txt', '--missed', 'all', '--json']
  const { stdout } = await foreword('add', '30 8 * * 1-5', 'Look.', ...words)
  const { ifChanged, budget, missed } = JSON.parse(stdout) as Record<string, unknown>
  assert.deepEqual([ifChanged, budget, missed], [`file:${join(process.cwd(), 'news.txt')}`, { tokens: 20_000 }, 'all'])
})

test('a schedule without a budget, without a place or with a time that is not understood is not added', async (t) => {
  const foreword = commandLine(t)
  const refused: readonly (readonly [readonly string[], RegExp])[] = [
    [['every day at 8', 'Look.', '--new'], /A schedule needs a budget/],
    [['every day at 8', 'Look.', '--budget', '1'], /`--session SESSION` or `--new`/],
    [['every day at 8', 'Look.', '--new', '--session', 'last', '--budget', '1'], /`--session SESSION` or `--new`/],
    [['every day at 8', 'Look.', '--new', '--budget', 'much'], /Cannot read the budget "much"/],
    [['every day at 8', 'Look.', '--new', '--budget', '0'], /Cannot read the budget "0"/],
    [['now and then', 'Look.', '--new', '--budget', '1'], /Cannot read the time "now and then"[^]*every weekday at 8/],
    [['every day at 8', 'Look.', '--new', '--budget', '1', '--missed', 'some'], /Use one of skip, once, all/],
    [['every day at 8', 'Look.', '--new', '--budget', '1', '--if-changed', 'rain'], /file:PATH, url:ADDRESS/],
  ]
  for (const [words, message] of refused) {
    const { code, stderr } = await foreword('add', ...words)
    assert.notEqual(code, 0, words.join(' '))
    assert.match(stderr, message)
  }
  assert.equal((await foreword('list', '--json')).stdout, '')
})

test('where schedules are switched off, the list says so and nothing runs', async (t) => {
  const { environment } = temporaryHome(t)
  const foreword = (...words: readonly string[]) =>
    run(['schedule', ...words], { environment: { ...environment, FOREWORD_SCHEDULES_ENABLED: 'false' } })
  assert.match((await foreword('list')).stderr, /^Schedules are switched off/)
  const { code, stderr } = await foreword('add', 'every day at 8', 'Look.', '--new', '--budget', '1')
  assert.equal(code, 1)
  assert.match(stderr, /Schedules are switched off\./)
})

test('`foreword start` says how many schedules are active and which is due next', async () => {
  const view = (name: string, next: readonly string[], state: ScheduleView['state'] = 'active') =>
    ({ name, next, state, timeZone: 'UTC' }) as unknown as ScheduleView
  assert.equal(startText([view('done', [], 'finished')]), undefined)
  const listed = [view('late', ['2026-02-01T08:00:00.000Z']), view('soon', ['2026-01-02T08:00:00.000Z'])]
  assert.equal(startText(listed), '2 active; next soon at 2026-01-02 08:00 (UTC)')
})

function commandLine(t: Parameters<typeof temporaryHome>[0]) {
  const { environment } = temporaryHome(t)
  return (...words: readonly string[]) => run(['schedule', ...words], { environment })
}
