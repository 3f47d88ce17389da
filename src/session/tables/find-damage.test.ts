import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { test, type TestContext } from 'node:test'
import { systemClock } from '../../platform.ts'
import { call, input, reply, turnEnd, turnStart } from '../../../test/cases/session-store-entries.ts'
import { temporaryStore } from '../../../test/session/temporary-store.ts'
import { DatabaseSync } from 'node:sqlite'
import type { CallOutcome } from '../call.ts'
import type { EntryBody } from '../entry.ts'
import { findStoreFault } from '../store-file.ts'
import { openStoreFile } from '../sqlite/open-sqlite-store.ts'

const time = '2026-01-01T00:00:00.000Z'

/** A store of one session, closed. */
async function smallStore(context: TestContext): Promise<string> {
  const path = await temporaryStore(context)
  const store = await openStoreFile({ path, clock: systemClock })
  await store.append('session_1', [{ type: 'session-start', title: 'A title' }], time)
  await store.append('session_1', [input('turn_1')], time)
  await store.putCall(call('call_1', { session: 'session_1' }))
  const announced = { type: 'assembly', turn: 'turn_1', call: 'call_1' } as EntryBody
  await store.append('session_1', [turnStart('turn_1'), announced], time)
  await store.finishCall('call_1', { finish: 'stop' } as unknown as CallOutcome)
  await store.append('session_1', [reply('turn_1')], time)
  await store.append('session_1', [turnEnd('turn_1')], time)
  await store.putContent('What is kept.')
  await store.close()
  return path
}

async function damage(path: string): Promise<readonly string[]> {
  const store = await openStoreFile({ path, clock: systemClock, readOnly: true })
  try {
    return (await Array.fromAsync(store.damage())).map(({ place }) => place)
  } finally {
    await store.close()
  }
}

for (const [what, sql, place] of [
  ['the words of an entry', `update entries set data = data || ' ' where seq = 2`, 'entry 2'],
  ['the JSON of an entry', `update entries set data = substr(data, 2) where seq = 2`, 'entry 2'],
  ['the time of an entry', `update entries set time = '2026-01-01T00:00:01.000Z' where seq = 3`, 'entry 3'],
  ['the type of an entry', `update entries set type = 'model' where seq = 3`, 'entry 3'],
  ['the turn of an entry', `update entries set turn = 'turn_2' where seq = 3`, 'entry 3'],
  ['the digest of an entry', `update entries set digest = 'x' || substr(digest, 2) where seq = 3`, 'entry 3'],
  ['an entry that is gone', `delete from entries where seq = 3`, 'entry 3'],
  ['the newest entry, gone', `delete from entries where seq = 6`, 'the row in sessions'],
  [
    'two entries that changed places',
    `update entries set seq = case seq when 3 then -4 when 4 then -3 end where seq in (3, 4); update entries set seq = -seq where seq < 0`,
    'entry 3',
  ],
  ['a title', `update sessions set title = 'B title'`, 'a row in sessions'],
  ['the state of a turn', `update turns set state = 'queued'`, 'a row in turns'],
  ['the record of a call', `update calls set record = replace(record, 'call_1', 'call_2')`, 'call call_1'],
  ['the session of a call', `update calls set session = null`, 'call call_1'],
  ['a call that is gone', `delete from calls`, 'call call_1'],
  ['an outcome', `update calls set outcome = replace(outcome, 'stop', 'stoq')`, 'the outcome of call call_1'],
  ['an outcome that is gone', `update calls set outcome = null`, 'the outcome of call call_1'],
  ['what a call used', `update call_sums set used = used + 1`, 'a row in call_sums of call call_1'],
  ['a content', `update contents set text = 'What is lost.' where text = 'What is kept.'`, 'content sha256:'],
] as const) {
  test(`damage is named: ${what}`, async (context) => {
    const path = await smallStore(context)
    assert.deepEqual(await damage(path), [])
    const database = new DatabaseSync(path)
    database.exec(`pragma foreign_keys = off; ${sql}`)
    database.close()
    const [first = ''] = await damage(path)
    assert.ok(first.startsWith(place), first)
  })
}

test('no flip of a byte in entries, calls, sessions, turns and contents is silent, and none ends the search', async (context) => {
  const path = await smallStore(context)
  const whole = await readFile(path)
  const rows = rowsOf(path)
  let changed = 0
  // Every 89th byte of the pages that hold something.
  for (let at = 100; at < whole.length; at += 89) {
    if (whole[at] === 0) continue
    const flipped = Buffer.from(whole)
    flipped[at]! ^= 1 << (at % 8)
    await writeFile(path, flipped)
    if (rowsOf(path) === rows) continue
    changed += 1
    const found = await damage(path).catch((error) => [String(error)])
    assert.ok(found.length > 0 || (await findStoreFault(path).catch(String)) !== undefined, `byte ${at}`)
  }
  assert.ok(changed > 8, String(changed))
})

/** What is held by digests, as text; an error where it cannot be read. */
function rowsOf(path: string): string {
  const database = new DatabaseSync(path, { readOnly: true })
  try {
    const tables = ['entries', 'calls', 'call_sums', 'sessions', 'turns', 'contents']
    return JSON.stringify(tables.map((table) => database.prepare(`select * from ${table}`).all().map(Object.values)))
  } catch (error) {
    return String(error)
  } finally {
    database.close()
  }
}
