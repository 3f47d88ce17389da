import assert from 'node:assert/strict'
import { importSession, type SessionStore, type TurnOutcome } from '../../src/session.ts'
import {
  approvalEntry,
  approvalRequest,
  at,
  exportLines,
  input,
  label,
  start,
  type StoreCase,
  turnEnd,
  turnStart,
  wholeTurn,
} from './session-store-entries.ts'

/** Cases for what a list of sessions shows: titles, folders, pins and states. */
export function labelCases(storeCase: StoreCase): void {
  storeCase('a label renames, pins and files a session, and is no activity', async (store, reopen) => {
    await store.append('a', [start, ...wholeTurn('t1')], at(1))
    await store.append('a', [label({ title: 'Tides', pinned: true, folder: 'Reef' })], at(2))
    const { title, pinned, folder, updated, entries } = (await (await reopen()).session('a'))!
    assert.deepEqual([title, pinned, folder, updated, entries], ['Tides', true, 'Reef', at(1), 6])
  })

  storeCase('a label changes only what it names, and takes back what it gives as null', async (store) => {
    await store.append('a', [start, label({ pinned: true, folder: 'Reef' })], at(1))
    await store.append('a', [label({ title: null }), label({ folder: null })], at(2))
    const { title, pinned, folder } = (await store.session('a'))!
    assert.deepEqual([title, pinned, folder], [undefined, true, undefined])
  })

  storeCase('the opening of a session is what its first message says, on one line', async (store) => {
    const long = { role: 'user', content: `Hello.\n\n  Where\tis \u{1F980} ${'x'.repeat(500)}` } as const
    await store.append('a', [start], at(1))
    assert.equal((await store.session('a'))?.opening, undefined)
    await store.append('a', [{ ...input('t1'), message: long } as ReturnType<typeof input>, input('t2')], at(2))
    const { opening = '' } = (await store.session('a'))!
    assert.deepEqual([opening.slice(0, 11), opening.length], ['Where is \u{1F980}', 60])
  })

  storeCase('the state of a session is that of its turns', async (store) => {
    const state = async () => (await store.session('a'))?.state
    const failed: TurnOutcome = { type: 'failed', code: 'unreachable', message: 'No model.' }
    const seen: unknown[] = []
    const steps = [
      [start],
      [input('t1')],
      [turnStart('t1')],
      [approvalRequest('t1')],
      [input('t2')],
      [approvalEntry('t1', { type: 'approve', scope: 'once' })],
      [turnEnd('t1', failed)],
      [turnStart('t2'), approvalRequest('t2', 'p2')],
      [turnEnd('t2', failed)],
      [{ type: 'head', turn: 't2', head: 't1' }] as const,
    ]
    for (const [second, bodies] of steps.entries()) {
      await store.append('a', bodies, at(second))
      seen.push(await state())
    }
    const whole = ['new', 'works', 'works', 'waits', 'waits', 'works', 'works', 'waits', 'failed', 'done']
    assert.deepEqual(seen, whole)
  })

  storeCase('a message that is taken back while another is answered leaves the session at work', async (store) => {
    await store.append('a', [start, input('t1'), turnStart('t1'), input('t2')], at(1))
    await store.append('a', [turnEnd('t2', { type: 'cancelled' }), { type: 'head', turn: 't2', head: 't1' }], at(2))
    assert.equal((await store.session('a'))?.state, 'works')
  })

  storeCase('sessions are filtered by state, pin, folder and words, page by page', async (store) => {
    await store.append('a', [start, label({ title: 'Über tides', folder: 'Reef' })], at(1))
    await store.append('b', [{ type: 'session-start' }, input('t1'), label({ folder: 'Reef', pinned: true })], at(2))
    await store.append('c', [start, ...wholeTurn('t1'), label({ folder: 'Coast' })], at(3))
    const ids = async (options: Parameters<SessionStore['sessions']>[0]) =>
      (await store.sessions(options)).map(({ id }) => id)
    assert.deepEqual(await ids({ folder: 'Reef' }), ['b', 'a'])
    assert.deepEqual(await ids({ folder: 'Reef', limit: 1, offset: 1 }), ['a'])
    assert.deepEqual([await ids({ pinned: true }), await ids({ pinned: false })], [['b'], ['c', 'a']])
    assert.deepEqual([await ids({ state: 'works' }), await ids({ state: 'done', folder: 'Reef' })], [['b'], []])
    assert.deepEqual([await ids({ words: 'TIDES über' }), await ids({ words: 'Question t1' })], [['a'], ['b']])
    assert.deepEqual(await ids({ words: 'e', limit: 1, offset: 1 }), ['a'])
    assert.deepEqual(await store.sessionFolders(), [
      { folder: 'Coast', sessions: 1 },
      { folder: 'Reef', sessions: 2 },
    ])
  })

  storeCase('an export carries the title, the folder and the pin of a session', async (store) => {
    await store.append('a', [start, ...wholeTurn('t1')], at(1))
    await store.append('a', [label({ title: 'Tides', pinned: true, folder: 'Reef' })], at(2))
    await importSession(store, await exportLines(store), { as: 'b' })
    const [one, other] = [(await store.session('a'))!, (await store.session('b'))!]
    assert.deepEqual({ ...other, id: 'a' }, one)
  })
}
