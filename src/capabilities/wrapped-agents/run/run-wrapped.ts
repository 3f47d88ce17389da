import type { CommandCall, Io, GatewayConnection } from '../../../capability.ts'
import {
  type AddressedGateway,
  CommandFailure,
  note,
  onInterrupt,
  openAddressedGateway,
  printJson,
  signalExitCode,
  makeToken,
  withNamedTokens,
  requestJson,
} from '../../../cli.ts'
import { defined, errorMessage, ForewordError, systemClock } from '../../../platform.ts'
import {
  modelWindow,
  callsText,
  type CallSums,
  knownCostText,
  sumCalls,
  tokensText,
  fetchCallsSince,
} from '../session-view.ts'
import type { WrappedProgram } from '../program/wrapped-program.ts'
import {
  backgroundProcesses,
  commonVariables,
  runEnvironment,
  type RunChoices,
  runFacts,
  openRunFiles,
} from './run-environment.ts'
import { PassThrough } from 'node:stream'
import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { spawn } from 'node:child_process'
import { constants as system } from 'node:os'

interface WrappedCommand {
  readonly program: WrappedProgram
  readonly choices: RunChoices
  readonly call: Pick<CommandCall, 'home' | 'json'>
  readonly io: Io
}

/**
 * Runs a program with its calls through the gateway of a home, and returns its exit code. The token, the temporary
 * files and the gateway (if none ran before) are gone afterwards, however the run ended.
 */
export async function runWrapped(command: WrappedCommand): Promise<number> {
  const { program, call, io } = command
  const executable = findExecutable(program.command, io.environment)
  if (executable === undefined)
    throw new CommandFailure('not-found', `There is no program \`${program.command}\` on PATH.`, {
      hint: `Install ${program.title} with \`${program.install}\`, or add its folder to PATH.`,
    })
  const stopped: { by?: NodeJS.Signals } = {}
  // A signal ends the program, if it runs; what was set up for it is taken down in order.
  const stopListening = onInterrupt(io, (signal = 'SIGINT') => (stopped.by ??= signal))
  const later = heldOutput()
  try {
    const gateway = await openAddressedGateway(call.home, { ...io, stderr: later.output })
    try {
      return await runThrough(command, executable, gateway, () => stopped.by)
    } finally {
      await gateway.close()
    }
  } finally {
    stopListening()
    for (const line of later.lines()) note(io, line)
  }
}

async function runThrough(
  command: WrappedCommand,
  executable: string,
  gateway: AddressedGateway,
  stoppedBy: () => NodeJS.Signals | undefined,
): Promise<number> {
  const { program, choices, call, io } = command
  const since = systemClock.time()
  const token = await makeRunToken(program.name, call.home, io)
  const files = openRunFiles()
  let isKept = false
  try {
    const model = chosenModel(program, choices)
    const window = model === undefined ? undefined : await modelWindow(gateway.connection, model)
    const facts = { ...runFacts(choices, io), ...defined({ window }) }
    const plan = program.plan({ ...facts, address: gateway.address, token: token.value, folder: files.folder })
    files.write(plan.files ?? [])
    for (const text of plan.notes ?? []) note(io, `foreword: ${text}`)
    const variables = { ...commonVariables(io.environment, facts.id), ...plan.variables }
    const environment = runEnvironment(io.environment, variables)
    const signal = stoppedBy()
    if (signal !== undefined) return signalExitCode(signal) ?? 130
    const code = await spawnProgram({ executable, args: plan.args, environment, directory: facts.directory }, io)
    const left = program.leaves ? backgroundProcesses(facts.id, program.leaves) : []
    for (const { pid } of left) process.kill(pid, 'SIGTERM')
    files.remove()
    await report(command, () => summarizeRun(gateway.connection, { token: token.name, since }))
    isKept = await waitForBackground(command, { run: facts.id, token: token.name, isOwn: gateway.isOwn })
    return code
  } finally {
    files.remove()
    if (isKept) await token.keep()
    else await token.revoke().catch((error: unknown) => note(io, stillValid(token.name, error)))
  }
}

/** With its provider, as `foreword models` has it. */
function chosenModel(program: WrappedProgram, { provider = program.provider, model }: RunChoices): string | undefined {
  return model === undefined || model.startsWith(`${provider}/`) ? model : `${provider}/${model}`
}

function stillValid(token: string, error: unknown): string {
  return `foreword: the token ${token} is still valid: ${errorMessage(error)} Revoke it with \`foreword token revoke ${token}\`.`
}

/** The exit code is that of the program, whatever becomes of this. */
async function report({ program, call, io }: WrappedCommand, summarize: () => Promise<RunSummary>): Promise<void> {
  try {
    const summary = await summarize()
    // The standard output belongs to the program.
    if (call.json) printJson({ ...io, stdout: io.stderr }, summary)
    else note(io, summaryLine(summary, program.title))
  } catch (error) {
    const isGone = error instanceof ForewordError && error.code === 'network'
    const why = isGone ? 'the gateway has ended.' : errorMessage(error)
    note(
      io,
      `foreword: The calls of this run cannot be added up: ${why} \`foreword sessions\` lists what is on record.`,
    )
  }
}

interface BackgroundFacts {
  readonly run: string
  readonly token: string
  readonly isOwn: boolean
}

/** A program can leave a process that makes calls: it keeps its token. Resolves to whether one is still there. */
async function waitForBackground(
  { program: { outlives, title }, io }: WrappedCommand,
  { run, token, isOwn }: BackgroundFacts,
): Promise<boolean> {
  const left = () => (outlives === undefined ? [] : backgroundProcesses(run, outlives))
  const found = left()
  if (found.length === 0) return false
  const which = `${title} left a process that goes on (${found.map(({ pid }) => pid).join(', ')})`
  if (!isOwn) {
    note(
      io,
      `foreword: ${which}. Its token stays valid for seven days; end it with \`foreword token revoke ${token}\`.`,
    )
    return true
  }
  note(io, `foreword: ${which}, and this gateway with it. Press Ctrl-C to end the gateway.`)
  const stopping = new AbortController()
  const stop = onInterrupt(io, () => stopping.abort())
  try {
    while (!stopping.signal.aborted && left().length > 0) await systemClock.sleep(200, stopping.signal)
  } finally {
    stop()
  }
  return false
}

/** Messages of the gateway wait here: they would be written over what the program draws. */
function heldOutput() {
  const chunks: Buffer[] = []
  const output = new PassThrough().on('data', (chunk: Buffer) => chunks.push(chunk))
  return {
    output,
    lines: () =>
      Buffer.concat(chunks)
        .toString('utf8')
        .split('\n')
        .filter((line) => line !== ''),
  }
}

/** The path of a program, as a shell would find it. */
function findExecutable(
  command: string,
  { PATH = '', PATHEXT = '' }: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const endings = process.platform === 'win32' ? PATHEXT.split(';') : ['']
  const folders = PATH.split(delimiter).filter((folder) => folder !== '')
  return folders.flatMap((folder) => endings.map((ending) => join(folder, `${command}${ending}`))).find(isExecutable)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/** A token is valid for so long, and is renewed so often, ms, while its run lasts: it ends with the run, also where that is killed. */
const LEASE = '3m'
const RENEWAL_MS = 30_000
/** One that a process goes on using after its run. */
const LONGEST_RUN = '7d'

/** A token of the scope `talk`, with the first free name of `wrap-NAME`, `wrap-NAME-2` …: later runs reuse a name. */
async function makeRunToken(program: string, home: string, io: Io) {
  const own = new RegExp(`^wrap-${program}(?:-\\d+)?$`)
  const taken = await withNamedTokens(home, io, async (named) => {
    const now = systemClock.now()
    const isLeft = ({ name, expires = '' }: { name: string; expires?: string | undefined }) =>
      own.test(name) && Date.parse(expires) <= now
    // Of runs that were killed. Another run may do this at the same time.
    for (const { name } of named.list().filter(isLeft)) await named.revoke(name, 'cli').catch(() => {})
    return new Set(named.list().map(({ name }) => name.toLowerCase()))
  })
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? `wrap-${program}` : `wrap-${program}-${number}`
    if (taken.has(name)) continue
    try {
      const { token, hash } = await makeToken(home, io, { name, scope: 'talk', expires: LEASE })
      const renew = (expires: string) => withNamedTokens(home, io, (named) => named.renew(hash, expires))
      // What fails once is tried again before the lease ends.
      const stop = systemClock.every(RENEWAL_MS, () => void renew(LEASE).catch(() => {}), { idle: true })
      const end = async (work: () => Promise<unknown>) => {
        stop()
        await work()
      }
      return {
        name,
        value: token,
        keep: () => end(() => renew(LONGEST_RUN)),
        revoke: () => end(() => withNamedTokens(home, io, (named) => named.revoke(name, 'cli'))),
      }
    } catch (error) {
      // Another run was faster.
      if (!(error instanceof Error && 'code' in error && error.code === 'exists')) throw error
      taken.add(name)
    }
  }
}

interface ProgramToSpawn {
  readonly executable: string
  readonly args: readonly string[]
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly directory: string
}

/**
 * Runs a program with the terminal of this process and resolves to its exit code, 128 and the number of the signal
 * where one ended it. Signals are passed on; Ctrl-C reaches the program by itself.
 */
function spawnProgram({ executable, args, environment, directory }: ProgramToSpawn, io: Io): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(executable, args, { stdio: 'inherit', env: environment, cwd: directory })
    const stop = onInterrupt(io, (signal = 'SIGINT') => {
      if (signal !== 'SIGINT' || io.stdin.isTTY !== true) child.kill(signal)
    })
    child.once('error', (error) => {
      stop()
      reject(
        new CommandFailure('not-started', `${executable} cannot be started: ${errorMessage(error)}.`, { cause: error }),
      )
    })
    child.once('close', (code, signal) => {
      stop()
      resolve(code ?? 128 + (signal === null ? 0 : system.signals[signal]))
    })
  })
}

interface RunSummary extends CallSums {
  readonly sessions: readonly string[]
  /** Calls that were answered with an error, or not to their end. One that the program gave up is none. */
  readonly failed: number
}

/** How long the record of the last call may take, ms. */
const RECORD_LIMIT = 3_000

/** Adds up the calls that were made with a token since a time, once all of them are on record. */
async function summarizeRun(
  connection: GatewayConnection,
  { token, since }: { readonly token: string; readonly since: string },
): Promise<RunSummary> {
  await recorded(connection)
  const own = (await fetchCallsSince(connection, since)).filter((call) => call.token === token)
  const sessions = [...new Set(own.flatMap(({ session }) => (session === undefined ? [] : [session])))]
  const failed = own.filter((call) => {
    const { end, status = 200 } = call.outcome?.foreign ?? {}
    return end !== 'left' && (call.outcome?.error !== undefined || status >= 400)
  })
  return { ...sumCalls(own), sessions, failed: failed.length }
}

/** `foreword: 3 calls · 41,200 tokens read (88 % from the cache), 512 written · $0.21 · foreword calls session_…`. */
function summaryLine(summary: RunSummary, title: string): string {
  if (summary.calls === 0) {
    return `foreword: no call of ${title} came through. \`foreword wrap --help\` says what can be the cause.`
  }
  const { calls, failed, sessions } = summary
  const look = sessions
    .slice(0, 3)
    .map((session) => `foreword calls ${session}`)
    .join(', ')
  const failures = failed === 0 ? [] : [`${failed} failed`]
  return `foreword: ${[callsText(calls), ...failures, tokensText(summary), knownCostText(summary), look].join(' · ')}`
}

/** Waits until no call is open, as far as the gateway says so. */
async function recorded(connection: GatewayConnection): Promise<void> {
  for (const since = systemClock.now(); systemClock.now() - since < RECORD_LIMIT; await systemClock.sleep(50)) {
    const { through } = await requestJson<{ readonly through?: { readonly open: number } }>(connection, '/api/status')
    if (through === undefined || through.open === 0) return
  }
}
