import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { appendFile, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { after } from 'node:test'
import { promisify } from 'node:util'
import { openSubjects } from './open-subjects.ts'

const home = await mkdtemp(join(tmpdir(), 'foreword-append-'))
after(() => rm(home, { recursive: true, force: true }))

const places = { directory: join(home, 'subjects'), tastes: join(home, 'tastes') }
const subjects = openSubjects({ ...places, maxTextChars: 20_000 })
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

test('a folder in the place of the log is told', async () => {
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
  const program = `
    const { openSubjects } = await import(${JSON.stringify(new URL('open-subjects.ts', import.meta.url).href)})
    const subjects = openSubjects(${JSON.stringify({ ...places, maxTextChars: 20_000 })})
    const log = (at) => subjects.logOperation('crowd', {
      timestamp: '${timestamp}', op: '${name} ' + at, details: { text: '${name}'.repeat(20_000) },
    })
    for (let at = 0; at < 40; at += 4) await Promise.all([log(at), log(at + 1), log(at + 2), log(at + 3)])
  `
  return ['--conditions=foreword-source', '--input-type=module', '-e', program]
}

function circle(): Record<string, unknown> {
  const round: Record<string, unknown> = {}
  round['again'] = round
  return round
}
