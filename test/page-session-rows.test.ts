import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ListedSession } from '../web/src/api/listed-session.ts'
import { groupsOf } from '../web/src/sessions/session-groups.ts'
import { withChange, withoutSession, withPage, withSession } from '../web/src/sessions/session-rows.ts'

function listed(id: string, second: number, more: Partial<ListedSession> = {}): ListedSession {
  return { id, updated: `2026-01-01T00:00:0${second}.000Z`, pinned: false, state: 'done', ...more } as ListedSession
}

const [a, b, c] = [listed('a', 3), listed('b', 2), listed('c', 1)]
const ids = ({ rows }: { readonly rows: readonly ListedSession[] }) => rows.map(({ id }) => id).join('')

test('a page is put behind the rows, without those that are there already', () => {
  const first = withPage({ rows: [], complete: false }, [a, b], 2)
  assert.deepEqual([ids(first), first.complete], ['ab', false])
  const second = withPage(first, [b], 2)
  assert.deepEqual([ids(second), second.complete], ['ab', true])
})

test('a session that changes takes the place of its last activity, or leaves the list', () => {
  const rows = { rows: [a, b, c], complete: true }
  assert.equal(ids(withSession(rows, listed('c', 4), {})), 'cab')
  assert.equal(ids(withSession(rows, listed('b', 2, { title: 'New' }), {})), 'abc')
  assert.equal(ids(withSession(rows, listed('b', 2, { pinned: true }), { pinned: false })), 'ac')
  assert.equal(ids(withSession(rows, listed('d', 5, { state: 'works' }), { state: 'done' })), 'abc')
  assert.equal(ids(withSession(rows, listed('d', 0), {})), 'abcd')
  assert.equal(ids(withoutSession(rows, 'b')), 'ac')
})

test('where pages are missing, an older session is not shown behind the last row', () => {
  const rows = { rows: [a, b], complete: false }
  assert.equal(ids(withSession(rows, c, {})), 'ab')
  assert.equal(ids(withSession(rows, listed('b', 2, { title: 'New' }), {})), 'ab')
})

test('a page that was read before a change does not take the change back, nor a change what was read after it', () => {
  const old = listed('a', 3, { entries: 5 })
  const now = listed('a', 3, { entries: 6, title: 'New' })
  const stale = withPage({ rows: [], complete: false }, [old], 2)
  assert.equal(withChange(stale, { type: 'session', session: now }, {}).rows[0]?.title, 'New')
  const fresh = withPage({ rows: [], complete: false }, [now], 2)
  assert.equal(withChange(fresh, { type: 'session', session: old }, {}).rows[0]?.title, 'New')
})

test('sessions are grouped by their day, and what other programs did in the last week by itself', () => {
  const now = new Date(2026, 10, 29, 12)
  const days = (back: number): Partial<ListedSession> => ({ updated: new Date(2026, 10, 29 - back, 11).toISOString() })
  const sessions = [
    listed('a', 0, days(0)),
    listed('b', 0, { ...days(0), program: { name: 'codex' } as ListedSession['program'] }),
    listed('c', 0, days(1)),
    listed('d', 0, days(6)),
    listed('e', 0, days(7)),
  ]
  const seen = groupsOf(sessions, now).map(({ title, sessions: rows }) => `${title}: ${ids({ rows })}`)
  assert.deepEqual(seen, ['Today: a', 'Yesterday: c', 'Last week: d', 'Other programs: b', 'Older: e'])
  assert.deepEqual(groupsOf(sessions, undefined), [{ title: 'Found', sessions }])
})
