/**
 * Runs the real programs of `client.ts` through the gateway, without the internet: the vendors are scripted servers on this
 * machine. They are installed into a cache outside of the repository (some 4 GB) unless it has them; nothing else is left.
 * With `--record` the calls are written, with filler for every text, as the fixtures of `test/clients/recorded`.
 *
 *   npm run clients [-- [--record] [--only NAME] [FOLDER]]
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { wrappedPrograms } from '../../../src/capabilities/wrapped-agents/program/programs.ts'
import { backgroundProcesses, commonVariables } from '../../../src/capabilities/wrapped-agents/run/run-environment.ts'
import { builtIn, createForeword } from '../../../src/foreword.ts'
import { defined } from '../../../src/platform.ts'
import { type ScriptedAnswer, scriptedProvider, type ScriptedRequest } from '../../../src/testing.ts'
import { type Client, clients } from './client.ts'
import { clientCache, installInto } from './install.ts'
import { recordedCall } from './recording.ts'
import { openTap } from './tap.ts'

/** As `foreword wrap` names a run. */
const RUN = 'foreword-wrap-0'

/** How long a program may try to get through after its first call, ms. */
const FAILURE_MS = 30_000

/** How long a program may take to make that call, and a whole run, ms: a busy machine is slow to start one. */
const RUN_MS = 240_000

/** How a vendor fails. */
const FAILURES: readonly (readonly [string, ScriptedAnswer])[] = [
  ['402', { status: 402, body: { type: 'error', error: { type: 'billing_error', message: 'the budget is spent' } } }],
  [
    '400 with x-should-retry: false',
    {
      status: 400,
      headers: { 'x-should-retry': 'false' },
      body: { type: 'error', error: { type: 'invalid_request_error', message: 'the budget is spent' } },
    },
  ],
  [
    '429',
    {
      status: 429,
      headers: { 'retry-after': '1' },
      body: { type: 'error', error: { type: 'rate_limit_error', message: 'slow down' } },
    },
  ],
  ['a stream that breaks off', { text: ['half of ', 'an answer'], cutAfter: 3 }],
]

const { values, positionals } = parseArgs({
  options: { record: { type: 'boolean' }, only: { type: 'string' } },
  allowPositionals: true,
})
const foreword = join(import.meta.dirname, '../../../bin/foreword.js')
const root = mkdtempSync(join(tmpdir(), 'foreword-clients-'))
process.on('exit', () => rmSync(root, { recursive: true, force: true }))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

const chosen = clients.filter(({ name }) => values.only === undefined || name === values.only)
const commands = installInto(
  positionals[0] ?? clientCache(process.env),
  chosen.map((client) => client.package),
)
const path = [commands, dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter)
const faults: string[] = []
for (const client of chosen) await tellStory(client)
if (faults.length > 0) {
  console.log(`\n${faults.length} did not hold`)
  process.exitCode = 1
}

function check(what: string, holds: boolean, seen?: unknown): void {
  console.log(`  ${holds ? 'ok   ' : 'FAULT'} ${what}`)
  if (holds) return
  faults.push(what)
  if (seen !== undefined)
    console.log(`        ${(typeof seen === 'string' ? seen : JSON.stringify(seen)).slice(0, 1_500)}`)
}

/** What the vendor answers to a call of the conversation. */
interface Script {
  answer: (request: ScriptedRequest) => ScriptedAnswer
}

async function tellStory(client: Client): Promise<void> {
  console.log(`\n${client.package}`)
  const script: Script = { answer: () => ({ text: 'Hello there.' }) }
  const vendor = await scriptedProvider({
    answer: (request) => (client.isTurn(request) ? script.answer(request) : { text: 'A title' }),
  })
  const room = join(root, client.name)
  const [home, person, work] = ['foreword', 'person', 'work'].map((name) => join(room, name)) as [
    string,
    string,
    string,
  ]
  for (const folder of [home, person, work]) mkdirSync(folder, { recursive: true })
  for (const [name, text] of Object.entries(client.files ?? {})) {
    mkdirSync(dirname(join(person, name)), { recursive: true })
    writeFileSync(join(person, name), text)
  }
  writeFileSync(join(work, 'notes.md'), 'The horizon is level.\n')
  const providers = {
    anthropic: { kind: 'anthropic', baseURL: `${vendor.url}/v1` },
    openai: { kind: 'openai', baseURL: `${vendor.url}/v1` },
    google: { kind: 'openai-compatible', baseURL: `${vendor.url}/v1beta/openai`, apiKeyEnv: 'GEMINI_API_KEY' },
  }
  const configuration = { model: 'rehearsal', providers }
  writeFileSync(join(home, 'config.json'), JSON.stringify(configuration))
  const environment = {
    PATH: path,
    HOME: person,
    ANTHROPIC_API_KEY: 'made-up',
    OPENAI_API_KEY: 'made-up',
    GEMINI_API_KEY: 'made-up',
    OLLAMA_HOST: '127.0.0.1:1',
  }
  const gateway = await createForeword({ home, capabilities: builtIn, configuration, environment, warn: () => {} })
  const { url } = await gateway.listen({ port: 0 })
  const tap = await openTap(url)
  const program = wrappedPrograms.find(({ name }) => name === client.name)!
  const owner = gateway.token
  const token = await makeToken(url, owner)
  const recorded: string[] = []

  /** Runs the program as `foreword wrap` would, with the tap between it and the gateway. */
  async function say(args: readonly string[], limits: RunLimits = {}): Promise<Ran> {
    const [sentBefore, receivedBefore] = [tap.sent().length, vendor.requests.length]
    const folder = mkdtempSync(join(room, 'run-'))
    const plan = program.plan({
      id: RUN,
      address: tap.url,
      token,
      folder,
      args,
      ...defined({ model: client.model }),
      environment,
      directory: work,
      gatewayKey: false,
      assemble: false,
      readText: (file) => (existsSync(file) ? readFileSync(file, 'utf8') : undefined),
    })
    for (const { path: file, text } of plan.files ?? []) {
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, text)
    }
    const ran = await runProgram({
      command: join(commands, program.command),
      args: plan.args,
      environment: { ...environment, ...client.environment, ...commonVariables({}, RUN), ...plan.variables },
      directory: work,
      hasBegun: () => vendor.requests.slice(receivedBefore).some(client.isTurn),
      ...limits,
    })
    for (const { path: file } of plan.files ?? []) rmSync(file, { force: true })
    for (const { pid } of program.leaves ? backgroundProcesses(RUN, program.leaves) : []) process.kill(pid, 'SIGTERM')
    await gateway.runtime.idle()
    return { ...ran, sent: tap.sent().slice(sentBefore), received: vendor.requests.slice(receivedBefore) }
  }

  function keep(story: string, received: readonly ScriptedRequest[]): void {
    for (const request of received) recorded.push(JSON.stringify(recordedCall(client.name, story, request)))
  }

  try {
    const turn = await say(client.turn('say hello'))
    check('a turn is answered', turn.code === 0 && turn.output.includes('Hello there.'), turn)
    checkBytes('a turn', turn)
    keep('turn', turn.received)

    script.answer = (request) =>
      client.hasResult(request)
        ? { text: 'It is level.' }
        : { toolCalls: [{ id: 'call_1', ...client.read(join(work, 'notes.md')) }] }
    const tool = await say(client.turn('read notes.md'))
    check('a tool is called and its result read', tool.code === 0 && tool.output.includes('It is level.'), tool)
    check(
      'the result has what the file says',
      tool.received.some(({ bytes }) => bytes.toString().includes('The horizon is level')),
      tool.received.at(-1)?.bytes.toString().slice(-1_500),
    )
    checkBytes('a tool round trip', tool)
    keep('tool', tool.received)

    script.answer = () => ({ text: 'Still here.' })
    if (client.resume) {
      const resumed = await say(client.resume('are you there'))
      check('a conversation is resumed', resumed.code === 0 && resumed.output.includes('Still here.'), resumed)
      check(
        'with what was said before',
        resumed.received.some(({ bytes }) => bytes.toString().includes('It is level.')),
      )
      checkBytes('a resume', resumed)
      keep('resume', resumed.received)
    }

    script.answer = () => ({ text: ['one ', 'two ', 'three'], hangAfter: 4 })
    const before = vendor.requests.length
    const interrupted = await say(client.turn('count'), {
      stopWhen: () => vendor.requests.slice(before).some(client.isTurn),
    })
    const cut = interrupted.received.findLast(client.isTurn)
    check('an interruption reaches the vendor', await isSoon(() => cut?.cancelled === true), interrupted)
    checkBytes('an interruption', interrupted)

    for (const [what, answer] of FAILURES) {
      script.answer = () => answer
      const failed = await say(client.turn('say hello'), { mostMs: FAILURE_MS })
      const calls = failed.received.filter(client.isTurn).length
      console.log(
        `  –     ${what}: ${calls} ${calls === 1 ? 'call' : 'calls'}, ${failed.stopped ? `still trying after ${FAILURE_MS / 1_000} s` : `exit code ${failed.code}`}`,
      )
      checkBytes(what, failed)
    }

    const { calls } = await read(url, owner, '/api/calls?limit=1000')
    const digests = new Set(vendor.requests.map(({ sha256 }) => sha256))
    const wires = calls.flatMap(({ outcome }) => (outcome?.wire && outcome.wire.bytes > 0 ? [outcome.wire.sha256] : []))
    check(
      'each call on record is one that the vendor received',
      wires.length > 0 && wires.every((digest) => digests.has(digest)),
    )
    const sessions = new Set(calls.map(({ session }) => session))
    console.log(
      `  –     ${calls.length} calls on record, in ${sessions.size} sessions, of ${[...new Set(calls.map(({ foreign }) => foreign?.client))].join(', ')}`,
    )
  } finally {
    tap.close()
    await gateway.close()
  }
  script.answer = () => ({ text: 'Hello there.' })
  const before = vendor.requests.length
  const model = client.model === undefined ? [] : ['--model', client.model]
  const args = [foreword, 'wrap', client.name, ...model, '--', ...client.turn('say hello')]
  const wrapped = await runProgram({
    command: process.execPath,
    args,
    environment: { ...environment, ...client.environment, FOREWORD_HOME: home },
    directory: work,
  })
  check(`foreword wrap ${client.name} answers`, wrapped.code === 0 && wrapped.output.includes('Hello there.'), wrapped)
  check('its call reached the vendor', vendor.requests.slice(before).some(client.isTurn))
  const line = wrapped.output.split('\n').findLast((each) => each.startsWith('foreword: '))
  check(
    `and says what it was: ${line ?? ''}`,
    /^foreword: \d+ calls? · [\d,]+ tokens read .* · foreword calls session_/.test(line ?? ''),
  )
  await vendor.close()
  if (values.record === true) {
    const file = join(import.meta.dirname, '..', 'recorded', `${client.name}.jsonl`)
    writeFileSync(file, `${recorded.join('\n')}\n`)
    console.log(`  –     ${recorded.length} calls recorded`)
  }
}

/** Each body that the program sent was received with the same digest. A call that was given up may not have arrived. */
function checkBytes(what: string, { sent, received }: Ran): void {
  const arrived = received.map(({ sha256 }) => sha256)
  const same = arrived.every((digest, at) => sent.includes(digest) && arrived.indexOf(digest) <= at)
  check(
    `${what}: ${arrived.length} of ${sent.length} bodies arrived byte by byte`,
    same && arrived.length === sent.length && arrived.length > 0,
  )
}

/** Whether something becomes so within two seconds. */
async function isSoon(holds: () => boolean): Promise<boolean> {
  for (let tries = 0; tries < 40 && !holds(); tries += 1) await setTimeout(50)
  return holds()
}

interface RunLimits {
  /** The program is stopped, as by Ctrl-C, once this is so. */
  readonly stopWhen?: () => boolean
  /** The program is ended so long after its first call. */
  readonly mostMs?: number
}

interface ProgramRun extends RunLimits {
  readonly command: string
  readonly args: readonly string[]
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly directory: string
  /** Whether it has made its first call. */
  readonly hasBegun?: () => boolean
}

interface Ended {
  readonly code: number | null
  readonly output: string
  readonly stopped: boolean
}

interface Ran extends Ended {
  /** Digests of the bodies that the program sent. */
  readonly sent: readonly string[]
  readonly received: readonly ScriptedRequest[]
}

function runProgram(run: ProgramRun): Promise<Ended> {
  const { command, args, environment, directory, hasBegun, stopWhen, mostMs } = run
  const child = spawn(command, args, {
    cwd: directory,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let [output, stopped] = ['', false]
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (output += data.toString()))
  const end = (signal: NodeJS.Signals) => {
    try {
      process.kill(-child.pid!, signal)
    } catch {
      // It has ended.
    }
  }
  const stop = (signal: NodeJS.Signals) => {
    stopped = true
    end(signal)
  }
  let late = globalThis.setTimeout(stop, RUN_MS, 'SIGKILL')
  let isLimited = mostMs === undefined
  const watch = setInterval(() => {
    if (stopWhen?.() && !stopped) {
      stop('SIGINT')
      clearTimeout(late)
      late = globalThis.setTimeout(end, FAILURE_MS, 'SIGKILL')
    }
    if (isLimited || !hasBegun?.()) return
    isLimited = true
    clearTimeout(late)
    late = globalThis.setTimeout(stop, mostMs, 'SIGKILL')
  }, 100)
  return new Promise((resolve) => {
    child.once('close', (code) => {
      clearInterval(watch)
      clearTimeout(late)
      end('SIGKILL')
      resolve({ code, output, stopped })
    })
  })
}

/** A token in an address has to be one of the scope `talk`. */
async function makeToken(url: string, owner: string): Promise<string> {
  const response = await fetch(`${url}/api/tokens`, {
    method: 'POST',
    headers: { authorization: `Bearer ${owner}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'clients', scope: 'talk' }),
  })
  return ((await response.json()) as { readonly token: string }).token
}

interface CallList {
  readonly calls: readonly {
    readonly session?: string
    readonly foreign?: { readonly client: string }
    readonly outcome?: { readonly wire?: { readonly sha256: string; readonly bytes: number } }
  }[]
}

async function read(url: string, token: string, place: string): Promise<CallList> {
  const response = await fetch(`${url}${place}`, { headers: { authorization: `Bearer ${token}` } })
  return (await response.json()) as CallList
}
