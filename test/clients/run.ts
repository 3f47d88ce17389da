/**
 * Runs the real Claude Code and the real Codex against `foreword mcp`, without the internet: their models are a scripted
 * server on this machine that speaks the wires of Anthropic and OpenAI. They are installed into a temporary folder
 * (some 770 MB) unless a folder has them already, and nothing is left behind.
 *
 *   npm run clients:mcp [-- FOLDER]
 */
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { type ScriptedProvider, scriptedProvider, type ScriptedRequest } from '../../src/testing.ts'
import { claudeCode } from './claude-code.ts'
import { codex } from './codex.ts'
import type { Program } from './program.ts'

const foreword = join(import.meta.dirname, '../../bin/foreword.js')
const folder = mkdtempSync(join(tmpdir(), 'foreword-clients-'))
const path = [dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter)
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

/** Of the home that the programs work on. */
const FILES = {
  'subjects/one/brief.md': 'Tastes: "night, calm"\n\nA harbour before dawn.\n',
  'subjects/one/notes.md': 'The horizon is level.\n',
  'tastes/night.md': 'No halos.\n',
  'tastes/calm.md': 'Quiet water.\n',
}

const programs = [claudeCode, codex]
const installed = process.argv[2] ?? install()
const faults: string[] = []
for (const program of programs) {
  console.log(`\n${program.title} (${program.package})`)
  await tellStory(program)
}
if (faults.length > 0) {
  console.log(`\n${faults.length} did not hold`)
  process.exitCode = 1
}

/** What a model calls one after another, and what it has to read in the answer. */
function stepsOf({ call }: Program) {
  return [
    {
      what: 'read_context is answered',
      call: call('read_context', { image_id: 'one' }),
      expected: /harbour before dawn/,
    },
    { what: 'an error says its code', call: call('read_context', { image_id: 'nobody' }), expected: /not_found/ },
    {
      what: 'a resource is read',
      call: call('read', { uri: 'foreword://subjects/one/notes' }),
      expected: /The horizon is level/,
    },
    { what: 'log_operation writes', call: call('log_operation', { image_id: 'one', op: 'crop' }), expected: /crop/ },
    {
      what: 'a proposal that nobody was asked about waits',
      call: call('propose_notes_update', { image_id: 'one', content: 'The haze stays.' }),
      expected: /waiting for a person/,
    },
  ]
}

async function tellStory(program: Program): Promise<void> {
  const room = join(folder, program.client)
  const home = join(room, 'foreword')
  for (const [file, text] of Object.entries(FILES)) write(join(home, file), text)
  mkdirSync(join(room, 'work'), { recursive: true })
  mkdirSync(join(room, 'home'), { recursive: true })
  const steps = stepsOf(program)
  const model = await scriptedProvider({
    answer(request) {
      const step = request.tools.length > 0 ? steps[program.results(request).length] : undefined
      return step === undefined
        ? { text: 'All done.' }
        : { toolCalls: [{ id: `call_${steps.indexOf(step)}`, ...step.call }] }
    },
  })
  try {
    const settings = program.settings(ownCommand(home, ['mcp', 'config', program.client]), model.url)
    write(join(room, settings.path), settings.text)
    check('it ends without a fault', (await runs(program, 'Look at one.', room, model)) === 0)
    checkRequests(program, steps, model.requests)
    const kept = ownCommand(home, ['subjects', 'proposals', '--all', '--json']).trim().split('\n')
    check(
      'the proposal is not dropped',
      kept.length === 1 && /"state":\{"type":"waiting"/.test(kept[0]!),
      kept.join('\n'),
    )
    await checkPrompt(program, room, model)
  } finally {
    await model.close()
  }
}

function checkRequests(
  program: Program,
  steps: ReturnType<typeof stepsOf>,
  requests: readonly ScriptedRequest[],
): void {
  const first = requests.find(({ tools }) => tools.length > 0)
  const ours = first === undefined ? [] : program.ourTools(first)
  check(`the first request has our tools: ${ours.length}`, ours.length === 7)
  const last = requests.findLast(({ tools }) => tools.length > 0)
  const results = last === undefined ? [] : program.results(last)
  for (const [at, { what, expected }] of steps.entries()) check(what, expected.test(results[at] ?? ''), results[at])
}

async function checkPrompt(program: Program, room: string, model: ScriptedProvider): Promise<void> {
  if (program.prompt === undefined) return console.log('  –     it has no place for prompts')
  const before = model.requests.length
  await runs(program, program.prompt('work_on_subject', 'one'), room, model)
  const said = model.requests.slice(before).map(({ bytes }) => bytes.toString())
  check(
    'a prompt brings its subject',
    said.some((text) => text.includes('harbour before dawn')),
  )
}

/** Its exit code. */
async function runs(program: Program, text: string, room: string, model: ScriptedProvider): Promise<number | null> {
  const [command, ...args] = program.args(text)
  const home = join(room, 'home')
  const child = spawn(join(installed, 'node_modules/.bin', command!), args, {
    cwd: join(room, 'work'),
    env: { PATH: path, HOME: home, ...program.environment(model.url, home) },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 120_000,
  })
  let told = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (told += data.toString()))
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  if (code !== 0) console.log(told)
  return code
}

function check(what: string, holds: boolean, seen?: string): void {
  console.log(`  ${holds ? 'ok   ' : 'FAULT'} ${what}`)
  if (holds) return
  faults.push(what)
  if (seen !== undefined) console.log(`        ${seen.slice(0, 1_000)}`)
}

function install(): string {
  const into = join(folder, 'installed')
  mkdirSync(into)
  write(join(into, 'package.json'), '{ "private": true }\n')
  console.log(`installing ${programs.map((each) => each.package).join(' and ')}`)
  const packages = programs.map((each) => each.package)
  const { status } = spawnSync('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', ...packages], {
    cwd: into,
    stdio: 'inherit',
  })
  if (status !== 0) throw new Error(`npm install ended with ${status}`)
  return into
}

/** What a command of ours prints. */
function ownCommand(home: string, args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [foreword, ...args], {
    env: { PATH: path, FOREWORD_HOME: home },
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(stderr)
  return stdout
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
