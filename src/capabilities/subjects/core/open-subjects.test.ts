import assert from 'node:assert/strict'
import { chmod, mkdir, mkdtemp, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { after } from 'node:test'
import { openSubjects } from './open-subjects.ts'
import type { Subjects, SubjectsOptions, SummaryRequest } from './subjects.ts'
import { systemClock } from '../../../platform.ts'

const homes: string[] = []
after(() => Promise.all(homes.map((home) => rm(home, { recursive: true, force: true }))))

interface Home {
  readonly subjects: Subjects
  /** Of the subject `reef`, whose folder is there. */
  file(name: string): string
  readonly path: string
}

async function newHome(options: Partial<SubjectsOptions> = {}): Promise<Home> {
  const path = await mkdtemp(join(tmpdir(), 'foreword-subjects-'))
  homes.push(path)
  await mkdir(join(path, 'subjects', 'reef'), { recursive: true })
  await mkdir(join(path, 'tastes'))
  const places = { directory: join(path, 'subjects'), tastes: join(path, 'tastes') }
  return {
    path,
    subjects: openSubjects({ clock: systemClock, ...places, maxTextChars: 20_000, ...options }),
    file: (name) => join(path, 'subjects', 'reef', name),
  }
}

test('where there is no folder of subjects there are none, and none is found', async () => {
  const { path } = await newHome()
  const subjects = openSubjects({
    clock: systemClock,
    directory: join(path, 'no'),
    tastes: join(path, 'no either'),
    maxTextChars: 20_000,
  })
  assert.deepEqual([await subjects.list(), await subjects.any()], [[], false])
  await assert.rejects(subjects.context('reef'), { code: 'not-found' })
})

test('an empty folder is a fresh subject, without tastes too', async () => {
  const { subjects, path } = await newHome()
  await rm(join(path, 'tastes'), { recursive: true })
  assert.deepEqual(await subjects.context('reef'), {
    id: 'reef',
    context: {
      tastes: { default: '', genres: {}, conflicts: [] },
      brief: { raw: '', intent: '', tastes: [] },
      notes: { summary: '', truncated: false },
      recent_log: [],
      recent_gaps: [],
    },
    warnings: [],
  })
  assert.deepEqual(await subjects.notes('reef'), { text: '', offset: 0, lines: 0, total: 0, next_offset: null })
})

test('a subject is read from its files and from the tastes that its brief declares', async () => {
  const { subjects, file, path } = await newHome()
  await writeFile(file('brief.md'), '# Reef\nTastes: [wide, "none"]\nCalm.')
  await writeFile(file('notes.md'), 'a wrasse\n')
  await writeFile(file('log.jsonl'), '{"op":"crop"}\n')
  await writeFile(join(path, 'tastes', '_default.md'), 'nothing loud')
  await writeFile(join(path, 'tastes', 'wide.md'), 'wide')
  const { context, warnings } = await subjects.context('reef')
  assert.deepEqual(context.tastes, { default: 'nothing loud', genres: { wide: 'wide' }, conflicts: [] })
  assert.equal(context.brief.intent, '# Reef\nCalm.')
  assert.deepEqual(context.notes, { summary: 'a wrasse\n', truncated: false })
  assert.deepEqual(context.recent_log, [{ timestamp: '', op: 'crop', details: {} }])
  assert.deepEqual(warnings, ['brief.md declares the taste none, and there is no file none.md.'])
})

test('a folder in the place of each file costs its text and nothing else', async () => {
  const { subjects, file, path } = await newHome()
  for (const name of ['brief.md', 'notes.md', 'log.jsonl', 'vocabulary_gaps.jsonl']) await mkdir(file(name))
  await mkdir(join(path, 'tastes', '_default.md'))
  const { context, warnings } = await subjects.context('reef')
  assert.equal(context.brief.raw, '')
  assert.deepEqual(warnings, [
    'brief.md of the subject reef cannot be read: it is a folder, not a file.',
    '_default.md of the tastes cannot be read: it is a folder, not a file.',
    'notes.md of the subject reef cannot be read: it is a folder, not a file.',
    'log.jsonl of the subject reef cannot be read: it is a folder, not a file.',
    'vocabulary_gaps.jsonl of the subject reef cannot be read: it is a folder, not a file.',
  ])
})

test('a file without permission costs its text and nothing else', { skip: process.getuid?.() === 0 }, async () => {
  const { subjects, file } = await newHome()
  await writeFile(file('notes.md'), 'secret')
  await chmod(file('notes.md'), 0)
  const { context, warnings } = await subjects.context('reef')
  assert.equal(context.notes.summary, '')
  assert.deepEqual(warnings, ['notes.md of the subject reef cannot be read: there is no permission.'])
})

test('links that lead out are not followed and are reported, and links inside the subjects are followed', async () => {
  const { subjects, file, path } = await newHome()
  await writeFile(join(path, 'secret.md'), 'secret')
  await mkdir(join(path, 'subjects', 'shared'))
  await writeFile(join(path, 'subjects', 'shared', 'brief.md'), 'shared')
  await symlink(join(path, 'secret.md'), file('notes.md'))
  await symlink('../shared/brief.md', file('brief.md'))
  await symlink(join(path, 'nowhere'), file('log.jsonl'))
  await symlink(file('vocabulary_gaps.jsonl'), file('vocabulary_gaps.jsonl'))
  await symlink(join(path, 'secret.md'), join(path, 'tastes', '_default.md'))
  const { context, warnings } = await subjects.context('reef')
  assert.ok(!JSON.stringify(context).includes('secret'))
  assert.equal(context.brief.raw, 'shared')
  assert.deepEqual(warnings, [
    '_default.md of the tastes cannot be read: it is a link that leads out.',
    'notes.md of the subject reef cannot be read: it is a link that leads out.',
    'log.jsonl of the subject reef cannot be read: it is a link that leads nowhere.',
    'vocabulary_gaps.jsonl of the subject reef cannot be read: its links lead in a circle.',
  ])
  assert.equal((await subjects.notes('reef')).text, '')
  const reef = { type: 'notes', subject: 'reef' } as const
  await assert.rejects(subjects.text(reef), { code: 'unwritable' })
  await assert.rejects(subjects.replace(reef, { before: 'secret', text: 'x' }), { code: 'unwritable' })
  await assert.rejects(subjects.logOperation('reef', { op: 'x', timestamp: 't' }), { code: 'unwritable' })
  assert.equal(await readFile(join(path, 'secret.md'), 'utf8'), 'secret')
})

test('a subject that is a link out of the folder, or a file, is not found', async () => {
  const { subjects, path } = await newHome()
  await mkdir(join(path, 'outside'))
  await symlink(join(path, 'outside'), join(path, 'subjects', 'away'))
  await writeFile(join(path, 'subjects', 'file'), '')
  for (const id of ['away', 'file', '..', '.', '', '../outside', 'reef/..', 'x'.repeat(5_000), 'a\0b']) {
    await assert.rejects(subjects.context(id), { code: 'not-found' }, id)
    await assert.rejects(subjects.notes(id), { code: 'not-found' }, id)
    await assert.rejects(subjects.logOperation(id, { op: 'x', timestamp: 't' }), { code: 'not-found' }, id)
  }
  assert.deepEqual(
    (await subjects.list()).map(({ id }) => id),
    ['reef'],
  )
  assert.equal(await subjects.any(), true)
  await rm(join(path, 'subjects', 'reef'), { recursive: true })
  assert.equal(await subjects.any(), false)
})

test('invalid UTF-8 is replaced, and a byte order mark does no harm', async () => {
  const { subjects, file } = await newHome()
  await writeFile(file('brief.md'), Buffer.concat([Buffer.from('\uFEFFTastes: a\ncaf'), Buffer.from([0xe9])]))
  await writeFile(
    file('log.jsonl'),
    Buffer.concat([Buffer.from('\uFEFF{"op":"'), Buffer.from([0xff]), Buffer.from('"}')]),
  )
  const { context } = await subjects.context('reef')
  assert.equal(context.brief.intent, 'caf\uFFFD')
  assert.deepEqual(context.brief.tastes, ['a'])
  assert.equal(context.recent_log[0]!.op, '\uFFFD')
})

test('of a huge log only the end is read, and its last records are all there', async () => {
  const { subjects, file } = await newHome()
  const line = (at: number) => `${JSON.stringify({ op: `op ${at}`, text: 'é'.repeat(100) })}\n`
  await writeFile(file('log.jsonl'), `broken\n${Array.from({ length: 20_000 }, (_, at) => line(at)).join('')}`)
  // So long that a first look at the end does not hold ten of them.
  const gap = (at: number) => `${JSON.stringify({ description: `gap ${at}`, notes: 'x'.repeat(90_000) })}\n`
  await writeFile(file('vocabulary_gaps.jsonl'), Array.from({ length: 30 }, (_, at) => gap(at)).join(''))
  const { context, warnings } = await subjects.context('reef')
  assert.deepEqual(
    context.recent_log.map(({ op }) => op),
    Array.from({ length: 10 }, (_, at) => `op ${19_999 - at}`),
  )
  assert.deepEqual(
    context.recent_gaps.map(({ description }) => description),
    Array.from({ length: 10 }, (_, at) => `gap ${29 - at}`),
  )
  assert.deepEqual(warnings, [])
})

test('a text of more than 8 MiB is not read, with a warning', async () => {
  const { subjects, file } = await newHome()
  await writeFile(file('notes.md'), Buffer.alloc(8 * 1024 * 1024 + 1, 'x'))
  const { warnings } = await subjects.context('reef')
  assert.deepEqual(warnings, [
    'notes.md of the subject reef cannot be read: it holds 8388609 bytes, and at most 8388608 are read.',
  ])
})

test('subjects are listed by id with their title and when they were last changed', async () => {
  const { subjects, file, path } = await newHome()
  await mkdir(join(path, 'subjects', '.git'))
  await mkdir(join(path, 'subjects', 'no id'))
  await mkdir(join(path, 'subjects', 'Boat'))
  await writeFile(file('brief.md'), '\n---\nTastes: wide\n## The reef at noon\nCalm.')
  await writeFile(file('notes.md'), 'x')
  await utimes(file('brief.md'), 1_700_000_000, 1_700_000_000)
  await utimes(file('notes.md'), 1_800_000_000, 1_800_000_000)
  const [boat, reef, ...others] = await subjects.list()
  assert.deepEqual(reef, { id: 'reef', title: 'The reef at noon', updated: '2027-01-15T08:00:00.000Z' })
  assert.deepEqual([boat?.id, boat?.title, others], ['Boat', '', []])
})

test('a new subject is a folder for its owner alone, with its brief; there is only one of an id', async () => {
  const { subjects, path } = await newHome()
  const directory = join(path, 'new', 'subjects')
  const fresh = openSubjects({ clock: systemClock, directory, tastes: join(path, 'tastes'), maxTextChars: 20_000 })
  await fresh.create('reef', { brief: 'Calm.' })
  assert.equal(await readFile(join(directory, 'reef', 'brief.md'), 'utf8'), 'Calm.')
  assert.equal((await stat(join(directory, 'reef', 'brief.md'))).mode & 0o777, 0o600)
  assert.equal((await stat(join(directory, 'reef'))).mode & 0o777, 0o700)
  await assert.rejects(fresh.create('reef', { brief: 'Loud.' }), {
    code: 'exists',
    message: /There is a subject reef already/,
  })
  assert.equal((await fresh.context('reef')).context.brief.raw, 'Calm.')
  const both = await Promise.allSettled([fresh.create('boat'), fresh.create('boat')])
  assert.deepEqual(both.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected'])
  for (const id of ['', '..', 'a/b', 'x'.repeat(201), '.hidden', '.lock'])
    await assert.rejects(subjects.create(id), { code: 'invalid-input' })
})

test('a folder of subjects that cannot be created is reported', async () => {
  const { path } = await newHome()
  await writeFile(join(path, 'file'), '')
  const places = { directory: join(path, 'file'), tastes: join(path, 'file') }
  const subjects = openSubjects({ clock: systemClock, ...places, maxTextChars: 20_000 })
  await assert.rejects(subjects.create('reef'), {
    code: 'unwritable',
    message: /^the subject reef cannot be written: /,
  })
  await assert.rejects(subjects.replace({ type: 'taste', name: 'a' }, { before: '', text: 'x' }), {
    code: 'unwritable',
  })
  assert.deepEqual(await subjects.list(), [])
})

test('notes of more than 40 lines are shown as their summary', async () => {
  const requests: SummaryRequest[] = []
  const { subjects, file } = await newHome({
    summaryOf: async (notes) => {
      requests.push(notes)
      return 'A wrasse, mostly.'
    },
  })
  await writeFile(file('notes.md'), 'note\n'.repeat(40))
  assert.equal((await subjects.context('reef')).context.notes.truncated, false)
  assert.deepEqual(requests, [])
  await writeFile(file('notes.md'), 'note\n'.repeat(41))
  assert.deepEqual((await subjects.context('reef')).context.notes, { summary: 'A wrasse, mostly.', truncated: true })
  assert.deepEqual(requests, [
    {
      subject: 'reef',
      text: 'note\n'.repeat(41),
      lines: 41,
      sha256: '64fd4211018b890181ad23e1467539c848ad061b9585895709dde415f418612f',
    },
  ])
})

for (const [what, summaryOf] of [
  ['without an answer', async () => undefined],
  ['with a blank answer', async () => ' \n'],
  ['that fails', () => Promise.reject(new Error('no model'))],
] as const) {
  test(`a summary ${what} leaves the beginning and the end of the notes`, async () => {
    const { subjects, file } = await newHome({ summaryOf })
    await writeFile(file('notes.md'), 'note\n'.repeat(41))
    assert.match((await subjects.context('reef')).context.notes.summary, /\n\n\.\.\. \[1 lines elided\] \.\.\.\n\n/)
  })
}

test('a text is returned exactly or not at all', async () => {
  const { subjects, file } = await newHome()
  const reef = { type: 'notes', subject: 'reef' } as const
  assert.equal(await subjects.text(reef), '')
  await writeFile(file('notes.md'), '\uFEFFa\r\nb\0')
  assert.equal(await subjects.text(reef), '\uFEFFa\r\nb\0')
  await writeFile(file('notes.md'), Buffer.from([0xff]))
  await assert.rejects(subjects.text(reef), { code: 'unwritable', message: /not valid UTF-8/ })
  assert.equal(await subjects.text({ type: 'taste', name: 'none' }), '')
  await assert.rejects(subjects.text({ type: 'taste', name: '../x' }), { code: 'invalid-input' })
  await assert.rejects(subjects.text({ type: 'notes', subject: 'none' }), { code: 'not-found' })
})
