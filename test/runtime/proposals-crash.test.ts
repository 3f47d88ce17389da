import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { createProposals } from '../../src/capabilities/subjects/proposals/proposals.ts'
import { openStore, type SessionStore } from '../../src/session.ts'
import { type Proposal, type Proposals, SubjectError } from '../../src/capabilities/subjects/core/subjects.ts'
import { fixedClock } from '../../src/testing.ts'
import { temporaryStore } from '../session/temporary-store.ts'
import { type SubjectFiles, subjectFiles } from './subject-files.ts'
import { systemClock } from '../../src/platform.ts'

const never = () => new Promise(() => {})

test('an end between the decision and the file loses nothing: the next look writes it', async (t) => {
  const at = await here(t, '- a\n')
  at.subjects.beforeReplace = never
  const { after, proposal } = await ended(at, 'confirm')
  assert.equal(at.subjects.files.get('notes:tide'), '- a\n')
  assert.equal((await after.get(proposal.id)).state.type, 'confirmed')
  assert.equal(at.subjects.files.get('notes:tide'), '- a\n\n- b\n')
})

test('an end between the file and the word that it was written adds nothing twice', async (t) => {
  const at = await here(t, '- a\n')
  at.subjects.afterReplace = never
  const { after, proposal } = await ended(at, 'confirm')
  const [listed] = await after.list()
  assert.equal(listed?.state.type, 'confirmed')
  assert.equal(at.subjects.files.get('notes:tide'), '- a\n\n- b\n')
  await assert.rejects(after.decide(proposal.id, { type: 'confirm', digest: proposal.digest, by: 'cli' }), {
    code: 'decided',
  })
})

test('after such an end, what a person wrote meanwhile stays', async (t) => {
  const unwritten = await here(t, '- a\n')
  unwritten.subjects.beforeReplace = never
  const first = await ended(unwritten, 'confirm')
  unwritten.subjects.files.set('notes:tide', '- edited\n')
  assert.equal((await first.after.get(first.proposal.id)).state.type, 'confirmed')
  assert.equal(unwritten.subjects.files.get('notes:tide'), '- edited\n\n- b\n')

  const written = await here(t, '- a\n')
  written.subjects.afterReplace = never
  const second = await ended(written, 'confirm')
  written.subjects.files.set('notes:tide', '- edited\n\n- b\n- c\n')
  assert.equal((await second.after.get(second.proposal.id)).state.type, 'confirmed')
  assert.equal(written.subjects.files.get('notes:tide'), '- edited\n\n- b\n- c\n')
})

test('the same lines from earlier are not taken for what was to be written', async (t) => {
  const at = await here(t, '- b\n')
  at.subjects.beforeReplace = never
  const { after, proposal } = await ended(at, 'confirm')
  at.subjects.files.set('notes:tide', '# Tide\n- b\n')
  await after.get(proposal.id)
  assert.equal(at.subjects.files.get('notes:tide'), '# Tide\n- b\n\n- b\n')
})

test('an end while something is taken back is gone on with too', async (t) => {
  for (const moment of ['beforeReplace', 'afterReplace'] as const) {
    const at = await here(t, '- a\n')
    const { id, digest } = await at.proposals.propose({ type: 'notes', subject: 'tide', content: '- b' }, { tool: 'x' })
    await at.proposals.decide(id, { type: 'confirm', digest, by: 'cli' })
    at.subjects[moment] = never
    const { after } = await ended(at, 'undo')
    assert.equal((await after.get(id)).state.type, 'undone')
    assert.equal(at.subjects.files.get('notes:tide'), '- a\n')
  }
})

test('an edit between the look and the change is read again, and nothing of it is lost', async (t) => {
  const { proposals, subjects } = await here(t, '- a\n')
  const { id, digest } = await proposals.propose({ type: 'notes', subject: 'tide', content: '- b' }, { tool: 'x' })
  let edits = 0
  subjects.beforeReplace = () => {
    edits += 1
    if (edits <= 3) subjects.files.set('notes:tide', `- edited ${edits}\n`)
  }
  const { state, diff } = await proposals.decide(id, { type: 'confirm', digest, by: 'cli' })
  assert.equal(state.type, 'confirmed')
  assert.match(diff, /^ - edited 3$/m)
  assert.equal(subjects.files.get('notes:tide'), '- edited 3\n\n- b\n')
})

test('a file that is edited all the time is left alone, and the proposal waits again', async (t) => {
  const { proposals, subjects } = await here(t, '')
  const { id, digest } = await proposals.propose({ type: 'notes', subject: 'tide', content: '- b' }, { tool: 'x' })
  let edits = 0
  subjects.beforeReplace = () => subjects.files.set('notes:tide', `- edited ${edits++}\n`)
  await assert.rejects(proposals.decide(id, { type: 'confirm', digest, by: 'cli' }), { code: 'changed' })
  assert.equal((await proposals.get(id)).state.type, 'waiting')
  assert.doesNotMatch(subjects.files.get('notes:tide')!, /- b/)
})

test('if a file cannot be written, the proposal waits, and the person reads why', async (t) => {
  const { proposals, subjects, store } = await here(t, '- a\n')
  const { id, digest } = await proposals.propose({ type: 'notes', subject: 'tide', content: '- b' }, { tool: 'x' })
  subjects.beforeReplace = () => {
    throw new SubjectError('unwritable', 'notes.md cannot be written: the disk is full.')
  }
  const confirm = () => proposals.decide(id, { type: 'confirm', digest, by: 'cli' })
  await assert.rejects(confirm(), { code: 'unwritable' })
  assert.deepEqual((await proposals.get(id)).state, { type: 'waiting' })
  assert.deepEqual(
    (await store.audit({ last: 2 })).map(({ decision, ok, reason }) => [decision, ok, reason]),
    [
      ['approved', undefined, undefined],
      [undefined, false, 'notes.md cannot be written: the disk is full.'],
    ],
  )
  subjects.beforeReplace = undefined
  assert.equal((await confirm()).state.type, 'confirmed')
})

test('a subject that is gone harms no list, and what waits for it can still be declined', async (t) => {
  const at = await here(t, '- a\n')
  at.subjects.beforeReplace = never
  const { after, proposal } = await ended(at, 'confirm')
  at.subjects.files.delete('notes:tide')
  assert.deepEqual(
    (await after.list()).map(({ state }) => state.type),
    ['waiting'],
  )
  const { id, digest } = proposal
  await assert.rejects(after.decide(id, { type: 'confirm', digest, by: 'cli' }), { code: 'not-found' })
  assert.equal((await after.decide(id, { type: 'decline', digest, by: 'cli' })).state.type, 'declined')
})

interface Here {
  readonly path: string
  readonly store: SessionStore
  readonly subjects: SubjectFiles
  readonly proposals: Proposals
}

async function here(t: TestContext, text: string): Promise<Here> {
  const path = await temporaryStore(t)
  const store = await openStore({ clock: systemClock, path })
  t.after(() => store.close())
  const subjects = subjectFiles({ tide: text })
  return { path, store, subjects, proposals: createProposals({ store, subjects, clock: fixedClock() }) }
}

/** Begins something that never ends, and gives what a new process finds. */
async function ended(at: Here, what: 'confirm' | 'undo'): Promise<{ after: Proposals; proposal: Proposal }> {
  const { proposals, subjects, store } = at
  const [known] = await proposals.list()
  const proposal = known ?? (await proposals.propose({ type: 'notes', subject: 'tide', content: '- b' }, { tool: 'x' }))
  const moment = subjects.beforeReplace ? 'beforeReplace' : 'afterReplace'
  const { promise: reached, resolve } = Promise.withResolvers<void>()
  subjects[moment] = () => {
    resolve()
    return never()
  }
  const { id, digest } = proposal
  void (what === 'undo' ? proposals.undo(id, 'cli') : proposals.decide(id, { type: 'confirm', digest, by: 'cli' }))
  await reached
  subjects[moment] = undefined
  return { after: createProposals({ store, subjects, clock: fixedClock({ prefix: 'b' }) }), proposal }
}
