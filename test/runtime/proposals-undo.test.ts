import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { createProposals } from '../../src/capabilities/subjects/proposals/proposals.ts'
import { openStore } from '../../src/session.ts'
import { SubjectError } from '../../src/capabilities/subjects/core/subjects.ts'
import { fixedClock } from '../../src/testing.ts'
import { temporaryStore } from '../session/temporary-store.ts'
import { subjectFiles } from './subject-files.ts'
import { systemClock } from '../../src/platform.ts'

test('a confirmed proposal can be taken back, and the file is what it was, to the byte', async (t) => {
  for (const before of ['', '- a', '- a\n', '- a\r\n', '- a\n\n\n']) {
    const { proposals, id, text } = await confirmed(t, before)
    const taken = await proposals.undo(id, 'http')
    assert.deepEqual(taken.state, { type: 'undone', by: 'http', time: '2026-01-05T12:00:00.000Z' })
    assert.match(taken.diff, /^-- b\r?$/m)
    assert.equal(text(), before)
  }
})

test('what people wrote after it stays when it is taken back', async (t) => {
  const edits: readonly (readonly [string, string])[] = [
    ['- a\n\n- b\n\n- c\n', '- a\n\n- c\n'],
    ['# Tide\n- a\n\n- b\n', '# Tide\n- a\n'],
    ['- a\n- b\n- c\n', '- a\n- c\n'],
    ['- a\r\n\r\n- b\r\n- c\r\n', '- a\r\n- c\r\n'],
    ['- b', ''],
  ]
  for (const [edited, left] of edits) {
    const { proposals, id, text } = await confirmed(t, '- a\n', edited)
    assert.equal((await proposals.undo(id, 'http')).state.type, 'undone')
    assert.equal(text(), left, JSON.stringify(edited))
  }
})

test('undo leaves missing and ambiguous notes alone, and reports them', async (t) => {
  for (const [edited, why] of [
    ['- a\n\n- b, but later\n', /do not stand there as they were added/],
    ['- a\n\n- b\n- b\n', /stand there 2 times/],
  ] as const) {
    const { proposals, id, text } = await confirmed(t, '- a\n', edited)
    await assert.rejects(proposals.undo(id, 'http'), (error) => {
      assert.ok(error instanceof SubjectError)
      assert.equal(error.code, 'changed')
      assert.match(error.message, why)
      assert.match(String(error.facts['diff']), /^\+- b/m)
      return true
    })
    assert.equal(text(), edited)
    assert.equal((await proposals.get(id)).state.type, 'confirmed')
  }
})

test('only what was confirmed can be taken back, and once', async (t) => {
  const { proposals } = await here(t, '')
  const { id, digest } = await proposals.propose({ type: 'notes', subject: 'tide', content: '- b' }, { tool: 'x' })
  await assert.rejects(proposals.undo(id, 'cli'), {
    code: 'decided',
    message: `The proposal ${id} still waits for a decision: there is nothing to take back.`,
  })
  await proposals.decide(id, { type: 'confirm', digest, by: 'cli' })
  await proposals.undo(id, 'cli')
  await assert.rejects(proposals.undo(id, 'http'), {
    code: 'decided',
    message: `The proposal ${id} was taken back already: over cli, at 2026-01-05T12:00:00.000Z.`,
  })
})

test('an edit while it is taken back is read again', async (t) => {
  const { proposals, subjects } = await here(t, '- a\n')
  const { id, digest } = await proposals.propose({ type: 'notes', subject: 'tide', content: '- b' }, { tool: 'x' })
  await proposals.decide(id, { type: 'confirm', digest, by: 'cli' })
  subjects.beforeReplace = () => {
    subjects.beforeReplace = undefined
    subjects.files.set('notes:tide', '- a\n\n- b\n\n- c\n')
  }
  assert.equal((await proposals.undo(id, 'cli')).state.type, 'undone')
  assert.equal(subjects.files.get('notes:tide'), '- a\n\n- c\n')
})

async function here(t: TestContext, text: string) {
  const store = await openStore({ clock: systemClock, path: await temporaryStore(t) })
  t.after(() => store.close())
  const subjects = subjectFiles({ tide: text })
  return { subjects, proposals: createProposals({ store, subjects, clock: fixedClock() }) }
}

/** `- b` was confirmed, and then somebody edited the file. */
async function confirmed(t: TestContext, before: string, edited?: string) {
  const { proposals, subjects } = await here(t, before)
  const { id, digest } = await proposals.propose({ type: 'notes', subject: 'tide', content: '- b' }, { tool: 'x' })
  await proposals.decide(id, { type: 'confirm', digest, by: 'cli' })
  if (edited !== undefined) subjects.files.set('notes:tide', edited)
  return { proposals, id, text: () => subjects.files.get('notes:tide') }
}
