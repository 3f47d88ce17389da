// Tests the published package: packs it, installs the tarball into a temporary prefix and into a temporary project, runs
// the command, imports the library, runs a gateway on a home with its own capability and channel, and checks the message
// for an old Node.
import { spawn, spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { npmProgram } from './npm-program.mjs'
import { packContext, packPackage } from './package.mjs'
import { checkContainer, folderBytes } from './smoke-container.mjs'
import { checkDatabase } from './smoke-database.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const folder = mkdtempSync(join(tmpdir(), 'foreword-packed-'))
const { version, exports, dependencies, devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const isWindows = process.platform === 'win32'
/** The script itself, and no shell around it: a signal has to reach the gateway. */
const installedScript = join(
  folder,
  'prefix',
  ...(isWindows ? [] : ['lib']),
  'node_modules',
  'foreword',
  'bin',
  'foreword.js',
)
/** The gateway of the home, after its start. */
let running
// Uses its own home, and this Node before any older one.
const environment = {
  ...process.env,
  PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH ?? ''}`,
  FOREWORD_HOME: join(folder, 'home'),
}

try {
  const tarball = await pack()
  const command = installGlobally(tarball)
  expect('foreword --version', run(command, ['--version']), version)
  expect('foreword --help', run(command, ['--help']), 'foreword start')
  expect('foreword assemble', run(command, ['assemble', '-'], { input: scenario() }), 'window 1000, reserve 100')
  expect('foreword mcp', run(command, ['mcp'], { input: initialize() }), '"serverInfo":{"name":"foreword"')
  expect('foreword docs', run(command, ['docs', 'getting-started']), '# Getting started')
  checkOldNode()
  await checkHome(command)
  checkProject(tarball)
  await checkContext()
  tell(await checkContainer(tarball, folder).catch((error) => stop(`the container: ${error.message}`)))
  tell(await checkDatabase(installedScript, folder).catch((error) => stop(`PostgreSQL: ${error.message}`)))
  tell('the packed foreword works')
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function pack() {
  if (!process.argv.includes('--built')) {
    tell('building')
    run(process.execPath, [join(root, 'scripts', 'build.mjs')])
  }
  tell('packing')
  const { filename, files, unpackedSize } = await packPackage(folder)
  const astray = files.map(({ path }) => path).filter((path) => /^(src|test|node|scripts)\/|\.test\./.test(path))
  if (astray.length > 0) stop(`the package holds what it should not: ${astray.slice(0, 5).join(', ')}`)
  tell(`${files.length} files, ${Math.round(unpackedSize / 1024)} KiB unpacked`)
  return join(folder, filename)
}

function installGlobally(tarball) {
  tell('installing into a prefix of its own')
  npm(['install', '--global', tarball, '--prefix', join(folder, 'prefix'), '--no-audit', '--no-fund'], folder)
  return isWindows ? join(folder, 'prefix', 'foreword.cmd') : join(folder, 'prefix', 'bin', 'foreword')
}

/** With a Node that is too old, the command must print only that. */
function checkOldNode() {
  const old = (process.env.PATH ?? '')
    .split(delimiter)
    .map((place) => join(place, isWindows ? 'node.exe' : 'node'))
    .filter((file) => existsSync(file))
    .find((file) => Number(/^v(\d+)/.exec(spawnSync(file, ['--version'], { encoding: 'utf8' }).stdout)?.[1]) < 24)
  if (old === undefined) return tell('there is no old Node here to try')
  const { status, stderr } = spawnSync(old, [installedScript, '--version'], { encoding: 'utf8', env: environment })
  if (status !== 1 || !stderr.startsWith('foreword needs Node 24 or newer')) stop(`an old Node said: ${stderr}`)
  tell(`an old Node (${old}) says what is missing`)
}

/** A home that names a capability and a channel of its own, from the first start to the end of its gateway. */
async function checkHome(command) {
  tell('running a gateway on a home with a capability and a channel of its own')
  const home = environment.FOREWORD_HOME
  mkdirSync(join(home, 'letters'), { recursive: true })
  for (const name of ['06-own-capability.ts', 'own-channel']) {
    cpSync(join(root, 'examples', name), join(home, name), { recursive: true })
  }
  const configuration = {
    model: 'rehearsal',
    capabilities: ['./06-own-capability.ts', './own-channel/mailbox.ts'],
    harbour: { draught: 2.1 },
    channels: { mailbox: { folder: 'letters', everyMs: 50 } },
    gateway: { port: 0 },
  }
  writeFileSync(join(home, 'config.json'), JSON.stringify(configuration), { mode: 0o600 })
  expect('the command of the capability', run(command, ['tide', '0']), '7.00 m')

  const gateway = startGateway(installedScript)
  try {
    const { address } = JSON.parse(
      await waitFor('the first line of the gateway', () => /^\{.*\}$/m.exec(gateway.text())?.[0]),
    )
    await checkHttp(address, new URL(run(command, ['token']).trim()).searchParams.get('token'))
    await checkChannel(command, join(home, 'letters', 'anna'))
    await checkParts(command, address, home)
    const { findings } = JSON.parse(run(command, ['doctor', '--json']))
    const found = findings.filter(({ check }) => ['harbour', 'mailbox'].includes(check)).map(({ level }) => level)
    expect('foreword doctor', found.join(), 'ok,ok')
    gateway.child.kill('SIGTERM')
    await waitFor('the end of the gateway', () => gateway.child.exitCode !== null || gateway.child.signalCode !== null)
    // Windows has no signals: there a process is ended without being asked.
    if (!isWindows) expect('the exit code after SIGTERM', String(gateway.child.exitCode), '0')
  } finally {
    if (gateway.child.exitCode === null) gateway.child.kill('SIGKILL')
  }
}

function startGateway(script) {
  const child = spawn(process.execPath, [script, 'start', '--json'], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (piece) => (text += piece))
  running = { child, text: () => text }
  return running
}

async function checkHttp(address, token) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const ask = async (path, init) => {
    const answer = await fetch(`${address}${path}`, { headers, signal: AbortSignal.timeout(20_000), ...init })
    return answer.text()
  }
  expect('the route of the capability', await ask('/api/harbour/tide?hour=0'), '{"metres":7}')
  const message = { method: 'POST', body: JSON.stringify({ text: '/say Hello from the rehearsal.' }) }
  const { session, turn } = JSON.parse(await ask('/api/messages', message))
  const answer = await ask(`/api/sessions/${session}/turns/${turn}?wait=10000`)
  expect('a message over HTTP', answer, 'Hello from the rehearsal.')
}

/** Parts that are loaded late or run in threads and processes of their own, beside the running gateway. */
async function checkParts(command, address, home) {
  const ask = (...words) => run(command, ['send', ...words])
  writeFileSync(join(home, 'tide.pdf'), pdf('High water is at four.'))
  expect('foreword send', ask('/say Beside the gateway.'), 'Beside the gateway.')
  expect('a message with a PDF', ask('What does it say?', '--file', join(home, 'tide.pdf')), 'tokens: tide.pdf')
  const file = JSON.parse(run(command, ['files', 'add', join(home, 'tide.pdf'), '--json']))
  expect('the text of the PDF', run(command, ['files', 'text', file.id]), 'High water is at four.')
  const skill = join(home, 'skills', 'tides')
  mkdirSync(skill, { recursive: true })
  writeFileSync(
    join(skill, 'SKILL.md'),
    '---\nname: tides\ndescription: Reads tide tables.\n---\nAsk for the harbour.\n',
  )
  run(command, ['reload'])
  expect('the skill in the context', run(command, ['context', '--input', 'Hello']), 'system  skills ')
  run(command, ['tools', 'allow', 'search_files'])
  mkdirSync(join(home, 'workspace'), { recursive: true })
  writeFileSync(join(home, 'workspace', 'table.txt'), 'high water')
  const { calls } = JSON.parse(
    ask(`/call search_files ${JSON.stringify({ pattern: 'h(i)gh', regex: true })}`, '--json'),
  )
  expect('the result of a tool', run(command, ['calls', 'request', calls.at(-1)]), 'table.txt:1: high water')
  const wrapped = run(command, ['wrap', 'codex', '--model', 'rehearsal', '--print'])
  expect('foreword wrap', wrapped, '/through/')
  const token = new URL(run(command, ['token']).trim()).searchParams.get('token')
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  }
  const answer = await fetch(`${address}/mcp`, { method: 'POST', headers, body: initialize() })
  expect('/mcp of the gateway', await answer.text(), '"name":"foreword"')
  expect('the page', await (await fetch(`${address}/`)).text(), '<div id="root">')
}

/** A PDF with one line of text. */
function pdf(text) {
  const content = `BT /F1 12 Tf 50 800 Td (${text}) Tj ET`
  const page = '/Resources << /Font << /F1 4 0 R >> >> /MediaBox [0 0 595 842] /Contents 5 0 R'
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R ${page} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
  ]
  const body = objects.map((object, at) => `${at + 1} 0 obj\n${object}\nendobj\n`).join('')
  return `%PDF-1.4\n${body}trailer\n<< /Root 1 0 R /Size 6 >>\nstartxref\n0\n%%EOF\n`
}

/** A stranger is paired with a code, and then a letter is answered. */
async function checkChannel(command, conversation) {
  const code = run(command, ['pair', '--channel', 'mailbox']).trim()
  await sendLetter(conversation, 'pair', code, 'You are paired.')
  await sendLetter(conversation, 'hello', '/say Hello, Anna.', 'Hello, Anna.')
  expect('foreword pair list', run(command, ['pair', 'list']), 'anna')
}

/** A letter gets its name when it is whole. */
async function sendLetter(conversation, name, text, wanted) {
  const folders = { in: join(conversation, 'in'), out: join(conversation, 'out') }
  mkdirSync(folders.in, { recursive: true })
  writeFileSync(join(folders.in, `${name}.new`), text)
  renameSync(join(folders.in, `${name}.new`), join(folders.in, `${name}.txt`))
  const replies = () =>
    existsSync(folders.out) ? readdirSync(folders.out).map((file) => readFileSync(join(folders.out, file), 'utf8')) : []
  await waitFor(`the reply to the letter "${name}"`, () => replies().some((reply) => reply.includes(wanted)))
  tell(`the letter "${name}" is answered`)
}

/** What `look` finds, as soon as it finds something; the smoke ends where that takes longer than 30 seconds. */
async function waitFor(what, look) {
  for (const end = Date.now() + 30_000; Date.now() < end; await sleep(50)) {
    const found = look()
    if (found) return found
  }
  return stop(`${what} did not come within 30 seconds. The gateway printed:\n${running?.text() ?? ''}`)
}

function checkProject(tarball) {
  tell('importing the library from a project')
  const project = join(folder, 'project')
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'project', private: true, type: 'module' }))
  // The other imports of the examples.
  const others = ['@ai-sdk/openai-compatible', 'ai', 'zod'].map(
    (name) => `${name}@${(devDependencies[name] ?? dependencies[name]).slice(1)}`,
  )
  npm(['install', tarball, ...others, '--no-audit', '--no-fund'], project)
  writeFileSync(
    join(project, 'use.ts'),
    `import { available, type Budget } from 'foreword/context'
import { o200k } from 'foreword/context/o200k'
import { createToolbox } from 'foreword/tool'
const budget: Budget = { window: 1000, reserve: 100 }
console.log(available(budget), o200k.text('hello'), createToolbox([]).definitions.length)
`,
  )
  expect('import foreword/context', run(process.execPath, ['use.ts'], { cwd: project }), '900 1 0')
  const doors = Object.keys(exports).filter((door) => door !== './package.json')
  const named = doors.map((door, at) => `import * as door${at} from '${door.replace(/^\./, 'foreword')}'\n`).join('')
  const all = doors.map((_, at) => `Object.keys(door${at}).length > 0`).join(', ')
  writeFileSync(join(project, 'all.ts'), `${named}console.log([${all}].filter(Boolean).length)\n`)
  expect('import every door', run(process.execPath, ['all.ts'], { cwd: project }), String(doors.length))
  checkExamples(project)
}

/** The core alone, in a folder where nothing else is installed. */
async function checkContext() {
  tell('installing @foreword/context')
  const project = join(folder, 'core')
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'core', private: true, type: 'module' }))
  const { filename } = await packContext(folder)
  npm(['install', join(folder, filename), '--no-audit', '--no-fund'], project)
  const { packages } = JSON.parse(readFileSync(join(project, 'node_modules', '.package-lock.json'), 'utf8'))
  const places = Object.keys(packages).toSorted()
  expect('an install of the core', places.join(), 'node_modules/@foreword/context,node_modules/tokenx')
  const bytes = folderBytes(join(project, 'node_modules'))
  if (bytes > 2e6) stop(`an install of the core has ${bytes} bytes, and should have at most 2 MB`)
  writeFileSync(
    join(project, 'use.ts'),
    `import { type Budget, assemble, layoutOf, outline, tokenx, turnsOf } from '@foreword/context'
const budget: Budget = { window: 1000, reserve: 100 }
const turns = turnsOf([{ role: 'user', content: 'Hello' }])
const { manifest } = assemble({ layout: layoutOf('auto'), layers: [], ...turns, budget, counter: tokenx })
console.log(outline(manifest))
`,
  )
  expect('the core alone', run(process.execPath, ['use.ts'], { cwd: project }), 'window 1000, reserve 100')
  checkTypes(project)
  tell(`the core alone has ${Math.round(bytes / 1000)} kB, and is typed by what is installed`)
}

/** Compiles and runs every example with the installed package. */
function checkExamples(project) {
  // The expected output, where an example prints any.
  const outputs = {
    '03-own-tools.ts': 'Booked: Marigold in berth 3.',
    '04-embedded.ts': 'Hello from the gateway.',
    '05-agent-loop.ts': 'Enter now: 2.4 m and rising.',
    '05-own-provider.ts': 'High water is at four.',
  }
  cpSync(join(root, 'examples'), join(project, 'examples'), { recursive: true })
  const examples = readdirSync(join(project, 'examples'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .toSorted()
  for (const name of examples) {
    expect(
      `the example ${name}`,
      run(process.execPath, [join('examples', name)], { cwd: project }),
      outputs[name] ?? '',
    )
  }
  checkTypes(project)
  tell(`${examples.length} examples run, and are typed by what is installed`)
}

/** Compiles all of a project with the declarations that are installed there. */
function checkTypes(project) {
  writeFileSync(
    join(project, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: {
        noEmit: true,
        strict: true,
        skipLibCheck: true,
        module: 'nodenext',
        target: 'es2024',
        lib: ['es2024', 'esnext'],
        allowImportingTsExtensions: true,
        erasableSyntaxOnly: true,
        types: ['node'],
        typeRoots: [join(root, 'node_modules', '@types')],
      },
    }),
  )
  run(process.execPath, [join(root, 'node_modules', 'typescript', 'bin', 'tsc')], { cwd: project })
}

function initialize() {
  const clientInfo = { name: 'smoke', version: '1' }
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })
}

function scenario() {
  return JSON.stringify({
    name: 'a first hello',
    layout: 'auto',
    budget: { window: 1000, reserve: 100 },
    counter: 'declared',
    layers: [{ id: 'base', layer: 'system-prompt', text: 'You are helpful.', tokens: 10 }],
    history: [],
    current: { id: 't1', messages: [{ role: 'user', content: 'Hello', tokens: 5 }] },
  })
}

function npm(args, cwd) {
  const { file, words, shell } = npmProgram()
  return run(file, [...words, ...args], { cwd, shell })
}

function run(file, args, options = {}) {
  const shell = options.shell ?? (isWindows && file.endsWith('.cmd'))
  const { status, stdout, stderr, error } = spawnSync(file, args, {
    encoding: 'utf8',
    env: environment,
    maxBuffer: 64 * 1024 * 1024,
    ...options,
    shell,
  })
  if (status !== 0) stop(`${file} ${args.join(' ')} ended with ${status ?? error}\n${stdout}${stderr}`)
  return stdout
}

function expect(what, got, wanted) {
  if (!got.includes(wanted)) stop(`${what} should say "${wanted}" and said:\n${got}`)
  tell(`${what} says what it should`)
}

function tell(text) {
  process.stdout.write(`smoke: ${text}\n`)
}

function stop(text) {
  running?.child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
  process.stderr.write(`smoke: ${text}\n`)
  process.exit(1)
}
