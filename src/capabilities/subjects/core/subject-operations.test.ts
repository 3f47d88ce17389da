import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { after } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { openSubjects } from './open-subjects.ts'
import { type SubjectOperation, subjectOperations } from './subject-operations.ts'
import type { Proposal, ProposalDraft, Proposals, ProposalSource } from './subjects.ts'
import { systemClock } from '../../../platform.ts'
import { inputFault } from '../../../tool.ts'

const home = await mkdtemp(join(tmpdir(), 'foreword-operations-'))
after(() => rm(home, { recursive: true, force: true }))

const subjects = openSubjects({
  clock: systemClock,
  directory: join(home, 'subjects'),
  tastes: join(home, 'tastes'),
  maxTextChars: 20_000,
})
await subjects.create('reef', { brief: '# Reef\nTastes: wide, underwater\n' })
await mkdir(join(home, 'tastes'))
await writeFile(join(home, 'tastes', 'wide.md'), 'calm\n')
await writeFile(join(home, 'tastes', 'underwater.md'), 'calm\n')
await writeFile(join(home, 'subjects', 'reef', 'notes.md'), 'note\n'.repeat(300))

const asked: { readonly draft: ProposalDraft; readonly by: ProposalSource }[] = []
const proposals: Pick<Proposals, 'propose'> = {
  propose: async (draft, by) => {
    asked.push({ draft, by })
    const known = { id: 'p1', diff: '+x', digest: 'd1' }
    if (draft.type === 'notes') return { ...known, file: { type: 'notes', subject: draft.subject } } as Proposal
    return { ...known, file: { type: 'taste', name: draft.name }, category: draft.category } as Proposal
  },
}
const operations = subjectOperations({ subjects, proposals, time: () => '2026-11-01T10:00:00.000Z' })

function operation(name: string): SubjectOperation {
  return operations.find((one) => one.name === name)!
}

test('six operations are offered in a fixed order, and none of them confirms anything', () => {
  assert.deepEqual(
    operations.map(({ name, readOnly }) => `${name}${readOnly ? ' (reads)' : ''}`),
    [
      'read_context (reads)',
      'read_full_notes (reads)',
      'log_operation',
      'log_gap',
      'propose_taste_update',
      'propose_notes_update',
    ],
  )
})

const faults: readonly (readonly [string, Record<string, unknown>, RegExp | undefined])[] = [
  ['read_context', { image_id: 'reef' }, undefined],
  ['read_context', { subject_id: 'reef' }, undefined],
  ['read_context', { image_id: 'reef', subject_id: 'reef' }, undefined],
  ['read_context', {}, /^missing image_id/],
  ['read_context', { image_id: 'reef', subject_id: 'wreck' }, /name different subjects/],
  ['read_context', { image_id: '../reef' }, /^image_id is no id of a subject/],
  ['read_context', { subject_id: '' }, /^subject_id is no id of a subject/],
  ['read_context', { image_id: 5 }, /^image_id must be a string/],
  ['read_context', { image_id: null }, /^image_id must be a string/],
  ['read_context', { image_id: 'reef', deep: true }, /deep/],
  ['read_full_notes', { image_id: 'reef', offset: 0, limit: 1 }, undefined],
  ['read_full_notes', { image_id: 'reef', offset: -1 }, /offset/],
  ['read_full_notes', { image_id: 'reef', offset: '1' }, /offset/],
  ['read_full_notes', { image_id: 'reef', limit: 0 }, /limit/],
  ['read_full_notes', { image_id: 'reef', limit: 1.5 }, /limit/],
  ['log_operation', { image_id: 'reef', op: 'crop' }, undefined],
  ['log_operation', { image_id: 'reef', op: 'crop', details: { x: 1 } }, undefined],
  ['log_operation', { image_id: 'reef' }, /op/],
  ['log_operation', { image_id: 'reef', op: 1 }, /op/],
  ['log_operation', { image_id: 'reef', op: 'crop', details: [] }, /details/],
  ['log_gap', { image_id: 'reef', description: 'no masks' }, undefined],
  ['log_gap', { image_id: 'reef', description: 'no masks', satisfaction: -1, vocabulary_used: ['x'] }, undefined],
  ['log_gap', { image_id: 'reef' }, /description/],
  ['log_gap', { image_id: 'reef', description: 'x', intent: 1 }, /intent/],
  ['log_gap', { image_id: 'reef', description: 'x', vocabulary_used: 'x' }, /vocabulary_used/],
  ['log_gap', { image_id: 'reef', description: 'x', vocabulary_used: ['x', 7] }, /vocabulary_used/],
  ...[true, 'fine', '1', 0.5, 2].map(
    (satisfaction) => ['log_gap', { image_id: 'reef', description: 'x', satisfaction }, /satisfaction/] as const,
  ),
  ['log_gap', { image_id: 'reef', description: 'x', timestamp: 'now' }, /timestamp/],
  ['propose_taste_update', { content: 'calm', category: 'value' }, undefined],
  ['propose_taste_update', { content: 'calm', category: 'process', file: 'wide' }, undefined],
  ['propose_taste_update', { content: 'calm', category: 'appearance', file: 'wide.md' }, undefined],
  ['propose_taste_update', { content: 'calm' }, /category/],
  ['propose_taste_update', { content: 'calm', category: 'mood' }, /category/],
  ['propose_taste_update', { category: 'value' }, /content/],
  ['propose_taste_update', { content: 'x'.repeat(20_001), category: 'value' }, /content/],
  ['propose_taste_update', { content: 'calm', category: 'value', file: '../notes.md' }, /^file is no name of a taste/],
  ['propose_taste_update', { content: 'calm', category: 'value', file: '.md' }, /^file is no name of a taste/],
  ['propose_taste_update', { content: 'calm', category: 'value', file: 7 }, /file/],
  ['propose_notes_update', { image_id: 'reef', content: 'x'.repeat(20_000) }, undefined],
  ['propose_notes_update', { content: 'calm' }, /^missing image_id/],
  ['propose_notes_update', { image_id: 'reef' }, /content/],
]

for (const [name, input, fault] of faults) {
  const shown = JSON.stringify(input).slice(0, 80)
  test(`${name} ${shown}: ${fault === undefined ? 'nothing is wrong' : `says ${fault.source}`}`, async () => {
    const { faultOf, inputSchema } = operation(name)
    const found = faultOf(input) ?? (await inputFault(inputSchema, input, name))
    if (fault === undefined) assert.equal(found, undefined)
    else assert.match(found ?? '', fault)
  })
}

const blank: readonly (readonly [string, Record<string, unknown>, RegExp])[] = [
  ['log_operation', { image_id: 'reef', op: ' ' }, /^op says nothing/],
  ['log_operation', { image_id: 'reef', op: 'crop', details: { op: 1 } }, /^details cannot have a key op/],
  ['log_gap', { image_id: 'reef', description: ' ' }, /^description says nothing/],
]

for (const [name, input, message] of blank) {
  test(`${name} ${JSON.stringify(input)} writes nothing`, async () => {
    const before = await filesBelow(home)
    await assert.rejects(operation(name).run(input, {}), { code: 'invalid-input', message })
    assert.deepEqual(await filesBelow(home), before)
  })
}

const calls: readonly (readonly [string, Record<string, unknown>])[] = [
  ['log_operation', { image_id: 'reef', op: 'crop', details: { ratio: '4:3' } }],
  ['log_gap', { image_id: 'reef', description: 'no masks', intent: 'lift the fish' }],
  ['read_context', { image_id: 'reef' }],
  ['read_full_notes', { subject_id: 'reef', offset: 250 }],
  ['read_full_notes', { subject_id: 'reef', limit: 3 }],
  ['propose_taste_update', { content: 'calm', category: 'value', file: 'wide.md' }],
  ['propose_notes_update', { image_id: 'reef', content: 'a wrasse' }],
]

test('what an operation answers satisfies its schema', async () => {
  for (const [name, input] of calls) {
    const { data } = await operation(name).run(input, { session: 's1' })
    const check = new Ajv2020({ allErrors: true }).compile(operation(name).outputSchema)
    assert.ok(check(data), `${name}: ${JSON.stringify(check.errors)}`)
    assert.deepEqual(JSON.parse(JSON.stringify(data)), data)
  }
})

test('read_context answers with the context and nothing else, and tells what is odd beside it', async () => {
  await writeFile(join(home, 'subjects', 'reef', 'vocabulary_gaps.jsonl'), 'broken\n', { flag: 'a' })
  const { data, warnings } = await operation('read_context').run({ image_id: 'reef' }, {})
  assert.deepEqual(Object.keys(data), ['tastes', 'brief', 'notes', 'recent_log', 'recent_gaps'])
  assert.deepEqual(warnings, ['vocabulary_gaps.jsonl: 1 line is no JSON object and was skipped.'])
})

test('what was logged is read back, with the time and the session of the call', async () => {
  await operation('log_operation').run({ subject_id: 'reef', op: 'exposure', details: { stops: 1 } }, {})
  await operation('log_gap').run({ image_id: 'reef', description: 'no curves' }, { session: 's1' })
  await operation('log_gap').run({ image_id: 'reef', description: 'no dodge', session_id: 's0' }, { session: 's1' })
  const { context } = await subjects.context('reef')
  assert.deepEqual(context.recent_log[0], {
    timestamp: '2026-11-01T10:00:00.000Z',
    op: 'exposure',
    details: { stops: 1 },
  })
  assert.deepEqual(
    context.recent_gaps.slice(0, 2).map(({ description, session_id, image_id }) => [description, session_id, image_id]),
    [
      ['no dodge', 's0', 'reef'],
      ['no curves', 's1', 'reef'],
    ],
  )
})

test('a proposal says who asked, what waits and how a person confirms it, and writes nothing', async () => {
  const before = await filesBelow(home)
  asked.length = 0
  const by = { session: 's1', turn: 't1', toolCallId: 'c1' }
  const input = { content: 'calm', category: 'value' }
  assert.deepEqual(await operation('propose_taste_update').run(input, by), {
    data: {
      proposal_id: 'p1',
      status: 'waiting for a person',
      file: 'tastes/_default.md',
      category: 'value',
      diff: '+x',
      digest: 'd1',
      confirm: 'foreword subjects confirm p1',
    },
    warnings: [],
  })
  await operation('propose_taste_update').run({ ...input, file: 'wide.md' }, by)
  const note = { subject_id: 'reef', content: 'a wrasse' }
  const { data } = await operation('propose_notes_update').run(note, { client: 'studio' })
  assert.deepEqual([data['file'], data['category']], ['subjects/reef/notes.md', null])
  assert.deepEqual(asked, [
    {
      draft: { type: 'taste', name: '_default', content: 'calm', category: 'value' },
      by: { ...by, tool: 'propose_taste_update' },
    },
    {
      draft: { type: 'taste', name: 'wide', content: 'calm', category: 'value' },
      by: { ...by, tool: 'propose_taste_update' },
    },
    {
      draft: { type: 'notes', subject: 'reef', content: 'a wrasse' },
      by: { client: 'studio', tool: 'propose_notes_update' },
    },
  ])
  assert.deepEqual(await filesBelow(home), before)
})

test('an id without a folder is not found', async () => {
  for (const name of ['read_context', 'read_full_notes', 'log_operation', 'log_gap'] as const) {
    const input = { image_id: 'wreck', op: 'x', description: 'x' }
    await assert.rejects(operation(name).run(input, {}), { name: 'SubjectError', code: 'not-found' })
  }
})

async function filesBelow(folder: string): Promise<readonly (readonly [string, string])[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return Promise.all(paths.toSorted().map(async (path) => [path, await readFile(path, 'utf8')] as const))
}
