import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Readable } from 'node:stream'
import test from 'node:test'
import { openRecall } from '../../src/runtime/recall/open-recall.ts'
import { parseDates, datePeriods } from '../../src/search/recall/dates.ts'
import { openStore } from '../../src/session.ts'
import { openRecallIndex, type RecallAnswer } from '../../src/search.ts'
import type { RecallQuery } from '../../src/search/recall.ts'
import { scriptedModel } from '../../src/testing.ts'
import { temporaryFolder } from '../session/temporary-folder.ts'
import { calledTool, logHistory } from '../recall/logged-history.ts'
import { plantedFacts, plantedFiller, plantedLanguages } from '../recall/planted-facts.ts'
import { served } from '../server/served.ts'
import { gate, opened, type Opened, tool } from './opened.ts'
import { systemClock } from '../../src/platform.ts'

test('forty facts in three languages are found in five wordings, and by questions', async (t) => {
  const { runtime, store } = await opened(t)
  const found: Record<string, readonly number[]> = {}
  for (const language of plantedLanguages) {
    const facts = plantedFacts(language)
    const turns = Array.from({ length: 400 }, (_, n) => ({
      said: n % 10 === 3 ? facts[(n - 3) / 10]!.statement : plantedFiller(language, 2 * n),
      messages: [{ role: 'assistant', content: plantedFiller(language, 2 * n + 1) } as const],
    }))
    await logHistory(store, language, turns)
    const hits = [0, 0, 0, 0, 0]
    for (const { wordings, value } of facts) {
      for (const [wording, text] of wordings.entries()) {
        const { passages } = await runtime.recall.find({ text, sessions: [language], limit: 8 })
        if (passages.some((passage) => passage.text.includes(value))) hits[wording]! += 1
      }
    }
    found[language] = hits
  }
  for (const [language, hits] of Object.entries(found)) {
    const [exact, question, form, value, roundabout] = hits as [number, number, number, number, number]
    assert.deepEqual([exact, question, value], [40, 40, 40], `${language}: ${hits.join(' ')}`)
    assert.ok(form >= 36 && roundabout >= 36, `${language}: ${hits.join(' ')}`)
  }
})

test('a model searches its conversation before /new too, and nobody else’s', async (t) => {
  const at = await withReader(t)
  const { runtime, ask } = at
  const binding = { channel: 'http', conversation: 'kitchen' }
  const { id: before } = await runtime.newSession({ binding })
  await at.say('My boat is called Seute Deern.', { session: before })
  const { id: other } = await runtime.newSession({ binding: { channel: 'http', conversation: 'cellar' } })
  await at.say('My boat is called Walross.', { session: other })
  await at.say('My boat is called Nobody.')
  const { id: session } = await runtime.newSession({ binding })
  assert.deepEqual(await runtime.recall.conversationSessions(session), [session, before])
  const answer = await ask(session, { query: 'What is my boat called?' })
  assert.match(answer, /turn 1 \(user, 2026-01-05[^)]*\) \{"turn":1,"session":"[^"]+"\}\n.*Seute Deern/)
  assert.doesNotMatch(answer, /Walross|Nobody/)
  assert.match(await ask(session, { turn: 1, session: before }), /user: My boat is called Seute Deern/)
  assert.match(await ask(session, { turn: 1, session: other }), /no session .* in this conversation/)
  assert.match(await ask(session, { query: 'boat', session: other }), /no session .* in this conversation/)
  assert.deepEqual(await runtime.recall.conversationSessions(before), [before])
  // Nobody's own session, and one that was begun after it, as `/new` does where no channel is named.
  const { session: alone } = await at.say('My bicycle is called Rosinante.')
  const { id: next } = await runtime.newSession({ after: alone })
  assert.deepEqual(await runtime.recall.conversationSessions(next), [next, alone])
  assert.match(await ask(next, { query: 'What is my bicycle called?' }), /Rosinante/)
  for (const stranger of [alone, session, other]) {
    assert.doesNotMatch(
      await ask(stranger, { query: 'My bicycle, my boat' }),
      stranger === alone ? /Deern|Walross|Nobody/ : /Rosinante/,
    )
  }
  for (const question of [
    { turn: 1, session: alone },
    { query: 'bicycle', session: next },
    { call: 'c', session: '*' },
  ]) {
    assert.match(await ask(session, question), /no session .* in this conversation/)
  }
  const everything = await runtime.recall.find({ text: 'boat' })
  assert.deepEqual(new Set(everything.passages.map((passage) => passage.session)).size, 3)
  const { json, request } = served(runtime)
  assert.deepEqual(await json('/api/search/history?q=boat'), JSON.parse(JSON.stringify(everything)))
  const within = await json<RecallAnswer>(`/api/search/history?q=%22My%20boat%22&session=${other}&kind=message&limit=1`)
  assert.deepEqual([within.passages.length, within.passages[0]?.text], [1, 'My boat is called Walross.'])
  assert.equal((await request('/api/search/history?q=boat&session=nowhere')).status, 404)
  assert.equal((await request('/api/search/history?q=%20')).status, 400)
  await runtime.undo(other)
  const marks = (await json<RecallAnswer>('/api/search/history?q=boat')).passages.map((one) => [
    one.session,
    one.undone,
  ])
  assert.deepEqual(new Map(marks as [string, boolean][]).get(other), true)
  assert.equal(marks.filter(([, undone]) => undone === true).length, 1)
})

test('what was taken back is neither found nor read, by its turn or by its call', async (t) => {
  const at = await withReader(t)
  const { session } = await at.say('The heron stands in the reeds.')
  await at.ask(session, { query: 'heron' })
  const call = (await at.log(session)).findLast((entry) => entry.type === 'tool-end')
  const id = call?.type === 'tool-end' ? call.toolCallId : ''
  assert.match(await at.ask(session, { call: id }), /The heron stands/)
  assert.match(await at.ask(session, { turn: 1 }), /The heron stands/)
  for (let turns = 0; turns < 4; turns += 1) await at.runtime.undo(session)
  for (const input of [{ turn: 1 }, { call: id }, { query: 'heron' }]) {
    const answer = await at.ask(session, input)
    assert.doesNotMatch(answer, /stands/)
    assert.match(answer, /no such turn or call|Nothing in this conversation has: heron/)
  }
})

test('what the tool was asked and answered is no evidence, and what was not found is said', async (t) => {
  const at = await withReader(t)
  const { session } = await at.say('The heron stands in the reeds.')
  assert.match(await at.ask(session, { query: 'kingfisher' }), /^Nothing in this conversation has: kingfisher\./m)
  assert.match(await at.ask(session, { query: 'kingfisher' }), /^Nothing in this conversation has: kingfisher\./m)
  assert.match(await at.ask(session, { query: 'a hereon?' }), /has: hereon\. Nearest: heron\..*The heron stands/s)
  const { found, missing, passages } = await at.runtime.recall.find({ text: 'heron kingfisher', sessions: [session] })
  assert.deepEqual([found, missing, passages[0]?.matched], ['words', ['kingfisher'], ['heron']])
})

test('calls of tools are found by their input and by all of their result, the newest first where that is asked for', async (t) => {
  const { runtime, store } = await opened(t)
  const long = `${'Nothing of interest here. '.repeat(4000)}The measured draught was 1,37 metres.`
  await logHistory(store, 's', [
    {
      said: 'Look at the tide.',
      messages: calledTool('c1', 'shell', { command: 'cat data/tide-table.csv' }, 'high 04:12'),
    },
    { said: 'And again.', messages: calledTool('c2', 'shell', { command: 'cat data/tide-table.csv' }, 'high 16:40') },
    { said: 'Measure.', messages: calledTool('c3', 'read_file', { path: 'src/agent/DraughtGauge.ts' }, long) },
    { said: 'The tide table is on the shelf.' },
  ])
  const calls = async (text: string, query: Partial<RecallQuery> = {}) =>
    (await runtime.recall.find({ text, kinds: ['call'], ...query })).passages.map(({ call }) => call?.id)
  assert.deepEqual(await calls('What did the tide table say?', { order: 'newest', limit: 5 }), ['c2', 'c1'])
  assert.deepEqual(await calls('src/agent/DraughtGauge.ts'), ['c3'])
  assert.deepEqual(await calls('draught gauge', { limit: 1 }), ['c3'])
  assert.deepEqual(await calls('137'), [])
  const [measured] = (await runtime.recall.find({ text: 'measured draught' })).passages
  assert.deepEqual([measured?.call?.name, measured?.call?.input], ['read_file', '{"path":"src/agent/DraughtGauge.ts"}'])
  assert.ok(measured!.text.includes('1,37 metres') && measured!.start > 100_000 && measured!.length > 104_000)
})

test('a result that was too long to be shown is indexed whole, and files by their names', async (t) => {
  const model = scriptedModel({
    answer: ({ messages }) =>
      messages.at(-1)?.role === 'user' ? { toolCalls: [{ name: 'look', input: {} }] } : { text: 'Noted.' },
  })
  const output = `${'Nothing of interest here. '.repeat(400)}The draught was measured by Ottokar.${' And so on.'.repeat(400)}`
  const tools = [tool('look', async () => ({ ok: true, output }))]
  const { runtime, say } = await opened(t, { model, tools, settings: { maxResultChars: 1_000 } })
  const bytes = Readable.from([Buffer.from('Of no interest.')])
  const { id: session } = await runtime.newSession({})
  const owner = { type: 'session', id: session } as const
  const { id } = await runtime.library.add({ name: 'seekarte-helgoland.txt', bytes, owner })
  await runtime.library.settled(id)
  await say('Look.', { session, attachments: [id] })
  const found = async (text: string) => (await runtime.recall.find({ text })).passages.map(({ kind }) => kind)
  assert.deepEqual(await found('Ottokar'), ['call'])
  assert.deepEqual((await found('helgoland'))[0], 'message')
})

test('phrases, names, numbers and paths are found as they are written', async (t) => {
  const { runtime, store } = await opened(t)
  const sentences = [
    'The spring tide stands high.',
    'In spring the tide is low.',
    'It cost 12,500 euros.',
    'See /var/log/nginx/error.log for it.',
    'Call it read_history, not readHistory.',
    'Ask Ångström about *that* OR "this".',
    'Das Treffen mit Müller ist am Dienstag.',
  ]
  await logHistory(
    store,
    's',
    sentences.map((said) => ({ said })),
  )
  const first = async (text: string) => (await runtime.recall.find({ text, limit: 1 })).passages[0]?.text
  const all = async (text: string) => (await runtime.recall.find({ text })).passages.map((passage) => passage.text)
  assert.deepEqual(await all('"Spring  tide"'), [sentences[0]])
  assert.deepEqual(await all('„tide is low“ spring'), [sentences[1]])
  assert.deepEqual((await runtime.recall.find({ text: '"tide spring"' })).found, 'nearest')
  for (const [text, index] of [
    ['12500', 2],
    ['12,500', 2],
    ['error.log', 3],
    ['nginx errors', 3],
    ['history', 4],
    ['angstrom', 5],
    ['müllers', 6],
    ['* OR "', 5],
  ] as const) {
    assert.equal(await first(text), sentences[index], text)
  }
  assert.equal((await runtime.recall.find({ text: '??' })).found, 'nothing')
})

test('an answer is found by the words of its question, and what is said again gains nothing', async (t) => {
  const { runtime, store } = await opened(t)
  const filler = (n: number) => ({ said: plantedFiller('english', n) })
  await logHistory(store, 's', [
    ...Array.from({ length: 20 }, (_, n) => filler(n)),
    { said: 'Which wood did we choose for the mast?', messages: [{ role: 'assistant', content: 'Oregon pine.' }] },
    ...Array.from({ length: 20 }, (_, n) => filler(n + 20)),
    ...Array.from({ length: 6 }, () => ({ said: 'Wood, wood, wood!' })),
  ])
  const { passages } = await runtime.recall.find({ text: 'wood of the mast', limit: 3 })
  const [first, second] = passages
  assert.deepEqual(
    [first, second].map((passage) => passage?.text),
    ['Which wood did we choose for the mast?', 'Oregon pine.'],
  )
  assert.deepEqual([second?.matched, second?.role, second?.ordinal], [['wood', 'mast'], 'assistant', 21])
  assert.deepEqual([first?.after?.text, second?.before?.ordinal], ['Oregon pine.', 21])
  const repeated = await runtime.recall.find({ text: 'wood' })
  assert.deepEqual(
    repeated.passages.filter(({ text }) => text === 'Wood, wood, wood!').map(({ ordinal }) => ordinal),
    [47],
    'what was said several times is answered once, as it was said last',
  )
})

test('what is called something is found where it was said to be named so, in four languages', async (t) => {
  const { runtime, store } = await opened(t)
  for (const [session, question, statement, beside] of [
    ['en', 'What is my boat called?', 'By the way, I have a boat now and it is named Ariel.', 'The boat is wet.'],
    ['de', 'Wie heißt mein Boot?', 'Ich habe mein neues Boot übrigens Ariel genannt.', 'Das Boot ist nass.'],
    ['fr', 'Comment s’appelle mon bateau ?', 'Le nom du bateau que j’ai acheté est Ariel.', 'Le bateau est mouillé.'],
    ['es', '¿Cómo se llama mi barco?', 'El nombre del barco que compré es Ariel.', 'El barco está mojado.'],
  ] as const) {
    const later = Array.from({ length: 12 }, (_, n) => ({ said: `${n}: ${beside}` }))
    await logHistory(store, session, [...later, { said: statement }, ...later])
    const { passages } = await runtime.recall.find({ text: question, sessions: [session], limit: 8 })
    assert.equal(passages[0]?.text, statement, question)
  }
})

test('a date in a question is worth what a word is, and finds what was said then', async (t) => {
  const { runtime, store } = await opened(t)
  for (const [session, time, said] of [
    ['spring', '2025-03-11T12:00:00.000Z', 'We cooked a goulash with Ines.'],
    ['summer', '2025-07-02T12:00:00.000Z', 'We cooked a ratatouille with Ines.'],
    ['later', '2026-03-30T12:00:00.000Z', 'We cooked a risotto with Ines.'],
  ] as const) {
    await logHistory(store, session, [{ said }, { said: 'And it rained.' }], { time })
  }
  await logHistory(store, 'numbers', [{ said: 'The cook of 2025 dishes is number 11 or 7.' }])
  for (const [index, session] of ['spring', 'summer', 'later'].entries()) {
    await logHistory(store, session, [{ said: 'So it was.' }], { time: `2026-04-0${index + 1}T12:00:00.000Z` })
  }
  const first = async (text: string, sessions?: readonly string[]) => {
    const { passages, found, missing } = await runtime.recall.find({ text, ...(sessions && { sessions }), limit: 1 })
    return [found, passages[0]?.session, missing.join()]
  }
  assert.deepEqual(await first('What did we cook with Ines?'), ['words', 'later', ''])
  for (const [text, session] of [
    ['What did we cook in March 2025?', 'spring'],
    ['What did we cook in July?', 'summer'],
    ['What did we cook in March?', 'later'],
    ['What did Ines cook on 11 March 2025?', 'spring'],
    ['What did Ines cook on the 2nd of July?', 'summer'],
    ['cooked 2025-07-02', 'summer'],
    ['cooked 11.3.2025', 'spring'],
    ['cooked 2025年7月', 'summer'],
    ['2025-03', 'spring'],
  ] as const) {
    assert.deepEqual(await first(text), ['words', session, ''], text)
  }
  assert.deepEqual((await first('cooked 2025-07-02', ['spring', 'later'])).slice(0, 2), ['words', 'later'])
  assert.deepEqual((await first('2024-07-02', ['spring'])).slice(0, 2), ['nothing', undefined])
  const dates = (text: string) =>
    parseDates(text, ['german', 'spanish', 'russian']).map(({ year, month, day }) => [year, month, day].join('-'))
  for (const [text, ...expected] of [
    ['May I march 3 miles?'],
    ['room 2023, version 1.20.3, 13 apples in 2024'],
    ['in May, on June 31', '-5-', '-6-31'],
    ['May 7th, 2023 and the 8th of May', '2023-5-7', '-5-8'],
    ['am 7. Mai 2023, el 7 de mayo de 2023, 7 мая 2023', '2023-5-7', '2023-5-7', '2023-5-7'],
    ['2023/5/7 or 2023-13-01 or 2023-05', '2023-5-7', '2023-5-'],
  ] as const) {
    assert.deepEqual(new Set(dates(text)), new Set(expected), text)
  }
})

test('a day in a question is one of the time zone of the owner, also where clocks change', async (t) => {
  const day = (timeZone: string, month: number, date: number) =>
    datePeriods({ written: '', year: 2025, month, day: date }, [], timeZone).map(({ from, to }) => `${from} ${to}`)
  assert.deepEqual(day('Europe/Berlin', 3, 30), ['2025-03-29T23:00:00.000Z 2025-03-30T22:00:00.000Z'])
  assert.deepEqual(day('America/New_York', 11, 2), ['2025-11-02T04:00:00.000Z 2025-11-03T05:00:00.000Z'])
  assert.deepEqual(day('Asia/Kolkata', 1, 1), ['2024-12-31T18:30:00.000Z 2025-01-01T18:30:00.000Z'])
  for (const [timeZone, found] of [
    ['Pacific/Kiritimati', 1],
    ['Pacific/Honolulu', 0],
  ] as const) {
    const { runtime, store } = await opened(t, { timeZone })
    await logHistory(store, 'late', [{ said: 'We cooked a goulash.' }], { time: '2025-07-01T12:00:00.000Z' })
    assert.equal((await runtime.recall.find({ text: '2 July 2025' })).passages.length, found, timeZone)
  }
})

test('an index that is behind, cut off, of another log or gone is brought to what the log says', async (t) => {
  const at = await opened(t)
  await logHistory(at.store, 's', [{ said: 'An otter came by.' }, { said: 'A badger came by.' }])
  assert.equal((await find(at, 'otter')).length, 1)
  const again = await at.reopened()
  const path = join(at.home, 'data', 'history.sqlite')
  await logHistory(again.store, 's', [{ said: 'A lynx came by.' }])
  assert.deepEqual(await find(again, 'came by'), ['A lynx came by.', 'A badger came by.', 'An otter came by.'])
  const count = counting(path)
  await find(await again.reopened(), 'otter')
  assert.equal(counting(path), count)
  const restored = await again.reopened()
  assert.equal((await find(restored, 'heron')).length, 0)
  // Another process writes a session, as an import does beside a running gateway.
  const importer = await openStore({ clock: systemClock, path: join(at.home, 'store.sqlite') })
  await logHistory(importer, 'imported', [{ said: 'A heron came by.' }])
  await importer.close()
  assert.deepEqual(await find(restored, 'heron'), ['A heron came by.'])
  // A session of the same name with another log, as after a restore.
  await restored.store.deleteSession('s')
  await logHistory(
    restored.store,
    's',
    Array.from({ length: 9 }, (_, n) => ({ said: `Wolf ${n}.` })),
    {
      time: '2026-02-01T00:00:00.000Z',
    },
  )
  assert.deepEqual(await find(restored, 'otter'), [])
  assert.equal((await find(restored, 'wolf')).length, 9)
  await restored.runtime.close()
  // Another version of Foreword has written it.
  const database = new DatabaseSync(path)
  database.exec(`update version set version = '0'`)
  database.close()
  const upgraded = await restored.reopened()
  assert.equal((await find(upgraded, 'wolf')).length, 9)
  await upgraded.runtime.close()
  for (const ending of ['', '-wal', '-shm']) rmSync(`${path}${ending}`, { force: true })
  assert.equal((await find(await restored.reopened(), 'wolf')).length, 9)
})

test('a deleted session is found no more, and none of its bytes are left', async (t) => {
  const at = await opened(t)
  const path = join(at.home, 'data', 'history.sqlite')
  const { session } = await at.say('The password of the lighthouse is marzipankartoffel.')
  await at.say('Another session speaks of the lighthouse.')
  assert.equal((await find(at, 'lighthouse')).length > 1, true)
  await at.runtime.deleteSession(session)
  // Whether or not anybody asks afterwards.
  for (const file of [path, `${path}-wal`]) assert.doesNotMatch(readFileSync(file, 'latin1'), /marzipankart/)
  assert.equal((await find(at, 'marzipankartoffel')).length, 0)
  assert.deepEqual(await find(at, '"speaks of the lighthouse"'), ['Another session speaks of the lighthouse.'])
  await at.runtime.close()
  assert.doesNotMatch(readFileSync(path, 'latin1'), /marzipankart/)
  // One that was deleted while nobody could tell the index.
  const again = await at.reopened()
  const { session: late } = await again.say('The pantry is opened with pfefferminzbruch.')
  await find(again, 'pantry')
  await again.store.deleteSession(late)
  const last = await again.reopened()
  assert.deepEqual(await find(last, 'pfefferminzbruch'), [])
})

test('a session that is deleted while it is indexed does not come back into the index', async (t) => {
  const { store, home } = await opened(t)
  await logHistory(store, 's', [{ said: 'The gannet is called Ottokar.' }])
  const [reached, held] = [gate(), gate()]
  const slow: typeof store = {
    ...store,
    async turn(...asked) {
      reached.open()
      await held.passed
      return store.turn(...asked)
    },
  }
  const recall = openRecall({
    store: slow,
    path: join(home, 'data', 'history.sqlite'),
    warn: (text) => assert.fail(text),
  })
  const asking = recall.find({ text: 'gannet', sessions: ['s'] })
  await reached.passed
  await store.deleteSession('s')
  const forgotten = recall.forget('s')
  held.open()
  await Promise.all([asking, forgotten])
  await recall.close()
  assert.equal(counting(join(home, 'data', 'history.sqlite')), 0)
})

test('what is said while the gateway runs goes into the index, and its log is not read for that', async (t) => {
  const { store, home } = await opened(t)
  await logHistory(store, 'before', [{ said: 'The gannet is called Ottokar.' }])
  const path = join(home, 'data', 'history.sqlite')
  const read: string[] = []
  const watched: typeof store = {
    ...store,
    async entries(session, options) {
      read.push(session)
      return store.entries(session, options)
    },
  }
  const recall = openRecall({ store: watched, path, warn: (text) => assert.fail(text) })
  const indexed = async () => {
    while (recall.idle()) await recall.idle()
  }
  recall.start()
  await indexed()
  read.length = 0
  await logHistory(store, 'a', [{ said: 'A lynx came by.', messages: calledTool('c1', 'shell', {}, 'An owl.') }], {
    conversation: 'one',
  })
  await logHistory(store, 'b', [{ said: 'A marten came by.' }], { conversation: 'one' })
  await logHistory(store, 'a', [{ said: 'A heron came by.' }])
  await logHistory(store, 'before', [{ said: 'A badger came by.' }])
  await indexed()
  assert.deepEqual(read, [])
  assert.equal(counting(path), 6)
  const { passages } = await recall.find({ text: 'came by owl gannet', sessions: ['a', 'b', 'before'] })
  assert.deepEqual(
    new Set(passages.map(({ text, ordinal }) => `${ordinal} ${text}`)),
    new Set([
      '1 The gannet is called Ottokar.',
      '1 A lynx came by.',
      '1 shell {}\nAn owl.',
      '1 A marten came by.',
      '2 A heron came by.',
      '2 A badger came by.',
    ]),
  )
  assert.deepEqual(await recall.conversationSessions('b'), ['b', 'a'])
  await recall.close()
})

test('a session that is deleted while what it said waits for the index never comes into it', async (t) => {
  const { store, home } = await opened(t)
  const path = join(home, 'data', 'history.sqlite')
  const [reached, held] = [gate(), gate()]
  await logHistory(store, 'other', [{ said: 'The cormorant is called Adalbert.' }])
  const slow: typeof store = {
    ...store,
    async turn(session, turn) {
      if (session === 's') reached.open()
      if (session === 's') await held.passed
      return store.turn(session, turn)
    },
  }
  const recall = openRecall({ store: slow, path, warn: (text) => assert.fail(text) })
  recall.start()
  await logHistory(store, 's', [{ said: 'A lynx came by.' }])
  while (recall.idle()) await recall.idle()
  // Which turn of the session it is has to be asked of the store.
  await logHistory(store, 's', [{ said: 'The gannet is called Ottokar.' }])
  const idle = recall.idle()
  await reached.passed
  await store.deleteSession('s')
  const forgotten = recall.forget('s')
  held.open()
  await Promise.all([idle, forgotten])
  while (recall.idle()) await recall.idle()
  await recall.close()
  assert.equal(counting(path), 1)
})

test('a question to years of sessions looks at those that changed since the one before', async (t) => {
  const store = await openStore({ path: ':memory:', clock: systemClock })
  const folder = await temporaryFolder(t)
  const say = async (session: string, content: string) => {
    const tokens = { counter: 'chars@1', full: 5, least: 5 }
    await store.append(
      session,
      [
        { type: 'session-start' },
        { type: 'input', turn: `turn_${session}`, message: { role: 'user', content }, tokens },
      ],
      systemClock.time(),
    )
  }
  for (let number = 0; number < 900; number += 1) await say(`s${number}`, `Number ${number} is about harbours.`)
  let rows = 0
  const watched = {
    ...store,
    async sessions(by?: Parameters<typeof store.sessions>[0]) {
      const found = await store.sessions(by)
      rows += found.length
      return found
    },
  }
  const recall = openRecall({ store: watched, path: join(folder, 'recall.sqlite'), warn: (text) => assert.fail(text) })
  const sessionsWith = async (text: string) =>
    (await recall.find({ text, limit: 2 })).passages.map(({ session }) => session)
  while (!(await recall.find({ text: 'harbours', limit: 1 })).complete);
  assert.ok(rows >= 900)
  rows = 0
  // By another process: nobody tells this one of it.
  await say('late', 'A lighthouse was built.')
  assert.deepEqual(await sessionsWith('lighthouse'), ['late'])
  assert.deepEqual(await sessionsWith('lighthouse'), ['late'])
  assert.ok(rows <= 80, `${rows} rows of sessions were read`)
  await recall.close()
  await store.close()
})

test('two that index the same sessions at the same time index each text once', async (t) => {
  const { store, home } = await opened(t)
  for (const session of ['a', 'b']) {
    await logHistory(
      store,
      session,
      Array.from({ length: 60 }, (_, n) => ({ said: `Gannet number ${n} of ${session}.` })),
    )
  }
  const warn = (text: string) => assert.fail(text)
  const two = [1, 2].map(() => openRecall({ store, path: join(home, 'data', 'history.sqlite'), warn }))
  const answers = await Promise.all(two.map((recall) => recall.find({ text: 'gannet', limit: 100 })))
  assert.deepEqual(
    answers.map(({ passages, complete }) => [passages.length, complete]),
    [
      [100, true],
      [100, true],
    ],
  )
  await Promise.all(two.map((recall) => recall.close()))
  const path = join(home, 'data', 'history.sqlite')
  assert.equal(counting(path), 120)
  // Both have read the same part of the log: the second one writes nothing.
  const [one, other] = [
    await openRecallIndex({ clock: systemClock, path }),
    await openRecallIndex({ clock: systemClock, path }),
  ]
  const said = {
    turn: 't',
    ordinal: 1,
    seq: 2,
    time: '2026-01-05',
    kind: 'message',
    role: 'user',
    text: 'Cormorant.',
  } as const
  const part = { session: 'c', created: '2026-01-05', from: 0, upTo: 2, mark: '2026-01-05', items: [said] }
  assert.deepEqual([one.add([part]), other.add([part]), one.session('c')?.upTo], [[], [part], 2])
  for (const index of [one, other]) index.close()
  assert.equal(counting(path), 121)
})

test('sessions are found, limited and taken out wherever their words are kept', async () => {
  const index = await openRecallIndex({ clock: systemClock, path: ':memory:', fullShard: 2 })
  const sessions = ['a', 'b', 'c', 'd', 'e']
  const place = { turn: 't', time: '2026-01-05', kind: 'message', role: 'user' } as const
  const parts = sessions.map((session) => {
    const items = [1, 2].map((n) => ({ ...place, ordinal: n, seq: n, text: `Cormorant ${n} of ${session}zebra.` }))
    return { session, created: '2026-01-05', from: 0, upTo: 2, mark: '2026-01-05', items }
  })
  assert.deepEqual(index.add(parts), [])
  const found = (text: string, within?: readonly string[]) =>
    index.find({ text, ...(within && { sessions: within }) }).passages.map(({ session }) => session)
  assert.equal(found('cormorants').length, 10)
  assert.deepEqual(new Set(found('cormorants', ['b', 'd'])), new Set(['b', 'd']))
  assert.deepEqual(new Set(found('"of dzebra"')), new Set(['d']))
  assert.deepEqual(index.find({ text: 'czebro' }).nearest, ['czebra'])
  assert.deepEqual(index.find({ text: 'czebro', sessions: ['a'] }).found, 'nothing')
  assert.equal(index.removeSome('b'), false)
  assert.deepEqual(new Set(found('cormorants')), new Set(['a', 'c', 'd', 'e']))
  index.close()
})

test('what is added merges nothing; what is merged step by step leaves few segments and the same answers', async (t) => {
  const path = join(await temporaryFolder(t), 'history.sqlite')
  const index = await openRecallIndex({ clock: systemClock, path })
  const database = new DatabaseSync(path)
  t.after(() => [index, database].forEach((each) => each.close()))
  const column = (sql: string) =>
    database
      .prepare(sql)
      .all()
      .map((row) => Object.values(row)[0] as number)
  const place = { session: 'a', created: '2026-01-05', mark: '2026-01-05' }
  const answered = () => index.find({ text: 'cormorant', limit: 100 }).passages.map(({ seq }) => seq)
  let steps = 0
  for (let seq = 1; seq <= 40; seq += 1) {
    const text = Array.from({ length: 60 }, (_, n) => `cormorant word${seq}x${n}`).join(' ')
    const item = { turn: 't', ordinal: 1, seq, time: '2026-01-05', kind: 'message', role: 'user', text } as const
    const before = seq === 1 ? [] : column('select id from words_1_data')
    index.add([{ ...place, from: seq - 1, upTo: seq, items: [item] }])
    const after = new Set(column('select id from words_1_data'))
    assert.deepEqual(
      before.filter((id) => !after.has(id)),
      [],
    )
    const found = answered()
    for (let more = true; more; steps += 1) more = index.mergeSome()
    assert.deepEqual(answered(), found)
  }
  assert.ok(steps > 40)
  assert.ok(column('select count(distinct segid) from words_1_idx')[0]! < 16)
})

test('sessions of a conversation that began at the same time have one order, whichever was indexed first', async () => {
  for (const indexed of [
    ['a', 'b', 'c'],
    ['c', 'a', 'b'],
  ]) {
    const index = await openRecallIndex({ clock: systemClock, path: ':memory:' })
    for (const session of indexed) {
      index.add([{ session, conversation: 'one', created: '2026-01-05', from: 0, upTo: 0, mark: '', items: [] }])
    }
    assert.deepEqual(
      ['a', 'b', 'c'].map((session) => index.conversationSessions(session).join('')),
      ['a', 'ba', 'cba'],
    )
    index.close()
  }
})

test('an index that cannot be opened holds nothing up, and says what to do', async (t) => {
  const at = await opened(t)
  mkdirSync(join(at.home, 'data', 'history.sqlite'), { recursive: true })
  const { outcome } = await at.say('Is anybody there?')
  assert.equal(outcome?.type, 'completed')
  await assert.rejects(at.runtime.recall.find({ text: 'anybody' }), { code: 'storage' })
  const { session } = await at.say('Go.')
  assert.equal(await at.runtime.deleteSession(session), true)
  assert.match(at.warnings.join('\n'), /keeps the deleted session .* until the next start/)
})

async function find({ runtime }: Opened, text: string): Promise<readonly string[]> {
  return (await runtime.recall.find({ text, kinds: ['message'] })).passages
    .map((passage) => passage.text)
    .filter((said) => said.toLowerCase().includes(text.replaceAll('"', '')))
}

/** How many passages an index holds. */
function counting(path: string): number {
  const database = new DatabaseSync(path, { readOnly: true })
  try {
    return Number(database.prepare('select count(*) as count from passages').get()?.['count'])
  } finally {
    database.close()
  }
}

/** A runtime whose model asks `read_history` what a test asks, and the answer that it reads. */
async function withReader(t: Parameters<typeof opened>[0]) {
  let due: unknown
  const model = scriptedModel({
    answer: ({ messages }) =>
      due !== undefined && messages.at(-1)?.role === 'user'
        ? { toolCalls: [{ name: 'read_history', input: due }] }
        : { text: 'Noted.' },
  })
  const at = await opened(t, { model })
  return {
    ...at,
    async ask(session: string, input: unknown): Promise<string> {
      due = input
      await at.say('Look it up, please.', { session })
      due = undefined
      const { content } = model.calls.at(-1)!.request.messages.at(-1)!
      const [part] = content as unknown as readonly { readonly output: { readonly value: string } }[]
      return part!.output.value
    },
  }
}
