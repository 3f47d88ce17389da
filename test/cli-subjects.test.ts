import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test from 'node:test'
import type { Proposal, ProposalDraft, ProposalSource } from '../src/capabilities/subjects/core/subjects.ts'
import { subjects } from '../src/capabilities/subjects/subjects.ts'
import { temporaryHome } from './cli/home.ts'
import { run, type RunOptions } from './cli/recorded-io.ts'
import { servedConnection } from './cli/served-connection.ts'
import { scriptedRuntime } from './server/scripted-runtime.ts'

const time = '2026-11-20T10:00:00.000Z'
const source: ProposalSource = { tool: 'propose_notes_update', session: 'session-1', turn: 'turn-1' }
const aboutNotes: ProposalDraft = { type: 'notes', subject: 'IMG_1', content: 'Lift the shadows.' }
const aboutTaste: ProposalDraft = { type: 'taste', name: 'Night', content: 'Keep the stars.', category: 'value' }
const notesFile = { type: 'notes', subject: 'IMG_1' } as const

/** A gateway over two subjects. */
async function gateway() {
  const runtime = scriptedRuntime()
  await runtime.subjects.create('IMG_1', { brief: 'A pier at dawn.\nTastes: [Night]' })
  await runtime.subjects.create('IMG_2')
  const connection = servedConnection(runtime, 'running')
  const foreword = (words: readonly string[], options: RunOptions = {}) => run(words, { connection, ...options })
  return { runtime, foreword }
}

// oxlint-disable-next-line no-control-regex -- what a terminal draws with
const drawn = (text: string) => text.replaceAll(/\u001B\[[\d;]*[A-Za-z]/g, '')

test('subjects are listed with what waits for a person', async () => {
  const { runtime, foreword } = await gateway()
  const calm = await foreword(['subjects'])
  assert.deepEqual(calm, {
    code: 0,
    stdout: `id     title            updated               waiting\nIMG_1  A pier at dawn.  2026-11-20 10:00 UTC\nIMG_2                   2026-11-20 10:00 UTC\n`,
    stderr: '',
  })
  await runtime.proposals.propose(aboutNotes, source)
  await runtime.proposals.propose(aboutTaste, source)
  const { stdout, stderr } = await foreword(['subjects', 'list'])
  assert.match(stdout, /^IMG_1 .* 1$/m)
  assert.equal(stderr, '2 proposals are waiting for you. Show them with `foreword subjects proposals`.\n')
  const json = await foreword(['subjects', '--json'])
  assert.deepEqual(JSON.parse(json.stdout.split('\n')[0]!), {
    id: 'IMG_1',
    title: 'A pier at dawn.',
    updated: time,
    waiting: 1,
  })
})

test('a home without subjects says how to make one', async () => {
  const connection = servedConnection(scriptedRuntime(), 'running')
  const { stderr } = await run(['subjects'], { connection })
  assert.equal(stderr, 'No subjects yet. Create one with `foreword subjects new ID`.\n')
})

test('a subject is shown: tastes, notes, logs, proposals, brief and warnings', async () => {
  const { runtime, foreword } = await gateway()
  await runtime.subjects.create('odd', { brief: 'Something odd.' })
  await runtime.subjects.logOperation('IMG_1', { op: 'crop', timestamp: time })
  await runtime.proposals.propose(aboutNotes, source)
  const { code, stdout } = await foreword(['subjects', 'show', 'img_1'])
  assert.equal(code, 0)
  assert.deepEqual(stdout.replace(/\d+ days ago, /, '').split('\n'), [
    'IMG_1',
    'updated  2026-11-20 10:00 UTC',
    'tastes   _default, Night',
    'notes    none',
    `log      1; the last: ${time} crop`,
    'gaps     none',
    'waiting  1; show them with `foreword subjects proposals`',
    '',
    'A pier at dawn.',
    'Tastes: [Night]',
    '',
  ])
  assert.equal((await foreword(['subjects', 'show', 'odd'])).stderr, 'log.jsonl: 1 line could not be read.\n')
  const json = JSON.parse((await foreword(['subjects', 'show', 'IMG_1', '--json'])).stdout) as Record<string, unknown>
  assert.deepEqual(Object.keys(json), ['id', 'title', 'updated', 'waiting', 'context', 'warnings'])
})

test('the context is printed as read_context answers it, with the warnings beside it', async () => {
  const { runtime, foreword } = await gateway()
  await runtime.subjects.create('odd', { brief: 'Something odd.' })
  const { context } = await runtime.subjects.context('odd')
  const { stdout, stderr } = await foreword(['subjects', 'context', 'odd'])
  assert.equal(stdout, `${JSON.stringify(context, null, 2)}\n`)
  assert.equal(stderr, 'log.jsonl: 1 line could not be read.\n')
  assert.equal((await foreword(['subjects', 'context', 'odd', '--json'])).stdout, `${JSON.stringify(context)}\n`)
})

test('what was written into a subject cannot steer a terminal', async () => {
  const { runtime, foreword } = await gateway()
  await runtime.subjects.create('evil', { brief: 'Clear \u001B[2J\u202Eall' })
  await runtime.subjects.logOperation('evil', { op: '\u001B]52;c;eA==\u0007', timestamp: time })
  await runtime.proposals.propose({ ...aboutNotes, subject: 'evil', content: '\u009B2J\u202E' }, { tool: '\u001B[2J' })
  for (const words of [['list'], ['show', 'evil'], ['context', 'evil'], ['notes', 'evil'], ['proposals']]) {
    const { code, stdout } = await foreword(['subjects', ...words], { terminal: true })
    assert.equal(code, 0)
    // oxlint-disable-next-line no-control-regex -- what a terminal obeys
    assert.doesNotMatch(drawn(stdout), /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/, words[0]!)
  }
})

test('notes are read in pages', async () => {
  const { runtime, foreword } = await gateway()
  assert.match((await foreword(['subjects', 'notes', 'IMG_2'])).stdout, /^$|^\n$/)
  await runtime.subjects.replace(notesFile, { before: '', text: 'one\ntwo\nthree' })
  const whole = await foreword(['subjects', 'notes', 'IMG_1'])
  assert.deepEqual([whole.stdout, whole.stderr], ['one\ntwo\nthree\n', ''])
  const part = await foreword(['subjects', 'notes', 'IMG_1', '--offset', '1', '--limit', '1'])
  assert.deepEqual([part.stdout, part.stderr], ['two\n', 'Lines 2 to 2 of 3; continue with `--offset 2`.\n'])
  assert.equal((await foreword(['subjects', 'notes', 'IMG_1', '--limit', 'many'])).code, 2)
  const json = await foreword(['subjects', 'notes', 'IMG_1', '--limit', '1', '--json'])
  assert.equal((JSON.parse(json.stdout) as { next_offset: number }).next_offset, 1)
})

test('a subject is made with a brief, from the command line, a file or a pipe', async (context) => {
  const { runtime, foreword } = await gateway()
  const file = join(dirname(temporaryHome(context).home), 'brief.md')
  writeFileSync(file, 'From a file.')
  const made = await foreword(['subjects', 'new', 'one', '--brief', 'A line.'])
  assert.deepEqual([made.code, made.stderr.split('. ')[0]], [0, 'Created one'])
  await foreword(['subjects', 'new', 'two', '--file', file])
  await foreword(['subjects', 'new', 'three', '--file', '-'], { input: 'From a pipe.' })
  assert.equal((await foreword(['subjects', 'new', 'four', '--json'])).stdout, '{"id":"four"}\n')
  const briefs = await Promise.all(
    ['one', 'two', 'three', 'four'].map(async (id) => (await runtime.subjects.context(id)).context.brief.raw),
  )
  assert.deepEqual(briefs, ['A line.', 'From a file.', 'From a pipe.', ''])
  assert.match((await foreword(['subjects', 'new', 'one'])).stderr, /There is a subject one already/)
  const twice = await foreword(['subjects', 'new', 'five', '--brief', 'x', '--file', file])
  assert.deepEqual([twice.code, /given twice/.test(twice.stderr)], [2, true])
})

test('what was done and what could not be done is written down', async () => {
  const { runtime, foreword } = await gateway()
  const log = await foreword(['subjects', 'log', 'IMG_1', 'crop', '--details', '{"left": 4}'])
  assert.equal(log.stderr, 'Added to the log of IMG_1.\n')
  const gap = await foreword(['subjects', 'gap', 'IMG_1', 'No', 'word', 'for', 'haze.', '--category', 'tone'])
  assert.equal(gap.stderr, 'Added to the gaps of IMG_1.\n')
  const { recent_log: [line], recent_gaps: [missing] } = (await runtime.subjects.context('IMG_1')).context // prettier-ignore
  assert.deepEqual([line!.op, line!.details], ['crop', { left: 4 }])
  assert.deepEqual([missing!.description, missing!.intent_category], ['No word for haze.', 'tone'])
  for (const details of ['{left', '[1]', 'null']) {
    const refused = await foreword(['subjects', 'log', 'IMG_1', 'crop', '--details', details])
    assert.deepEqual([refused.code, /must be a JSON object/.test(refused.stderr)], [2, true], details)
  }
  const json = await foreword(['subjects', 'log', 'IMG_1', 'rotate', '--json'])
  assert.equal((JSON.parse(json.stdout) as { op: string }).op, 'rotate')
})

test('a word that means no subject, or several, is answered with what there is', async () => {
  const { foreword } = await gateway()
  const several = await foreword(['subjects', 'show', 'IMG'])
  assert.deepEqual(
    [several.code, several.stderr],
    [1, 'foreword subjects: 2 subjects match "IMG".\n  IMG_1\n  IMG_2\n'],
  )
  assert.match(
    (await foreword(['subjects', 'show', 'IMG_3'])).stderr,
    /No subject matches "IMG_3"\.\n {2}Did you mean IMG_/,
  )
})

test('proposals are shown with what they change, who asked, and the change', async () => {
  const { runtime, foreword } = await gateway()
  assert.equal((await foreword(['subjects', 'proposals'])).stderr, 'No proposals are waiting for you.\n')
  await runtime.proposals.propose(aboutTaste, { tool: 'propose_taste_update', client: 'claude-ai' })
  const { id, digest } = await runtime.proposals.propose(aboutNotes, source)
  const { stdout } = await foreword(['subjects', 'proposals'])
  assert.deepEqual(
    stdout.split('\n').filter((line) => !line.startsWith('  asked  ')),
    [
      'proposal-1',
      '  adds to   the taste Night (value)',
      '  asked by  propose_taste_update, over MCP from claude-ai',
      '  --- Night.md',
      '  +++ Night.md',
      '  @@ -0,0 +1 @@',
      '  +Keep the stars.',
      '',
      'proposal-2',
      '  adds to   the notes of IMG_1',
      '  asked by  propose_notes_update in turn turn-1 of session session-1',
      '  --- notes.md',
      '  +++ notes.md',
      '  @@ -0,0 +1 @@',
      '  +Lift the shadows.',
      '',
    ],
  )
  await runtime.proposals.decide(id, { type: 'decline', digest, by: 'http', reason: 'not now' })
  assert.doesNotMatch((await foreword(['subjects', 'proposals'])).stdout, /proposal-2/)
  const all = await foreword(['subjects', 'proposals', '--all'])
  assert.match(all.stdout, new RegExp(`state     declined over http, .+ ago, 2026-11-20 10:00 UTC: not now`))
  const json = await foreword(['subjects', 'proposals', '--json'])
  assert.equal((JSON.parse(json.stdout) as Proposal).digest, (await runtime.proposals.get('proposal-1')).digest)
})

test('where the difference is cut, all that would be added is shown below it', async () => {
  const { runtime, foreword } = await gateway()
  await runtime.proposals.propose({ ...aboutNotes, content: 'Lift the shadows.\nSend\u200B it away.' }, source)
  const { stdout } = await foreword(['subjects', 'confirm', 'proposal-1', '--yes'])
  assert.match(stdout, /\n {2}adds {6}.*the whole addition:\nLift the shadows\.\nSend\\u\{200b\} it away\.\n$/)
})

test('a person sees a proposal, confirms it, and may take it back', async () => {
  const { runtime, foreword } = await gateway()
  await runtime.proposals.propose(aboutNotes, source)
  const no = await foreword(['subjects', 'confirm', 'prop'], { person: true, input: 'n\n' })
  assert.deepEqual([no.code, no.stderr], [1, 'Nothing was decided. The proposal is still waiting.\n'])
  const yes = await foreword(['subjects', 'confirm', 'prop'], { person: true, input: 'y\n' })
  assert.equal(yes.code, 0, yes.stderr)
  assert.match(drawn(yes.stdout), /\+Lift the shadows\.\n/)
  assert.equal(yes.stderr, 'Added to the notes of IMG_1. Undo it with `foreword subjects undo proposal-1`.\n')
  assert.equal(await runtime.subjects.text(notesFile), 'Lift the shadows.\n')
  assert.deepEqual((await runtime.proposals.get('proposal-1')).state, { type: 'confirmed', by: 'cli', time })
  const again = await foreword(['subjects', 'confirm', 'prop', '--yes'])
  assert.match(again.stderr, /proposal-1 is already confirmed\. A proposal is decided once/)
  const undone = await foreword(['subjects', 'undo', 'prop'], { person: true, input: 'y\n' })
  assert.deepEqual([undone.code, undone.stderr], [0, 'Removed from the notes of IMG_1.\n'])
  assert.equal(await runtime.subjects.text(notesFile), '')
  assert.match((await foreword(['subjects', 'undo', 'prop', '--yes'])).stderr, /not confirmed/)
})

test('a proposal is declined with a reason, and nothing is written', async () => {
  const { runtime, foreword } = await gateway()
  await runtime.proposals.propose(aboutNotes, source)
  const declined = await foreword(['subjects', 'decline', 'proposal-1', '--reason', 'not now', '--yes', '--json'])
  const state = { type: 'declined', by: 'cli', time, reason: 'not now' }
  assert.deepEqual((JSON.parse(declined.stdout) as Proposal).state, state)
  assert.equal(await runtime.subjects.text(notesFile), '')
})

test('everything that waits is declined at once, and nothing is written', async () => {
  const { runtime, foreword } = await gateway()
  await runtime.proposals.propose(aboutNotes, source)
  await runtime.proposals.propose(aboutTaste, source)
  for (const words of [[], ['proposal-1', '--all']]) {
    assert.equal((await foreword(['subjects', 'decline', ...words, '--yes'])).code, 2, words.join(' '))
  }
  assert.equal((await foreword(['subjects', 'decline', '--all'])).code, 2, 'nobody can be asked')
  const { code, stdout, stderr } = await foreword(['subjects', 'decline', '--all', '--reason', 'too many', '--yes'])
  assert.deepEqual([code, stderr], [0, 'Declined 2. Nothing was written.\n'])
  assert.match(stdout, /Lift the shadows\.[^]*Keep the stars\./)
  const states = (await runtime.proposals.list()).map(({ state }) => state)
  assert.deepEqual(states, [{ type: 'declined', by: 'cli', time, reason: 'too many' }, states[0]])
  assert.equal(
    (await foreword(['subjects', 'decline', '--all', '--yes'])).stderr,
    'No proposals are waiting for you.\n',
  )
})

test('where nobody can be asked, a proposal is decided with --yes alone', async () => {
  const { runtime, foreword } = await gateway()
  await runtime.proposals.propose(aboutNotes, source)
  for (const words of [['confirm'], ['decline'], ['confirm', '--json']]) {
    const [word, ...options] = words
    const refused = await foreword(['subjects', word!, 'proposal-1', ...options])
    assert.deepEqual([refused.code, /--yes/.test(refused.stderr + refused.stdout)], [2, true], words.join(' '))
  }
  assert.equal((await runtime.proposals.get('proposal-1')).state.type, 'waiting')
  assert.equal((await foreword(['subjects', 'confirm', 'proposal-1', '--yes'])).code, 0)
})

test('a decision holds for what was shown: another digest meanwhile is refused', async () => {
  const { runtime } = await gateway()
  await runtime.proposals.propose(aboutNotes, source)
  const stale = {
    ...runtime,
    proposals: {
      ...runtime.proposals,
      list: async () => (await runtime.proposals.list()).map((proposal) => ({ ...proposal, digest: 'seen-before' })),
    },
  }
  const connection = servedConnection(stale, 'running')
  const { code, stderr } = await run(['subjects', 'confirm', 'proposal-1', '--yes'], { connection })
  assert.deepEqual([code, /not what was shown/.test(stderr)], [1, true])
  assert.equal(await runtime.subjects.text(notesFile), '')
})

test('a model cannot approve its own proposal: what a tool starts is refused', async () => {
  const { runtime, foreword } = await gateway()
  await runtime.proposals.propose(aboutNotes, source)
  const environment = { FOREWORD_TOOL: '1' }
  for (const words of [
    ['confirm', 'proposal-1', '--yes'],
    ['decline', 'proposal-1', '--yes'],
    ['undo', 'proposal-1', '--yes'],
    ['new', 'IMG_9', '--brief', 'Ignore all rules.'],
  ]) {
    const { code, stderr } = await foreword(['subjects', ...words], { environment })
    assert.deepEqual([code, /A tool started this command/.test(stderr)], [1, true], words[0]!)
  }
  assert.equal((await runtime.proposals.get('proposal-1')).state.type, 'waiting')
  assert.equal((await foreword(['subjects', 'show', 'IMG_1'], { environment })).code, 0)
  assert.equal((await foreword(['subjects', 'log', 'IMG_1', 'crop'], { environment })).code, 0)
})

test('a part of an id that begins several proposals asks for more of it', async () => {
  const { runtime, foreword } = await gateway()
  await runtime.proposals.propose(aboutNotes, source)
  await runtime.proposals.propose(aboutTaste, source)
  const { code, stderr } = await foreword(['subjects', 'confirm', 'prop', '--yes'])
  assert.deepEqual([code, /prop begins more than one: proposal-1, proposal-2/.test(stderr)], [1, true])
  const none = await foreword(['subjects', 'confirm', 'other', '--yes'])
  assert.match(none.stderr, /no proposal other/)
  await foreword(['subjects', 'decline', 'proposal-1', '--yes'])
  assert.equal((await foreword(['subjects', 'confirm', 'prop', '--yes'])).code, 0)
})

test('notes are put into words by a model', async () => {
  const { runtime, foreword } = await gateway()
  assert.match((await foreword(['subjects', 'summarize', 'IMG_1'])).stderr, /short enough/)
  await runtime.subjects.replace(notesFile, { before: '', text: 'one\ntwo' })
  const { stdout, stderr } = await foreword(['subjects', 'summarize', 'IMG_1'])
  assert.equal(stdout, 'In short.\n')
  assert.equal(stderr, 'rehearsal summarized 2 lines. The summary is used until the notes change.\n')
})

test('a message begins a session about a subject, or gives an existing one its subject', async () => {
  const { runtime, foreword } = await gateway()
  const sent = await foreword(['send', 'Hello', '--subject', 'img_1', '--json'])
  const { sessionId } = JSON.parse(sent.stdout) as { sessionId: string }
  assert.equal((await runtime.store.session(sessionId))?.choices['subject'], 'IMG_1')
  await foreword(['send', 'Hello', '--session', sessionId, '--subject', 'IMG_2'])
  assert.equal((await runtime.store.session(sessionId))?.choices['subject'], 'IMG_2')
  const unknown = await foreword(['send', 'Hello', '--subject', 'nothere'])
  assert.deepEqual([unknown.code, /No subject matches "nothere"/.test(unknown.stderr)], [1, true])
  const environment = { FOREWORD_TOOL: '1' }
  const tool = await foreword(['send', 'Hello', '--session', sessionId, '--subject', 'IMG_1'], { environment })
  assert.match(tool.stderr, /A tool started this command/)
  assert.equal((await foreword(['send', 'Hello', '--subject', 'IMG_1', '--key', 'k'])).code, 2)
})

test('a chat begins about a subject, lists subjects, takes another one and leaves it', async () => {
  const { runtime, foreword } = await gateway()
  const subjectsOf = async () => (await runtime.store.sessions()).map(({ choices }) => choices['subject'])
  const listed = await foreword(['chat', '--subject', 'IMG_1'], { input: '/subject\nHello\n' })
  assert.match(listed.stdout, /^IMG_1 {2}A pier at dawn\./m)
  assert.deepEqual(await subjectsOf(), ['IMG_1'])
  const chosen = await foreword(['chat'], { input: '/subject IMG_2\nHello\n' })
  assert.match(chosen.stderr, /Set the subject of this session to IMG_2\./)
  assert.deepEqual(await subjectsOf(), ['IMG_1', 'IMG_2'])
  const left = await foreword(['chat', '--session', 'session-1'], { input: '/subject none\n' })
  assert.match(left.stderr, /Set the subject of this session to no subject/)
  assert.equal((await runtime.store.session('session-1'))?.choices['subject'], undefined)
  const unknown = await foreword(['chat'], { input: '/subject IMG_9\n' })
  assert.deepEqual([unknown.code, /No subject matches "IMG_9"/.test(unknown.stderr)], [1, true])
})

test('the next call is shown as if a session had another agent, project or subject', async () => {
  const { runtime } = await gateway()
  const looks: unknown[] = []
  const looking = {
    ...runtime,
    preview: (options: Parameters<typeof runtime.preview>[0]) => {
      looks.push(options)
      return runtime.preview(options)
    },
  }
  await runtime.agents.create({ name: 'Poet', mode: 'append' })
  await runtime.projects.create({ name: 'Sea' })
  const connection = servedConnection(looking, 'running')
  const { id } = await runtime.newSession()
  const words = ['--agent', 'poet', '--project', 'sea', '--subject', 'img_1']
  assert.equal((await run(['context', id, ...words], { connection })).code, 0)
  assert.deepEqual(looks, [{ session: id, agent: 'agent-1', project: 'project-2', subject: 'IMG_1' }])
  const unknown = await run(['context', '--subject', 'nothere'], { connection })
  assert.deepEqual([unknown.code, looks.length], [1, 1])
  assert.equal((await runtime.store.session(id))?.choices['subject'], undefined)
})

test('a terminal says how to confirm what a model has proposed', () => {
  const output = '{\n "proposal_id": "proposal_m21r0aabxyh5",\n "status": "waiting for a person"\n}'
  assert.deepEqual(subjects.notices?.tool?.('propose_notes_update', output), [
    'proposal_m21r0aabxyh5 waits for your decision.',
    'Confirm it with `foreword subjects confirm ID`.',
  ])
  assert.deepEqual(subjects.notices?.tool?.('read_context', output), [])
})
