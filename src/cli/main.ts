import { homeDirectory, readArguments } from './arguments.ts'
import type { Command, CommandCall, Io, ListedCommand } from '../capability.ts'
import { allCommands, isCommand } from './commands.ts'
import { CommandFailure, usageFailure } from './failure.ts'
import { watchOutput } from './interrupt.ts'
import { applyStyle, note, print, printJson } from './io.ts'
import { errorMessage, ForewordError, nearestHint } from '../platform.ts'
import { version } from './version.ts'

/**
 * Runs the command line `argv`, which does not include the name of the program. Resolves to the exit code: 0 success,
 * 1 failure, 2 a command line that is not valid, 130 interrupted; 0 also where nothing reads the output any more. The error output says what failed, where, and how to fix it.
 */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  const line: CommandLine = { io }
  const output = watchOutput(io)
  const code = await dispatch(argv, line).catch((error: unknown) => reportFailure(error, argv, line.io))
  return output.exitCode ?? code
}

/** `io` gains the capabilities of the home once they are loaded, so that a failure of their commands names the command. */
interface CommandLine {
  io: Io
}

async function dispatch(argv: readonly string[], line: CommandLine): Promise<number> {
  const [name, ...args] = argv
  const { io } = line
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') return await help(args, io)
  if (name === '--version' || name === '-v' || name === 'version') {
    print(io, version())
    return 0
  }
  const { command, call } = await loadPrepared(name, args, line)
  if (!call.has('help')) return await command.run(call, line.io)
  const { commandHelp } = await import('./help.ts')
  // The capabilities of the home may add options to it.
  const all = await completeIo(args, io)
  print(io, commandHelp(await commandNamed(name, all), all))
  return 0
}

interface PreparedCommand {
  readonly command: Command
  readonly call: CommandCall
}

/** An unknown command or option may belong to a capability of the home. Only then are those capabilities loaded. */
async function loadPrepared(name: string, args: readonly string[], line: CommandLine): Promise<PreparedCommand> {
  const { io } = line
  try {
    return await prepare(name, args, io)
  } catch (error) {
    if (!(error instanceof CommandFailure) || error.exitCode !== 2) throw error
    line.io = await completeIo(args, io)
    if (line.io.capabilities?.length === line.io.programCapabilities?.length) throw error
    return await prepare(name, args, line.io)
  }
}

async function prepare(name: string, args: readonly string[], io: Io): Promise<PreparedCommand> {
  const command = await commandNamed(name, io)
  return { command, call: readArguments(command, args, io) }
}

async function help(names: readonly string[], io: Io): Promise<number> {
  const [name] = names
  const [complete, { commandHelp, commandList }] = await Promise.all([completeIo(names, io), import('./help.ts')])
  if (name !== undefined && !name.startsWith('-')) print(io, commandHelp(await commandNamed(name, complete), io))
  else
    print(io, commandList(complete.capabilities ? await listedCommands(complete) : (io.overview?.commands ?? {}), io))
  return 0
}

/** Every command that can be loaded. One of the home that cannot is reported and left out. */
async function listedCommands(io: Io): Promise<Readonly<Record<string, ListedCommand>>> {
  const loaded = Object.entries(allCommands(io)).map(async ([name, load]) => {
    try {
      return [[name, await load(io)] as const]
    } catch (error) {
      note(io, `Cannot load the command ${name}: ${errorMessage(error)}`)
      return []
    }
  })
  return Object.fromEntries((await Promise.all(loaded)).flat())
}

/** Adds the capabilities that the configuration names. One that cannot be loaded is reported and left out. */
async function completeIo(args: readonly string[], io: Io): Promise<Io> {
  const named = args.findLastIndex((arg) => arg === '--home')
  const home = homeDirectory(named === -1 ? undefined : args[named + 1], io.environment)
  try {
    if (io.overview && !io.capabilities) {
      const { namesCapabilities } = await import('../runtime/configured-capabilities.ts')
      if (!namesCapabilities({ home, environment: io.environment })) return io
    }
    const { withHomeCapabilities } = await import('./load-configuration.ts')
    return await withHomeCapabilities(home, io)
  } catch (error) {
    note(io, errorMessage(error))
    return io
  }
}

async function commandNamed(name: string, io: Io): Promise<Command> {
  const commands = allCommands(io)
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (load !== undefined) return await load(io)
  const written = (near: string) => `\`foreword ${near}\``
  const known = ELSEWHERE[name]
  const otherwise = known === undefined ? 'List the commands with `foreword --help`.' : `Use \`foreword ${known}\`.`
  const hint = nearestHint(name, Object.keys(commands), otherwise, written)
  throw usageFailure(name.startsWith('-') ? `Write the command before ${name}.` : `Unknown command "${name}".`, hint)
}

/** Words that people try, by what other programs call it. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  setup: 'start',
  init: 'start',
  status: 'doctor',
  show: 'sessions show ID',
  history: 'search --history TEXT',
  settings: 'config',
  key: 'config',
}

/** Prints what went wrong, where, and how to fix it; the stack only with `FOREWORD_DEBUG`. Returns the exit code. */
function reportFailure(error: unknown, argv: readonly string[], io: Io): number {
  const { code, message, hint, exitCode } = asFailure(error)
  if (argv.includes('--json')) printJson(io, { error: { code, message, hint } })
  const place = argv[0] !== undefined && isCommand(argv[0], io) ? `foreword ${argv[0]}` : 'foreword'
  note(io, `${applyStyle(io, 'red', place, io.stderr)}: ${message}`)
  if (hint !== undefined) note(io, hint.replaceAll(/^/gm, '  '))
  if (io.environment.FOREWORD_DEBUG && error instanceof Error && error.stack !== undefined) note(io, error.stack)
  return exitCode
}

function asFailure(error: unknown): CommandFailure {
  if (error instanceof CommandFailure) return error
  const message = errorMessage(error)
  if (error instanceof ForewordError) return new CommandFailure(error.code, message, { hint: error.hint, cause: error })
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unexpected'
  return new CommandFailure(code, message, { cause: error })
}
