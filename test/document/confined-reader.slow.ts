import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import test, { type TestContext } from 'node:test'
import { inbox } from '../../src/capability.ts'
import { createDocumentReader, type DocumentReader } from '../../src/document.ts'
import type { DocumentReaderOptions } from '../../src/document/document-reader.ts'
import { systemClock } from '../../src/platform.ts'
import { confineNode, findNodeSandbox } from '../../src/tool.ts'
import { openedHome } from '../home/opened-home.ts'
import { imageFiles } from './files/image-file.ts'
import { pdfFile, pdfOf } from './files/pdf-file.ts'
import { spreadsheetFile } from './files/spreadsheet-file.ts'
import { paragraph, table, wordFile } from './files/word-file.ts'
import { zipFile } from './files/zip-file.ts'
import { commandOf, readingProcesses, until } from './opened-reader.ts'

const found = await findNodeSandbox()
const skip = found.type === 'none' ? `no sandbox on this machine: ${found.why}` : false
/** Nobody, in a group of nobody. */
const PLAIN_USER = { uid: 65_534, gid: 65_534 }
const endless = Buffer.from('<div><b>'.repeat(400_000))

test('every kind of file gives the same in the sandbox as without it', { skip }, async (t) => {
  const rows = '<row r="1"><c r="A1"><v>1</v></c></row>'
  const files: Readonly<Record<string, Buffer>> = {
    'a.pdf': pdfFile(['Hello.', 'Second page.'], { title: 'A title' }),
    'locked.pdf': pdfFile(['Hello.'], { encrypted: true }),
    'a.docx': wordFile(paragraph('Hello.') + table([['a', 'b']])),
    'a.xlsx': spreadsheetFile([{ name: 'S', rows }]),
    'a.html': Buffer.from('<!doctype html><title>T</title><article><h1>Hi</h1><p>Hello.</article>'),
    'a.md': Buffer.from('# Hello\n\nÄ text, 東京.'),
    'latin.txt': Buffer.from('Gr\u00fc\u00dfe', 'latin1'),
    'a.zip': zipFile([{ name: 'a', content: 'Hello.' }]),
    binary: Buffer.from([0, 1, 2, 3, 0, 255]),
    ...Object.fromEntries(Object.entries(imageFiles).map(([type, make]) => [type, make(3, 4)])),
  }
  for (const counter of ['tokenx', 'o200k']) {
    const confined = readerOf(t, { clock: systemClock, counter })
    const open = readerOf(t, { clock: systemClock, counter, confine: async () => undefined })
    // The other counter only has to be found there.
    for (const [name, bytes] of Object.entries(counter === 'tokenx' ? files : { 'a.md': files['a.md']! })) {
      const expected = await open.read({ bytes, name })
      assert.deepEqual(await confined.read({ bytes, name }), expected, name)
    }
  }
})

test(
  'a file of a home is read in the sandbox, and no part of Foreword reads documents without it',
  { skip },
  async (t) => {
    const { runtime } = await openedHome(t)
    const { library } = runtime
    const { id } = await library.add({ name: 'a.txt', bytes: Readable.from([Buffer.from('Hello.')]), owner: inbox })
    assert.equal((await library.settled(id)).state.type, 'ready')
    const programs = readingProcesses().map((pid) => commandOf(pid).split('\0', 1)[0])
    assert.ok(found.type === 'bubblewrap' && programs.includes(found.path), String(programs))
    const source = join(import.meta.dirname, '../../src')
    for (const file of readdirSync(source, { recursive: true, encoding: 'utf8' })) {
      if (!file.endsWith('.ts') || file.startsWith('document')) continue
      const [, ...calls] = readFileSync(join(source, file), 'utf8').split('createDocumentReader(')
      for (const call of calls) assert.match(call.slice(0, 200), /^[^;]*confine: confineNode/, file)
    }
  },
)

/** Answers what a program in the place of the reading one could do, as if it were the text of the file. */
const HOSTILE = `
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'
const tryTo = (work) => { try { return 'did: ' + String(work()).slice(0, 200) } catch (error) { return error.code ?? error.message } }
const connect = (where) => new Promise((resolve) => {
  const socket = net.connect(where, () => resolve('did'))
  socket.on('error', (error) => resolve(error.code))
})
const processes = () => fs.readdirSync('/proc').filter((name) => /^\\d+$/.test(name))
const everyEnvironment = () => processes().map((pid) => fs.readFileSync('/proc/' + pid + '/environ', 'latin1')).join('')
process.on('message', async (order) => {
  if (order.type !== 'read') return
  const { port, socket, canary, parent, folder, home } = JSON.parse(order.task.name)
  const tries = {
    tcp: await connect({ port, host: '127.0.0.1' }),
    socket: await connect({ path: socket }),
    interfaces: Object.keys(os.networkInterfaces()).filter((name) => name !== 'lo').length,
    canary: tryTo(() => fs.readFileSync(canary)),
    home: tryTo(() => fs.readdirSync(home)),
    passwords: tryTo(() => fs.readFileSync('/etc/passwd')),
    around: tryTo(() => fs.readFileSync('/proc/1/root' + canary)),
    parent: tryTo(() => fs.readFileSync('/proc/' + parent + '/environ')),
    kill: tryTo(() => process.kill(parent, 'SIGKILL')),
    few: processes().length < 5,
    secret: tryTo(() => everyEnvironment().includes('canary-environment')),
    shell: tryTo(() => execFileSync('/bin/sh', ['-c', 'echo x'])),
    write: [folder, '/', '/tmp', '/dev', '/dev/shm', '/var/tmp']
      .map((place) => tryTo(() => fs.writeFileSync(place + '/made', 'x')))
      .filter((answer) => answer !== 'EROFS' && answer !== 'ENOENT'),
    code: tryTo(() => fs.writeFileSync(process.argv[1], 'x')),
    kernel: tryTo(() => fs.openSync('/proc/sys/kernel/core_pattern', 'a')),
    capabilities: /CapEff:\\s*0+\\n/.test(fs.readFileSync('/proc/self/status', 'utf8')),
  }
  process.send({ type: 'outcome', outcome: { kind: 'text', text: JSON.stringify(tries), mediaType: 'text/plain' }, spent: false })
})
process.on('disconnect', () => process.exit())
`

/** Without Node's permissions, so that the sandbox has to hold all of it. */
function hostile(program: string): NonNullable<DocumentReaderOptions['confine']> {
  return ({ argv, readable, memoryBytes }) =>
    confineNode({ argv: [argv[0]!, program], readable: [...readable, program], memoryBytes })
}

async function tryHostile(t: TestContext): Promise<Readonly<Record<string, unknown>>> {
  const folder = await folderOf(t)
  const paths = { program: join(folder, 'program.mjs'), canary: join(folder, 'canary'), socket: join(folder, 'socket') }
  await writeFile(paths.program, HOSTILE)
  await writeFile(paths.canary, 'canary-file')
  const servers = [createServer(), createServer()] as const
  let connections = 0
  for (const server of servers) server.on('connection', () => (connections += 1))
  servers[0].listen(0, '127.0.0.1')
  servers[1].listen(paths.socket)
  t.after(() => servers.forEach((server) => server.close()))
  await Promise.all(servers.map((server) => once(server, 'listening')))
  const { port } = servers[0].address() as AddressInfo
  process.env['FOREWORD_TEST_CANARY'] = 'canary-environment'
  t.after(() => delete process.env['FOREWORD_TEST_CANARY'])
  const home = process.env['HOME'] ?? '/root'
  const reader = readerOf(t, { clock: systemClock, confine: hostile(paths.program) })
  const name = JSON.stringify({ ...paths, port, parent: process.pid, folder, home })
  const read = await reader.read({ bytes: Buffer.from('x'), name })
  assert.ok(read.kind === 'text')
  assert.equal(connections, 0)
  assert.ok(!existsSync(join(folder, 'made')) && !existsSync('/tmp/made') && !existsSync('/made'))
  return JSON.parse(read.text) as Readonly<Record<string, unknown>>
}

const REFUSED = {
  tcp: 'ECONNREFUSED',
  socket: 'ENOENT',
  interfaces: 0,
  canary: 'ENOENT',
  home: 'ENOENT',
  passwords: 'ENOENT',
  around: 'ENOENT',
  parent: 'ENOENT',
  kill: 'ESRCH',
  few: true,
  secret: 'did: false',
  shell: 'ENOENT',
  write: [],
  code: 'EROFS',
  // Read-only for root, whom its files belong to; nobody else may write them anyway.
  kernel: process.getuid?.() === 0 ? 'EROFS' : 'EACCES',
  capabilities: true,
}

test(
  'whoever takes over the reading process has no network, no file, no other process and no place to write',
  { skip },
  async (t) => {
    const tries = await tryHostile(t)
    assert.deepEqual(tries, REFUSED)
  },
)

test('the same where the gateway runs as a plain user', { skip: skip || plainUserFault() }, () => {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const words = ['--conditions=foreword-source', '--test-name-pattern=^whoever takes over', import.meta.filename]
  const printed = execFileSync(process.execPath, words, { ...PLAIN_USER, env, encoding: 'utf8', timeout: 60_000 })
  assert.match(printed, /pass 1\n[^]*fail 0\n[^]*skipped 0\n/)
})

test('a reading process that was taken over cannot fill the gateway with text without end', { skip }, async (t) => {
  const program = join(await folderOf(t), 'program.mjs')
  const words = `{ type: 'text', text: 'x'.repeat(65536) }`
  await writeFile(program, `process.on('message', () => setInterval(() => process.send(${words}), 0))`)
  const reader = readerOf(t, { clock: systemClock, confine: hostile(program) })
  const read = await reader.read({ bytes: Buffer.from('x'), name: 'a.txt' })
  assert.ok(read.kind === 'unreadable' && read.code === 'too-large', JSON.stringify(read).slice(0, 200))
  assert.match(read.reason, /^its text has 5,\d{3},\d{3} characters; at most 5,000,000 are taken$/)
})

test('a file that fills the memory ends its process, and the next one is read', { skip }, async (t) => {
  const reader = readerOf(t, { clock: systemClock, limits: { memoryBytes: 250 * 2 ** 20 }, atOnce: 1 })
  const bomb = pdfOf([' '.repeat(300 * 2 ** 20)])
  assert.deepEqual(await reader.read({ bytes: bomb, name: 'a.pdf' }), {
    kind: 'unreadable',
    code: 'too-large',
    reason: 'reading it needs more than 250 MiB of memory',
    mediaType: 'application/pdf',
  })
  assert.equal((await reader.read({ bytes: Buffer.from('Hello.'), name: 'a' })).kind, 'text')
})

test('a time limit, a reading that is given up, and closing leave no process of the sandbox', { skip }, async (t) => {
  const reader = readerOf(t, { clock: systemClock, limits: { timeMs: 3000 } })
  const slow = await reader.read({ bytes: endless, name: 'a.html' })
  assert.equal(slow.kind === 'unreadable' && slow.code, 'timeout')
  const person = new AbortController()
  const givenUp = reader.read({ bytes: endless, name: 'a.html', signal: person.signal })
  await until(() => readingProcesses().length > 1)
  person.abort(new Error('the person went away'))
  await assert.rejects(givenUp, /the person went away/)
  const running = assert.rejects(reader.read({ bytes: endless, name: 'a.html' }), /is closed/)
  await until(() => readingProcesses().length > 1)
  await reader.close()
  await running
  await until(() => readingProcesses().length === 0)
})

test('a process that was killed while it read a second file is replaced, and the file is read', { skip }, async (t) => {
  const reader = readerOf(t, { clock: systemClock, atOnce: 1 })
  await reader.read({ bytes: Buffer.from('Hello.'), name: 'a' })
  const reading = reader.read({
    bytes: pdfFile(Array.from({ length: 100 }, () => 'Words.\n'.repeat(40))),
    name: 'a.pdf',
  })
  // The one within the sandbox.
  process.kill(readingProcesses().at(-1)!, 'SIGKILL')
  assert.equal((await reading).kind, 'text')
})

test('a sandbox that cannot be made any more is no fault of the file, and nothing is read without it', async (t) => {
  const broken = readerOf(t, { clock: systemClock, confine: async () => ['/bin/sh', '-c', 'exit 1'] })
  await assert.rejects(broken.read({ bytes: Buffer.from('Hello.'), name: 'a' }), /did not start \(exit 1\)/)
  const none = readerOf(t, { clock: systemClock, confine: async () => Promise.reject(new Error('no sandbox')) })
  await assert.rejects(none.read({ bytes: Buffer.from('Hello.'), name: 'a' }), /no sandbox/)
})

/** Why nothing can be started as a plain user here. */
function plainUserFault(): string | false {
  if (process.getuid?.() !== 0) return 'the tests run as a plain user already'
  try {
    execFileSync(
      process.execPath,
      ['--eval', `require('node:fs').readFileSync(${JSON.stringify(import.meta.filename)})`],
      {
        ...PLAIN_USER,
        stdio: 'ignore',
      },
    )
    return false
  } catch {
    return 'a plain user cannot read this checkout'
  }
}

function readerOf(context: TestContext, options?: DocumentReaderOptions): DocumentReader {
  const reader = createDocumentReader({ clock: systemClock, confine: confineNode, ...options })
  context.after(reader.close)
  return reader
}

async function folderOf(context: TestContext): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'foreword-confined-')))
  context.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}
