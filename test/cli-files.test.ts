import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { temporaryHome } from './cli/home.ts'
import { run } from './cli/recorded-io.ts'
import { servedConnection } from './cli/served-connection.ts'
import { citing } from './server/citing-script.ts'
import { scriptedRuntime } from './server/scripted-runtime.ts'

function folderOf(context: TestContext, files: Readonly<Record<string, string>>): (name: string) => string {
  const folder = mkdtempSync(join(tmpdir(), 'foreword-files-'))
  context.after(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return (name) => join(folder, name)
}

function gateway(options: Parameters<typeof scriptedRuntime>[0] = {}) {
  const runtime = scriptedRuntime(options)
  const connection = servedConnection(runtime, 'running')
  const foreword = (words: readonly string[], given: Parameters<typeof run>[1] = {}) =>
    run(words, { connection, ...given })
  return { runtime, foreword }
}

test('files are added with a line for each, listed, read and removed', async (context) => {
  const { foreword } = gateway()
  const path = folderOf(context, { 'tide ✓.txt': 'High water.', 'a.png': 'x' })
  const added = await foreword(['files', 'add', path('tide ✓.txt'), path('a.png')])
  assert.deepEqual(
    [added.code, added.stdout],
    [0, 'file-1  tide ✓.txt  text, 11 tokens\nfile-2  a.png  image, 4 × 3\n'],
  )
  assert.match(
    (await foreword(['files'])).stdout,
    /file-1 +tide ✓\.txt +11 B +2026-11-20 10:00 UTC +\(not attached yet\) +text, 11 tokens/,
  )
  assert.equal((await foreword(['files', 'text', 'tide'])).stdout, 'High water.\n')
  assert.match((await foreword(['files', 'show', 'file-2'])).stdout, /^a\.png\nid +file-2\n/)
  assert.match((await foreword(['files', 'text', 'a.png'])).stderr, /has no text: it is an image\./)
  const unasked = await foreword(['files', 'remove', 'a.png'])
  assert.deepEqual(
    [unasked.code, /Add `--yes`/.test(unasked.stderr)],
    [2, true],
    'what is gone for good is asked about',
  )
  assert.match((await foreword(['files', 'remove', 'a.png', '--yes'])).stderr, /Removed a\.png \(file-2\)/)
  const json = await foreword(['files', 'list', '--json'])
  assert.equal((JSON.parse(json.stdout) as { id: string }).id, 'file-1')
})

test('files that cannot be added or read are reported, the others are kept, and the command exits with code 1', async (context) => {
  const { runtime, foreword } = gateway()
  const path = folderOf(context, { 'large.txt': 'x'.repeat(5_000), 'a.broken': 'x', 'good.txt': 'Good.' })
  const names = ['large.txt', 'a.broken', 'none.txt', '', 'good.txt']
  const { code, stdout, stderr } = await foreword(['files', 'add', ...names.map(path)])
  assert.equal(code, 1)
  assert.equal(
    stdout,
    'file-1  a.broken  failed: It is broken. Hand in another one.\nfile-2  good.txt  text, 5 tokens\n',
  )
  assert.match(stderr, /large\.txt was refused: .*1000 bytes/)
  assert.match(stderr, /Cannot read .*none\.txt: no such file/)
  assert.match(stderr, /Cannot read .*: it is a folder/)
  assert.equal((await runtime.library.files()).length, 2)
})

test('a terminal sees how far each file is, and nothing of it stays', async (context) => {
  const { foreword } = gateway()
  const path = folderOf(context, { 'a.txt': 'One.' })
  const { stderr } = await foreword(['files', 'add', path('a.txt')], { terminal: true })
  assert.match(stderr, /a\.txt: sending 100 %/)
  assert.ok(stderr.endsWith('\r\u001B[2K'))
})

test('files go to a project by its name, with `files add` and with `projects add`', async (context) => {
  const { runtime, foreword } = gateway()
  const path = folderOf(context, { 'a.txt': 'One.', 'b.txt': 'Two.' })
  await foreword(['projects', 'new', '--name', 'Sea'])
  await foreword(['files', 'add', path('a.txt'), '--project', 'sea'])
  await foreword(['projects', 'add', 'Sea', path('b.txt')])
  const files = await runtime.library.files({ type: 'project', id: 'project-1' })
  assert.deepEqual(
    files.map(({ name }) => name),
    ['a.txt', 'b.txt'],
  )
  assert.equal((await foreword(['files', '--project', 'sea', '--json'])).stdout.trim().split('\n').length, 2)
  assert.equal((await foreword(['files', 'add', path('a.txt'), '--project', 'sea', '--agent', 'x'])).code, 2)
})

test('send attaches files in their order, with an agent and a project', async (context) => {
  const { runtime, foreword } = gateway()
  const path = folderOf(context, { 'a.txt': 'One.', 'b.broken': 'x' })
  await foreword(['agents', 'new', '--name', 'Poet'])
  await foreword(['projects', 'new', '--name', 'Sea'])
  const words = ['--agent', 'poet', '--project', 'sea', '--file', path('b.broken'), '--file', path('a.txt')]
  const { code, stdout, stderr } = await foreword(['send', 'Look.', ...words])
  assert.deepEqual([code, stdout], [0, 'You said: Look.\n'])
  assert.match(stderr, /Cannot read b\.broken: It is broken/)
  const { session, attachments } = runtime.submitted[0]!
  assert.deepEqual(attachments, ['file-1', 'file-2'])
  const row = await runtime.store.session(session!)
  assert.deepEqual([row?.choices['agent'], row?.choices['project']], ['agent-1', 'project-2'])
})

test('a message whose file cannot be uploaded is not sent', async (context) => {
  const { runtime, foreword } = gateway()
  const { code, stderr } = await foreword(['send', 'Look.', '--file', folderOf(context, {})('none.txt')])
  assert.deepEqual([code, /Cannot read .*none\.txt: no such file/.test(stderr)], [1, true])
  assert.equal((await foreword(['send', 'Look.', '--agent', 'nobody'])).code, 1)
  assert.equal((await foreword(['send', 'Look.', '--agent', 'nobody', '--key', 'k'])).code, 2)
  assert.equal(runtime.submitted.length, 0)
})

test('in a chat /file goes with the next message alone', async (context) => {
  const { runtime, foreword } = gateway()
  const path = folderOf(context, { 'my notes.txt': 'One.', 'b.txt': 'Two.' })
  const input = `/file ${path('none')}\n/file ${path('my notes.txt')}\n/file '${path('b.txt')}'\nBoth?\nAnd now?\n`
  const { stderr } = await foreword(['chat'], { input })
  assert.deepEqual(
    runtime.submitted.map(({ text, attachments }) => [text, attachments]),
    [
      ['Both?', ['file-1', 'file-2']],
      ['And now?', undefined],
    ],
  )
  assert.match(stderr, /Cannot read .*none: no such file/)
})

test('the sources of an answer are below it: dimmed on a terminal, on stderr in a pipe, and in the JSON', async () => {
  const list = '[1] Tides.pdf, page 3\n[2] Sea, https://sea.example/\n[3] Trap, javascript:alert(1)\n'
  const { foreword } = gateway({ script: citing })
  const piped = await foreword(['send', 'tides?'])
  assert.equal(piped.stderr, list)
  assert.ok(!piped.stdout.includes('Tides.pdf'))
  const shown = await foreword(['send', 'tides?'], { terminal: true })
  assert.ok(shown.stdout.includes('\u001B[2m[1] Tides.pdf, page 3'))
  const json = await foreword(['send', 'tides?', '--json'])
  const { citations } = JSON.parse(json.stdout) as { citations: readonly { citation: number }[] }
  assert.deepEqual(
    citations.map(({ citation }) => citation),
    [1, 2, 3],
  )
})

test('without a gateway files are read in the process of the command, and found again by the next one', async (context) => {
  const { environment } = temporaryHome(context)
  const path = folderOf(context, {
    'tide.md': '# Moon\n\nAt spring tide the water stands highest.\n',
    'data.csv': 'day,height\n1,4.2\n',
    'empty.txt': '',
    'other.txt': 'Ebb.',
  })
  const added = await run(['files', 'add', path('tide.md'), path('data.csv'), path('empty.txt')], { environment })
  assert.equal(added.code, 1, added.stderr)
  assert.match(added.stdout, /tide\.md {2}text, \d+ tokens/)
  assert.match(added.stdout, /empty\.txt {2}failed: /)
  const found = await run(['search', 'spring tide'], { environment })
  assert.match(found.stdout, /^tide\.md {2}line \d, Moon/)
  const sent = await run(['send', 'What of this?', '--file', path('tide.md')], { environment })
  assert.equal(sent.code, 0, sent.stderr)
  const before = /^(file_\w+)/m.exec(added.stdout)![1]!
  const other = path('other.txt')
  const again = await run(['send', 'And this?', '--file', before, '--file', other, '--json'], { environment })
  const { sessionId } = JSON.parse(again.stdout) as { readonly sessionId: string }
  assert.match(
    (await run(['sessions', 'show', sessionId], { environment })).stdout,
    / {2}with tide\.md \(text\)\n {2}with other\.txt \(text\)/,
  )
  assert.match(
    (await run(['send', 'Gone?', '--file', 'file_nothing'], { environment })).stderr,
    /No file matches "file_nothing"/,
  )
  const { stdout } = await run(['sessions', '--json', '--limit', '2'], { environment })
  const session = (JSON.parse(stdout.split('\n')[1]!) as { id: string }).id
  assert.match((await run(['sessions', 'show', session], { environment })).stdout, / {2}with tide\.md \(text\)/)
})

test('a file with a line break in its name can be uploaded', async (context) => {
  const { foreword } = gateway()
  const path = folderOf(context, { 'ev\nil.txt': 'High water.' })
  const added = await foreword(['files', 'add', path('ev\nil.txt')])
  assert.deepEqual([added.code, added.stdout], [0, 'file-1  ev il.txt  text, 11 tokens\n'])
})
