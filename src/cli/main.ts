import { readArguments } from './arguments.ts'
import type { Command } from './command.ts'
import { commands } from './commands.ts'
import { CommandFailure, usageFailure } from './failure.ts'
import { commandHelp, overview } from './help.ts'
import { type Io, note, print, printJson } from './io.ts'
import { errorMessage, ForewordError, nearestName } from '../platform.ts'
import { styled } from './style.ts'
import { version } from './version.ts'

/**
 * The command line. `argv` is what stands behind the program's name; the answer is the exit code: 0 done, 1 not done
 * (what, where and how to fix it stand on the error output), 2 not understood, 130 interrupted.
 */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  try {
    return await dispatch(argv, io)
  } catch (error) {
    return tell(error, argv, io)
  }
}

async function dispatch(argv: readonly string[], io: Io): Promise<number> {
  const [name, ...args] = argv
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') return await help(args, io)
  if (name === '--version' || name === '-v' || name === 'version') {
    print(io, version())
    return 0
  }
  const command = await commandNamed(name)
  const call = readArguments(command, args, io)
  if (!call.has('help')) return await command.run(call, io)
  print(io, commandHelp(command, io))
  return 0
}

async function help(names: readonly string[], io: Io): Promise<number> {
  const [name] = names
  if (name !== undefined && !name.startsWith('-')) print(io, commandHelp(await commandNamed(name), io))
  else print(io, overview(await Promise.all(Object.values(commands).map((load) => load())), io))
  return 0
}

async function commandNamed(name: string): Promise<Command> {
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (load !== undefined) return await load()
  const near = nearestName(name, Object.keys(commands))
  throw usageFailure(
    name.startsWith('-') ? `The command comes first, before ${name}.` : `There is no command \`${name}\`.`,
    near === undefined ? '`foreword --help` lists the commands.' : `Did you mean \`foreword ${near}\`?`,
  )
}

/** Says what went wrong, where, and how to fix it. The trace is for those who ask with `FOREWORD_DEBUG`. */
function tell(error: unknown, argv: readonly string[], io: Io): number {
  const { code, message, hint, exitCode } = asFailure(error)
  if (argv.includes('--json')) printJson(io, { error: { code, message, hint } })
  const place = argv[0] !== undefined && Object.hasOwn(commands, argv[0]) ? `foreword ${argv[0]}` : 'foreword'
  note(io, `${styled(io, 'red', place, io.stderr)}: ${message}`)
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
