import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type Proposal,
  type ProposalDraft,
  SubjectError,
  type SubjectErrorCode,
} from '../../src/capabilities/subjects/core/subjects.ts'
import { scriptedRuntime } from './scripted-runtime.ts'
import { type Served, served } from './served.ts'

interface Refusal {
  readonly error: { readonly code: string; readonly message: string }
}

const time = '2026-11-20T10:00:00.000Z'
const source = { tool: 'propose_notes_update', session: 'session-1', turn: 'turn-1', toolCallId: 'tool-1' }
const aboutNotes: ProposalDraft = { type: 'notes', subject: 'IMG_1', content: 'Lift the shadows.' }
const aboutTaste: ProposalDraft = { type: 'taste', name: 'Night', content: 'Keep the stars.', category: 'value' }

/** Doors over one subject. */
async function doorsOf() {
  const runtime = scriptedRuntime()
  await runtime.subjects.create('IMG_1', { brief: 'A pier at dawn.' })
  return { runtime, doors: served(runtime) }
}

async function codeOf(doors: Served, path: string, body?: unknown, method?: string) {
  const response = await doors.request(path, { body, ...(method === undefined ? {} : { method }) })
  return [response.status, ((await response.json()) as Refusal).error.code]
}

test('subjects are listed with the proposals that wait, those about tastes too', async () => {
  const { runtime, doors } = await doorsOf()
  await runtime.proposals.propose(aboutNotes, source)
  await runtime.proposals.propose(aboutTaste, source)
  await runtime.subjects.create('IMG_0')
  assert.deepEqual(await doors.json('/api/subjects'), {
    subjects: [
      { id: 'IMG_0', title: '', updated: time, waiting: 0 },
      { id: 'IMG_1', title: 'A pier at dawn.', updated: time, waiting: 1 },
    ],
    waiting: 2,
  })
})

test('a subject is made once, under an id that is one', async () => {
  const { doors } = await doorsOf()
  const made = await doors.request('/api/subjects', { body: { id: 'IMG_2', brief: 'Fog.' } })
  assert.deepEqual([made.status, made.headers.get('location')], [201, '/api/subjects/IMG_2'])
  assert.deepEqual(await made.json(), { id: 'IMG_2' })
  assert.deepEqual(await codeOf(doors, '/api/subjects', { id: 'IMG_2' }), [409, 'exists'])
  assert.deepEqual(await codeOf(doors, '/api/subjects', { id: '../etc' }), [400, 'invalid-input'])
  assert.deepEqual(await codeOf(doors, '/api/subjects', {}), [400, 'invalid-input'])
})

test('the context comes with every key and with what was odd, alone or beside the line of the list', async () => {
  const { runtime, doors } = await doorsOf()
  await runtime.subjects.create('IMG_2', { brief: 'An odd one.' })
  const { context, warnings } = await runtime.subjects.context('IMG_2')
  assert.deepEqual(await doors.json('/api/subjects/IMG_2/context'), { context, warnings })
  assert.equal(warnings.length, 1)
  assert.deepEqual(await doors.json('/api/subjects/IMG_2'), {
    id: 'IMG_2',
    title: 'An odd one.',
    updated: time,
    waiting: 0,
    context,
    warnings,
  })
})

test('an unknown subject is not found at any of its endpoints', async () => {
  const { doors } = await doorsOf()
  for (const path of ['', '/context', '/notes']) {
    assert.deepEqual(await codeOf(doors, `/api/subjects/none${path}`), [404, 'not-found'], path)
  }
  const bodies = { log: { op: 'crop' }, gaps: { description: 'haze' }, summary: {} }
  for (const [path, body] of Object.entries(bodies)) {
    assert.deepEqual(await codeOf(doors, `/api/subjects/none/${path}`, body), [404, 'not-found'], path)
  }
})

test('notes are read in pages of lines', async () => {
  const { runtime, doors } = await doorsOf()
  await runtime.subjects.replace({ type: 'notes', subject: 'IMG_1' }, { before: '', text: 'one\ntwo\nthree' })
  const page = await doors.json<object>('/api/subjects/IMG_1/notes?offset=1&limit=1')
  assert.deepEqual(page, { text: 'two', offset: 1, lines: 1, total: 3, next_offset: 2 })
  assert.deepEqual(await codeOf(doors, '/api/subjects/IMG_1/notes?limit=0'), [400, 'invalid-input'])
  assert.deepEqual(await codeOf(doors, '/api/subjects/IMG_1/notes?page=1'), [400, 'invalid-input'])
})

test('what was done and what could not be done is written down with its time, and read back', async () => {
  const { doors } = await doorsOf()
  const log = await doors.request('/api/subjects/IMG_1/log', { body: { op: 'crop', details: { left: 4 } } })
  const line = (await log.json()) as { timestamp: string }
  assert.deepEqual([log.status, line], [201, { timestamp: line.timestamp, op: 'crop', details: { left: 4 } }])
  assert.equal(new Date(line.timestamp).toISOString(), line.timestamp)
  const gap = { description: 'No word for haze.', intent_category: 'tone' }
  const written = await doors.json<Record<string, unknown>>('/api/subjects/IMG_1/gaps', { body: gap })
  assert.deepEqual(
    [written['image_id'], written['description'], written['intent_category'], written['workaround']],
    ['IMG_1', 'No word for haze.', 'tone', null],
  )
  const { context } = await doors.json<{ context: { recent_log: unknown; recent_gaps: unknown } }>(
    '/api/subjects/IMG_1/context',
  )
  assert.deepEqual([context.recent_log, context.recent_gaps], [[line], [written]])
  assert.deepEqual(await codeOf(doors, '/api/subjects/IMG_1/log', { op: ' ' }), [400, 'invalid-input'])
  assert.deepEqual(await codeOf(doors, '/api/subjects/IMG_1/gaps', { intent: 'x' }), [400, 'invalid-input'])
})

test('notes are summarised, or a sentence says why not', async () => {
  const { runtime, doors } = await doorsOf()
  assert.deepEqual(await codeOf(doors, '/api/subjects/IMG_1/summary', {}), [400, 'invalid-input'])
  await runtime.subjects.replace({ type: 'notes', subject: 'IMG_1' }, { before: '', text: 'one' })
  const summary = await doors.json<object>('/api/subjects/IMG_1/summary', { method: 'POST' })
  assert.deepEqual(summary, await runtime.summariseNotes('IMG_1'))
})

test('a proposal is confirmed as it was shown, once, and the file holds it', async () => {
  const { runtime, doors } = await doorsOf()
  const { id, digest } = await runtime.proposals.propose(aboutNotes, source)
  const shown = await doors.json<Proposal>(`/api/proposals/${id}`)
  assert.deepEqual([shown.by, shown.state, shown.digest], [source, { type: 'waiting' }, digest])
  const path = `/api/proposals/${id}/decision`
  assert.deepEqual(await codeOf(doors, path, { decision: 'confirm', digest: 'another' }), [409, 'decided'])
  assert.deepEqual(await codeOf(doors, path, { decision: 'confirm' }), [400, 'invalid-input'])
  const confirmed = await doors.json<Proposal>(path, { body: { decision: 'confirm', digest } })
  assert.deepEqual(confirmed.state, { type: 'confirmed', by: 'http', time })
  assert.equal(await runtime.subjects.text({ type: 'notes', subject: 'IMG_1' }), 'Lift the shadows.\n')
  assert.deepEqual(await codeOf(doors, path, { decision: 'decline', digest }), [409, 'decided'])
})

test('a proposal is declined with a reason, and nothing is written', async () => {
  const { runtime, doors } = await doorsOf()
  const { id, digest } = await runtime.proposals.propose(aboutTaste, source)
  const body = { decision: 'decline', digest, reason: '  Too dark. ', by: 'web' }
  const declined = await doors.json<Proposal>(`/api/proposals/${id}/decision`, { body })
  assert.deepEqual(declined.state, { type: 'declined', by: 'web', time, reason: 'Too dark.' })
  assert.equal(await runtime.subjects.text({ type: 'taste', name: 'Night' }), '')
})

test('a confirmed proposal is taken back, unless somebody wrote over it', async () => {
  const { runtime, doors } = await doorsOf()
  const { id, digest } = await runtime.proposals.propose(aboutNotes, source)
  const undo = `/api/proposals/${id}/undo`
  assert.deepEqual(await codeOf(doors, undo, {}), [409, 'decided'])
  await runtime.proposals.decide(id, { type: 'confirm', digest, by: 'cli' })
  const file = { type: 'notes', subject: 'IMG_1' } as const
  const text = await runtime.subjects.text(file)
  await runtime.subjects.replace(file, { before: text, text: 'Mine.' })
  assert.deepEqual(await codeOf(doors, undo, {}), [409, 'changed'])
  await runtime.subjects.replace(file, { before: 'Mine.', text: `${text}Mine.` })
  const undone = await doors.json<Proposal>(undo, { method: 'POST' })
  assert.deepEqual(undone.state, { type: 'undone', by: 'http', time })
  assert.equal(await runtime.subjects.text(file), 'Mine.')
})

test('proposals are listed, all of them or those in one state', async () => {
  const { runtime, doors } = await doorsOf()
  const one = await runtime.proposals.propose(aboutNotes, source)
  await runtime.proposals.propose(aboutTaste, source)
  await runtime.proposals.decide(one.id, { type: 'decline', digest: one.digest, by: 'cli' })
  const ids = async (query: string) =>
    (await doors.json<{ proposals: readonly Proposal[] }>(`/api/proposals${query}`)).proposals.map(({ id }) => id)
  assert.deepEqual(await ids(''), ['proposal-1', 'proposal-2'])
  assert.deepEqual(await ids('?state=waiting'), ['proposal-2'])
  assert.deepEqual(await ids('?state=declined'), ['proposal-1'])
  assert.deepEqual(await codeOf(doors, '/api/proposals?state=open'), [400, 'invalid-input'])
  assert.deepEqual(await codeOf(doors, '/api/proposals/none'), [404, 'not-found'])
})

test('every failure of a subject has its status, its code and its sentence', async () => {
  const statuses: Record<SubjectErrorCode, number> = {
    'invalid-input': 400,
    'not-found': 404,
    exists: 409,
    changed: 409,
    decided: 409,
    unwritable: 500,
  }
  for (const [code, status] of Object.entries(statuses)) {
    const runtime = scriptedRuntime()
    const create = () => Promise.reject(new SubjectError(code as SubjectErrorCode, 'so it is', { file: 'brief.md' }))
    const doors = served({ ...runtime, subjects: { ...runtime.subjects, create } })
    const response = await doors.request('/api/subjects', { body: { id: 'a' } })
    assert.equal(response.status, status)
    assert.deepEqual(await response.json(), { error: { code, message: 'so it is', file: 'brief.md' } })
  }
})

test('a session begins with a subject, changes it and leaves it', async () => {
  const { doors } = await doorsOf()
  const made = await doors.json<{ id: string; subject?: string }>('/api/sessions', { body: { subject: 'IMG_1' } })
  assert.equal(made.subject, 'IMG_1')
  const path = `/api/sessions/${made.id}`
  const change = (body: object) => doors.json<{ subject?: string }>(path, { method: 'PATCH', body })
  assert.equal((await change({ subject: null })).subject, undefined)
  assert.equal((await change({ subject: 'IMG_1' })).subject, 'IMG_1')
})

test('an unknown subject changes nothing of a session', async () => {
  const { runtime, doors } = await doorsOf()
  assert.deepEqual(await codeOf(doors, '/api/sessions', { subject: 'none' }), [404, 'not-found'])
  const { id } = await runtime.newSession()
  const body = { model: 'rehearsal', subject: 'none' }
  assert.deepEqual(await codeOf(doors, `/api/sessions/${id}`, body, 'PATCH'), [404, 'not-found'])
  const row = await runtime.store.session(id)
  assert.deepEqual([row?.model, row?.choices['subject']], [undefined, undefined])
})

test('a preview of a missing session is rejected', async () => {
  const { doors } = await doorsOf()
  assert.equal((await doors.request('/api/context?subject=IMG_1')).status, 200)
  assert.deepEqual(await codeOf(doors, '/api/context', { subject: 'none' }), [404, 'not-found'])
  assert.deepEqual(await codeOf(doors, '/api/context', { agent: 'none' }), [404, 'not-found'])
})
