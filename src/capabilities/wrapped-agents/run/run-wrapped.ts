import type { CommandCall, Io } from '../../../capability.ts'
import {
  type AddressedGateway,
  CommandFailure,
  note,
  onInterrupt,
  openAddressedGateway,
  printJson,
  signalExitCode,
} from '../../../cli.ts'
import { defined, errorMessage, systemClock } from '../../../platform.ts'
import { modelWindow } from '../model-window.ts'
import type { WrappedProgram } from '../program/wrapped-program.ts'
import { backgroundProcesses } from './background-processes.ts'
import { type RunChoices, runFacts } from './run-choices.ts'
import { commonVariables, runEnvironment } from './run-environment.ts'
import { openRunFiles } from './run-files.ts'
import { type RunSummary, summarizeRun, summaryLine } from './run-summary.ts'
import { makeRunToken } from './run-token.ts'
import { spawnProgram } from './spawn-program.ts'
import { PassThrough } from 'node:stream'
import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'

export interface WrappedCommand {
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
  const token = await makeRunToken(program.name, call.home)
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
    files.remove()
    await report(command, () => summarizeRun(gateway.connection, { token: token.name, since }))
    isKept = await waitForBackground(command, { run: facts.id, token: token.name, isOwn: gateway.isOwn })
    return code
  } finally {
    files.remove()
    if (!isKept) await token.revoke().catch((error: unknown) => note(io, stillValid(token.name, error)))
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
    // `fetch` says no more than that where nothing answers.
    const why = error instanceof TypeError ? 'the gateway has ended.' : errorMessage(error)
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

/**
 * A program can leave a process that goes on making calls: it keeps its token, and a gateway that was opened for the
 * run waits for it. Resolves to whether such a process is still there.
 */
async function waitForBackground(
  { program: { outlives, title }, io }: WrappedCommand,
  { run, token, isOwn }: BackgroundFacts,
): Promise<boolean> {
  const left = () => (outlives === undefined ? [] : backgroundProcesses(run, outlives))
  const found = left()
  if (found.length === 0) return false
  const which = `${title} left a process that goes on (${found.map(({ pid }) => pid).join(', ')})`
  if (!isOwn) {
    note(io, `foreword: ${which}. Its token stays valid; end it with \`foreword token revoke ${token}\`.`)
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

interface HeldOutput {
  readonly output: Io['stderr']
  readonly lines: () => readonly string[]
}

/** Messages of the gateway wait here: they would be written over what the program draws. */
function heldOutput(): HeldOutput {
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
