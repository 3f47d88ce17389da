import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { createProposals } from '../../src/capabilities/subjects/proposals/proposals.ts'
import { openStore, type SessionStore } from '../../src/session.ts'
import type {
  Proposal,
  ProposalDecision,
  ProposalDraft,
  Proposals,
  ProposalSource,
} from '../../src/capabilities/subjects/core/subjects.ts'
import { fixedClock } from '../../src/testing.ts'
import { temporaryStore } from '../session/temporary-store.ts'
import { type SubjectFiles, subjectFiles } from './subject-files.ts'
import { systemClock } from '../../src/platform.ts'

const draft: ProposalDraft = { type: 'notes', subject: 'tide', content: '- b' }
const asked: ProposalSource = { session: 's1', turn: 't1', toolCallId: 'c1', tool: 'propose_notes_update' }

test('what a model proposes writes nothing, and is shown as the difference that it would make', async (t) => {
  const { proposals, subjects } = await here(t, { tide: '# Tide\n- a\n' })
  const { id, digest, time, ...rest } = await proposals.propose(draft, asked)
  assert.deepEqual(rest, {
    file: { type: 'notes', subject: 'tide' },
    content: '- b',
    diff: [
      '--- a/subjects/tide/notes.md',
      '+++ b/subjects/tide/notes.md',
      '@@ -1,2 +1,4 @@',
      ' # Tide',
      ' - a',
      '+',
      '+- b',
      '',
    ].join('\n'),
    by: asked,
    state: { type: 'waiting' },
  })
  assert.match(id, /^proposal_/)
  assert.match(digest, /^[0-9a-f]{64}$/)
  assert.equal(time, '2026-01-05T12:00:00.000Z')
  assert.equal(subjects.files.get('notes:tide'), '# Tide\n- a\n')
})

test('what waits can be counted by its files, until it is decided', async (t) => {
  const { proposals } = await here(t, { tide: '' })
  assert.deepEqual(await proposals.waiting(), [])
  const first = await proposals.propose(draft, asked)
  await proposals.propose({ ...draft, content: '- c' }, asked)
  const files = async () => (await proposals.list({ state: 'waiting' })).map(({ file }) => file)
  assert.deepEqual(await proposals.waiting(), [first.file, first.file])
  assert.deepEqual(await proposals.waiting(), await files())
  await confirm(proposals, first)
  assert.deepEqual(await proposals.waiting(), [first.file])
})

test('a confirmed proposal is appended to the file after a blank line', async (t) => {
  const files: readonly (readonly [string, string])[] = [
    ['', '- b\n'],
    ['- a', '- a\n\n- b\n'],
    ['- a\n', '- a\n\n- b\n'],
    ['- a\n\n', '- a\n\n- b\n'],
    ['- a\n \n', '- a\n \n- b\n'],
    ['\n', '\n- b\n'],
    ['- a\r\n', '- a\r\n\r\n- b\r\n'],
  ]
  for (const [before, after] of files) {
    const { proposals, subjects } = await here(t, { tide: before })
    const confirmed = await confirm(proposals, await proposals.propose(draft, asked))
    assert.deepEqual(confirmed.state, { type: 'confirmed', by: 'cli', time: '2026-01-05T12:00:00.000Z' })
    assert.equal(subjects.files.get('notes:tide'), after, JSON.stringify(before))
  }
})

test('a taste that nobody has written yet is made by its first line', async (t) => {
  const { proposals, subjects } = await here(t)
  const proposal = await proposals.propose(
    { type: 'taste', name: '_default', content: 'No vignettes.', category: 'appearance' },
    { tool: 'propose_taste_update', client: 'Claude' },
  )
  assert.equal(proposal.category, 'appearance')
  assert.equal(proposal.diff, '--- /dev/null\n+++ b/tastes/_default.md\n@@ -0,0 +1,1 @@\n+No vignettes.\n')
  await confirm(proposals, proposal)
  assert.equal(subjects.files.get('taste:_default'), 'No vignettes.\n')
})

test('blank lines around a proposal are no part of it, and one without words is none', async (t) => {
  const { proposals } = await here(t)
  assert.equal(
    (await proposals.propose({ ...draft, content: '\r\n \n  - b\r\n    more \n\n' }, asked)).content,
    '  - b\n    more',
  )
  for (const content of ['', ' \n\t\n', `- ${'x'.repeat(20_000)}`, 'x\n'.repeat(1_001), '\ud800']) {
    await assert.rejects(proposals.propose({ ...draft, content }, asked), { code: 'invalid-input' })
  }
})

test('the difference of a proposal shows every line of it, however many they are', async (t) => {
  const { proposals, subjects } = await here(t)
  subjects.files.set('notes:tide', 'Before.')
  const { diff } = await proposals.propose({ ...draft, content: 'x\n'.repeat(1_000) }, asked)
  assert.equal(diff.match(/^\+x$/gm)?.length, 1_000)
})

test('a decision holds for exactly what was shown', async (t) => {
  const { proposals, subjects } = await here(t)
  const proposal = await proposals.propose(draft, asked)
  const other = await proposals.propose({ ...draft, content: '- c' }, asked)
  await assert.rejects(proposals.decide(proposal.id, { type: 'confirm', digest: other.digest, by: 'cli' }), {
    code: 'decided',
    message: `The decision is about something else than what ${proposal.id} would add to subjects/tide/notes.md. Look at it again.`,
  })
  assert.equal(subjects.files.get('notes:tide'), '')
  assert.equal((await proposals.get(proposal.id)).state.type, 'waiting')
})

test('the digest covers the file, the content and the category', async (t) => {
  const { proposals } = await here(t, { tide: '', ebb: '' })
  const taste = { type: 'taste', name: 'tide', content: '- b', category: 'process' } as const
  const drafts: readonly ProposalDraft[] = [
    draft,
    { ...draft, content: '- c' },
    { ...draft, subject: 'ebb' },
    taste,
    { ...taste, category: 'value' },
  ]
  const digests = await Promise.all(drafts.map(async (each) => (await proposals.propose(each, asked)).digest))
  assert.equal(new Set(digests).size, drafts.length)
})

test('a proposal is decided once, and a second decision gets an error with the first decider and time', async (t) => {
  const { proposals, subjects } = await here(t)
  const proposal = await proposals.propose(draft, asked)
  const settled = await Promise.allSettled([
    proposals.decide(proposal.id, decision(proposal, 'confirm')),
    proposals.decide(proposal.id, { ...decision(proposal, 'decline'), by: 'http' }),
  ])
  assert.deepEqual(
    settled.map(({ status }) => status),
    ['fulfilled', 'rejected'],
  )
  await assert.rejects(proposals.decide(proposal.id, decision(proposal, 'confirm')), {
    code: 'decided',
    message: `The proposal ${proposal.id} was confirmed already: over cli, at 2026-01-05T12:00:00.000Z.`,
  })
  assert.equal(subjects.files.get('notes:tide'), '- b\n')
})

test('of two processes that decide at the same moment one wins, and the lines are added once', async (t) => {
  const path = await temporaryStore(t)
  const [one, two] = [await here(t, { tide: '' }, path), await here(t, { tide: '' }, path)]
  const second = createProposals({ store: two.store, subjects: one.subjects, clock: fixedClock({ prefix: 'b' }) })
  const proposal = await one.proposals.propose(draft, asked)
  const settled = await Promise.allSettled([confirm(one.proposals, proposal), confirm(second, proposal)])
  assert.deepEqual(settled.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected'])
  assert.equal(one.subjects.files.get('notes:tide'), '- b\n')
})

test('a declined proposal writes nothing, and its reason is kept', async (t) => {
  const { proposals, subjects } = await here(t, { tide: '- a\n' })
  const proposal = await proposals.propose(draft, asked)
  const declined = await proposals.decide(proposal.id, { ...decision(proposal, 'decline'), reason: 'Not true.' })
  const time = '2026-01-05T12:00:00.000Z'
  assert.deepEqual(declined, { ...proposal, state: { type: 'declined', by: 'cli', time, reason: 'Not true.' } })
  assert.deepEqual(await proposals.get(proposal.id), declined)
  assert.equal(subjects.files.get('notes:tide'), '- a\n')
})

test('proposals and decisions survive a restart', async (t) => {
  const path = await temporaryStore(t)
  const first = await here(t, { tide: '- a\n' }, path)
  const proposal = await first.proposals.propose(draft, asked)
  await first.store.close()
  const second = await here(t, Object.fromEntries([['tide', '- a\n']]), path)
  assert.deepEqual(await second.proposals.get(proposal.id), proposal)
  await confirm(second.proposals, proposal)
  await second.store.close()
  const third = await here(t, { tide: second.subjects.files.get('notes:tide')! }, path)
  assert.equal((await third.proposals.undo(proposal.id, 'cli')).state.type, 'undone')
  assert.equal(third.subjects.files.get('notes:tide'), '- a\n')
})

test('the very same draft of the same session is answered again, and not stored twice', async (t) => {
  const { proposals } = await here(t)
  const first = await proposals.propose(draft, asked)
  const again = await proposals.propose({ ...draft, content: '\n- b\n' }, { ...asked, turn: 't2', toolCallId: 'c2' })
  const other = await proposals.propose(draft, { ...asked, session: 's2' })
  assert.deepEqual(again, first)
  assert.notEqual(other.id, first.id)
  await confirm(proposals, first)
  assert.notEqual((await proposals.propose(draft, asked)).id, first.id)
})

test('proposals are listed in the order in which they were made, by their state where one is named', async (t) => {
  const { proposals } = await here(t)
  const [one, two, three] = [
    await proposals.propose(draft, asked),
    await proposals.propose({ ...draft, content: '- c' }, asked),
    await proposals.propose({ ...draft, content: '- d' }, asked),
  ]
  await confirm(proposals, two)
  const ids = async (state?: Proposal['state']['type']) =>
    (await proposals.list(state && { state })).map(({ id }) => id)
  assert.deepEqual(await ids(), [one.id, two.id, three.id])
  assert.deepEqual(await ids('waiting'), [one.id, three.id])
  assert.deepEqual(await ids('confirmed'), [two.id])
})

test('while a proposal waits, its difference is the one to the file as it is now', async (t) => {
  const { proposals, subjects } = await here(t, { tide: '- a\n' })
  const { id } = await proposals.propose(draft, asked)
  subjects.files.set('notes:tide', '- other\n')
  assert.match((await proposals.get(id)).diff, /^ - other$/m)
  const [listed] = await proposals.list()
  assert.match(listed!.diff, /^ - other$/m)
})

test('the list is limited to two hundred waiting proposals', async (t) => {
  const { proposals } = await here(t)
  for (let n = 0; n < 200; n++) await proposals.propose({ ...draft, content: `- ${n}` }, asked)
  await assert.rejects(proposals.propose({ ...draft, content: '- one more' }, asked), { code: 'invalid-input' })
  const [oldest] = await proposals.list()
  await proposals.decide(oldest!.id, decision(oldest!, 'decline'))
  await proposals.propose({ ...draft, content: '- one more' }, asked)
})

test('notes of an unknown subject cannot be proposed, and an unknown proposal cannot be decided', async (t) => {
  const { proposals } = await here(t)
  await assert.rejects(proposals.propose({ ...draft, subject: 'ebb' }, asked), { code: 'not-found' })
  assert.deepEqual(await proposals.list(), [])
  const unknown = {
    code: 'not-found',
    message: 'There is no proposal p1. List them with `foreword subjects proposals`.',
  }
  await assert.rejects(proposals.get('p1'), unknown)
  await assert.rejects(proposals.decide('p1', { type: 'confirm', digest: 'x', by: 'cli' }), unknown)
  await assert.rejects(proposals.undo('p1', 'cli'), unknown)
})

test('the audit records who asked, who decided, in which channel and why', async (t) => {
  const { proposals, store } = await here(t)
  const one = await proposals.propose(draft, asked)
  const two = await proposals.propose({ ...draft, content: '- c' }, asked)
  await confirm(proposals, one)
  await proposals.decide(two.id, { ...decision(two, 'decline'), by: 'http', reason: 'Not true.' })
  await proposals.undo(one.id, 'cli')
  const records = await store.audit()
  assert.deepEqual(
    records.map(({ decision: decided, rule, reason, digest }) => [decided, rule, reason, digest]),
    [
      ['asked', 'proposal', undefined, one.digest],
      ['asked', 'proposal', undefined, two.digest],
      ['approved', 'cli', undefined, one.digest],
      ['denied', 'http', 'Not true.', two.digest],
      [undefined, 'cli', 'taken back', one.digest],
    ],
  )
  const [{ kind, tool, session, turn, toolCallId, input }] = records as [(typeof records)[number]]
  assert.deepEqual([kind, tool, session, turn, toolCallId], ['change', 'propose_notes_update', 's1', 't1', 'c1'])
  assert.equal(input, `{"proposal":"${one.id}","file":"subjects/tide/notes.md"}`)
})

async function here(
  t: TestContext,
  notes: Readonly<Record<string, string>> = { tide: '' },
  path?: string,
): Promise<{ readonly proposals: Proposals; readonly subjects: SubjectFiles; readonly store: SessionStore }> {
  const store = await openStore({ clock: systemClock, path: path ?? (await temporaryStore(t)) })
  t.after(() => store.close())
  const subjects = subjectFiles(notes)
  return { proposals: createProposals({ store, subjects, clock: fixedClock() }), subjects, store }
}

function confirm(proposals: Proposals, proposal: Proposal): Promise<Proposal> {
  return proposals.decide(proposal.id, decision(proposal, 'confirm'))
}

function decision({ digest }: Proposal, type: ProposalDecision['type']): ProposalDecision {
  return { type, digest, by: 'cli' }
}
