import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { after } from 'node:test'
import { promisify } from 'node:util'
import { openSubjects } from './open-subjects.ts'
import { systemClock } from '../../../platform.ts'

const home = await mkdtemp(join(tmpdir(), 'foreword-replace-'))
after(() => rm(home, { recursive: true, force: true }))

const places = { directory: join(home, 'subjects'), tastes: join(home, 'tastes') }
const subjects = openSubjects({ clock: systemClock, ...places, maxTextChars: 20_000 })
const reef = { type: 'notes', subject: 'reef' } as const
const folder = join(places.directory, 'reef')
const notes = join(folder, 'notes.md')

await mkdir(folder, { recursive: true })

test('a file that was not there is made for its owner alone', async () => {
  await rm(notes, { force: true })
  await subjects.replace(reef, { before: '', text: 'one\n' })
  assert.equal(await readFile(notes, 'utf8'), 'one\n')
  assert.equal((await stat(notes)).mode & 0o777, 0o600)
  await subjects.replace({ type: 'taste', name: '_default' }, { before: '', text: 'calm\n' })
  assert.equal(await readFile(join(places.tastes, '_default.md'), 'utf8'), 'calm\n')
  assert.equal((await stat(places.tastes)).mode & 0o777, 0o700)
})

test('a file is replaced as a whole, keeps its permissions, and leaves nothing beside it', async () => {
  await writeFile(notes, '\uFEFFone\r\n')
  await chmod(notes, 0o664)
  const left = '.notes.md.8f6f0e0a-7a0c-4f0e-9d3c-0c9f2b1a7e55.tmp'
  await writeFile(join(folder, left), 'of a program that ended in the middle')
  await subjects.replace(reef, { before: '\uFEFFone\r\n', text: '\uFEFFone\r\ntwo' })
  assert.equal(await readFile(notes, 'utf8'), '\uFEFFone\r\ntwo')
  assert.equal((await stat(notes)).mode & 0o777, 0o664)
  assert.deepEqual(await readdir(folder), ['notes.md'])
})

test('what a person wrote meanwhile is not overwritten', async () => {
  await writeFile(notes, 'by hand')
  const change = { before: 'as it was', text: 'as it would be' }
  await assert.rejects(subjects.replace(reef, change), {
    code: 'changed',
    message: 'notes.md of the subject reef has changed meanwhile. Look at it again, then decide again.',
  })
  await rm(notes)
  await assert.rejects(subjects.replace(reef, change), { code: 'changed' })
  assert.deepEqual(await readdir(folder), [])
})

test('a link within the subjects stays a link', async () => {
  await mkdir(join(places.directory, 'shared'), { recursive: true })
  await writeFile(join(places.directory, 'shared', 'notes.md'), 'shared')
  await symlink('../shared/notes.md', notes)
  await subjects.replace(reef, { before: 'shared', text: 'more' })
  assert.equal(await readFile(join(places.directory, 'shared', 'notes.md'), 'utf8'), 'more')
  assert.deepEqual(await readdir(join(places.directory, 'shared')), ['notes.md'])
  await rm(notes)
})

test('a file that is no text, a folder, or too large is not replaced', async () => {
  await writeFile(notes, Buffer.from([0xff]))
  await assert.rejects(subjects.replace(reef, { before: '\uFFFD', text: 'x' }), { code: 'unwritable' })
  await rm(notes)
  await assert.rejects(subjects.replace(reef, { before: '', text: 'x'.repeat(8 * 1024 * 1024 + 1) }), {
    code: 'invalid-input',
  })
  await mkdir(notes)
  await assert.rejects(subjects.replace(reef, { before: '', text: 'x' }), { code: 'unwritable' })
  await rm(notes, { recursive: true })
  await assert.rejects(subjects.replace({ type: 'notes', subject: 'none' }, { before: '', text: 'x' }), {
    code: 'not-found',
  })
  await assert.rejects(subjects.replace({ type: 'taste', name: 'a/b' }, { before: '', text: 'x' }), {
    code: 'invalid-input',
  })
})

test('a file that may not be written is not replaced', { skip: process.getuid?.() === 0 }, async () => {
  await writeFile(notes, 'x', { mode: 0o400 })
  await assert.rejects(subjects.replace(reef, { before: 'x', text: 'y' }), { code: 'unwritable' })
  await rm(notes)
})

test('of many who replace the same text at the same time, one does', async () => {
  await writeFile(notes, 'before')
  const all = await Promise.allSettled(
    Array.from({ length: 12 }, (_, at) => subjects.replace(reef, { before: 'before', text: `by ${at}` })),
  )
  const done = all.flatMap(({ status }, at) => (status === 'fulfilled' ? [at] : []))
  assert.equal(done.length, 1)
  assert.equal(await readFile(notes, 'utf8'), `by ${done[0]}`)
  for (const one of all) if (one.status === 'rejected') assert.equal((one.reason as { code: string }).code, 'changed')
})

test('programs that replace the same text lose nothing of each other', async () => {
  await writeFile(notes, '')
  await Promise.all(['a', 'b', 'c'].map((name) => promisify(execFile)(process.execPath, program(adding(name, 15)))))
  const lines = (await readFile(notes, 'utf8')).trimEnd().split('\n')
  assert.deepEqual(
    lines.toSorted(),
    ['a', 'b', 'c'].flatMap((name) => Array.from({ length: 15 }, (_, at) => `${name} ${at}`)).toSorted(),
  )
})

test('a program that is killed while it holds the lock holds up nobody', async () => {
  await writeFile(notes, 'before')
  const holder = spawn(process.execPath, program(holding()), { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(holder.stdout, 'data')
  const replacing = subjects.replace(reef, { before: 'before', text: 'after' })
  holder.kill('SIGKILL')
  await once(holder, 'exit')
  await replacing
  assert.equal(await readFile(notes, 'utf8'), 'after')
})

test('something else in the place of the lock is named, with what to do', async () => {
  const lock = join(places.directory, '.lock')
  for (const put of [() => mkdir(lock), () => writeFile(lock, 'no lock at all '.repeat(100))]) {
    await rm(lock, { recursive: true, force: true })
    await put()
    await assert.rejects(subjects.replace(reef, { before: '', text: 'after' }), {
      code: 'unwritable',
      message: /^\.lock in the folder \S+ is not a lock file of Foreword\. Remove it/,
    })
  }
})

function program(body: string): readonly string[] {
  return ['--conditions=foreword-source', '--input-type=module', '-e', body]
}

/** Adds lines one by one, and looks again where another one was first. */
function adding(name: string, count: number): string {
  return `
    const { openSubjects } = await import(${JSON.stringify(new URL('open-subjects.ts', import.meta.url).href)})
    const { systemClock: clock } = await import(${JSON.stringify(new URL('../../../platform.ts', import.meta.url).href)})
    const subjects = openSubjects({ clock, ...${JSON.stringify({ ...places, maxTextChars: 20_000 })} })
    const file = ${JSON.stringify(reef)}
    for (let at = 0; at < ${count};) {
      const before = await subjects.text(file)
      try {
        await subjects.replace(file, { before, text: before + '${name} ' + at + '\\n' })
        at++
      } catch (error) {
        if (error.code !== 'changed') throw error
      }
    }
  `
}

function holding(): string {
  return `
    const { systemClock, withFileLock } = await import(${JSON.stringify(new URL('../../../platform.ts', import.meta.url).href)})
    await withFileLock(systemClock, ${JSON.stringify(join(places.directory, '.lock'))}, async () => {
      process.stdout.write('held')
      await new Promise((resolve) => setTimeout(resolve, 60_000))
    })
  `
}

const timestamp = '2026-11-01T10:00:00.000Z'

async function newSubject(id: string): Promise<string> {
  await mkdir(join(places.directory, id), { recursive: true })
  return join(places.directory, id, 'log.jsonl')
}

test('a log grows by whole lines and is for its owner alone', async () => {
  const log = await newSubject('reef')
  const record = { timestamp, op: 'crop', details: { ratio: '4:3' } }
  assert.deepEqual(await subjects.logOperation('reef', record), record)
  await subjects.logOperation('reef', { timestamp, op: 'line\nbreak\u0000\u2028"' })
  assert.equal(
    await readFile(log, 'utf8'),
    `{"timestamp":"${timestamp}","op":"crop","ratio":"4:3"}\n{"timestamp":"${timestamp}","op":"line\\nbreak\\u0000\u2028\\""}\n`,
  )
  assert.equal((await stat(log)).mode & 0o777, 0o600)
})

test('a gap is written with what is known of it, and its subject', async () => {
  await newSubject('gap')
  const gap = await subjects.logGap('gap', { timestamp, description: 'no masks', satisfaction: 0 })
  assert.deepEqual(
    [gap.image_id, gap.description, gap.satisfaction, gap.intent_category],
    ['gap', 'no masks', 0, 'uncategorized'],
  )
  const written = await readFile(join(places.directory, 'gap', 'vocabulary_gaps.jsonl'), 'utf8')
  assert.equal(written, `{"timestamp":"${timestamp}","image_id":"gap","description":"no masks","satisfaction":0}\n`)
})

test('a last line without an end gets one first', async () => {
  const log = await newSubject('torn')
  await writeFile(log, '{"op":"whole"}\n{"op":"to')
  await subjects.logOperation('torn', { timestamp, op: 'next' })
  const { context, warnings } = await subjects.context('torn')
  assert.deepEqual(
    context.recent_log.map(({ op }) => op),
    ['next', 'whole'],
  )
  assert.deepEqual(warnings, ['log.jsonl: 1 line is no JSON object and was skipped.'])
  await appendFile(log, '{"op":"old end"}\r')
  await subjects.logOperation('torn', { timestamp, op: 'last' })
  assert.ok((await readFile(log, 'utf8')).endsWith(`{"op":"old end"}\r{"timestamp":"${timestamp}","op":"last"}\n`))
})

const refused: readonly (readonly [string, Record<string, unknown>])[] = [
  ['more than 64 KiB', { text: 'x'.repeat(65_536) }],
  ['a circle', circle()],
  ['a number without end', { big: 1n }],
  ['nesting without end', { deep: JSON.parse(`${'['.repeat(200)}${']'.repeat(200)}`) as unknown }],
  ['a second timestamp', { timestamp: 'x' }],
  ['a second op', { op: 'x' }],
]

for (const [what, details] of refused) {
  test(`details with ${what} are refused, and nothing is written`, async () => {
    const log = await newSubject('refused')
    await assert.rejects(subjects.logOperation('refused', { timestamp, op: 'x', details }), { code: 'invalid-input' })
    await assert.rejects(stat(log), { code: 'ENOENT' })
  })
}

test('an entry that says nothing is refused', async () => {
  await newSubject('blank')
  await assert.rejects(subjects.logOperation('blank', { timestamp, op: ' ' }), { code: 'invalid-input' })
  await assert.rejects(subjects.logGap('blank', { timestamp, description: '' }), { code: 'invalid-input' })
})

test('a folder at the path of the log is reported', async () => {
  const log = await newSubject('folder')
  await mkdir(log)
  await assert.rejects(subjects.logOperation('folder', { timestamp, op: 'x' }), {
    code: 'unwritable',
    message: 'log.jsonl of the subject folder cannot be written: it is a folder, not a file.',
  })
})

test('programs that write at the same time keep every line whole', async () => {
  const log = await newSubject('crowd')
  const writers = ['a', 'b', 'c', 'd']
  await Promise.all(writers.map((name) => promisify(execFile)(process.execPath, writer(name))))
  const lines = (await readFile(log, 'utf8')).split('\n').filter((line) => line !== '')
  const ops = lines.map((line) => (JSON.parse(line) as { op: string }).op)
  assert.deepEqual(
    ops.toSorted(),
    writers.flatMap((name) => Array.from({ length: 40 }, (_, at) => `${name} ${at}`)).toSorted(),
  )
})

/** A program that appends 40 lines of some 20,000 characters, some of them side by side. */
function writer(name: string): readonly string[] {
  const source = `
    const { openSubjects } = await import(${JSON.stringify(new URL('open-subjects.ts', import.meta.url).href)})
    const { systemClock: clock } = await import(${JSON.stringify(new URL('../../../platform.ts', import.meta.url).href)})
    const subjects = openSubjects({ clock, ...${JSON.stringify({ ...places, maxTextChars: 20_000 })} })
    const log = (at) => subjects.logOperation('crowd', {
      timestamp: '${timestamp}', op: '${name} ' + at, details: { text: '${name}'.repeat(20_000) },
    })
    for (let at = 0; at < 40; at += 4) await Promise.all([log(at), log(at + 1), log(at + 2), log(at + 3)])
  `
  return ['--conditions=foreword-source', '--input-type=module', '-e', source]
}

function circle(): Record<string, unknown> {
  const round: Record<string, unknown> = {}
  round['again'] = round
  return round
}
