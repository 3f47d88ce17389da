import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'node:test'
import { openedHome } from './home/opened-home.ts'

const reef = { 'subjects/reef/brief.md': 'Tastes: [night]\nMake it blue.', 'tastes/night.md': 'No noise.\n' }

test('the model reads the subject of a session from the next turn on, and another subject replaces it', async (t) => {
  const { runtime, home } = await openedHome(t, { ...reef, 'subjects/harbour/notes.md': 'Ships at six.' })
  const { id: session } = await runtime.newSession({ subject: 'reef' })
  const preamble = async (asked = {}) => JSON.stringify((await runtime.preview({ session, ...asked })).request.messages)
  assert.match(await preamble(), /No noise\..*Make it blue\./)
  await runtime.setSubject(session, 'harbour')
  assert.match(await preamble(), /Ships at six\./)
  assert.doesNotMatch(await preamble(), /blue/)
  await runtime.setSubject(session, undefined)
  assert.equal(await preamble(), '[]')
  assert.match(await preamble({ subject: 'reef' }), /Make it blue\./)

  await runtime.setSubject(session, 'harbour')
  await rm(join(home, 'subjects', 'harbour'), { recursive: true })
  assert.equal(await preamble(), '[]', 'a folder that was removed leaves its sessions')
  await assert.rejects(runtime.setSubject(session, 'harbour'), { code: 'not-found' })
  await assert.rejects(runtime.newSession({ subject: '../reef' }), { code: 'not-found' })
  await assert.rejects(runtime.setSubject('session_nowhere', 'reef'), { code: 'not-found' })
})

test('the configuration names the default subject of sessions, and an unknown one is reported', async (t) => {
  const named = (subject: string) => ({ subjects: { default: subject } })
  const { runtime } = await openedHome(t, reef, named('reef'))
  assert.match(JSON.stringify((await runtime.preview({})).request.messages), /Make it blue\./)
  assert.deepEqual((await runtime.status()).warnings, [])

  const { runtime: other } = await openedHome(t, reef, named('reeef'))
  assert.deepEqual((await other.preview({})).request.messages, [])
  const { warnings } = await other.status()
  assert.match(warnings.join('\n'), /subjects\.default: There is no subject "reeef"/)
})

test('a home without subjects pays for none of their tools; the first one brings them with the next turn', async (t) => {
  const { runtime, say, write } = await openedHome(t, { 'tool-access.json': '{"global": {"mode": "full"}}' })
  const before = await say('hello')
  assert.equal(before.offered.includes('read_context'), false)
  const status = async () => (await runtime.tools()).find(({ name }) => name === 'read_context')!
  assert.deepEqual(
    [(await status()).access, (await status()).offeredWhile],
    ['allowed', { what: 'there is a subject', isSo: false }],
  )

  write('subjects/reef/brief.md', 'Make it blue.')
  const after = await say('and now?', before.session)
  const six = [
    'read_context',
    'read_full_notes',
    'log_operation',
    'log_gap',
    'propose_taste_update',
    'propose_notes_update',
  ]
  assert.deepEqual(
    after.offered.filter((name) => !before.offered.includes(name)),
    six,
  )
  assert.equal((await status()).offeredWhile?.isSo, true)
})

test('the tools of a session with a subject are offered where they are allowed', async (t) => {
  const { runtime } = await openedHome(t, {
    ...reef,
    'tool-access.json': '{"global": {"allowedTools": ["read_context"]}}',
  })
  const { tools } = (await runtime.preview({ subject: 'reef' })).request
  assert.ok(tools.some(({ name }) => name === 'read_context'))
  assert.equal(
    tools.some(({ name }) => name.startsWith('propose')),
    false,
  )
})

test('long notes of the default subject are no trouble at the start, where no model can be asked yet', async (t) => {
  const notes = Array.from({ length: 60 }, (_, line) => `line ${line}`).join('\n')
  const configuration = { subjects: { default: 'reef', summarize: true } }
  const { runtime } = await openedHome(t, { 'subjects/reef/notes.md': notes }, configuration)
  assert.deepEqual((await runtime.status()).warnings, [])
  const { model, lines, text } = await runtime.summariseNotes('reef')
  assert.deepEqual([model, lines, text.length > 0], ['rehearsal', 60, true])
  const { summary } = (await runtime.subjects.context('reef')).context.notes
  assert.match(summary, /^\[Summary by rehearsal of 60 lines; read_full_notes has the text\]\n/)
})

test('long notes are put into words by the model that is configured for it', async (t) => {
  const notes = Array.from({ length: 60 }, (_, line) => `line ${line}`).join('\n')
  const subjects = { summarize: true, summaryModel: 'rehearsal' }
  const configuration = { model: 'nowhere/gone', subjects }
  const { runtime } = await openedHome(t, { 'subjects/reef/notes.md': notes }, configuration)
  assert.equal((await runtime.summariseNotes('reef')).model, 'rehearsal')
})
