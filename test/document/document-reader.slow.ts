import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import test, { type TestContext } from 'node:test'
import { tokenx } from '../../src/context.ts'
import { o200k } from '../../src/context/o200k.ts'
import { createDocumentReader } from '../../src/document.ts'
import { readingTimeMs, usualLimits } from '../../src/document/reading-limits.ts'
import { codePlaces, readingPermissions } from '../../src/document/reading-process.ts'
import { readerOf, readingProcesses, until } from './opened-reader.ts'
import { imageFiles } from './files/image-file.ts'
import { pdfFile, pdfOf } from './files/pdf-file.ts'
import { spreadsheetFile } from './files/spreadsheet-file.ts'
import { paragraph, wordFile } from './files/word-file.ts'
import { systemClock } from '../../src/platform.ts'
import { fixedClock } from '../../src/testing.ts'

const PAGES = 100
/** Keeps a process busy for longer than any test waits. */
const endless = Buffer.from('<div><b>'.repeat(400_000))
const large = pdfFile(Array.from({ length: PAGES }, (_, page) => `Page ${page}\n${'A line of words.\n'.repeat(40)}`))

test('files of every kind are read, one after another in the same processes', async (context) => {
  const reader = readerOf(context)
  const rows = '<row r="1"><c r="A1"><v>1</v></c></row>'
  const kinds = [
    await reader.read({ bytes: pdfFile(['Hello.']), name: 'a.pdf' }),
    await reader.read({ bytes: wordFile(paragraph('Hello.')), name: 'a.docx' }),
    await reader.read({ bytes: spreadsheetFile([{ name: 'S', rows }]), name: 'a.xlsx' }),
    await reader.read({ bytes: Buffer.from('<!doctype html><p>Hello.'), name: 'a.html' }),
    await reader.read({ bytes: Buffer.from('Hello.'), name: 'a.txt' }),
    await reader.read({ bytes: imageFiles['image/png']!(3, 4), name: 'a.png' }),
  ]
  assert.deepEqual(
    kinds.map((document) => (document.kind === 'image' ? document.width : 'text' in document && document.text)),
    ['Hello.', 'Hello.', '# S\n\n1', 'Hello.', 'Hello.', 3],
  )
  assert.equal(readingProcesses().length, 1)
})

test('a text is counted where it is read, by the counter that the reader was given', async (context) => {
  const text = 'The keeper notes 7 ships, 東京 and the tide.\n'.repeat(3000)
  const read = async (counter: string, bytes: Buffer = Buffer.from(text)) => {
    const document = await readerOf(context, { clock: systemClock, counter }).read({ bytes, name: 'a.txt' })
    return document.kind === 'text' ? [document.text.trim() === text.trim(), document.tokens] : document.kind
  }
  assert.deepEqual(await read('tokenx'), [true, tokenx.text(text)])
  assert.deepEqual(await read('o200k'), [true, o200k.text(text)])
  assert.deepEqual(await read('another'), [true, undefined])
  assert.equal(await read('tokenx', imageFiles['image/png']!(3, 4)), 'image')
})

test('a file is read from a path, and a path that leads to none is an error', async (context) => {
  const reader = readerOf(context)
  const folder = await folderOf(context)
  await writeFile(join(folder, 'a.txt'), 'Hello.')
  assert.deepEqual(await reader.read({ path: join(folder, 'a.txt'), name: 'b.md' }), {
    kind: 'text',
    text: 'Hello.',
    mediaType: 'text/markdown',
  })
  await assert.rejects(reader.read({ path: join(folder, 'none'), name: 'none' }), { code: 'ENOENT' })
  await assert.rejects(reader.read({ path: folder, name: 'folder' }), /is no regular file/)
})

test('a file of 200 MB is refused by its size, before any process starts', async (context) => {
  const reader = readerOf(context)
  const path = join(await folderOf(context), 'huge')
  const file = await open(path, 'w')
  await file.truncate(200 * 2 ** 20)
  await file.close()
  assert.deepEqual(await reader.read({ path, name: 'huge.pdf' }), {
    kind: 'unreadable',
    code: 'too-large',
    reason: 'the file has 200 MiB; at most 50 MiB are read',
    mediaType: 'application/octet-stream',
  })
  assert.deepEqual(readingProcesses(), [])
})

test('an empty file is refused at once', async (context) => {
  const document = await readerOf(context).read({ bytes: new Uint8Array(), name: 'a' })
  assert.equal(document.kind === 'unreadable' && document.code, 'empty')
})

test('the loop stays free while a file is read', async (context) => {
  const reader = readerOf(context)
  let fired = 0
  const timer = setInterval(() => (fired += 1), 1)
  const document = await reader.read({ bytes: large, name: 'a.pdf' })
  clearInterval(timer)
  assert.equal(document.kind, 'text')
  assert.ok(fired > 20, `the timer fired ${fired} times`)
})

test('the bytes are not changed, and the pages of a PDF are reported as they are read', async (context) => {
  const reader = readerOf(context)
  const bytes = Uint8Array.from(large)
  const pages: number[] = []
  await reader.read({ bytes, name: 'a.pdf', onProgress: ({ page }) => pages.push(page) })
  assert.deepEqual(Buffer.compare(bytes, large), 0)
  assert.deepEqual(
    pages,
    Array.from({ length: PAGES }, (_, index) => index + 1),
  )
})

test('eight files at once are all read, two at a time', async (context) => {
  const reader = readerOf(context)
  let most = 0
  const timer = setInterval(() => (most = Math.max(most, readingProcesses().length)), 20)
  const documents = await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      reader.read({ bytes: index % 2 ? wordFile(paragraph(`File ${index}`)) : pdfFile([`File ${index}`]), name: 'a' }),
    ),
  )
  clearInterval(timer)
  assert.deepEqual(
    documents.map((document) => document.kind === 'text' && document.text),
    documents.map((_, index) => `File ${index}`),
  )
  assert.ok(most <= 2, `${most} processes`)
})

test('reading that takes too long ends with its process, and the next file is read', async (context) => {
  const reader = readerOf(context, { clock: systemClock, limits: { timeMs: 1500 } })
  assert.deepEqual(await reader.read({ bytes: endless, name: 'a.html' }), {
    kind: 'unreadable',
    code: 'timeout',
    reason: 'reading it took more than 1.5 seconds',
    mediaType: 'text/html',
  })
  await noneLeft()
  const second = createDocumentReader({ clock: systemClock })
  context.after(second.close)
  assert.equal((await second.read({ bytes: Buffer.from('Hello.'), name: 'a' })).kind, 'text')
})

for (const [others, kind] of [
  [50, 'text'],
  [1_000, 'unreadable'],
] as const) {
  test(`time that the machine gives to others, ${others} times the limit, leaves a file ${kind}`, async (context) => {
    const clock = fixedClock()
    const reader = readerOf(context, { clock })
    let stopped: Promise<void> | undefined
    const document = await reader.read({
      bytes: large,
      name: 'a.pdf',
      onProgress: () => {
        stopped ??= (async () => {
          const [reading] = readingProcesses()
          process.kill(reading!, 'SIGSTOP')
          await clock.advance(others * readingTimeMs(large.length, usualLimits))
          process.kill(reading!, 'SIGCONT')
        })()
      },
    })
    assert.ok(stopped)
    await stopped
    assert.equal(document.kind, kind)
  })
}

test('a few bytes do not get the time of a large file', () => {
  const limits = { ...usualLimits, timeMs: 60_000 }
  assert.deepEqual(
    [750, 1_000_000, 5_000_000, 50_000_000].map((bytes) => readingTimeMs(bytes, limits)),
    [10_008, 20_000, 60_000, 60_000],
  )
  assert.equal(readingTimeMs(750, { ...limits, timeMs: 2_000 }), 2_000)
})

test('the process that reads can open no file but its own code, write nothing, and start nothing', async (context) => {
  const folder = await folderOf(context)
  await writeFile(join(folder, 'secret.txt'), 'secret')
  const program = join(folder, 'node_modules', 'program.mjs')
  await mkdir(join(folder, 'node_modules'))
  const tried = { read: join(folder, 'secret.txt'), write: join(folder, 'made') }
  await writeFile(
    program,
    `import { readFileSync, writeFileSync } from 'node:fs'
     import { execFileSync } from 'node:child_process'
     const codeOf = (work) => { try { work(); return 'did' } catch (error) { return error.code } }
     console.log(JSON.stringify([
       codeOf(() => readFileSync(${JSON.stringify(program)})),
       codeOf(() => readFileSync(${JSON.stringify(tried.read)})),
       codeOf(() => writeFileSync(${JSON.stringify(tried.write)}, 'x')),
       codeOf(() => execFileSync('true')),
     ]))`,
  )
  const places = codePlaces(pathToFileURL(join(folder, 'code', 'document', 'x.js')).href)
  const permissions = readingPermissions(places)
  const printed = execFileSync(process.execPath, [...permissions, program], { encoding: 'utf8', timeout: 60_000 })
  const denied = 'ERR_ACCESS_DENIED'
  assert.deepEqual(JSON.parse(printed), ['did', denied, denied, denied])
})

test('reading that takes too much memory ends its process and nothing else', async (context) => {
  const reader = readerOf(context, { clock: systemClock, limits: { memoryBytes: 250 * 2 ** 20 } })
  // 300 KB of a PDF that unpack to 300 MiB of blanks: buffers, which no limit of a heap counts.
  const bomb = pdfOf([' '.repeat(300 * 2 ** 20)])
  assert.deepEqual(await reader.read({ bytes: bomb, name: 'a.pdf' }), {
    kind: 'unreadable',
    code: 'too-large',
    reason: 'reading it needs more than 250 MiB of memory',
    mediaType: 'application/pdf',
  })
  assert.equal((await reader.read({ bytes: Buffer.from('Hello.'), name: 'a' })).kind, 'text')
})

test('a reading can be given up while it runs and while it waits', async (context) => {
  const reader = readerOf(context, { clock: systemClock, atOnce: 1 })
  const [running, waiting] = [new AbortController(), new AbortController()]
  const first = reader.read({ bytes: endless, name: 'a.html', signal: running.signal })
  const second = reader.read({ bytes: Buffer.from('never'), name: 'a', signal: waiting.signal })
  const third = reader.read({ bytes: Buffer.from('Hello.'), name: 'a' })
  waiting.abort(new Error('not needed any more'))
  await assert.rejects(second, /not needed any more/)
  await until(() => readingProcesses().length === 1)
  running.abort(new Error('the person went away'))
  await assert.rejects(first, /the person went away/)
  assert.deepEqual(await third, { kind: 'text', text: 'Hello.', mediaType: 'text/plain' })
  await assert.rejects(reader.read({ bytes: Buffer.from('x'), name: 'a', signal: AbortSignal.abort() }), {
    name: 'AbortError',
  })
})

test('a process that was killed while it read a second file is replaced, and the file is read', async (context) => {
  const reader = readerOf(context, { clock: systemClock, atOnce: 1 })
  await reader.read({ bytes: Buffer.from('Hello.'), name: 'a' })
  const reading = reader.read({ bytes: large, name: 'a.pdf' })
  process.kill(readingProcesses()[0]!, 'SIGKILL')
  assert.equal((await reading).kind, 'text')
})

test('a listener that throws ends its own reading alone', async (context) => {
  const reader = readerOf(context)
  const fails = () => {
    throw new Error('the listener failed')
  }
  await assert.rejects(reader.read({ bytes: large, name: 'a.pdf', onProgress: fails }), /the listener failed/)
  assert.equal((await reader.read({ bytes: Buffer.from('Hello.'), name: 'a' })).kind, 'text')
})

test('an idle process ends by itself, and the next file starts another', async (context) => {
  const reader = readerOf(context, { clock: systemClock, idleMs: 50 })
  await reader.read({ bytes: Buffer.from('Hello.'), name: 'a' })
  await noneLeft()
  assert.equal((await reader.read({ bytes: Buffer.from('Hello.'), name: 'a' })).kind, 'text')
})

test('a closed reader leaves no process and reads nothing any more', async () => {
  const reader = createDocumentReader({ clock: systemClock })
  const running = reader.read({ bytes: endless, name: 'a.html' })
  const refused = assert.rejects(running, /the document reader is closed/)
  await until(() => readingProcesses().length === 1)
  await reader.close()
  await refused
  assert.deepEqual(readingProcesses(), [])
  await assert.rejects(reader.read({ bytes: Buffer.from('x'), name: 'a' }), /the document reader is closed/)
  await reader.close()
})

test('a program that is done ends although its reader is still open', async (context) => {
  const path = join(await folderOf(context), 'program.ts')
  const door = JSON.stringify(join(import.meta.dirname, '../../src/document.ts'))
  const platform = JSON.stringify(join(import.meta.dirname, '../../src/platform.ts'))
  await writeFile(
    path,
    `import { createDocumentReader } from ${door}
     import { systemClock } from ${platform}
     const reader = createDocumentReader({ clock: systemClock })
     const read = await reader.read({ bytes: Buffer.from('Hello.'), name: 'a' })
     console.log(read.kind)
     if (process.argv[2]) await reader.close()
     if (process.argv[2]) console.log('closed')`,
  )
  const run = (...argv: readonly string[]) =>
    execFileSync(process.execPath, [path, ...argv], { encoding: 'utf8', timeout: 60_000 })
  assert.equal(run(), 'text\n')
  assert.equal(run('close'), 'text\nclosed\n')
})

async function folderOf(context: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'foreword-document-'))
  context.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}

async function noneLeft(): Promise<void> {
  await until(() => readingProcesses().length === 0)
}
